//! Few vertices where they matter most.
//!
//! In: a closed mesh and a vertex count below its own. Out: the same surface with that many vertices (more,
//! if a collapse would pinch it), closed and of the same genus. Source: Garland and Heckbert, "Surface
//! Simplification Using Quadric Error Metrics" (1997). A mesh of 200 even triangles cannot show a giraffe's
//! legs; one of 200 well-chosen ones can. Cost: O(n log n) in the vertices removed.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::{DMat3, DVec3, Vec3};

use super::surface::Surface;

/// The pull towards a vertex's own place against that of its planes. Larger: flat places stay dense.
/// Smaller: vertices slide along flat places and make needles.
const STAY: f64 = 2e-2;

/// A triangle may turn by at most acos of this in one collapse.
const MOST_TURNED: f32 = 0.2;

/// Triangles less round than this (1 is equilateral) are not made. Larger: thin legs cannot be
/// simplified any more. Smaller: needles.
const LEAST_ROUND: f32 = 0.08;

/// Collapses are refused, then allowed again this much less round, when nothing else is left.
const RELENT: f32 = 0.5;

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

    /// Where the error is least. The pull of `STAY` keeps the matrix regular.
    fn best(&self) -> DVec3 {
        self.a.inverse() * -self.b
    }
}

/// A collapse that may be made, cheapest first out of the heap.
#[derive(PartialEq)]
struct Candidate {
    cost: f64,
    ends: [u32; 2],
    /// Of both ends when the cost was computed.
    ages: [u32; 2],
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
    ages: Vec<u32>,
    heap: BinaryHeap<Candidate>,
    least_round: f32,
}

/// Collapses edges until `vertices` are left.
pub fn decimate(surface: Surface, vertices: usize) -> Surface {
    let count = surface.positions.len();
    let mut decimator = Decimator {
        surface,
        quadrics: vec![Quadric::ZERO; count],
        ages: vec![0; count],
        heap: BinaryHeap::new(),
        least_round: LEAST_ROUND,
    };
    decimator.measure();
    for _ in 0..4 {
        decimator.fill();
        decimator.drain(vertices);
        if decimator.surface.vertices() <= vertices {
            break;
        }
        decimator.least_round *= RELENT;
    }
    decimator.surface
}

impl Decimator {
    fn measure(&mut self) {
        let triangles: Vec<[u32; 3]> = self.surface.triangles().collect();
        for corners in triangles {
            let [a, b, c] = corners.map(|v| self.surface.positions[v as usize].as_dvec3());
            let normal = (b - a).cross(c - a);
            let area = 0.5 * normal.length();
            let plane = Quadric::plane(normal.normalize_or_zero(), a, area);
            for (vertex, place) in corners.into_iter().zip([a, b, c]) {
                let all = plane.plus(&Quadric::point(place, STAY * area));
                self.quadrics[vertex as usize] = self.quadrics[vertex as usize].plus(&all);
            }
        }
    }

    fn fill(&mut self) {
        for half in 0..self.surface.half_edges() {
            if self.surface.is_edge(half) {
                self.push(self.surface.ends(half));
            }
        }
    }

    fn push(&mut self, ends: [u32; 2]) {
        let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let both = self.both(ends);
        let cost = both.error(both.best());
        let ages = ends.map(|v| self.ages[v as usize]);
        self.heap.push(Candidate { cost, ends, ages });
    }

    fn both(&self, [a, b]: [u32; 2]) -> Quadric {
        self.quadrics[a as usize].plus(&self.quadrics[b as usize])
    }

    fn drain(&mut self, vertices: usize) {
        while self.surface.vertices() > vertices {
            let Some(Candidate { ends, ages, .. }) = self.heap.pop() else { return };
            let [a, b] = ends;
            let stale = ends.iter().zip(ages).any(|(&v, age)| self.ages[v as usize] != age);
            if stale || !self.surface.has_vertex(a) || !self.surface.has_vertex(b) {
                continue;
            }
            let Some(half) = self.surface.half_edge_between(a, b) else { continue };
            let both = self.both(ends);
            let best = both.best().as_vec3();
            if !self.stays_sound(a, b, best)
                || !self.stays_sound(b, a, best)
                || !self.surface.can_collapse(half)
            {
                continue;
            }
            self.surface.collapse(half);
            self.surface.positions[b as usize] = best;
            self.quadrics[b as usize] = both;
            self.ages[b as usize] += 1;
            let neighbours: Vec<u32> = self.surface.neighbours(b).collect();
            neighbours.into_iter().for_each(|neighbour| self.push([b, neighbour]));
        }
    }

    /// Whether the triangles around `vertex`, but those with `other`, bear its move to `position`.
    fn stays_sound(&self, vertex: u32, other: u32, position: Vec3) -> bool {
        let at = |v: u32| self.surface.positions[v as usize];
        self.surface.around(vertex).all(|spoke| {
            let (p, q) = (self.surface.ends(spoke)[1], self.surface.opposite(spoke));
            if p == other || q == other {
                return true;
            }
            let old = (at(p) - at(vertex)).cross(at(q) - at(vertex));
            let new = (at(p) - position).cross(at(q) - position);
            let squares = at(p).distance_squared(position)
                + at(q).distance_squared(position)
                + at(p).distance_squared(at(q));
            // An equilateral triangle has twice the area √3 / 6 of its squared edges' sum.
            let roundness = new.length() * 2.0 * 3f32.sqrt() / squares;
            old.dot(new) > MOST_TURNED * old.length() * new.length() && roundness > self.least_round
        })
    }
}
