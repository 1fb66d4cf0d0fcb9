//! The cotangent Laplacian of a surface, and how much of the surface each vertex stands for.
//!
//! In: a [`Mesh`] and its [`Topology`]; slivers, borders, non-manifold edges, loose parts and triangles without
//! area are all welcome. Out: [`Laplacian`]: the stiffness matrix `S` (`xᵀ S x = ∫ |∇x|²`, so `S` is −Δ times the
//! masses) and the lumped masses. Cost: one pass, and one for each edge that is flipped.
//!
//! - Weights are those of the *intrinsic Delaunay* triangulation of the same surface (Bobenko and Springborn 2007):
//!   edges are flipped, by lengths alone, until no two angles that face an edge exceed a half-turn together. So
//!   weights do not depend on how a flat piece is cut into triangles, and none between two triangles is negative.
//! - What cannot be flipped (borders, edges with more than two triangles or with two that disagree about the
//!   outside) may still face an obtuse angle; there the weight is raised to zero. Hence no weight is negative,
//!   and what solves `(S + D) x = D p` with D ≥ 0 lies between the least and the largest of p: weights need no clamp.
//! - Triangles without area are opened by making every edge of the mesh longer by the same tiny amount (Sharp
//!   and Crane 2020), just enough for the worst of them; on a mesh without any, nothing is changed.
//! - Masses are mixed Voronoi areas (Meyer et al. 2003) of the triangles as given. They do not depend on flips,
//!   so not on the order of triangles where four corners lie on a circle and either diagonal will do. They are
//!   never zero: a vertex without area has [`LEAST_MASS`] of what the mean vertex has.

use glam::DVec3;

use super::sparse::Symmetric;
use crate::model::{Mesh, Topology};

/// Two sides of a triangle exceed the third by at least this share of the mean edge. Larger: thin triangles are
/// visibly fattened. Smaller: cotangents of slivers grow until nothing else counts.
const LEAST_EXCESS: f64 = 1e-6;

/// An edge is flipped when its cotangents sum to less than minus this. Larger: weights below zero stay. Smaller:
/// rounding flips the diagonals of rectangles to and fro.
const FLIP_BELOW: f64 = 1e-9;

/// Flips end after this many per edge, in case rounding lets them go round in circles. What is left is clamped.
const MOST_FLIPS: usize = 64;

/// A triangle's area counts as at least this share of its longest side squared: rounding while flipping can take it
/// all away.
const LEAST_AREA: f64 = 1e-12;

/// The mass of a vertex that stands for no area, against the mean.
const LEAST_MASS: f64 = 1e-6;

const NONE: u32 = u32::MAX;

/// What [`crate::operators::MeshGeometry::laplacian`] measures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laplacian {
    stiffness: Symmetric,
    masses: Vec<f64>,
}

impl Laplacian {
    /// Of a mesh with its topology.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let mut surface = Surface::of(mesh, topology);
        surface.open_slivers();
        surface.flip_to_delaunay();
        Self { stiffness: surface.stiffness(mesh.positions().len()), masses: masses(mesh) }
    }

    /// Positive semi-definite, in no unit at all; every row sums to zero, nothing off the diagonal is above it.
    pub fn stiffness(&self) -> &Symmetric {
        &self.stiffness
    }

    /// The area each vertex stands for, all above zero unless the mesh has none.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }
}

/// A triangulation known by lengths. Side `3t + k` of triangle `t` leads from its corner `k` to the next.
struct Surface {
    corners: Vec<u32>,
    lengths: Vec<f64>,
    /// The same edge in the other triangle, where there is exactly one other and it runs the other way.
    twins: Vec<u32>,
}

fn next(side: u32) -> u32 {
    if side % 3 == 2 { side - 2 } else { side + 1 }
}

fn previous(side: u32) -> u32 {
    if side.is_multiple_of(3) { side + 2 } else { side - 1 }
}

