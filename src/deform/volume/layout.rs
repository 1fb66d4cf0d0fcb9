//! The mesh laid out for the frame loops: vertices and triangles sorted by segment.
//!
//! In: [`Segments`] and weights. Out: [`Layout`]. Within a segment, what all but follows one joint only comes first and what several joints
//! hold last, so that the loops over soft flesh touch nothing else. The same whatever the map: dragging α lays nothing
//! out anew. Cost: two sorts, once per rig.

use std::ops::Range;

use glam::Vec3A;

use super::coupled::Coupling;
use super::hole_caps::Corner;
use super::maps;
use super::segments::{NONE, Segments};
use crate::math::{key_of, sort_by_keys};
use crate::model::{Mesh, Weights};
use crate::operators::morton_order;

/// Vertices and triangles by segment; indices into [`Layout::order`] throughout.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The mesh's vertex in each place; vertices of parts without an inside have none.
    pub order: Vec<u32>,
    /// The place of each of the mesh's vertices, or [`NONE`].
    pub places: Vec<u32>,
    /// Triangles of one segment only.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles between segments.
    pub between: Vec<[u32; 3]>,
    /// The segment that each of `between` counts for.
    pub between_of: Vec<u32>,
    /// The segment in each place.
    pub segment_of_place: Vec<u32>,
    /// Per segment.
    pub ranges: Vec<Ranges>,
    /// The vertices each middle is the mean of, one list after the other.
    pub middle_members: Vec<u32>,
    pub middle_ends: Vec<u32>,
    /// The places around each place, one list after the other.
    around: Vec<u32>,
    around_ends: Vec<u32>,
}

/// Where one segment's things are.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    pub vertices: Range<usize>,
    /// Those that several joints hold; the last of `vertices`.
    pub soft: Range<usize>,
    /// All of its own triangles.
    pub triangles: Range<usize>,
    /// Those with a soft corner; the last of `triangles`.
    pub soft_triangles: Range<usize>,
}

impl Ranges {
    /// The vertices that may move: all, or what is soft.
    pub(super) fn able(&self, is_wide: bool) -> Range<usize> {
        if is_wide { self.vertices.clone() } else { self.soft.clone() }
    }
}

impl Layout {
    pub(super) fn new(mesh: &Mesh, segments: &Segments, weights: &Weights) -> (Self, Coupling) {
        let of_vertex = segments.of_vertices();
        let is_soft = |v: u32| maps::is_shared(weights, v as usize);
        let mut order = morton_order(mesh.positions());
        order.retain(|&v| of_vertex[v as usize] != NONE);
        // Those whom as many joints hold together: loops over joints that are all as long run faster.
        let joints = |v: u32| if is_soft(v) { weights.row(v as usize).len() as u32 } else { 0 };
        sort_by_keys(&mut order, |&v| key_of(of_vertex[v as usize], joints(v)));
        let mut places = vec![NONE; of_vertex.len()];
        for (at, &v) in order.iter().enumerate() {
            places[v as usize] = at as u32;
        }
        let placed = |corners: [u32; 3]| corners.map(|v| places[v as usize]);

        // Segment, whether soft, triangle.
        let mut own: Vec<(u32, bool, u32)> = Vec::new();
        let mut elements = Vec::new();
        let (mut between, mut between_of) = (Vec::new(), Vec::new());
        for (t, (&corners, &segment)) in segments.triangles().iter().zip(segments.of_triangles()).enumerate()
        {
            if segment == NONE {
                continue;
            }
            let moves_with = corners.map(|v| of_vertex[v as usize]);
            if moves_with.iter().all(|&s| s == segment) {
                own.push((segment, corners.into_iter().any(is_soft), t as u32));
            } else {
                between.push(placed(corners));
                between_of.push(segment);
                elements.push((placed(corners), moves_with, [segment, NONE]));
            }
        }
        let first = |t: u32| segments.triangles()[t as usize].map(|v| places[v as usize]).into_iter().min();
        sort_by_keys(&mut own, |&(segment, is_soft, t)| {
            key_of(2 * segment + u32::from(is_soft), first(t).unwrap_or(0))
        });
        for lid in segments.lids() {
            let corners = lid.corners.map(|corner| match corner {
                Corner::Vertex(vertex) => places[vertex as usize],
                Corner::Middle(middle) => order.len() as u32 + middle,
            });
            let moves_with =
                lid.corners.map(|c| c.vertex().map_or(NONE, |vertex| of_vertex[vertex as usize]));
            elements.push((corners, moves_with, [lid.adds, lid.subtracts]));
        }

        let count = segments.segments().len();
        let ranges = (0..count as u32)
            .map(|s| {
                let triangle = |key: (u32, bool)| own.partition_point(|&(of, soft, _)| (of, soft) < key);
                let vertex =
                    |key: (u32, bool)| order.partition_point(|&v| (of_vertex[v as usize], is_soft(v)) < key);
                let (last_vertex, last_triangle) = (vertex((s + 1, false)), triangle((s + 1, false)));
                Ranges {
                    vertices: vertex((s, false))..last_vertex,
                    soft: vertex((s, true))..last_vertex,
                    triangles: triangle((s, false))..last_triangle,
                    soft_triangles: triangle((s, true))..last_triangle,
                }
            })
            .collect();
        let triangles = own.iter().map(|&(_, _, t)| placed(segments.triangles()[t as usize])).collect();
        let segment_of_place = order.iter().map(|&v| of_vertex[v as usize]).collect();
        let mut layout = Self {
            order,
            places,
            triangles,
            between,
            between_of,
            segment_of_place,
            ranges,
            ..Self::default()
        };
        for middle in 0..segments.middles().len() {
            layout
                .middle_members
                .extend(segments.middles().members(middle).iter().map(|&v| layout.places[v as usize]));
            layout.middle_ends.push(layout.middle_members.len() as u32);
        }
        layout.look_around();
        (layout, Coupling::new(count, &elements))
    }

    /// Lists each place's neighbours: of every triangle the corner that follows.
    fn look_around(&mut self) {
        let mut ends = vec![0_u32; self.order.len() + 1];
        let corners = || self.triangles.iter().chain(&self.between);
        corners().flatten().for_each(|&place| ends[place as usize + 1] += 1);
        for place in 0..self.order.len() {
            ends[place + 1] += ends[place];
        }
        let mut around = vec![0; 3 * corners().count()];
        let mut next = ends.clone();
        for &[a, b, c] in corners() {
            for (place, neighbour) in [(a, b), (b, c), (c, a)] {
                around[next[place as usize] as usize] = neighbour;
                next[place as usize] += 1;
            }
        }
        (self.around, self.around_ends) = (around, ends);
    }

    /// Averages what is in some `places` of `from` with what is around them. What is not there is zero, and is averaged with. Without it, folds and crumples
    /// that skinning leaves in the skin are blown up.
    #[inline(never)]
    pub(super) fn even_out(&self, places: &[Range<usize>], from: &[Vec3A], to: &mut [Vec3A]) {
        for range in places {
            let mut start = self.around_ends[range.start] as usize;
            let ends = &self.around_ends[range.start + 1..=range.end];
            for ((to, &own), &end) in to[range.clone()].iter_mut().zip(&from[range.clone()]).zip(ends) {
                let around = &self.around[start..end as usize];
                let sum = around.iter().fold(own, |sum, &place| sum + from[place as usize]);
                *to = sum * (1.0 / (around.len() + 1) as f32);
                start = end as usize;
            }
        }
    }
}
