//! Mode 0: elements as differences from the previous element, stored byte by byte in blocks.

use super::reader::{Reader, split};
use super::{DecodeError, Result};

/// Elements per group; a group has one width for its differences.
pub(crate) const GROUP: usize = 16;

/// Largest number of elements per block.
const MAX_BLOCK: usize = 256;

/// Smallest size of the tail, by version.
pub(crate) const MIN_TAIL: [usize; 2] = [32, 24];

/// Widths in bits that the two header bits of a group stand for. Version 0 has the last row only;
/// in version 1 the control mode chooses between the others.
pub(crate) const WIDTHS: [[u8; 4]; 3] = [[0, 1, 2, 4], [1, 2, 4, 8], [0, 2, 4, 8]];

/// Decodes `count` elements of `stride` bytes.
pub(crate) fn decode(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>> {
    let version = match bytes.first() {
        Some(0xa0) => 0,
        Some(0xa1) => 1,
        Some(_) => return Err(DecodeError::Header),
        None => return Err(DecodeError::Truncated),
    };
    let channels_size = if version == 0 { 0 } else { stride / 4 };
    let (_, body, tail) = split(bytes, (stride + channels_size).max(MIN_TAIL[version]))?;
    let (tail, channels) = tail.split_at(tail.len() - channels_size);
    let first = &tail[tail.len() - stride..];
    let channels = if version == 0 { vec![Channel::Bytes; stride / 4] } else { read_channels(channels)? };

    let block = block_size(stride);
    check_length(body.len(), count, stride, block, version)?;
    let mut output = vec![0; count * stride];
    let mut previous = first.to_vec();
    let mut decoder = BlockDecoder { data: Reader::new(body), version, stride, differences: Vec::new() };
    for elements in output.chunks_mut(block * stride) {
        decoder.decode(elements, &mut previous, &channels)?;
    }
    decoder.data.finish()?;
    Ok(output)
}

/// Elements per block, for elements of `stride` bytes. The last block may have fewer.
pub(crate) fn block_size(stride: usize) -> usize {
    ((8192 / stride) & !(GROUP - 1)).min(MAX_BLOCK)
}

/// Checks the length against that of a stream of zeros, the shortest one.
fn check_length(length: usize, count: usize, stride: usize, block: usize, version: usize) -> Result<()> {
    let least = match version {
        0 => (count / block).checked_mul(stride * block.div_ceil(4 * GROUP)),
        _ => count.div_ceil(block).checked_mul(stride / 4),
    };
    if least.is_some_and(|least| least <= length) { Ok(()) } else { Err(DecodeError::Truncated) }
}

/// How the differences of four consecutive bytes are stored.
#[derive(Clone, Copy)]
enum Channel {
    /// Zigzag codes of 8-bit differences.
    Bytes,
    /// Zigzag codes of 16-bit differences.
    Words,
    /// The exclusive or of 32-bit values, rotated to the left by this number of bits.
    Xor(u32),
}

fn read_channels(bytes: &[u8]) -> Result<Vec<Channel>> {
    let channel = |&byte: &u8| match (byte & 15, byte >> 4) {
        (0, 0) => Ok(Channel::Bytes),
        (1, 0) => Ok(Channel::Words),
        (2, rotation) => Ok(Channel::Xor(u32::from(rotation))),
        _ => Err(DecodeError::Invalid),
    };
    bytes.iter().map(channel).collect()
}

struct BlockDecoder<'a> {
    data: Reader<'a>,
    version: usize,
    stride: usize,
    /// Four rows of differences, one per byte of a channel.
    differences: Vec<u8>,
}

