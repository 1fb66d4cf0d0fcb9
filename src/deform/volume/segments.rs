//! What keeps its volume: parts, or the segments of parts that follow one joint most, each closed.
//!
//! In: the solve mesh, its weights. Out: a segment for every vertex and triangle, and lids that close every
//! segment where it meets others or the mesh is open. Source: PAPERS §4.4. Cost: one sort of the edges, once per rig.
//!
//! A triangle belongs to the segment of most of its corners. The edges where segments end are closed by [`lids`](super::hole_caps), which one neighbour adds and the other
//! subtracts. So every segment is closed, its volume does not depend on where it is measured from, and the volumes
//! add up to the whole's. Nothing of this asks for a manifold: where triangles disagree, an edge is closed as often as it is open.

use glam::{DVec3, Vec3};

use super::hole_caps::{self, Corner, HoleCap, Middles, OpenEdge};
use super::options::VolumeScope;
use crate::math::{key_of, sort_by_keys, sort_few};
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
    lids: Vec<HoleCap>,
    middles: Middles,
}

/// One volume that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The joint its vertices follow most; none when it is a whole part.
    pub joint: Option<usize>,
    /// The part it belongs to, numbered as in [`Topology::component_of_vertex`].
    pub part: u32,
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
        let mean = |middle: usize| {
            let members = self.middles.members(middle);
            members.iter().map(|&v| at(v)).sum::<DVec3>() / members.len().max(1) as f64
        };
        let middles: Vec<DVec3> = (0..self.middles.len()).map(mean).collect();
        for lid in &self.lids {
            let [a, b, c] = lid.corners.map(|corner| match corner {
                Corner::Vertex(vertex) => at(vertex),
                Corner::Middle(middle) => middles[middle as usize],
            });
            let volume = a.dot(b.cross(c)) / 6.0;
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

    pub(super) fn lids(&self) -> &[HoleCap] {
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
        sort_by_keys(&mut sides, |&(low, high, ..)| key_of(low, high));
        let mut open: Vec<OpenEdge> = Vec::new();
        for edge in sides.chunk_by_mut(|x, y| (x.0, x.1) == (y.0, y.1)) {
            sort_few(edge, |x, y| x.2.cmp(&y.2));
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
                    open.push(OpenEdge { edge: [high, low], adds: of(&adds), subtracts: of(&subtracts) });
                }
            }
        }
        (self.lids, self.middles) = hole_caps::close(&open, self.of_vertex.len());
    }

    fn warn(&self, parts: &Parts, report: &mut Report) {
        let is_border = |lid: &&HoleCap| lid.adds == NONE || lid.subtracts == NONE;
        let is_edge = |lid: &&HoleCap| lid.corners[..2].iter().all(|corner| corner.vertex().is_some());
        let border_edges = self.lids.iter().filter(is_border).filter(is_edge).count();
        if border_edges > 0 {
            let vertices = self.lids.iter().filter(is_border).filter_map(|lid| lid.corners[0].vertex());
            let mut open: Vec<u32> = vertices.map(|vertex| parts.of_vertex(vertex as usize)).collect();
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
