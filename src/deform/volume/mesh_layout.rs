//! The mesh sorted for the frame loops: vertices and triangles by segment.
//!
//! In: [`Segments`] and weights. Out: [`MeshLayout`]. The index of a vertex in this order is its
//! *slot*. Within a segment, rigid vertices (that follow one joint) come first and shared vertices
//! last, so that loops over shared vertices read nothing else. The order does not depend on the
//! correction map, so changing α does not change it. Cost: two sorts, once per rig.

use std::ops::Range;

use glam::Vec3A;

use super::hole_caps::Corner;
use super::maps;
use super::segments::{NONE, Segments};
use crate::math::{key_of, sort_by_keys};
use crate::model::{Mesh, Weights};
use crate::operators::morton_order;

/// Vertices and triangles by segment. Corners of triangles are slots.
#[derive(Clone, Debug, Default)]
pub(super) struct MeshLayout {
    /// The mesh vertex in each slot. Vertices of parts without an inside have no slot.
    pub vertices: Vec<u32>,
    /// The slot of each mesh vertex, or [`NONE`].
    pub slots: Vec<u32>,
    /// Triangles with all corners in the segment they belong to.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles with corners in several segments.
    pub interface_triangles: Vec<[u32; 3]>,
    /// The segment that each of `interface_triangles` belongs to.
    pub interface_triangle_segments: Vec<u32>,
    /// The segment of each slot.
    pub segment_of_slot: Vec<u32>,
    /// Ranges of each segment in the arrays above.
    pub ranges: Vec<SegmentRanges>,
    /// The slots that each centroid of a hole cap is the mean of, concatenated, and their ends.
    pub centroid_members: Vec<u32>,
    pub centroid_ends: Vec<u32>,
    /// The neighbours of each slot, concatenated, and their starts.
    neighbours: Vec<u32>,
    neighbour_starts: Vec<u32>,
}

/// Ranges of one segment in the arrays of [`MeshLayout`].
#[derive(Clone, Debug, Default)]
pub(super) struct SegmentRanges {
    /// Slots.
    pub vertices: Range<usize>,
    /// Slots of shared vertices: the last ones of `vertices`.
    pub shared: Range<usize>,
    /// Its own triangles.
    pub triangles: Range<usize>,
    /// Its own triangles with a shared corner: the last ones of `triangles`.
    pub shared_triangles: Range<usize>,
}

impl SegmentRanges {
    /// Slots of vertices that may move: all, or the shared ones.
    pub(super) fn movable(&self, uses_rigid_vertices: bool) -> Range<usize> {
        if uses_rigid_vertices { self.vertices.clone() } else { self.shared.clone() }
    }

    /// Triangles with a vertex that may move.
    pub(super) fn movable_triangles(&self, uses_rigid_vertices: bool) -> Range<usize> {
        if uses_rigid_vertices { self.triangles.clone() } else { self.shared_triangles.clone() }
    }
}

/// A triangle that several segments share: an interface triangle or a hole cap.
#[derive(Clone, Copy, Debug)]
pub(super) struct InterfaceTriangle {
    /// Slots; centroids come after all vertices.
    pub corners: [u32; 3],
    /// The segment that each corner moves with; [`NONE`] for centroids.
    pub moves_with: [u32; 3],
    /// The segments whose volume it adds to and subtracts from, or [`NONE`].
    pub counts_for: [u32; 2],
}

impl MeshLayout {
    /// Sorts the mesh. `rigid_weight_tolerance` decides which vertices are shared.
    pub(super) fn new(
        mesh: &Mesh,
        segments: &Segments,
        weights: &Weights,
        rigid_weight_tolerance: f64,
    ) -> Self {
        let is_shared = |v: u32| maps::is_shared(weights, v as usize, rigid_weight_tolerance);
        let mut layout = Self::of_vertices(mesh, segments, weights, is_shared);
        let triangles = layout.add_triangles(segments, is_shared);
        layout.ranges = (0..segments.segments().len() as u32)
            .map(|segment| layout.segment_ranges(segment, segments.of_vertices(), &triangles, is_shared))
            .collect();
        layout.add_centroids(segments);
        layout.add_neighbours();
        layout
    }

    /// Sorts vertices by segment, then by number of influences: loops over equally many influences
    /// are faster.
    fn of_vertices(
        mesh: &Mesh,
        segments: &Segments,
        weights: &Weights,
        is_shared: impl Fn(u32) -> bool,
    ) -> Self {
        let of_vertex = segments.of_vertices();
        let mut vertices = morton_order(mesh.positions());
        vertices.retain(|&v| of_vertex[v as usize] != NONE);
        let influences = |v: u32| if is_shared(v) { weights.row(v as usize).len() as u32 } else { 0 };
        sort_by_keys(&mut vertices, |&v| key_of(of_vertex[v as usize], influences(v)));
        let mut slots = vec![NONE; of_vertex.len()];
        for (slot, &v) in vertices.iter().enumerate() {
            slots[v as usize] = slot as u32;
        }
        let segment_of_slot = vertices.iter().map(|&v| of_vertex[v as usize]).collect();
        Self { vertices, slots, segment_of_slot, ..Self::default() }
    }

