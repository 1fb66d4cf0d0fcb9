//! Geodesic distances by an advancing front that finalises the nearest vertex first.
//!
//! Along edges it is Dijkstra's algorithm, the paper's approximate geodesic. Across triangles it is
//! fast marching (Kimmel and Sethian 1998): a straight front through a triangle reaches its third
//! corner from the other two. If the front would enter from outside the triangle (its corner is
//! obtuse, or the front turns), the edges decide. Cost: k log k for the k vertices visited.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::Extent;
use crate::math::smaller;
use crate::model::{Boundary, DistanceField};
use crate::operators::MeshGeometry;

/// How the front advances.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Advance {
    Edges,
    Triangles,
}

/// Computes distances from boundaries. Its buffers are reused between calls.
pub(super) struct March<'a> {
    geometry: &'a MeshGeometry,
    /// The smallest distance found so far; infinite if there is none.
    tentative: Vec<f32>,
    is_final: Vec<bool>,
    visited: Vec<u32>,
    /// Arrival times at the neighbours of the current vertex. Two triangles lead to each; only the
    /// earlier arrival is pushed.
    arrivals: Vec<(u32, f32)>,
    /// The bits of a distance in the upper half, the vertex in the lower: non-negative floats sort
    /// like their bits.
    front: BinaryHeap<Reverse<u64>>,
}

impl<'a> March<'a> {
    pub(super) fn new(geometry: &'a MeshGeometry) -> Self {
        let vertices = geometry.mesh().positions().len();
        Self {
            geometry,
            tentative: vec![f32::INFINITY; vertices],
            is_final: vec![false; vertices],
            visited: Vec::new(),
            arrivals: Vec::new(),
            front: BinaryHeap::new(),
        }
    }

    /// The distances from the boundary, nearest vertices first.
    pub(super) fn distances(&mut self, extent: &Extent<'_>, advance: Advance) -> DistanceField {
        for (vertex, distance) in seeds(self.geometry, extent.boundary) {
            self.push_if_nearer(vertex, distance);
        }
        let mut field = DistanceField::default();
        let mut remaining = extent.own_vertices();
        while let Some(Reverse(next)) = self.front.pop() {
            let (vertex, distance) = (next as u32, f32::from_bits((next >> 32) as u32));
            if self.is_final[vertex as usize] {
                continue;
            }
            if remaining == 0 && distance > extent.reach {
                break;
            }
            self.is_final[vertex as usize] = true;
            remaining -= usize::from(extent.is_own(vertex as usize));
            field.vertices.push(vertex);
            field.distances.push(distance);
            match advance {
                Advance::Edges => self.advance_along_edges(vertex, distance),
                Advance::Triangles => self.advance_across_triangles(vertex, distance),
            }
        }
        self.reset();
        field
    }

    fn reset(&mut self) {
        for vertex in self.visited.drain(..) {
            self.tentative[vertex as usize] = f32::INFINITY;
            self.is_final[vertex as usize] = false;
        }
        self.front.clear();
    }

    #[inline]
    fn push_if_nearer(&mut self, vertex: u32, distance: f32) {
        let known = &mut self.tentative[vertex as usize];
        if distance < *known {
            if *known == f32::INFINITY {
                self.visited.push(vertex);
            }
            *known = distance;
            self.front.push(Reverse(u64::from(distance.to_bits()) << 32 | u64::from(vertex)));
        }
    }

    fn advance_along_edges(&mut self, vertex: u32, distance: f32) {
        let geometry = self.geometry;
        let positions = geometry.mesh().positions();
        for neighbour in geometry.topology().neighbours(vertex as usize) {
            if !self.is_final[neighbour] {
                let step = positions[vertex as usize].distance(positions[neighbour]);
                self.push_if_nearer(neighbour as u32, distance + step);
            }
        }
    }

    fn advance_across_triangles(&mut self, vertex: u32, distance: f32) {
        let geometry = self.geometry;
        let positions = geometry.mesh().positions();
        for &triangle in geometry.topology().triangles_of_vertex(vertex as usize) {
            let corners = geometry.mesh().triangles()[triangle as usize];
            let others = corners.iter().copied().filter(|&corner| corner != vertex);
            for target in others.clone() {
                if self.is_final[target as usize] {
                    continue;
                }
                let third = others.clone().find(|&corner| corner != target && self.is_final[corner as usize]);
                let across = third.and_then(|third| {
                    let [c, a, b] =
                        [target, vertex, third].map(|corner| positions[corner as usize].as_dvec3());
                    front_arrival(c, [a, b], [distance, self.tentative[third as usize]].map(f64::from))
                });
                // A front across the triangle is never later than along the edge.
                let along = || distance + positions[vertex as usize].distance(positions[target as usize]);
                let arrival = across.unwrap_or_else(along);
                match self.arrivals.iter_mut().find(|known| known.0 == target) {
                    Some(known) => known.1 = smaller(known.1, arrival),
                    None => self.arrivals.push((target, arrival)),
                }
            }
        }
        let mut arrivals = std::mem::take(&mut self.arrivals);
        arrivals.drain(..).for_each(|(target, arrival)| self.push_if_nearer(target, arrival));
        self.arrivals = arrivals;
    }
}

/// The arrival time of a straight front at `c`, given its arrival times `known` at `a` and `b`;
/// `None` if it enters from outside the triangle.
fn front_arrival(c: DVec3, [a, b]: [DVec3; 2], known: [f64; 2]) -> Option<f32> {
    // With e1 = a − c, e2 = b − c and the time t at c, the gradient g has e_i · g = known_i − t and
    // length 1. With the Gram matrix G of the two edges this is a quadratic equation in t.
    let (e1, e2) = (a - c, b - c);
    let (g11, g12, g22) = (e1.length_squared(), e1.dot(e2), e2.length_squared());
    let determinant = g11 * g22 - g12 * g12;
    if determinant <= f64::EPSILON * g11 * g22 {
        return None;
    }
    let [d1, d2] = known;
    // Entries of the inverse of G, times its determinant.
    let (i11, i12, i22) = (g22, -g12, g11);
    let ones = i11 + 2.0 * i12 + i22;
    let mixed = (i11 + i12) * d1 + (i12 + i22) * d2;
    let squares = i11 * d1 * d1 + 2.0 * i12 * d1 * d2 + i22 * d2 * d2 - determinant;
    let discriminant = mixed * mixed - ones * squares;
    if discriminant < 0.0 || ones <= 0.0 {
        return None;
    }
    let t = (mixed + discriminant.sqrt()) / ones;
    // The front enters through the edge a–b if both coordinates of the gradient are not positive.
    let coordinate1 = i11 * (d1 - t) + i12 * (d2 - t);
    let coordinate2 = i12 * (d1 - t) + i22 * (d2 - t);
    (coordinate1 <= 0.0 && coordinate2 <= 0.0 && t >= d1 && t >= d2).then_some(t as f32)
}

/// The corners of the triangles that a boundary passes through, with their distances from it. A
/// corner may occur several times.
fn seeds(geometry: &MeshGeometry, boundary: &Boundary) -> Vec<(u32, f32)> {
    let mesh = geometry.mesh();
    let mut seeds = Vec::new();
    for (triangle, [from, to]) in boundary.segments() {
        for corner in mesh.triangles()[triangle as usize] {
            let position = mesh.positions()[corner as usize];
            seeds.push((corner, super::euclidean::to_segment(position, [from, to]).sqrt()));
        }
    }
    seeds
}
