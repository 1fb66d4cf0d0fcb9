//! Copies the bytes that plain buffer views use into one buffer, without those that nothing uses.

use super::super::schema::Document;
use super::super::{Result, accessor};
use crate::math::sort_by_keys;

/// Accessors must be aligned to the size of their component; four bytes suit all types.
const ALIGNMENT: usize = 4;

/// The bytes of all plain buffer views.
pub(super) struct Packed {
    pub bytes: Vec<u8>,
    /// (buffer view, offset in `bytes`) of each plain view.
    pub offsets: Vec<(usize, usize)>,
}

/// Packs the buffer views for which `is_plain` holds. Views that overlap stay so; no byte is copied
/// twice.
pub(super) fn pack(
    document: &Document,
    buffers: &[Vec<u8>],
    is_plain: impl Fn(usize) -> bool,
) -> Result<Packed> {
    let mut ranges = Vec::new();
    for (index, view) in document.buffer_views.iter().enumerate().filter(|(index, _)| is_plain(*index)) {
        let place = format!("bufferViews[{index}]");
        accessor::view_bytes(document, buffers, index, &place)?;
        let start = view.byte_offset / ALIGNMENT * ALIGNMENT;
        ranges.push((view.buffer, start, view.byte_offset + view.byte_length));
    }
    // No buffer has a terabyte. The order of ends does not matter.
    sort_by_keys(&mut ranges, |&(buffer, start, _)| (buffer as u64) << 40 | start as u64);
    // The start of each merged range in its buffer, and in `bytes`; sorted.
    let mut moved: Vec<((usize, usize), usize)> = Vec::new();
    let mut bytes: Vec<u8> = Vec::new();
    let mut ranges = ranges.into_iter().peekable();
    while let Some((buffer, start, mut end)) = ranges.next() {
        while let Some((_, _, other)) = ranges.next_if(|&(b, s, _)| b == buffer && s <= end) {
            end = end.max(other);
        }
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        moved.push(((buffer, start), bytes.len()));
        bytes.extend_from_slice(&buffers[buffer][start..end]);
    }
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    let offset = |index: usize| {
        let view = &document.buffer_views[index];
        let after = moved.partition_point(|&(start, _)| start <= (view.buffer, view.byte_offset));
        let before = after.checked_sub(1).map(|before| moved[before]);
        before.map_or(0, |((_, start), at)| at + view.byte_offset - start)
    };
    let plain = (0..document.buffer_views.len()).filter(|&index| is_plain(index));
    let offsets = plain.map(|index| (index, offset(index))).collect();
    Ok(Packed { bytes, offsets })
}
