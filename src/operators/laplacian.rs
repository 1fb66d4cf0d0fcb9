//! The cotangent Laplacian and the lumped masses of a surface (docs/theory.md#cotangent-laplacian).
//!
//! In: a [`Mesh`] and its [`Topology`]. Slivers, borders, non-manifold edges, disconnected
//! components and degenerate triangles are allowed. Out: [`Laplacian`], which is the stiffness
//! matrix `S` (`xᵀ S x = ∫ |∇x|²`, so `S` is −Δ times the masses) and the lumped masses. Cost: one
//! pass over the triangles, and constant time per edge flip.
//!
//! - The weights are those of the *intrinsic Delaunay* triangulation of the same surface (Bobenko
//!   and Springborn 2007). Edges are flipped, by lengths alone, until the two angles opposite each
//!   edge sum to at most π. So weights do not depend on the triangulation of flat areas, and no
//!   weight of a flippable edge is negative.
//! - Edges that cannot be flipped (borders, non-manifold edges, edges between inconsistently
//!   oriented triangles) may still have a negative weight, which is raised to zero. Hence the
//!   solution of `(S + D) x = D p` with a diagonal matrix D ≥ 0 lies between the smallest and the
//!   largest value of p, and needs no clamping.
//! - Degenerate triangles are opened by adding one small length to all edges of the mesh (Sharp and
//!   Crane 2020), just enough for the worst of them. Meshes without degenerate triangles are not
//!   changed.
//! - Masses are mixed Voronoi areas (Meyer et al. 2003) of the original triangles. They do not
//!   depend on flips, and so not on the order of triangles where four vertices are cocircular and
//!   either diagonal is Delaunay. They are never zero: a vertex without area has [`MIN_MASS`]
//!   times the mean mass.

use glam::DVec3;

use super::sparse::Symmetric;
use crate::math::larger_f64;
use crate::model::{Mesh, Topology};

/// Smallest excess of two edges of a triangle over the third, as a fraction of the mean edge
/// length. Larger: thin triangles change visibly. Smaller: cotangents of slivers grow until they
/// dominate everything else.
const MIN_EXCESS: f64 = 1e-6;

/// An edge is flipped if its cotangents sum to less than minus this. Larger: negative weights
/// remain. Smaller: rounding flips the diagonals of rectangles back and forth.
const FLIP_TOLERANCE: f64 = 1e-9;

/// Largest number of flips per edge, in case rounding makes them cycle. Remaining negative weights
/// are clamped.
const MAX_FLIPS: usize = 64;

/// Lower limit of the area of a triangle, as a fraction of its longest edge squared: rounding
/// during flips can reduce it to zero.
const MIN_AREA: f64 = 1e-12;

/// Smallest mass of a vertex, as a fraction of the mean mass.
const MIN_MASS: f64 = 1e-6;

const NONE: u32 = u32::MAX;

/// Stiffness matrix and lumped masses; see [`crate::operators::MeshGeometry::laplacian`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laplacian {
    stiffness: Symmetric,
    masses: Vec<f64>,
}

impl Laplacian {
    /// Computes the Laplacian of a mesh with its topology.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let mut triangulation = IntrinsicTriangulation::of(mesh, topology);
        triangulation.open_degenerate_triangles();
        triangulation.flip_to_delaunay();
        Self { stiffness: triangulation.stiffness(mesh.positions().len()), masses: masses(mesh) }
    }

    /// The stiffness matrix, dimensionless and positive semi-definite. Every row sums to zero, and
    /// no off-diagonal entry is positive.
    pub fn stiffness(&self) -> &Symmetric {
        &self.stiffness
    }

    /// The mixed Voronoi area of each vertex; all positive unless the mesh has no area.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }
}

/// A triangulation given by edge lengths. Half-edge `3t + k` of triangle `t` leads from its corner
/// `k` to the next.
struct IntrinsicTriangulation {
    corners: Vec<u32>,
    lengths: Vec<f64>,
    /// The opposite half-edge, if the edge has exactly two triangles of consistent orientation.
    twins: Vec<u32>,
}

#[inline]
fn next(halfedge: u32) -> u32 {
    if halfedge % 3 == 2 { halfedge - 2 } else { halfedge + 1 }
}

#[inline]
fn previous(halfedge: u32) -> u32 {
    if halfedge.is_multiple_of(3) { halfedge + 2 } else { halfedge - 1 }
}

