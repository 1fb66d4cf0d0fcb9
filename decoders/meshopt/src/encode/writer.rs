//! What the encoders of indices have in common.

/// Indices of 2 or 4 little-endian bytes.
pub(crate) fn indices(bytes: &[u8], stride: usize) -> Vec<u32> {
    let index = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
    bytes.chunks_exact(stride).map(index).collect()
}

/// The zigzag code of a difference: small for small differences of either sign.
pub(crate) fn zigzag(difference: u32) -> u32 {
    difference << 1 ^ ((difference as i32) >> 31) as u32
}

/// Appends an unsigned LEB128 integer.
pub(crate) fn push_varint(output: &mut Vec<u8>, mut value: u32) {
    while value > 0x7f {
        output.push(value as u8 | 0x80);
        value >>= 7;
    }
    output.push(value as u8);
}

/// The number of bytes of a LEB128 integer.
pub(crate) fn varint_length(value: u32) -> usize {
    (u32::BITS - value.leading_zeros()).max(1).div_ceil(7) as usize
}