    /// Sorts triangles by segment. Returns segment and whether a corner is shared, of each of
    /// `triangles`.
    fn add_triangles(&mut self, segments: &Segments, is_shared: impl Fn(u32) -> bool) -> Vec<(u32, bool)> {
        let mut own: Vec<(u32, bool, [u32; 3])> = Vec::new();
        for (&corners, &segment) in segments.triangles().iter().zip(segments.of_triangles()) {
            if segment == NONE {
                continue;
            }
            let slots = corners.map(|v| self.slots[v as usize]);
            if corners.iter().all(|&v| segments.of_vertices()[v as usize] == segment) {
                own.push((segment, corners.into_iter().any(&is_shared), slots));
            } else {
                self.interface_triangles.push(slots);
                self.interface_triangle_segments.push(segment);
            }
        }
        let first = |slots: &[u32; 3]| slots.iter().copied().min().unwrap_or(0);
        sort_by_keys(&mut own, |(segment, is_shared, slots)| {
            key_of(2 * segment + u32::from(*is_shared), first(slots))
        });
        self.triangles = own.iter().map(|&(.., slots)| slots).collect();
        own.into_iter().map(|(segment, is_shared, _)| (segment, is_shared)).collect()
    }

    /// Ranges of one segment; `triangles` as from [`MeshLayout::add_triangles`].
    fn segment_ranges(
        &self,
        segment: u32,
        of_vertex: &[u32],
        triangles: &[(u32, bool)],
        is_shared: impl Fn(u32) -> bool,
    ) -> SegmentRanges {
        let triangle = |key: (u32, bool)| triangles.partition_point(|of| *of < key);
        let vertex = |key: (u32, bool)| {
            self.vertices.partition_point(|&v| (of_vertex[v as usize], is_shared(v)) < key)
        };
        let (last_vertex, last_triangle) = (vertex((segment + 1, false)), triangle((segment + 1, false)));
        SegmentRanges {
            vertices: vertex((segment, false))..last_vertex,
            shared: vertex((segment, true))..last_vertex,
            triangles: triangle((segment, false))..last_triangle,
            shared_triangles: triangle((segment, true))..last_triangle,
        }
    }

    /// Whether there is a slot of this number, and several joints move its vertex.
    pub(super) fn is_shared_slot(&self, slot: u32) -> bool {
        let segment = self.segment_of_slot.get(slot as usize);
        segment.is_some_and(|&segment| self.ranges[segment as usize].shared.contains(&(slot as usize)))
    }

    fn add_centroids(&mut self, segments: &Segments) {
        for centroid in 0..segments.centroids().len() {
            let members = segments.centroids().members(centroid).iter();
            self.centroid_members.extend(members.map(|&v| self.slots[v as usize]));
            self.centroid_ends.push(self.centroid_members.len() as u32);
        }
    }

    /// Lists the neighbours of each slot: the next corner of every triangle at it.
    fn add_neighbours(&mut self) {
        let mut starts = vec![0_u32; self.vertices.len() + 1];
        let corners = || self.triangles.iter().chain(&self.interface_triangles);
        corners().flatten().for_each(|&slot| starts[slot as usize + 1] += 1);
        for slot in 0..self.vertices.len() {
            starts[slot + 1] += starts[slot];
        }
        let mut neighbours = vec![0; 3 * corners().count()];
        let mut next = starts.clone();
        for &[a, b, c] in corners() {
            for (slot, neighbour) in [(a, b), (b, c), (c, a)] {
                neighbours[next[slot as usize] as usize] = neighbour;
                next[slot as usize] += 1;
            }
        }
        (self.neighbours, self.neighbour_starts) = (neighbours, starts);
    }

    /// Interface triangles, then hole caps.
    pub(super) fn shared_triangles(&self, segments: &Segments) -> Vec<InterfaceTriangle> {
        let owners = self.interface_triangles.iter().zip(&self.interface_triangle_segments);
        let between = owners.map(|(&corners, &segment)| InterfaceTriangle {
            corners,
            moves_with: corners.map(|slot| self.segment_of_slot[slot as usize]),
            counts_for: [segment, NONE],
        });
        let slot = |corner: Corner| match corner {
            Corner::Vertex(vertex) => self.slots[vertex as usize],
            Corner::Centroid(centroid) => self.vertices.len() as u32 + centroid,
        };
        let moves_with =
            |corner: Corner| corner.vertex().map_or(NONE, |vertex| segments.of_vertices()[vertex as usize]);
        let caps = segments.hole_caps().iter().map(|cap| InterfaceTriangle {
            corners: cap.corners.map(slot),
            moves_with: cap.corners.map(moves_with),
            counts_for: [cap.adds, cap.subtracts],
        });
        between.chain(caps).collect()
    }

    /// Averages the vectors in some ranges of slots of `from` with those of their neighbours.
    /// Without this, creases that skinning leaves in the surface are amplified.
    #[inline(never)]
    pub(super) fn average_with_neighbours(&self, ranges: &[Range<usize>], from: &[Vec3A], to: &mut [Vec3A]) {
        for range in ranges {
            let mut start = self.neighbour_starts[range.start] as usize;
            let ends = &self.neighbour_starts[range.start + 1..=range.end];
            for ((to, &own), &end) in to[range.clone()].iter_mut().zip(&from[range.clone()]).zip(ends) {
                let neighbours = &self.neighbours[start..end as usize];
                let sum = neighbours.iter().fold(own, |sum, &slot| sum + from[slot as usize]);
                *to = sum * (1.0 / (neighbours.len() + 1) as f32);
                start = end as usize;
            }
        }
    }
}