impl IntrinsicTriangulation {
    fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let at = |v: u32| mesh.positions()[v as usize].as_dvec3();
        let proper = |t: &u32| {
            let [a, b, c] = mesh.triangles()[*t as usize];
            a != b && b != c && c != a
        };
        let kept: Vec<u32> = (0..mesh.triangles().len() as u32).filter(proper).collect();
        // Triangles that repeat a vertex are left out, so indices may shift.
        let mut place = vec![0; mesh.triangles().len()];
        kept.iter().enumerate().for_each(|(index, &t)| place[t as usize] = index as u32);
        let corners: Vec<u32> = kept.iter().flat_map(|&t| mesh.triangles()[t as usize]).collect();
        let lengths = (0..corners.len() as u32)
            .map(|halfedge| at(corners[halfedge as usize]).distance(at(corners[next(halfedge) as usize])))
            .collect();
        let mut twins = vec![NONE; corners.len()];
        for edge in (0..topology.edges().len()).filter(|&e| topology.edges()[e].triangles == 2) {
            let [low, high] = topology.edges()[edge].ends;
            let triangles = topology.triangles_of_edge(edge);
            let halfedge = |from: u32, to: u32| {
                let places = triangles.iter().map(|&t| place[t as usize]);
                let mut halfedges = places.flat_map(|t| 3 * t..3 * t + 3);
                halfedges.find(|&s| corners[s as usize] == from && corners[next(s) as usize] == to)
            };
            if let (Some(up), Some(down)) = (halfedge(low, high), halfedge(high, low)) {
                twins[up as usize] = down;
                twins[down as usize] = up;
            }
        }
        Self { corners, lengths, twins }
    }

    /// Lengthens every edge by what the thinnest triangle needs.
    fn open_degenerate_triangles(&mut self) {
        let least = MIN_EXCESS * self.lengths.iter().sum::<f64>() / self.lengths.len().max(1) as f64;
        let (triangles, _) = self.lengths.as_chunks::<3>();
        let excess = |&[a, b, c]: &[f64; 3]| a + b + c - 2.0 * a.max(b).max(c);
        let missing = triangles.iter().map(|t| least - excess(t)).fold(0.0, f64::max);
        self.lengths.iter_mut().for_each(|length| *length += missing);
    }

    /// The cotangent of the angle opposite a half-edge.
    fn cotangent(&self, halfedge: u32) -> f64 {
        let length = |s: u32| self.lengths[s as usize];
        let (c, a, b) = (length(halfedge), length(next(halfedge)), length(previous(halfedge)));
        let longest = larger_f64(larger_f64(a, b), c);
        let area = larger_f64(area_of(a, b, c), MIN_AREA * longest.powi(2));
        if area > 0.0 { (a * a + b * b - c * c) / (4.0 * area) } else { 0.0 }
    }

    fn flip_to_delaunay(&mut self) {
        let mut pending: Vec<u32> =
            (0..self.twins.len() as u32).filter(|&s| self.twins[s as usize] != NONE).rev().collect();
        let mut left = MAX_FLIPS * pending.len();
        while let Some(halfedge) = pending.pop() {
            let twin = self.twins[halfedge as usize];
            let in_one_triangle = twin / 3 == halfedge / 3;
            if twin == NONE || in_one_triangle || left == 0 {
                continue;
            }
            if self.cotangent(halfedge) + self.cotangent(twin) < -FLIP_TOLERANCE {
                left -= 1;
                self.flip(halfedge, twin);
                pending.extend([next(halfedge), previous(halfedge), next(twin), previous(twin)]);
            }
        }
    }

    /// Replaces the edge between two triangles by the other diagonal of their quadrilateral.
    /// `halfedge` then leads from the third corner of its triangle to that of the other.
    fn flip(&mut self, halfedge: u32, twin: u32) {
        // Around the quadrilateral, from the start of the edge: to the third corner of the other
        // triangle, the end of the edge, the third corner of this triangle.
        let ring = [next(twin), previous(twin), next(halfedge), previous(halfedge)];
        let [start, far, end, near] = ring.map(|s| self.corners[s as usize]);
        let [to_far, far_end, end_near, near_start] = ring.map(|s| self.lengths[s as usize]);
        let edge = self.lengths[halfedge as usize];
        let diagonal = diagonal(edge, [near_start, end_near], [to_far, far_end]);
        let outside = ring.map(|s| self.twins[s as usize]);
        // This triangle becomes (near, far, end), the other (far, near, start).
        let new_ring = [previous(twin), next(halfedge), previous(halfedge), next(twin)];
        for (s, corner) in [(halfedge, near), (next(halfedge), far), (previous(halfedge), end)] {
            self.corners[s as usize] = corner;
        }
        for (s, corner) in [(twin, far), (next(twin), near), (previous(twin), start)] {
            self.corners[s as usize] = corner;
        }
        self.lengths[halfedge as usize] = diagonal;
        self.lengths[twin as usize] = diagonal;
        for ((&new, length), twin) in
            new_ring.iter().zip([to_far, far_end, end_near, near_start]).zip(outside)
        {
            self.lengths[new as usize] = length;
            // Where the quadrilateral is glued to itself, the opposite half-edge has moved as well.
            let twin = ring.iter().position(|&old| old == twin).map_or(twin, |i| new_ring[i]);
            self.twins[new as usize] = twin;
            if twin != NONE {
                self.twins[twin as usize] = new;
            }
        }
    }

    fn stiffness(&self, vertices: usize) -> Symmetric {
        let halves: Vec<(u32, u32, f64)> = (0..self.corners.len() as u32)
            .map(|s| (self.corners[s as usize], self.corners[next(s) as usize], -0.5 * self.cotangent(s)))
            .filter(|(from, to, _)| from != to)
            .collect();
        let summed = Symmetric::from_entries(vertices, &halves);
        let edges = || {
            let off_diagonal = summed.entries().filter(|(row, column, _)| row != column);
            off_diagonal.map(|(row, column, value)| (row as u32, column as u32, value.min(0.0)))
        };
        let diagonal = |(row, column, value): (u32, u32, f64)| [(row, row, -value), (column, column, -value)];
        let entries: Vec<(u32, u32, f64)> = edges().chain(edges().flat_map(diagonal)).collect();
        Symmetric::from_entries(vertices, &entries)
    }
}

