//! Resolves the bytes of every buffer: the chunk of the GLB, `data:` URIs, or separate files.

use super::schema::Document;
use super::{Result, data_uri, malformed, warn};
use crate::io::{ErrorCode, File, ReadError};
use crate::report::Report;

/// The bytes of each buffer, at least as many as the document declares. Buffers that only hold a
/// plain copy of compressed data may be empty.
pub(super) fn resolve(
    document: &Document,
    mut bin: Option<Vec<u8>>,
    others: &[File],
    report: &mut Report,
) -> Result<Vec<Vec<u8>>> {
    let mut buffers = Vec::with_capacity(document.buffers.len());
    for (index, buffer) in document.buffers.iter().enumerate() {
        let place = format!("buffers[{index}]");
        let is_fallback = document.is_fallback(index);
        let bytes = match &buffer.uri {
            Some(uri) if uri.starts_with("data:") => {
                data_uri::decode(uri).ok_or_else(|| malformed(&place, "the data URI cannot be decoded"))?.1
            }
            Some(uri) => match file_for(uri, others) {
                Some(file) => file.bytes.clone(),
                None if is_fallback => Vec::new(),
                None => return Err(missing(&place, uri)),
            },
            None if index == 0 => bin.take().unwrap_or_default(),
            None => Vec::new(),
        };
        if bytes.len() < buffer.byte_length && !is_fallback {
            let what =
                format!("it declares {} bytes, but only {} are present", buffer.byte_length, bytes.len());
            return Err(
                ReadError::new(ErrorCode::Truncated, place, what).hint("download or export the file again")
            );
        }
        buffers.push(bytes);
    }
    if bin.is_some_and(|bytes| !bytes.is_empty()) {
        warn(report, "the GLB's binary chunk", "no buffer refers to it, so it was ignored");
    }
    Ok(buffers)
}

fn missing(place: &str, uri: &str) -> ReadError {
    let what = format!("it is stored in the file '{uri}', which is missing");
    ReadError::new(ErrorCode::MissingFile, place, what)
        .hint("open all files of the model together, or save it as GLB")
}

/// The file that a relative URI refers to: by its whole path, else by its file name.
pub(super) fn file_for<'a>(uri: &str, others: &'a [File]) -> Option<&'a File> {
    let wanted = String::from_utf8(data_uri::percent_decoded(uri)).ok()?.replace('\\', "/");
    let wanted = wanted.trim_start_matches("./");
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let name = |file: &File| file.name.replace('\\', "/");
    others
        .iter()
        .find(|file| name(file) == wanted || name(file).ends_with(&format!("/{wanted}")))
        .or_else(|| others.iter().find(|file| last(&name(file)) == last(wanted)))
}
