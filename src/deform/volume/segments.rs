//! What keeps its volume: parts, or the segments of parts that follow one joint most, each closed.
//!
//! In: the solve mesh, its weights. Out: a segment for every vertex and triangle, and lids that close every
//! segment where it meets others or the mesh is open. Source: PAPERS §4.4. Cost: one sort of the edges, once per rig.
//!
//! A triangle belongs to the segment of most of its corners. The edges where segments end hang together in
//! loops; every such edge gets a triangle to its loop's middle, which one neighbour adds and the other
//! subtracts. So every segment is closed, its volume does not depend on where it is measured from, and the volumes
//! add up to the whole's. Where three segments meet, loops hang together; then the points where they meet give
//! the middle. Nothing of this asks for a manifold: where triangles disagree, an edge is closed as often as it is open.

use glam::{DVec3, Vec3};

use super::options::VolumeScope;
use crate::math::{key_of, sort_by_keys};
use crate::model::{Mesh, Topology, Weights};
use crate::operators::Parts;
use crate::report::{Report, Warning};

/// No segment: of vertices and triangles in parts without an inside, and outside the mesh.
pub(super) const NONE: u32 = u32::MAX;

/// The segments of a mesh and the lids between them.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    segments: Vec<Segment>,
    triangles: Vec<[u32; 3]>,
    of_vertex: Vec<u32>,
    of_triangle: Vec<u32>,
    lids: Vec<Lid>,
    middles: Middles,
}

/// One volume that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The joint its vertices follow most; none when it is a whole part.
    pub joint: Option<usize>,
    /// The part it belongs to, numbered as in [`Topology::part_of_vertex`].
    pub part: u32,
}

/// A triangle from an edge to a middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lid {
    /// The edge, in the order that closes `adds`.
    pub edge: [u32; 2],
    /// Index of the middle.
    pub middle: u32,
    /// The segment whose volume it adds to, or [`NONE`].
    pub adds: u32,
    /// The segment whose volume it subtracts from, or [`NONE`].
    pub subtracts: u32,
}

/// Points that are the mean of some vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Middles {
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Middles {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The vertices that a middle is the mean of.
    pub(super) fn members(&self, middle: usize) -> &[u32] {
        let start = if middle == 0 { 0 } else { self.ends[middle - 1] };
        &self.members[start as usize..self.ends[middle] as usize]
    }

    fn mean(&self, middle: usize, at: impl Fn(u32) -> DVec3) -> DVec3 {
        let members = self.members(middle);
        members.iter().map(|&v| at(v)).sum::<DVec3>() / members.len().max(1) as f64
    }
}

/// What hangs together in a mesh, and what of it has an inside: the same whatever the weights are.
#[derive(Clone, Debug)]
pub struct Pieces(Parts);

impl Pieces {
    /// Finds them.
    pub fn of(mesh: &Mesh) -> Self {
        Self(Parts::of(mesh, &Topology::of(mesh)))
    }
}

impl Segments {
    /// Cuts `mesh` into what keeps its volume; warns of parts that had to be closed or have no inside.
    ///
    /// # Panics
    /// When the weights are for another mesh.
    pub fn new(mesh: &Mesh, weights: &Weights, scope: VolumeScope, report: &mut Report) -> Self {
        Self::among(&Pieces::of(mesh), mesh, weights, scope, report)
    }