/// Area of a triangle by Heron's formula, arranged so that it is accurate for slivers (Kahan 2014);
/// 0 if the triangle inequality is violated.
#[inline]
fn area_of(a: f64, b: f64, c: f64) -> f64 {
    let (mut x, mut y, mut z) = (a, b, c);
    if x < y {
        (x, y) = (y, x);
    }
    if x < z {
        (x, z) = (z, x);
    }
    if y < z {
        (y, z) = (z, y);
    }
    let product = (x + (y + z)) * (z - (x - y)) * (z + (x - y)) * (x + (y - z));
    0.25 * larger_f64(product, 0.0).sqrt()
}

/// Length of the segment from the corner above an edge to the one below it, with both triangles
/// unfolded into a plane. `above` and `below` are the lengths from the start and the end of the
/// edge to those corners.
fn diagonal(edge: f64, above: [f64; 2], below: [f64; 2]) -> f64 {
    let along =
        |[to_start, to_end]: [f64; 2]| (edge * edge + to_start * to_start - to_end * to_end) / (2.0 * edge);
    let height = |[to_start, to_end]: [f64; 2]| 2.0 * area_of(edge, to_start, to_end) / edge;
    (along(above) - along(below)).hypot(height(above) + height(below))
}

fn masses(mesh: &Mesh) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions().len()];
    let mut whole = 0.0;
    for (t, corners) in mesh.triangles().iter().enumerate() {
        let areas = voronoi_areas(mesh.corners(t).map(|p| p.as_dvec3()));
        for (&vertex, share) in corners.iter().zip(areas) {
            masses[vertex as usize] += share;
            whole += share;
        }
    }
    let least = MIN_MASS * whole / mesh.positions().len().max(1) as f64;
    masses.iter_mut().for_each(|mass| *mass = mass.max(least));
    masses
}

/// The mixed Voronoi area of each corner of a triangle: half of the area for an obtuse corner and a
/// quarter for each of the others.
fn voronoi_areas(corners: [DVec3; 3]) -> [f64; 3] {
    let side = |i: usize| corners[(i + 2) % 3] - corners[(i + 1) % 3];
    let area = 0.5 * side(0).cross(side(1)).length();
    if area == 0.0 {
        return [0.0; 3];
    }
    let cosines = [0, 1, 2].map(|i| -side((i + 1) % 3).dot(side((i + 2) % 3)));
    if let Some(obtuse) = cosines.iter().position(|&cosine| cosine < 0.0) {
        return [0, 1, 2].map(|i| if i == obtuse { 0.5 * area } else { 0.25 * area });
    }
    // An eighth of (edge squared × cotangent of the opposite angle), for both edges at the corner.
    let parts = [0, 1, 2].map(|i| side(i).length_squared() * cosines[i] / (16.0 * area));
    [parts[1] + parts[2], parts[2] + parts[0], parts[0] + parts[1]]
}