impl Surface {
    fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let at = |v: u32| mesh.positions()[v as usize].as_dvec3();
        let proper = |t: &u32| {
            let [a, b, c] = mesh.triangles()[*t as usize];
            a != b && b != c && c != a
        };
        let kept: Vec<u32> = (0..mesh.triangles().len() as u32).filter(proper).collect();
        let corners: Vec<u32> = kept.iter().flat_map(|&t| mesh.triangles()[t as usize]).collect();
        let lengths = (0..corners.len() as u32)
            .map(|side| at(corners[side as usize]).distance(at(corners[next(side) as usize])))
            .collect();
        let mut twins = vec![NONE; corners.len()];
        for edge in (0..topology.edges().len()).filter(|&e| topology.edges()[e].triangles == 2) {
            let [low, high] = topology.edges()[edge].ends;
            let triangles = topology.triangles_of_edge(edge);
            let side = |from: u32, to: u32| {
                // Triangles that name a vertex twice have no sides and are left out, so numbers may shift.
                let place = |t: &u32| kept.binary_search(t).unwrap_or_default() as u32;
                let mut sides = triangles.iter().map(place).flat_map(|t| 3 * t..3 * t + 3);
                sides.find(|&s| corners[s as usize] == from && corners[next(s) as usize] == to)
            };
            if let (Some(up), Some(down)) = (side(low, high), side(high, low)) {
                twins[up as usize] = down;
                twins[down as usize] = up;
            }
        }
        Self { corners, lengths, twins }
    }

    /// Makes every edge longer by as much as the thinnest triangle needs.
    fn open_slivers(&mut self) {
        let least = LEAST_EXCESS * self.lengths.iter().sum::<f64>() / self.lengths.len().max(1) as f64;
        let (triangles, _) = self.lengths.as_chunks::<3>();
        let excess = |&[a, b, c]: &[f64; 3]| a + b + c - 2.0 * a.max(b).max(c);
        let missing = triangles.iter().map(|t| least - excess(t)).fold(0.0, f64::max);
        self.lengths.iter_mut().for_each(|length| *length += missing);
    }

    /// The cotangent of the angle that faces a side.
    fn cotangent(&self, side: u32) -> f64 {
        let [c, a, b] = [side, next(side), previous(side)].map(|s| self.lengths[s as usize]);
        let area = area_of(a, b, c).max(LEAST_AREA * a.max(b).max(c).powi(2));
        if area > 0.0 { (a * a + b * b - c * c) / (4.0 * area) } else { 0.0 }
    }

    fn flip_to_delaunay(&mut self) {
        let mut waiting: Vec<u32> =
            (0..self.twins.len() as u32).filter(|&s| self.twins[s as usize] != NONE).rev().collect();
        let mut left = MOST_FLIPS * waiting.len();
        while let Some(side) = waiting.pop() {
            let twin = self.twins[side as usize];
            let in_one_triangle = twin / 3 == side / 3;
            if twin == NONE || in_one_triangle || left == 0 {
                continue;
            }
            if self.cotangent(side) + self.cotangent(twin) < -FLIP_BELOW {
                left -= 1;
                self.flip(side, twin);
                waiting.extend([next(side), previous(side), next(twin), previous(twin)]);
            }
        }
    }

    /// Replaces the edge between two triangles by the other diagonal of the four-sided figure they form:
    /// `side` then leads from its triangle's third corner to that of the other.
    fn flip(&mut self, side: u32, twin: u32) {
        // Around the figure, from the edge's start: to the other's third corner, the edge's end, this one's third.
        let ring = [next(twin), previous(twin), next(side), previous(side)];
        let [start, far, end, near] = ring.map(|s| self.corners[s as usize]);
        let [to_far, far_end, end_near, near_start] = ring.map(|s| self.lengths[s as usize]);
        let edge = self.lengths[side as usize];
        let diagonal = diagonal(edge, [near_start, end_near], [to_far, far_end]);
        let outside = ring.map(|s| self.twins[s as usize]);
        // This triangle becomes (near, far, end), the other (far, near, start).
        let new_ring = [previous(twin), next(side), previous(side), next(twin)];
        for (s, corner) in [(side, near), (next(side), far), (previous(side), end)] {
            self.corners[s as usize] = corner;
        }
        for (s, corner) in [(twin, far), (next(twin), near), (previous(twin), start)] {
            self.corners[s as usize] = corner;
        }
        self.lengths[side as usize] = diagonal;
        self.lengths[twin as usize] = diagonal;
        for ((&new, length), twin) in
            new_ring.iter().zip([to_far, far_end, end_near, near_start]).zip(outside)
        {
            self.lengths[new as usize] = length;
            // Where the figure is glued to itself, the other side has moved as well.
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

/// By Heron's formula, arranged so that slivers keep their digits (Kahan 2014); 0 where there is no such triangle.
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
    0.25 * product.max(0.0).sqrt()
}

/// From the corner above an edge to the one below it, when both triangles are laid flat. `above` and `below` are the
/// lengths from the edge's start and end to those corners.
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
        let shares = voronoi_areas(mesh.corners(t).map(|p| p.as_dvec3()));
        for (&vertex, share) in corners.iter().zip(shares) {
            masses[vertex as usize] += share;
            whole += share;
        }
    }
    let least = LEAST_MASS * whole / mesh.positions().len().max(1) as f64;
    masses.iter_mut().for_each(|mass| *mass = mass.max(least));
    masses
}

/// What each corner of a triangle is nearest to; where an angle is obtuse, half for its corner and a quarter
/// for each of the others.
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
    // An eighth of (side squared × cotangent of the angle facing it), for both sides at the corner.
    let parts = [0, 1, 2].map(|i| side(i).length_squared() * cosines[i] / (16.0 * area));
    [parts[1] + parts[2], parts[2] + parts[0], parts[0] + parts[1]]
}
