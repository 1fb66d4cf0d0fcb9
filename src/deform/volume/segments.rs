//! Segments: the pieces of a mesh whose volumes are preserved, each closed by hole caps.
//!
//! In: the solve mesh and its weights. Out: a segment for every vertex and triangle, and caps that
//! close every segment where it meets others or where the mesh is open. A segment is a connected
//! part, or the vertices of a part that follow one joint most. Source:
//! docs/theory/volume.md#local-volumes. Cost: one sort of the edges, once per rig.
//!
//! A triangle belongs to the segment of most of its corners. Edges where segments end are closed by
//! [`hole_caps`]. So every segment is closed, its volume does not depend on the origin, and the
//! volumes add up to that of the whole. The mesh need not be manifold: where triangles disagree, an
//! edge is closed as often as it is open.

use glam::{DVec3, Vec3};

use super::hole_caps::{self, Centroids, Corner, HoleCap, OpenEdge};
use super::options::VolumeScope;
use crate::math::{key_of, sort_by_keys, sort_few};
use crate::model::{Mesh, Topology, Weights};
use crate::operators::Components;
use crate::report::{Report, Warning};

/// Marks vertices and triangles of parts without an inside, and the outside of the mesh.
pub(super) const NONE: u32 = u32::MAX;

/// The segments of a mesh and the caps between them.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    segments: Vec<Segment>,
    triangles: Vec<[u32; 3]>,
    of_vertex: Vec<u32>,
    of_triangle: Vec<u32>,
    hole_caps: Vec<HoleCap>,
    centroids: Centroids,
}

/// A piece of a mesh whose volume is preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The joint that its vertices follow most; none for a whole connected part.
    pub joint: Option<usize>,
    /// The part it belongs to, numbered as in [`Topology::component_of_vertex`].
    pub part: u32,
}

/// The connected parts of a mesh, and which of them have an inside. They do not depend on weights.
#[derive(Clone, Debug)]
pub struct ConnectedParts(Components);

impl ConnectedParts {
    /// Finds the connected parts of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        Self(Components::of(mesh, &Topology::of(mesh)))
    }
}

impl Segments {
    /// Cuts `mesh` into segments. Warns of parts that had to be closed or have no inside.
    ///
    /// # Panics
    /// If the weights are for another mesh.
    pub fn new(mesh: &Mesh, weights: &Weights, scope: VolumeScope, report: &mut Report) -> Self {
        Self::of_parts(&ConnectedParts::of(mesh), mesh, weights, scope, report)
    }

    /// As [`Segments::new`], with connected parts that are known already.
    ///
    /// # Panics
    /// If the weights or the parts are for another mesh.
    pub fn of_parts(
        parts: &ConnectedParts,
        mesh: &Mesh,
        weights: &Weights,
        scope: VolumeScope,
        report: &mut Report,
    ) -> Self {
        assert_eq!(weights.vertices(), mesh.positions().len(), "one row of weights per vertex");
        let ConnectedParts(parts) = parts;
        let (segments, of_vertex) = segments_of_vertices(parts, weights, scope);
        let of_triangle =
            mesh.triangles().iter().map(|&corners| segment_of_triangle(corners, &of_vertex, weights));
        let of_triangle = of_triangle.collect();
        let triangles = mesh.triangles().to_vec();
        let mut cut = Self { segments, triangles, of_vertex, of_triangle, ..Self::default() };
        (cut.hole_caps, cut.centroids) = hole_caps::close_holes(&cut.open_edges(), cut.of_vertex.len());
        cut.warn(parts, report);
        cut
    }

    /// All segments, sorted by part, then joint.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The segment of a vertex; none where the part has no inside.
    pub fn of_vertex(&self, vertex: usize) -> Option<usize> {
        Some(self.of_vertex[vertex]).filter(|&s| s != NONE).map(|s| s as usize)
    }

