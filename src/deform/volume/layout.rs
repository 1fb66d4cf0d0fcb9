//! The mesh laid out for the frame loops: vertices and triangles sorted by segment.
//!
//! In: [`Segments`], γ. Out: [`Layout`]. Within a segment, triangles that no γ moves come first, so that the loops over
//! what moves touch nothing else. Cost: two sorts, once per rig.

use std::ops::Range;

use super::coupled::Coupling;
use super::segments::{NONE, Segments};

/// Vertices and triangles by segment; indices into [`Layout::order`] throughout.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The mesh's vertex in each place; vertices of parts without an inside have none.
    pub order: Vec<u32>,
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
}

/// Where one segment's things are.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    pub vertices: Range<usize>,
    /// All of its own triangles.
    pub triangles: Range<usize>,
    /// Those that γ moves; the last of `triangles`.
    pub moving: Range<usize>,
    /// Those that move when the whole segment gives; `moving` and some before.
    pub giving: Range<usize>,
}

impl Layout {
    /// `gamma` and `spread` have one entry per vertex of the mesh: see [`Volume`](super::Volume).
    pub(super) fn new(segments: &Segments, gamma: &[f32], spread: &[f32]) -> (Self, Coupling) {
        let of_vertex = segments.of_vertices();
        let mut order: Vec<u32> =
            (0..of_vertex.len() as u32).filter(|&v| of_vertex[v as usize] != NONE).collect();
        order.sort_by_key(|&v| of_vertex[v as usize]);
        let mut place = vec![NONE; of_vertex.len()];
        for (at, &v) in order.iter().enumerate() {
            place[v as usize] = at as u32;
        }
        let placed = |corners: [u32; 3]| corners.map(|v| place[v as usize]);

        // Segment, 2 where γ moves it, 1 where only the whole segment's giving does, triangle.
        let mut own: Vec<(u32, u8, u32)> = Vec::new();
        let mut elements = Vec::new();
        let (mut between, mut between_of) = (Vec::new(), Vec::new());
        for (t, (&corners, &segment)) in segments.triangles().iter().zip(segments.of_triangles()).enumerate()
        {
            if segment == NONE {
                continue;
            }
            let moves_with = corners.map(|v| of_vertex[v as usize]);
            if moves_with.iter().all(|&s| s == segment) {
                let any = |map: &[f32]| corners.iter().any(|&v| map[v as usize] > 0.0);
                let class = if any(gamma) { 2 } else { u8::from(any(spread)) };
                own.push((segment, class, t as u32));
            } else {
                between.push(placed(corners));
                between_of.push(segment);
                elements.push((placed(corners), moves_with, [segment, NONE]));
            }
        }
        own.sort_unstable();
        for lid in segments.lids() {
            let [a, b] = lid.edge;
            let corners = [place[a as usize], place[b as usize], order.len() as u32 + lid.middle];
            let moves_with = [of_vertex[a as usize], of_vertex[b as usize], NONE];
            elements.push((corners, moves_with, [lid.adds, lid.subtracts]));
        }

        let count = segments.segments().len();
        let ranges = (0..count as u32)
            .map(|s| {
                let first =
                    |key: (u32, u8)| own.partition_point(|&(segment, class, _)| (segment, class) < key);
                let vertex = |s: u32| order.partition_point(|&v| of_vertex[v as usize] < s);
                let end = first((s + 1, 0));
                Ranges {
                    vertices: vertex(s)..vertex(s + 1),
                    triangles: first((s, 0))..end,
                    moving: first((s, 2))..end,
                    giving: first((s, 1))..end,
                }
            })
            .collect();
        let triangles = own.iter().map(|&(_, _, t)| placed(segments.triangles()[t as usize])).collect();
        let segment_of_place = order.iter().map(|&v| of_vertex[v as usize]).collect();
        let mut layout =
            Self { order, triangles, between, between_of, segment_of_place, ranges, ..Self::default() };
        for middle in 0..segments.middles().len() {
            layout
                .middle_members
                .extend(segments.middles().members(middle).iter().map(|&v| place[v as usize]));
            layout.middle_ends.push(layout.middle_members.len() as u32);
        }
        (layout, Coupling::new(count, &elements))
    }
}
