//! Distances along the surface, by a front that settles the nearest vertex first.
//!
//! Along edges only it is Dijkstra's algorithm, the paper's approximate geodesic. Across triangles it is fast marching
//! (Kimmel and Sethian 1998): a straight front through a triangle reaches its third corner from the other two. Where
//! the front would come from outside the triangle (its corner is obtuse, or the front turns), the edges decide.
//! Cost: k log k for the k vertices walked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::Goal;
use crate::model::{Boundary, DistanceField};
use crate::operators::MeshGeometry;

/// Which way the front moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    Edges,
    Triangles,
}

/// Walks from boundaries; keeps its notes between calls.
pub(super) struct March<'a> {
    operators: &'a MeshGeometry,
    /// The best distance known; infinite where none is.
    tentative: Vec<f32>,
    settled: Vec<bool>,
    touched: Vec<u32>,
    /// Of the vertex in hand: its neighbours ahead, and when they are reached. Two triangles lead to each, and
    /// the front hears of the sooner only.
    ahead: Vec<(u32, f32)>,
    /// The bits of a distance above the vertex: floats that are not negative sort like their bits.
    front: BinaryHeap<Reverse<u64>>,
}

impl<'a> March<'a> {
    pub(super) fn new(operators: &'a MeshGeometry) -> Self {
        let vertices = operators.mesh().positions().len();
        Self {
            operators,
            tentative: vec![f32::INFINITY; vertices],
            settled: vec![false; vertices],
            touched: Vec::new(),
            ahead: Vec::new(),
            front: BinaryHeap::new(),
        }
    }

    /// The distances from the goal's boundary, nearest vertices first.
    pub(super) fn distances(&mut self, goal: &Goal<'_>, steps: Steps) -> DistanceField {
        for (vertex, distance) in seeds(self.operators, goal.boundary) {
            self.offer(vertex, distance);
        }
        let mut field = DistanceField::default();
        let mut missing = goal.own_vertices();
        while let Some(Reverse(next)) = self.front.pop() {
            let (vertex, distance) = (next as u32, f32::from_bits((next >> 32) as u32));
            if self.settled[vertex as usize] {
                continue;
            }
            if missing == 0 && distance > goal.reach {
                break;
            }
            self.settled[vertex as usize] = true;
            missing -= usize::from(goal.is_own(vertex as usize));
            field.vertices.push(vertex);
            field.distances.push(distance);
            match steps {
                Steps::Edges => self.along_edges(vertex, distance),
                Steps::Triangles => self.across_triangles(vertex, distance),
            }
        }
        self.forget();
        field
    }

    fn forget(&mut self) {
        for vertex in self.touched.drain(..) {
            self.tentative[vertex as usize] = f32::INFINITY;
            self.settled[vertex as usize] = false;
        }
        self.front.clear();
    }

    fn offer(&mut self, vertex: u32, distance: f32) {
        let known = &mut self.tentative[vertex as usize];
        if distance < *known {
            if *known == f32::INFINITY {
                self.touched.push(vertex);
            }
            *known = distance;
            self.front.push(Reverse(u64::from(distance.to_bits()) << 32 | u64::from(vertex)));
        }
    }

    fn along_edges(&mut self, vertex: u32, distance: f32) {
        let operators = self.operators;
        let positions = operators.mesh().positions();
        for neighbour in operators.topology().neighbours(vertex as usize) {
            if !self.settled[neighbour] {
                let step = positions[vertex as usize].distance(positions[neighbour]);
                self.offer(neighbour as u32, distance + step);
            }
        }
    }

    fn across_triangles(&mut self, vertex: u32, distance: f32) {
        let operators = self.operators;
        let positions = operators.mesh().positions();
        for &triangle in operators.topology().triangles_of_vertex(vertex as usize) {
            let corners = operators.mesh().triangles()[triangle as usize];
            let others = corners.iter().copied().filter(|&corner| corner != vertex);
            for target in others.clone() {
                if self.settled[target as usize] {
                    continue;
                }
                let step = positions[vertex as usize].distance(positions[target as usize]);
                let mut reached = distance + step;
                let third = others.clone().find(|&corner| corner != target && self.settled[corner as usize]);
                if let Some(third) = third {
                    let [c, a, b] =
                        [target, vertex, third].map(|corner| positions[corner as usize].as_dvec3());
                    let known = [distance, self.tentative[third as usize]].map(f64::from);
                    reached = reached.min(straight_front(c, [a, b], known).unwrap_or(f32::INFINITY));
                }
                match self.ahead.iter_mut().find(|known| known.0 == target) {
                    Some(known) => known.1 = known.1.min(reached),
                    None => self.ahead.push((target, reached)),
                }
            }
        }
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead.drain(..).for_each(|(target, reached)| self.offer(target, reached));
        self.ahead = ahead;
    }
}

/// When a straight front reaches `c`, having reached `a` and `b` at the times `known`; none when it comes from
/// outside the triangle.
fn straight_front(c: DVec3, [a, b]: [DVec3; 2], known: [f64; 2]) -> Option<f32> {
    // With e1 = a − c, e2 = b − c and the time t at c, the gradient g has e_i · g = known_i − t and length 1.
    // In the metric G of the two edges that is a quadratic equation in t.
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
    // The front comes through the side a–b when both edges' shares in the gradient point away from it.
    let share1 = i11 * (d1 - t) + i12 * (d2 - t);
    let share2 = i12 * (d1 - t) + i22 * (d2 - t);
    (share1 <= 0.0 && share2 <= 0.0 && t >= d1.max(d2)).then_some(t as f32)
}

/// The corners of the triangles a boundary runs through, with their distances from it. A corner may come up
/// several times.
fn seeds(operators: &MeshGeometry, boundary: &Boundary) -> Vec<(u32, f32)> {
    let mesh = operators.mesh();
    let mut seeds = Vec::new();
    for (triangle, [from, to]) in boundary.segments() {
        for corner in mesh.triangles()[triangle as usize] {
            let position = mesh.positions()[corner as usize];
            seeds.push((corner, super::euclidean::to_segment(position, [from, to]).sqrt()));
        }
    }
    seeds
}