    /// The same when the mesh's pieces are known.
    ///
    /// # Panics
    /// When the weights or the pieces are for another mesh.
    pub fn among(
        pieces: &Pieces,
        mesh: &Mesh,
        weights: &Weights,
        scope: VolumeScope,
        report: &mut Report,
    ) -> Self {
        assert_eq!(weights.vertices(), mesh.positions().len(), "one row of weights per vertex");
        let parts = &pieces.0;
        let mut keys: Vec<(u32, Option<usize>)> = Vec::new();
        let key = |vertex: usize| {
            let joint = (scope == VolumeScope::Segments).then(|| weights.dominant(vertex) as usize);
            (parts.of_vertex(vertex), joint)
        };
        let is_solid = |vertex: usize| parts.part(parts.of_vertex(vertex)).is_body();
        keys.extend((0..weights.vertices()).filter(|&v| is_solid(v)).map(key));
        sort_by_keys(&mut keys, |&(part, joint)| key_of(part, joint.map_or(0, |joint| joint as u32 + 1)));
        keys.dedup();
        let of_vertex: Vec<u32> = (0..weights.vertices())
            .map(|v| match keys.binary_search(&key(v)) {
                Ok(segment) if is_solid(v) => segment as u32,
                _ => NONE,
            })
            .collect();
        let largest = |v: u32| weights.row(v as usize).iter().map(|i| i.weight).fold(0.0, f32::max);
        let of_triangle = mesh
            .triangles()
            .iter()
            .map(|&t| {
                let [a, b, c] = t.map(|v| of_vertex[v as usize]);
                let heaviest = t.into_iter().reduce(|x, y| if largest(y) > largest(x) { y } else { x });
                match (a == b || a == c, b == c) {
                    (true, _) => a,
                    (false, true) => b,
                    (false, false) => of_vertex[heaviest.unwrap_or(t[0]) as usize],
                }
            })
            .collect();
        let segments = keys.iter().map(|&(part, joint)| Segment { joint, part }).collect();
        let triangles = mesh.triangles().to_vec();
        let mut cut = Self { segments, triangles, of_vertex, of_triangle, ..Self::default() };
        cut.close();
        cut.warn(parts, report);
        cut
    }

    /// What there is, in the order of parts, then joints.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The segment of every vertex; none where the part has no inside.
    pub fn of_vertex(&self, vertex: usize) -> Option<usize> {
        Some(self.of_vertex[vertex]).filter(|&s| s != NONE).map(|s| s as usize)
    }

    /// The signed volume of every segment, in f64. `positions` has one entry per vertex of the mesh.
    pub fn volumes(&self, positions: &[Vec3]) -> Vec<f64> {
        let sum: DVec3 = positions.iter().map(|p| p.as_dvec3()).sum();
        let origin = sum / positions.len().max(1) as f64;
        let at = |v: u32| positions[v as usize].as_dvec3() - origin;
        let mut volumes = vec![0.0; self.segments.len()];
        for (corners, &segment) in self.triangles.iter().zip(&self.of_triangle) {
            if segment != NONE {
                let [a, b, c] = corners.map(at);
                volumes[segment as usize] += a.dot(b.cross(c)) / 6.0;
            }
        }
        let middles: Vec<DVec3> = (0..self.middles.len()).map(|m| self.middles.mean(m, at)).collect();
        for lid in &self.lids {
            let [a, b] = lid.edge.map(at);
            let volume = a.dot(b.cross(middles[lid.middle as usize])) / 6.0;
            if lid.adds != NONE {
                volumes[lid.adds as usize] += volume;
            }
            if lid.subtracts != NONE {
                volumes[lid.subtracts as usize] -= volume;
            }
        }
        volumes
    }

    /// The segment of a part that follows a joint.
    pub(super) fn find(&self, part: u32, joint: usize) -> Option<usize> {
        self.segments.binary_search_by_key(&(part, Some(joint)), |s| (s.part, s.joint)).ok()
    }

    pub(super) fn of_vertices(&self) -> &[u32] {
        &self.of_vertex
    }

    pub(super) fn of_triangles(&self) -> &[u32] {
        &self.of_triangle
    }

    pub(super) fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    pub(super) fn lids(&self) -> &[Lid] {
        &self.lids
    }

    pub(super) fn middles(&self) -> &Middles {
        &self.middles
    }

