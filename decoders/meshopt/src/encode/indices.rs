//! Mode 2: indices as differences from one of two baselines.

use super::EncodeError;
use super::writer::{push_varint, varint_length, zigzag};
use crate::indices::TAIL;

/// More bytes than any difference that can be stored takes.
const TOO_FAR: usize = 6;

/// Encodes indices of any kind, with version 1.
///
/// An index that does not fit into one byte after the last one uses the other baseline, even if
/// that is farther away: so both stay near what was encoded recently.
pub(super) fn encode(indices: &[u32]) -> Result<Vec<u8>, EncodeError> {
    let mut output = vec![0xd1];
    let mut baselines = [0u32; 2];
    let mut current = 0;
    for &index in indices {
        let codes = baselines.map(|baseline| zigzag(index.wrapping_sub(baseline)));
        let length = |code: u32| code.checked_mul(2).map_or(TOO_FAR, varint_length);
        let lengths = codes.map(length);
        if lengths[current] > 1 && lengths[current ^ 1] < TOO_FAR {
            current ^= 1;
        }
        if lengths[current] == TOO_FAR {
            return Err(EncodeError::Index);
        }
        baselines[current] = index;
        push_varint(&mut output, codes[current] << 1 | current as u32);
    }
    output.extend_from_slice(&[0; TAIL]);
    Ok(output)
}
