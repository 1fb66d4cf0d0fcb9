//! Mesh simplification with quadric error metrics.
//!
//! Input: a closed mesh and a vertex count below its own. Output: the same surface with that many
//! vertices (more, if a collapse would change the topology), closed and of the same genus. Source:
//! Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics" (1997). With 200
//! vertices, evenly distributed triangles cannot represent the legs of a giraffe, but optimised
//! ones can. Cost: O(n log n) in the removed vertices.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::{DMat3, DVec3, Vec3};

use super::surface::Surface;

/// Weight of the distance to the vertex itself relative to the distance to its planes. If larger,
/// flat areas stay dense. If smaller, vertices slide in flat areas and make needle triangles.
const POINT_WEIGHT: f64 = 2e-2;

/// Smallest cosine between the normals of a triangle before and after a collapse.
const MIN_NORMAL_COSINE: f32 = 0.2;

/// Smallest quality of a new triangle (1 is equilateral). If larger, thin legs cannot be simplified
/// any more. If smaller, needle triangles appear.
const MIN_QUALITY: f32 = 0.08;

/// Factor on [`MIN_QUALITY`] for the next pass if no further collapse is possible.
const QUALITY_RELAXATION: f32 = 0.5;

/// The sum of squared distances to planes: `xᵀ A x + 2 bᵀ x + c`.
#[derive(Clone, Copy)]
struct Quadric {
    a: DMat3,
    b: DVec3,
    c: f64,
}

impl Quadric {
    const ZERO: Self = Self { a: DMat3::ZERO, b: DVec3::ZERO, c: 0.0 };

    fn plane(normal: DVec3, point: DVec3, weight: f64) -> Self {
        let offset = -normal.dot(point);
        let a = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z) * weight;
        Self { a, b: normal * (offset * weight), c: offset * offset * weight }
    }

    fn point(point: DVec3, weight: f64) -> Self {
        Self { a: DMat3::IDENTITY * weight, b: -point * weight, c: point.length_squared() * weight }
    }

    fn plus(&self, other: &Self) -> Self {
        Self { a: self.a + other.a, b: self.b + other.b, c: self.c + other.c }
    }

    fn error(&self, x: DVec3) -> f64 {
        x.dot(self.a * x) + 2.0 * self.b.dot(x) + self.c
    }

    /// The point of least error. The term with [`POINT_WEIGHT`] keeps the matrix regular.
    fn minimum(&self) -> DVec3 {
        self.a.inverse() * -self.b
    }
}

/// A candidate edge collapse; the heap returns the cheapest first.
#[derive(PartialEq)]
struct Candidate {
    cost: f64,
    ends: [u32; 2],
    /// Versions of both vertices when the cost was computed.
    versions: [u32; 2],
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.ends.cmp(&self.ends))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Decimator {
    surface: Surface,
    quadrics: Vec<Quadric>,
    versions: Vec<u32>,
    heap: BinaryHeap<Candidate>,
    min_quality: f32,
}

/// Collapses edges until `vertices` are left.
pub fn decimate(surface: Surface, vertices: usize) -> Surface {
    let count = surface.positions.len();
    let mut decimator = Decimator {
        surface,
        quadrics: vec![Quadric::ZERO; count],
        versions: vec![0; count],
        heap: BinaryHeap::new(),
        min_quality: MIN_QUALITY,
    };
    decimator.compute_quadrics();
    for _ in 0..4 {
        decimator.push_all_edges();
        decimator.collapse_to(vertices);
        if decimator.surface.vertices() <= vertices {
            break;
        }
        decimator.min_quality *= QUALITY_RELAXATION;
    }
    decimator.surface
}

impl Decimator {
    fn compute_quadrics(&mut self) {
        let triangles: Vec<[u32; 3]> = self.surface.triangles().collect();
        for corners in triangles {
            let [a, b, c] = corners.map(|v| self.surface.positions[v as usize].as_dvec3());
            let normal = (b - a).cross(c - a);
            let area = 0.5 * normal.length();
            let plane = Quadric::plane(normal.normalize_or_zero(), a, area);
            for (vertex, point) in corners.into_iter().zip([a, b, c]) {
                let all = plane.plus(&Quadric::point(point, POINT_WEIGHT * area));
                self.quadrics[vertex as usize] = self.quadrics[vertex as usize].plus(&all);
            }
        }
    }

    fn push_all_edges(&mut self) {
        for half in 0..self.surface.half_edges() {
            if self.surface.is_edge(half) {
                self.push(self.surface.ends(half));
            }
        }
    }

    fn push(&mut self, ends: [u32; 2]) {
        let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let quadric = self.sum_of(ends);
        let cost = quadric.error(quadric.minimum());
        let versions = ends.map(|v| self.versions[v as usize]);
        self.heap.push(Candidate { cost, ends, versions });
    }

    fn sum_of(&self, [a, b]: [u32; 2]) -> Quadric {
        self.quadrics[a as usize].plus(&self.quadrics[b as usize])
    }

    fn collapse_to(&mut self, vertices: usize) {
        while self.surface.vertices() > vertices {
            let Some(Candidate { ends, versions, .. }) = self.heap.pop() else { return };
            let [a, b] = ends;
            let is_stale =
                ends.iter().zip(versions).any(|(&v, version)| self.versions[v as usize] != version);
            if is_stale || !self.surface.has_vertex(a) || !self.surface.has_vertex(b) {
                continue;
            }
            let Some(half) = self.surface.half_edge_between(a, b) else { continue };
            let quadric = self.sum_of(ends);
            let best = quadric.minimum().as_vec3();
            if !self.stays_valid(a, b, best)
                || !self.stays_valid(b, a, best)
                || !self.surface.can_collapse(half)
            {
                continue;
            }
            self.surface.collapse(half);
            self.surface.positions[b as usize] = best;
            self.quadrics[b as usize] = quadric;
            self.versions[b as usize] += 1;
            let neighbours: Vec<u32> = self.surface.neighbours(b).collect();
            neighbours.into_iter().for_each(|neighbour| self.push([b, neighbour]));
        }
    }

    /// Whether the triangles around `vertex`, except those with `other`, stay valid if it moves to
    /// `position`.
    fn stays_valid(&self, vertex: u32, other: u32, position: Vec3) -> bool {
        let at = |v: u32| self.surface.positions[v as usize];
        self.surface.around(vertex).all(|half| {
            let (p, q) = (self.surface.ends(half)[1], self.surface.opposite(half));
            if p == other || q == other {
                return true;
            }
            let old = (at(p) - at(vertex)).cross(at(q) - at(vertex));
            let new = (at(p) - position).cross(at(q) - position);
            let squares = at(p).distance_squared(position)
                + at(q).distance_squared(position)
                + at(p).distance_squared(at(q));
            // Twice the area of an equilateral triangle is √3 / 6 of the sum of its squared edges.
            let quality = new.length() * 2.0 * 3f32.sqrt() / squares;
            old.dot(new) > MIN_NORMAL_COSINE * old.length() * new.length() && quality > self.min_quality
        })
    }
}
