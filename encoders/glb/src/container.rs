//! A GLB as its two chunks.

/// Chunks are padded to this size.
const ALIGNMENT: usize = 4;

const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// Joins JSON and binary data into a GLB. An empty binary chunk is left out.
pub fn join(json: String, bin: &[u8]) -> Vec<u8> {
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(ALIGNMENT), b' ');
    let padded = bin.len().next_multiple_of(ALIGNMENT);
    let bin_chunk = if bin.is_empty() { 0 } else { CHUNK_HEADER + padded };
    let total = HEADER + CHUNK_HEADER + json.len() + bin_chunk;
    let mut glb = Vec::with_capacity(total);
    let word = |value: usize, glb: &mut Vec<u8>| glb.extend_from_slice(&(value as u32).to_le_bytes());
    glb.extend_from_slice(b"glTF");
    word(2, &mut glb);
    word(total, &mut glb);
    word(json.len(), &mut glb);
    glb.extend_from_slice(b"JSON");
    glb.extend_from_slice(&json);
    if !bin.is_empty() {
        word(padded, &mut glb);
        glb.extend_from_slice(b"BIN\0");
        glb.extend_from_slice(bin);
        glb.resize(total, 0);
    }
    glb
}

/// The JSON and the binary chunk of a GLB. `None` if it is not a GLB of version 2.
pub fn split(glb: &[u8]) -> Option<(&str, &[u8])> {
    let (header, rest) = glb.split_at_checked(HEADER)?;
    if !header.starts_with(b"glTF\x02\0\0\0") {
        return None;
    }
    let (json, rest) = chunk(rest, b"JSON")?;
    let bin = if rest.is_empty() { rest } else { chunk(rest, b"BIN\0")?.0 };
    Some((std::str::from_utf8(json).ok()?, bin))
}

/// Splits off the content of the first chunk, which must be of this type.
fn chunk<'a>(bytes: &'a [u8], kind: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.strip_prefix(kind)?.split_at_checked(u32::from_le_bytes(*length) as usize)
}