impl BlockDecoder<'_> {
    /// Decodes the elements of a block. `previous` is the element before it, and then its last one.
    fn decode(&mut self, elements: &mut [u8], previous: &mut [u8], channels: &[Channel]) -> Result<()> {
        let stride = self.stride;
        let count = elements.len() / stride;
        let aligned = count.next_multiple_of(GROUP);
        let controls = if self.version == 0 { &[][..] } else { self.data.bytes(stride / 4)? };
        for (index, &channel) in channels.iter().enumerate() {
            self.differences.clear();
            self.differences.resize(4 * aligned, 0);
            for byte in 0..4 {
                let control = controls.get(index).map(|control| control >> (2 * byte) & 3);
                let row = &mut self.differences[byte * aligned..(byte + 1) * aligned];
                read_row(&mut self.data, row, count, control)?;
            }
            let base = 4 * index;
            let mut value = [0, 1, 2, 3].map(|byte| previous[base + byte]);
            for (at, element) in elements.chunks_exact_mut(stride).enumerate() {
                let difference = [0, 1, 2, 3].map(|byte| self.differences[byte * aligned + at]);
                value = channel.add(value, difference);
                element[base..base + 4].copy_from_slice(&value);
            }
            previous[base..base + 4].copy_from_slice(&value);
        }
        Ok(())
    }
}

impl Channel {
    /// The value after one with this difference.
    fn add(self, value: [u8; 4], difference: [u8; 4]) -> [u8; 4] {
        match self {
            Self::Bytes => {
                let add = |i: usize| {
                    let code = difference[i];
                    value[i].wrapping_add((code >> 1) ^ (code & 1).wrapping_neg())
                };
                [add(0), add(1), add(2), add(3)]
            }
            Self::Words => {
                let add = |i: usize| {
                    let code = u16::from_le_bytes([difference[i], difference[i + 1]]);
                    let value = u16::from_le_bytes([value[i], value[i + 1]]);
                    value.wrapping_add((code >> 1) ^ (code & 1).wrapping_neg()).to_le_bytes()
                };
                let ([a, b], [c, d]) = (add(0), add(2));
                [a, b, c, d]
            }
            Self::Xor(rotation) => {
                let code = u32::from_le_bytes(difference).rotate_right(rotation);
                (u32::from_le_bytes(value) ^ code).to_le_bytes()
            }
        }
    }
}

/// Reads the differences of one byte of all elements of a block. `control` is `None` in version 0.
fn read_row(data: &mut Reader<'_>, row: &mut [u8], count: usize, control: Option<u8>) -> Result<()> {
    let widths = match control {
        Some(2) => return Ok(()), // all differences are zero
        Some(3) => {
            row[..count].copy_from_slice(data.bytes(count)?);
            return Ok(());
        }
        Some(control) => WIDTHS[usize::from(control & 1)],
        None => WIDTHS[2],
    };
    let header = data.bytes(row.len().div_ceil(4 * GROUP))?;
    for (index, group) in row.chunks_exact_mut(GROUP).enumerate() {
        let mode = header[index / 4] >> (2 * (index % 4)) & 3;
        read_group(data, group, widths[usize::from(mode)])?;
    }
    Ok(())
}

/// Reads 16 differences of `width` bits. A value with all bits set stands for a byte that follows
/// the group.
fn read_group(data: &mut Reader<'_>, group: &mut [u8], width: u8) -> Result<()> {
    match width {
        0 => {}
        8 => group.copy_from_slice(data.bytes(GROUP)?),
        width => {
            let per_byte = 8 / width;
            let sentinel = (1u8 << width) - 1;
            let packed = data.bytes(GROUP / usize::from(per_byte))?;
            for (&byte, values) in packed.iter().zip(group.chunks_exact_mut(usize::from(per_byte))) {
                for (at, value) in (0..per_byte).zip(values) {
                    // Single bits are stored from the least significant one, others from the most.
                    let shift = if width == 1 { at } else { 8 - width * (at + 1) };
                    *value = byte >> shift & sentinel;
                }
            }
            for value in group.iter_mut().filter(|value| **value == sentinel) {
                *value = data.byte()?;
            }
        }
    }
    Ok(())
}