    /// The signed volume of every segment, in f64. `positions` has one entry per vertex of the
    /// mesh.
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
        self.add_cap_volumes(at, &mut volumes);
        volumes
    }

    fn add_cap_volumes(&self, at: impl Fn(u32) -> DVec3, volumes: &mut [f64]) {
        let mean = |centroid: usize| {
            let members = self.centroids.members(centroid);
            members.iter().map(|&v| at(v)).sum::<DVec3>() / members.len().max(1) as f64
        };
        let centroids: Vec<DVec3> = (0..self.centroids.len()).map(mean).collect();
        for cap in &self.hole_caps {
            let [a, b, c] = cap.corners.map(|corner| match corner {
                Corner::Vertex(vertex) => at(vertex),
                Corner::Centroid(centroid) => centroids[centroid as usize],
            });
            let volume = a.dot(b.cross(c)) / 6.0;
            if cap.adds != NONE {
                volumes[cap.adds as usize] += volume;
            }
            if cap.subtracts != NONE {
                volumes[cap.subtracts as usize] -= volume;
            }
        }
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

    pub(super) fn hole_caps(&self) -> &[HoleCap] {
        &self.hole_caps
    }

    pub(super) fn centroids(&self) -> &Centroids {
        &self.centroids
    }

    /// The edges where segments end.
    fn open_edges(&self) -> Vec<OpenEdge> {
        let mut sides: Vec<Side> = Vec::with_capacity(3 * self.triangles.len());
        for (&[a, b, c], &segment) in self.triangles.iter().zip(&self.of_triangle) {
            if segment != NONE {
                sides.extend([(a, b), (b, c), (c, a)].map(|(from, to)| Side::new(from, to, segment)));
            }
        }
        sort_by_keys(&mut sides, |side| key_of(side.low, side.high));
        let mut open = Vec::new();
        for edge in sides.chunk_by_mut(|x, y| (x.low, x.high) == (y.low, y.high)) {
            push_open_edges(edge, &mut open);
        }
        open
    }

    fn warn(&self, parts: &Components, report: &mut Report) {
        let is_border = |cap: &&HoleCap| cap.adds == NONE || cap.subtracts == NONE;
        let is_edge = |cap: &&HoleCap| cap.corners[..2].iter().all(|corner| corner.vertex().is_some());
        let border_edges = self.hole_caps.iter().filter(is_border).filter(is_edge).count();
        if border_edges > 0 {
            let vertices = self.hole_caps.iter().filter(is_border).filter_map(|cap| cap.corners[0].vertex());
            let mut open: Vec<u32> = vertices.map(|vertex| parts.of_vertex(vertex as usize)).collect();
            open.sort_unstable();
            open.dedup();
            report.warn(Warning::OpenVolume { parts: open.len(), border_edges });
        }
        let sheets = (0..parts.len()).filter(|&part| !parts.kind(part as u32).is_solid()).count();
        if sheets > 0 {
            report.warn(Warning::NoVolume { parts: sheets });
        }
    }
}

/// The segments there are, and the segment of every vertex.
fn segments_of_vertices(
    parts: &Components,
    weights: &Weights,
    scope: VolumeScope,
) -> (Vec<Segment>, Vec<u32>) {
    let key = |vertex: usize| {
        let joint = (scope == VolumeScope::Segments).then(|| weights.dominant(vertex) as usize);
        (parts.of_vertex(vertex), joint)
    };
    let is_solid = |vertex: usize| parts.kind(parts.of_vertex(vertex)).is_solid();
    let mut keys: Vec<(u32, Option<usize>)> =
        (0..weights.vertices()).filter(|&v| is_solid(v)).map(key).collect();
    sort_by_keys(&mut keys, |&(part, joint)| key_of(part, joint.map_or(0, |joint| joint as u32 + 1)));
    keys.dedup();
    let segment = |vertex: usize| match keys.binary_search(&key(vertex)) {
        Ok(segment) if is_solid(vertex) => segment as u32,
        _ => NONE,
    };
    let of_vertex = (0..weights.vertices()).map(segment).collect();
    (keys.iter().map(|&(part, joint)| Segment { joint, part }).collect(), of_vertex)
}

/// The segment of most corners; if all differ, that of the corner with the largest weight.
fn segment_of_triangle(corners: [u32; 3], of_vertex: &[u32], weights: &Weights) -> u32 {
    let largest = |v: u32| weights.row(v as usize).iter().map(|i| i.weight).fold(0.0, f32::max);
    let [a, b, c] = corners.map(|v| of_vertex[v as usize]);
    let heaviest = corners.into_iter().reduce(|x, y| if largest(y) > largest(x) { y } else { x });
    match (a == b || a == c, b == c) {
        (true, _) => a,
        (false, true) => b,
        (false, false) => of_vertex[heaviest.unwrap_or(corners[0]) as usize],
    }
}

/// A side of a triangle.
#[derive(Clone, Copy)]
struct Side {
    low: u32,
    high: u32,
    segment: u32,
    /// 1 if the triangle runs from the lower vertex to the higher one, else −1.
    direction: i32,
}

impl Side {
    fn new(from: u32, to: u32, segment: u32) -> Self {
        let direction = if from < to { 1 } else { -1 };
        Self { low: from.min(to), high: from.max(to), segment, direction }
    }
}

/// Pairs the segments whose sides of one edge do not cancel.
fn push_open_edges(edge: &mut [Side], open: &mut Vec<OpenEdge>) {
    sort_few(edge, |x, y| x.segment.cmp(&y.segment));
    // An excess of forward sides needs the edge backwards, and the reverse.
    let (mut adds, mut subtracts) = (Vec::new(), Vec::new());
    for of_segment in edge.chunk_by(|x, y| x.segment == y.segment) {
        let net: i32 = of_segment.iter().map(|side| side.direction).sum();
        let list = if net > 0 { &mut adds } else { &mut subtracts };
        list.extend(std::iter::repeat_n(of_segment[0].segment, net.unsigned_abs() as usize));
    }
    let Side { low, high, .. } = edge[0];
    for i in 0..adds.len().max(subtracts.len()) {
        let of = |list: &[u32]| list.get(i).copied().unwrap_or(NONE);
        if low != high {
            open.push(OpenEdge { edge: [high, low], adds: of(&adds), subtracts: of(&subtracts) });
        }
    }
}
