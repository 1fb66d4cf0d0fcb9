//! Splits a file into its chunks: those of a GLB, or the JSON of a `.gltf`.

use std::ops::Range;

use super::{Result, malformed};
use crate::io::{ErrorCode, ReadError};

/// The content of a file.
pub(super) struct Chunks {
    pub json: String,
    /// The binary chunk of a GLB.
    pub bin: Option<Vec<u8>>,
    /// Where its payload is in the file.
    pub bin_range: Range<usize>,
}

const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// Splits a GLB or a `.gltf`.
pub(super) fn split(bytes: &[u8]) -> Result<Chunks> {
    if !bytes.starts_with(b"glTF") {
        return Ok(Chunks { json: utf8(bytes)?, bin: None, bin_range: 0..0 });
    }
    let version = word(bytes, 4)?;
    match version {
        1 => return Err(gltf_1_error("byte 4")),
        2 => {}
        _ => {
            let what = format!("this is glTF {version}, and only glTF 2.0 is read");
            let error = ReadError::new(ErrorCode::Unsupported, "byte 4", what);
            return Err(error.hint("export it as glTF 2.0"));
        }
    }
    let length = word(bytes, 8)? as usize;
    if length > bytes.len() {
        let what = format!("the header declares {length} bytes, but the file has {}", bytes.len());
        return Err(ReadError::new(ErrorCode::Truncated, "byte 8", what).hint("download or export it again"));
    }
    let (mut json, mut bin, mut bin_range) = (None, None, 0..0);
    let mut at = HEADER;
    while at + CHUNK_HEADER <= length {
        let (size, kind) = (word(bytes, at)? as usize, word(bytes, at + 4)?);
        let body = bytes.get(at + CHUNK_HEADER..).and_then(|rest| rest.get(..size)).ok_or_else(|| {
            let what = format!("a chunk declares {size} bytes, more than the rest of the file");
            ReadError::new(ErrorCode::Truncated, format!("byte {at}"), what)
                .hint("download or export it again")
        })?;
        match kind {
            JSON if json.is_none() => json = Some(utf8(body)?),
            BIN if bin.is_none() => {
                bin = Some(body.to_vec());
                bin_range = at + CHUNK_HEADER..at + CHUNK_HEADER + size;
            }
            _ => {} // the specification requires readers to ignore unknown chunks
        }
        at += CHUNK_HEADER + size;
    }
    let json = json.ok_or_else(|| malformed("byte 12", "the GLB has no JSON chunk"))?;
    Ok(Chunks { json, bin, bin_range })
}

/// The error for a glTF 1.0 file.
pub(super) fn gltf_1_error(place: &str) -> ReadError {
    let what = "this is glTF 1.0, and only glTF 2.0 is read";
    let hint = "convert it to glTF 2.0, for example with `npx gltf-pipeline -i old.gltf -o new.glb`, \
                or export it again from the program it was made with";
    ReadError::new(ErrorCode::Unsupported, place, what).hint(hint)
}

fn word(bytes: &[u8], at: usize) -> Result<u32> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    word.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(|| {
        ReadError::new(ErrorCode::Truncated, format!("byte {at}"), "the file ends inside its header")
            .hint("download or export it again")
    })
}

fn utf8(bytes: &[u8]) -> Result<String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| malformed(format!("byte {}", error.valid_up_to()), "the JSON is not UTF-8 text"))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}
