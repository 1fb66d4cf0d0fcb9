//! Mode 2: indices as differences from one of two baselines.

use super::reader::{Reader, push_index, split, unzigzag};
use super::{DecodeError, Result};

/// Padding at the end of the stream.
pub(crate) const TAIL: usize = 4;

pub(crate) fn decode(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>> {
    let (header, body, _) = split(bytes, TAIL)?;
    if header != 0xd1 && header != 0xd0 {
        return Err(DecodeError::Header);
    }
    // An index has at least one byte.
    if count > body.len() {
        return Err(DecodeError::Truncated);
    }
    let mut data = Reader::new(body);
    let mut output = Vec::with_capacity(count * stride);
    let mut baselines = [0u32; 2];
    for _ in 0..count {
        let code = data.varint()?;
        let baseline = &mut baselines[(code & 1) as usize];
        *baseline = baseline.wrapping_add(unzigzag(code >> 1));
        push_index(&mut output, *baseline, stride);
    }
    data.finish()?;
    Ok(output)
}