    /// Finds the edges where segments end and puts lids over them.
    fn close(&mut self) {
        // (lower end, higher end, segment, whether the triangle runs from the lower to the higher)
        let mut sides: Vec<(u32, u32, u32, i32)> = Vec::with_capacity(3 * self.triangles.len());
        for (&[a, b, c], &segment) in self.triangles.iter().zip(&self.of_triangle) {
            if segment != NONE {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    let forward = if from < to { 1 } else { -1 };
                    sides.push((from.min(to), from.max(to), segment, forward));
                }
            }
        }
        sides.sort_unstable();
        let mut open: Vec<([u32; 2], u32, u32)> = Vec::new();
        for edge in sides.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            // Sides that run forward once too often need the edge backwards, and the reverse.
            let (mut adds, mut subtracts) = (Vec::new(), Vec::new());
            for of_segment in edge.chunk_by(|x, y| x.2 == y.2) {
                let net: i32 = of_segment.iter().map(|side| side.3).sum();
                let list = if net > 0 { &mut adds } else { &mut subtracts };
                list.extend(std::iter::repeat_n(of_segment[0].2, net.unsigned_abs() as usize));
            }
            let (low, high, ..) = edge[0];
            for i in 0..adds.len().max(subtracts.len()) {
                let of = |list: &[u32]| list.get(i).copied().unwrap_or(NONE);
                if low != high {
                    open.push(([high, low], of(&adds), of(&subtracts)));
                }
            }
        }
        self.put_lids(&open);
    }

    /// One middle for all edges that hang together.
    fn put_lids(&mut self, open: &[([u32; 2], u32, u32)]) {
        let mut above: Vec<u32> = (0..self.of_vertex.len() as u32).collect();
        let mut degree = vec![0u32; self.of_vertex.len()];
        for ([a, b], ..) in open {
            let (top_a, top_b) = (top(&mut above, *a), top(&mut above, *b));
            above[top_a.max(top_b) as usize] = top_a.min(top_b);
            degree[*a as usize] += 1;
            degree[*b as usize] += 1;
        }
        let mut on_loops: Vec<(u32, u32)> = (0..self.of_vertex.len() as u32)
            .filter(|&v| degree[v as usize] > 0)
            .map(|v| (top(&mut above, v), v))
            .collect();
        sort_by_keys(&mut on_loops, |&(top, vertex)| key_of(top, vertex));
        let mut middle_of_top = vec![NONE; self.of_vertex.len()];
        for group in on_loops.chunk_by(|x, y| x.0 == y.0) {
            middle_of_top[group[0].0 as usize] = self.middles.len() as u32;
            let is_meeting = |v: u32| degree[v as usize] > 2;
            let any_meeting = group.iter().any(|&(_, v)| is_meeting(v));
            let members = group.iter().map(|&(_, v)| v).filter(|&v| !any_meeting || is_meeting(v));
            self.middles.members.extend(members);
            self.middles.ends.push(self.middles.members.len() as u32);
        }
        let lid = |&(edge, adds, subtracts): &([u32; 2], u32, u32)| {
            let middle = middle_of_top[top(&mut above, edge[0]) as usize];
            Lid { edge, middle, adds, subtracts }
        };
        self.lids = open.iter().map(lid).collect();
    }

    fn warn(&self, parts: &Parts, report: &mut Report) {
        let is_border = |lid: &&Lid| lid.adds == NONE || lid.subtracts == NONE;
        let border_edges = self.lids.iter().filter(is_border).count();
        if border_edges > 0 {
            let mut open: Vec<u32> =
                self.lids.iter().filter(is_border).map(|lid| parts.of_vertex(lid.edge[0] as usize)).collect();
            open.sort_unstable();
            open.dedup();
            report.warn(Warning::OpenVolume { parts: open.len(), border_edges });
        }
        let sheets = (0..parts.len()).filter(|&part| !parts.part(part as u32).is_body()).count();
        if sheets > 0 {
            report.warn(Warning::NoVolume { parts: sheets });
        }
    }
}

/// The lowest vertex of those that hang together with `v`.
fn top(above: &mut [u32], mut v: u32) -> u32 {
    while above[v as usize] != v {
        above[v as usize] = above[above[v as usize] as usize];
        v = above[v as usize];
    }
    v
}
