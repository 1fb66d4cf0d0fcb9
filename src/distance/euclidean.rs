//! Exact Euclidean distances to a polyline.
//!
//! Consecutive segments are close together, so a tree over them needs no sorting: a node is the
//! bounding box of a range of segments, and its halves are its children. Cost: a box test per
//! vertex, and about log(segments) for vertices within reach.

use glam::Vec3;

use super::Extent;
use crate::model::DistanceField;
use crate::operators::MeshGeometry;

/// Largest number of segments in a leaf. Larger: more segments are tested in vain. Smaller: more
/// boxes.
const LEAF: usize = 4;

pub(super) fn distances(geometry: &MeshGeometry, extent: &Extent<'_>) -> DistanceField {
    let segments: Vec<[Vec3; 2]> = extent.boundary.segments().map(|(_, ends)| ends).collect();
    let tree = Tree::over(&segments);
    let mut field = DistanceField::default();
    for (vertex, &position) in geometry.mesh().positions().iter().enumerate() {
        let own = extent.is_own(vertex);
        let reach = if own { f32::INFINITY } else { extent.reach * extent.reach };
        let squared = tree.nearest(position, reach);
        if squared <= reach && squared < f32::INFINITY {
            field.vertices.push(vertex as u32);
            field.distances.push(squared.sqrt());
        }
    }
    field
}

/// The squared distance from a point to a segment.
pub(super) fn to_segment(point: Vec3, [from, to]: [Vec3; 2]) -> f32 {
    let along = to - from;
    let parameter = (point - from).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
    (from + along * parameter.clamp(0.0, 1.0)).distance_squared(point)
}

/// Bounding boxes of ranges of segments, in depth-first order.
struct Tree<'a> {
    segments: &'a [[Vec3; 2]],
    boxes: Vec<(Vec3, Vec3)>,
}

impl<'a> Tree<'a> {
    fn over(segments: &'a [[Vec3; 2]]) -> Self {
        let mut tree = Self { segments, boxes: Vec::new() };
        if !segments.is_empty() {
            tree.add(0, segments.len());
        }
        tree
    }

    fn add(&mut self, first: usize, end: usize) {
        let ends = self.segments[first..end].iter().flatten();
        let infinite = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        self.boxes.push(ends.fold(infinite, |(low, high), &p| (low.min(p), high.max(p))));
        if end - first > LEAF {
            let middle = usize::midpoint(first, end);
            self.add(first, middle);
            self.add(middle, end);
        }
    }

    /// Number of boxes of a range of segments.
    fn size(segments: usize) -> usize {
        if segments <= LEAF { 1 } else { 1 + Self::size(segments / 2) + Self::size(segments - segments / 2) }
    }

    /// The squared distance to the nearest segment, or a value above `within` if none is that near.
    fn nearest(&self, point: Vec3, within: f32) -> f32 {
        if self.segments.is_empty() {
            f32::INFINITY
        } else {
            self.visit(0, 0, self.segments.len(), point, within)
        }
    }

    fn visit(&self, node: usize, first: usize, end: usize, point: Vec3, within: f32) -> f32 {
        if self.to_box(node, point) > within {
            return f32::INFINITY;
        }
        if end - first <= LEAF {
            let nearest = self.segments[first..end].iter().map(|&segment| to_segment(point, segment));
            return nearest.fold(f32::INFINITY, f32::min);
        }
        let middle = usize::midpoint(first, end);
        let halves = [(node + 1, first, middle), (node + 1 + Self::size(middle - first), middle, end)];
        let swap = self.to_box(halves[1].0, point) < self.to_box(halves[0].0, point);
        let (near, far) = if swap { (halves[1], halves[0]) } else { (halves[0], halves[1]) };
        let best = self.visit(near.0, near.1, near.2, point, within);
        best.min(self.visit(far.0, far.1, far.2, point, within.min(best)))
    }

    fn to_box(&self, node: usize, point: Vec3) -> f32 {
        let (low, high) = self.boxes[node];
        point.distance_squared(point.clamp(low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_finds_what_looking_at_every_segment_finds() {
        let at = |i: i32| {
            let t = i as f32 * 0.37;
            Vec3::new(t.sin() * 3.0, t.cos() * 2.0, (t * 0.7).sin())
        };
        for count in [1, 3, 4, 5, 17, 64, 101] {
            let segments: Vec<[Vec3; 2]> = (0..count).map(|i| [at(i), at(i + 1)]).collect();
            let tree = Tree::over(&segments);
            assert_eq!(tree.boxes.len(), Tree::size(segments.len()));
            for i in 0..50 {
                let point = at(i * 7) * 1.3 + Vec3::splat(0.1 * i as f32);
                let slow = segments.iter().map(|&s| to_segment(point, s)).fold(f32::INFINITY, f32::min);
                assert_eq!(tree.nearest(point, f32::INFINITY), slow);
            }
        }
    }
}
