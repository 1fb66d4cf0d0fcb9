//! The outer shell: a GLB's chunks, or plain JSON.

use super::{Result, malformed};
use crate::io::{ErrorCode, ReadError};

/// What a file consists of.
pub(super) struct Parts {
    pub json: String,
    /// The binary chunk of a GLB.
    pub bin: Option<Vec<u8>>,
}

const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// Takes a GLB or a `.gltf` apart.
pub(super) fn split(bytes: &[u8]) -> Result<Parts> {
    if !bytes.starts_with(b"glTF") {
        return Ok(Parts { json: utf8(bytes)?, bin: None });
    }
    let version = word(bytes, 4)?;
    if version != 2 {
        let error =
            ReadError::new(ErrorCode::Unsupported, "byte 4", format!("this is glTF {version}, not glTF 2"));
        return Err(error.hint("convert it with a current exporter"));
    }
    let length = word(bytes, 8)? as usize;
    if length > bytes.len() {
        let what = format!("the header promises {length} bytes, but the file has {}", bytes.len());
        return Err(ReadError::new(ErrorCode::Truncated, "byte 8", what).hint("download or export it again"));
    }
    let (mut json, mut bin) = (None, None);
    let mut at = HEADER;
    while at + CHUNK_HEADER <= length {
        let (size, kind) = (word(bytes, at)? as usize, word(bytes, at + 4)?);
        let body = bytes.get(at + CHUNK_HEADER..).and_then(|rest| rest.get(..size)).ok_or_else(|| {
            let what = format!("a chunk promises {size} bytes, more than the file has left");
            ReadError::new(ErrorCode::Truncated, format!("byte {at}"), what)
                .hint("download or export it again")
        })?;
        match kind {
            JSON if json.is_none() => json = Some(utf8(body)?),
            BIN if bin.is_none() => bin = Some(body.to_vec()),
            _ => {} // the specification says to ignore chunks one does not know
        }
        at += CHUNK_HEADER + size;
    }
    let json = json.ok_or_else(|| malformed("byte 12", "the GLB has no JSON chunk"))?;
    Ok(Parts { json, bin })
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
