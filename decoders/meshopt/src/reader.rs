//! Reads bytes and variable-length integers with bounds checks.

use super::{DecodeError, Result};

/// The part of a stream that is not read yet.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn byte(&mut self) -> Result<u8> {
        let (&first, rest) = self.rest.split_first().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(first)
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// An unsigned LEB128 integer of at most five bytes. Bits beyond the 32nd are ignored.
    pub fn varint(&mut self) -> Result<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(DecodeError::Invalid)
    }

    /// Checks that everything is read.
    pub fn finish(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(DecodeError::Trailing) }
    }
}

/// Splits a stream into its header byte, its body, and a tail of `tail` bytes.
pub(crate) fn split(bytes: &[u8], tail: usize) -> Result<(u8, &[u8], &[u8])> {
    let (&header, rest) = bytes.split_first().ok_or(DecodeError::Truncated)?;
    let end = rest.len().checked_sub(tail).ok_or(DecodeError::Truncated)?;
    let (body, tail) = rest.split_at(end);
    Ok((header, body, tail))
}

/// The difference that a zigzag code stands for, with wraparound.
pub(crate) fn unzigzag(code: u32) -> u32 {
    (code >> 1) ^ (code & 1).wrapping_neg()
}

/// Writes an index as 2 or 4 little-endian bytes.
pub(crate) fn push_index(output: &mut Vec<u8>, index: u32, stride: usize) {
    let bytes = index.to_le_bytes();
    output.extend_from_slice(if stride == 2 { &bytes[..2] } else { &bytes });
}
