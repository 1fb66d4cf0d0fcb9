//! The layouts with which a buffer view can be encoded.

use pliant_meshopt::{Filter, Layout, Mode};

use super::usage::{Accessor, Role, View};

/// Bytes per element if nothing better is known. Every view can be encoded like this.
const SMALLEST_STRIDE: usize = 4;

/// Largest bytes per element.
const LARGEST_STRIDE: usize = 256;

/// The layouts that are worth trying. None if the view must stay as it is.
pub(super) fn of(view: &View) -> Vec<Layout> {
    if view.is_pinned || view.accessors.is_empty() {
        return Vec::new();
    }
    if let Some(layout) = indices(view) {
        return vec![layout];
    }
    let sizes = view.accessors.iter().filter_map(|accessor| accessor.size);
    let mut strides = Vec::new();
    for stride in view.stride.map_or_else(|| sizes.collect(), |stride| vec![stride]) {
        let is_allowed = (1..=LARGEST_STRIDE).contains(&stride) && stride.is_multiple_of(SMALLEST_STRIDE);
        if is_allowed && !strides.contains(&stride) {
            strides.push(stride);
        }
    }
    if strides.is_empty() && view.stride.is_none() {
        strides.push(SMALLEST_STRIDE);
    }
    let layout = |stride: usize| layout(Mode::Attributes, view.length.div_ceil(stride), stride);
    strides.into_iter().map(layout).collect()
}

/// The layout of a view that contains only indices of one type.
fn indices(view: &View) -> Option<Layout> {
    let stride = view.accessors.first()?.size.filter(|size| [2, 4].contains(size))?;
    let is_index = |accessor: &Accessor| accessor.role != Role::Values && accessor.size == Some(stride);
    if view.stride.is_some() || !view.length.is_multiple_of(stride) || !view.accessors.iter().all(is_index) {
        return None;
    }
    // Triangles of the view must be those of the accessors.
    let is_triangles = |accessor: &Accessor| {
        let is_whole = accessor.offset.is_multiple_of(3 * stride) && accessor.count.is_multiple_of(3);
        is_whole && accessor.role == Role::Triangles
    };
    let count = view.length / stride;
    let is_list = count.is_multiple_of(3) && view.accessors.iter().all(is_triangles);
    Some(layout(if is_list { Mode::Triangles } else { Mode::Indices }, count, stride))
}

fn layout(mode: Mode, count: usize, stride: usize) -> Layout {
    Layout { count, stride, mode, filter: Filter::None }
}
