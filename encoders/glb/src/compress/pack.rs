//! Puts compressed views and those that stay plain into one buffer.

use super::Compressed;
use super::usage::View;

/// Accessors must be aligned to the size of their component; four bytes suit all types.
const ALIGNMENT: usize = 4;

/// Bytes of the old buffer, and the views in them. Views of different ranges share no bytes.
pub(super) struct Range {
    pub start: usize,
    pub end: usize,
    pub views: Vec<usize>,
}

/// The new buffer.
pub(super) struct Packed {
    pub bytes: Vec<u8>,
    /// Where each view is.
    pub offsets: Vec<Offset>,
    /// The length of all decoded views together.
    pub decoded: usize,
}

/// Where a view is.
#[derive(Clone, Copy, Default)]
pub(super) struct Offset {
    /// The offset of the view itself: of a compressed view, among all decoded views.
    pub decoded: usize,
    /// The offset of the compressed bytes.
    pub stored: usize,
}

/// The bytes that views use, in the order in which they are stored.
pub(super) fn disjoint_ranges(views: &[View]) -> Vec<Range> {
    let mut order: Vec<usize> = (0..views.len()).collect();
    order.sort_unstable_by_key(|&view| (views[view].offset, view));
    let mut ranges: Vec<Range> = Vec::new();
    for view in order {
        let start = views[view].offset;
        let end = start.saturating_add(views[view].length);
        match ranges.last_mut() {
            Some(range) if start < range.end => {
                range.end = range.end.max(end);
                range.views.push(view);
            }
            _ => ranges.push(Range { start, end, views: vec![view] }),
        }
    }
    ranges
}

/// Packs the ranges. All must be within `bin`.
pub(super) fn pack(
    bin: &[u8],
    views: &[View],
    ranges: &[Range],
    compressed: &[Option<Compressed>],
) -> Packed {
    let mut packed = Packed { bytes: Vec::new(), offsets: vec![Offset::default(); views.len()], decoded: 0 };
    for range in ranges {
        packed.bytes.resize(packed.bytes.len().next_multiple_of(ALIGNMENT), 0);
        let first = range.views[0];
        if let Some(view) = &compressed[first] {
            packed.offsets[first] = Offset { decoded: packed.decoded, stored: packed.bytes.len() };
            packed.bytes.extend_from_slice(&view.bytes);
            packed.decoded += (view.layout.count * view.layout.stride).next_multiple_of(ALIGNMENT);
            continue;
        }
        packed.bytes.resize(packed.bytes.len() + range.start % ALIGNMENT, 0);
        let moved = packed.bytes.len();
        for &view in &range.views {
            packed.offsets[view].decoded = moved + views[view].offset - range.start;
        }
        packed.bytes.extend_from_slice(&bin[range.start..range.end]);
    }
    packed
}
