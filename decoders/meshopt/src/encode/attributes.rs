//! Mode 0: elements as differences from the previous element, stored byte by byte in blocks.

use crate::attributes::{GROUP, MIN_TAIL, WIDTHS, block_size};

/// Encodes elements of `stride` bytes, with version 0.
pub(super) fn encode(bytes: &[u8], stride: usize) -> Vec<u8> {
    let mut output = vec![0xa0];
    // The first element is also the baseline, so that its differences are zero.
    let first = bytes.get(..stride).unwrap_or_default();
    let mut previous = first;
    let mut row = Vec::new();
    for elements in bytes.chunks(block_size(stride) * stride) {
        for byte in 0..stride {
            row.clear();
            let mut last = previous[byte];
            for element in elements.chunks_exact(stride) {
                row.push(zigzag(element[byte].wrapping_sub(last)));
                last = element[byte];
            }
            row.resize(row.len().next_multiple_of(GROUP), 0);
            push_row(&mut output, &row);
        }
        previous = &elements[elements.len() - stride..];
    }
    let padding = stride.max(MIN_TAIL[0]) - first.len();
    output.resize(output.len() + padding, 0);
    output.extend_from_slice(first);
    output
}

/// The zigzag code of a difference.
fn zigzag(difference: u8) -> u8 {
    difference << 1 ^ ((difference as i8) >> 7) as u8
}

/// Appends the codes of one byte of all elements of a block: the widths of all groups, and then the
/// groups.
fn push_row(output: &mut Vec<u8>, row: &[u8]) {
    let header = output.len();
    output.resize(header + row.len().div_ceil(4 * GROUP), 0);
    for (index, group) in row.chunks_exact(GROUP).enumerate() {
        let modes = WIDTHS[2].into_iter().enumerate();
        let (mode, width) = modes.min_by_key(|&(_, width)| size(group, width)).unwrap_or((3, 8));
        output[header + index / 4] |= (mode as u8) << (2 * (index % 4));
        push_group(output, group, width);
    }
}

/// The bytes of a group with codes of `width` bits. With no bits, all codes must be zero.
fn size(group: &[u8], width: u8) -> usize {
    match width {
        0 if group.iter().all(|&code| code == 0) => 0,
        0 => usize::MAX,
        8 => GROUP,
        width => {
            let sentinel = (1 << width) - 1;
            GROUP * usize::from(width) / 8 + group.iter().filter(|&&code| code >= sentinel).count()
        }
    }
}

/// Appends 16 codes of `width` bits. Codes that do not fit become a sentinel, and a byte after the
/// group.
fn push_group(output: &mut Vec<u8>, group: &[u8], width: u8) {
    match width {
        0 => {}
        8 => output.extend_from_slice(group),
        width => {
            let sentinel = (1 << width) - 1;
            for codes in group.chunks_exact(usize::from(8 / width)) {
                output.push(codes.iter().fold(0, |byte, &code| byte << width | code.min(sentinel)));
            }
            output.extend(group.iter().filter(|&&code| code >= sentinel));
        }
    }
}
