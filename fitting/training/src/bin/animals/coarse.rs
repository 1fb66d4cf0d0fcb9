//! Coarser meshes of the same surface: edges are collapsed in the order of their quadric errors.
//!
//! Source: Garland, Heckbert 1997, "Surface simplification using quadric error metrics".

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use glam::{DMat3, DVec3, Vec3};

/// The weight of planes through border edges across their triangles, which keep borders in place.
const BORDER_WEIGHT: f64 = 10.0;

/// The least cosine between the normals of a triangle before and after a collapse. If smaller,
/// triangles fold over.
const LEAST_TURN: f64 = 0.2;

/// What pulls a vertex to the middle of its edge where planes leave it free, relative to the trace
/// of the quadric.
const TO_MIDDLE: f64 = 1e-4;

/// The sum of squared distances from planes: `xᵀ A x - 2 bᵀ x + c`.
#[derive(Clone, Copy)]
struct Quadric {
    matrix: DMat3,
    vector: DVec3,
    constant: f64,
}

impl Quadric {
    /// No plane.
    const NONE: Self = Self { matrix: DMat3::ZERO, vector: DVec3::ZERO, constant: 0.0 };

    /// The squared distance from a plane, times a weight.
    fn plane(normal: DVec3, at: DVec3, weight: f64) -> Self {
        let offset = normal.dot(at);
        let matrix = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        Self {
            matrix: matrix * weight,
            vector: normal * (offset * weight),
            constant: offset * offset * weight,
        }
    }

    fn add(&mut self, other: &Self) {
        self.matrix += other.matrix;
        self.vector += other.vector;
        self.constant += other.constant;
    }

    fn error(&self, x: DVec3) -> f64 {
        (x.dot(self.matrix * x) - 2.0 * self.vector.dot(x) + self.constant).max(0.0)
    }

    /// The place with the least error, and the middle of `ends` as far as planes leave it free.
    fn best(&self, ends: [DVec3; 2]) -> DVec3 {
        let middle = ends[0].midpoint(ends[1]);
        let trace = self.matrix.x_axis.x + self.matrix.y_axis.y + self.matrix.z_axis.z;
        let pull = TO_MIDDLE * trace;
        if pull <= 0.0 {
            return middle;
        }
        let matrix = self.matrix + DMat3::from_diagonal(DVec3::splat(pull));
        let best = matrix.inverse() * (self.vector + middle * pull);
        let is_near = best.is_finite() && best.distance(middle) <= 2.0 * ends[0].distance(ends[1]);
        if is_near { best } else { middle }
    }
}

/// An edge that waits: the bits of its error, its ends, and the versions of both that it is for.
type Waiting = Reverse<(u64, usize, usize, u32, u32)>;

/// A mesh while its edges are collapsed.
struct Collapse {
    places: Vec<DVec3>,
    quadrics: Vec<Quadric>,
    triangles: Vec<Option<[usize; 3]>>,
    /// Triangles around each vertex; some of them are gone.
    around: Vec<Vec<usize>>,
    /// How often each vertex has changed.
    version: Vec<u32>,
    queue: BinaryHeap<Waiting>,
    count: usize,
}

/// A mesh of the same surface with a share of its triangles, or the least that it can be made of.
/// Vertices at the same place become one.
pub fn coarser(positions: &[Vec3], triangles: &[[u32; 3]], share: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (places, triangles) = welded(positions, triangles);
    let wanted = (share * triangles.len() as f32) as usize;
    let mut mesh = Collapse::new(places, triangles);
    while mesh.count > wanted && mesh.step() {}
    let kept = mesh.triangles.iter().flatten().map(|triangle| triangle.map(|v| v as u32)).collect();
    (mesh.places.iter().map(|place| place.as_vec3()).collect(), kept)
}

fn welded(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let mut indices: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    let mut places = Vec::new();
    let renamed: Vec<usize> = positions
        .iter()
        .map(|p| {
            *indices.entry((*p + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert_with(|| {
                places.push(p.as_dvec3());
                places.len() - 1
            })
        })
        .collect();
    let all = triangles.iter().map(|triangle| triangle.map(|v| renamed[v as usize]));
    (places, all.filter(|[a, b, c]| a != b && b != c && c != a).collect())
}

impl Collapse {
    fn new(places: Vec<DVec3>, triangles: Vec<[usize; 3]>) -> Self {
        let mut quadrics = vec![Quadric::NONE; places.len()];
        let mut around = vec![Vec::new(); places.len()];
        let mut edges: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (index, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|v| places[v]);
            let normal = (b - a).cross(c - a);
            let plane = Quadric::plane(normal.normalize_or_zero(), a, 0.5 * normal.length());
            for corner in 0..3 {
                let (v, next) = (triangle[corner], triangle[(corner + 1) % 3]);
                quadrics[v].add(&plane);
                around[v].push(index);
                edges.entry((v.min(next), v.max(next))).or_default().push(index);
            }
        }
        for (&(a, b), sides) in edges.iter().filter(|(_, sides)| sides.len() == 1) {
            let [p, q, r] = triangles[sides[0]].map(|v| places[v]);
            let along = places[b] - places[a];
            let across = along.cross((q - p).cross(r - p)).normalize_or_zero();
            let plane = Quadric::plane(across, places[a], BORDER_WEIGHT * along.length_squared());
            quadrics[a].add(&plane);
            quadrics[b].add(&plane);
        }
        let count = triangles.len();
        let version = vec![0; places.len()];
        let triangles = triangles.into_iter().map(Some).collect();
        let queue = BinaryHeap::new();
        let mut mesh = Self { places, quadrics, triangles, around, version, queue, count };
        edges.keys().for_each(|&(a, b)| mesh.ask(a, b));
        mesh
    }

    fn common(&self, a: usize, b: usize) -> (Quadric, DVec3) {
        let mut quadric = self.quadrics[a];
        quadric.add(&self.quadrics[b]);
        let best = quadric.best([self.places[a], self.places[b]]);
        (quadric, best)
    }

    /// Puts an edge into the queue.
    fn ask(&mut self, a: usize, b: usize) {
        let (quadric, best) = self.common(a, b);
        // Errors are not negative, so their bits have their order.
        let error = quadric.error(best).to_bits();
        self.queue.push(Reverse((error, a, b, self.version[a], self.version[b])));
    }

    /// Collapses an edge. False if none is left.
    fn step(&mut self) -> bool {
        while let Some(Reverse((_, a, b, of_a, of_b))) = self.queue.pop() {
            if (self.version[a], self.version[b]) != (of_a, of_b) {
                continue;
            }
            let (quadric, best) = self.common(a, b);
            if !self.is_unfolded(a, b, best) || !self.is_unfolded(b, a, best) {
                continue;
            }
            self.merge(a, b);
            self.places[a] = best;
            self.quadrics[a] = quadric;
            self.version[a] += 1;
            self.version[b] += 1;
            let mut others: Vec<usize> = self.around[a]
                .iter()
                .filter_map(|&t| self.triangles[t])
                .flatten()
                .filter(|&v| v != a)
                .collect();
            others.sort_unstable();
            others.dedup();
            others.into_iter().for_each(|other| self.ask(a.min(other), a.max(other)));
            return true;
        }
        false
    }

    /// Whether no triangle around `moved`, but those of the edge to `other`, turns over.
    fn is_unfolded(&self, moved: usize, other: usize, to: DVec3) -> bool {
        self.around[moved].iter().filter_map(|&t| self.triangles[t]).filter(|t| !t.contains(&other)).all(
            |t| {
                let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).normalize_or_zero();
                let before = normal(t.map(|v| self.places[v]));
                let after = normal(t.map(|v| if v == moved { to } else { self.places[v] }));
                before == DVec3::ZERO || before.dot(after) > LEAST_TURN
            },
        )
    }

    /// Renames `b` to `a`.
    fn merge(&mut self, a: usize, b: usize) {
        for index in std::mem::take(&mut self.around[b]) {
            let Some(triangle) = self.triangles[index] else { continue };
            if triangle.contains(&a) {
                self.triangles[index] = None;
                self.count -= 1;
            } else {
                self.triangles[index] = Some(triangle.map(|v| if v == b { a } else { v }));
                self.around[a].push(index);
            }
        }
        let triangles = &self.triangles;
        self.around[a].retain(|&index| triangles[index].is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball of radius one with rows of vertices between its poles, whose seam is not welded.
    fn ball(rows: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let columns = 2 * rows;
        let mut positions = Vec::new();
        for i in 0..=rows {
            for j in 0..=columns {
                let (u, v) = (i as f32 / rows as f32, (j % columns) as f32 / columns as f32);
                let (s, c) = (std::f32::consts::PI * u).sin_cos();
                let (sv, cv) = (std::f32::consts::TAU * v).sin_cos();
                let s = if i == 0 || i == rows { 0.0 } else { s };
                positions.push(Vec3::new(s * cv, c, s * sv));
            }
        }
        let index = |i: usize, j: usize| (i * (columns + 1) + j) as u32;
        let mut triangles = Vec::new();
        for i in 0..rows {
            for j in 0..columns {
                let [a, b, c, d] = [index(i, j), index(i, j + 1), index(i + 1, j), index(i + 1, j + 1)];
                triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
        (positions, triangles)
    }

    #[test]
    fn a_coarser_ball_has_the_wanted_triangles_and_stays_a_closed_ball() {
        let (positions, triangles) = ball(40);
        let (places, kept) = coarser(&positions, &triangles, 0.3);
        // Triangles at the poles vanish when the mesh is welded.
        assert!(kept.len() <= 3 * triangles.len() / 10 && kept.len() > triangles.len() / 4, "{}", kept.len());
        let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
        for triangle in &kept {
            for corner in 0..3 {
                let (a, b) = (triangle[corner], triangle[(corner + 1) % 3]);
                *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
                let radius = places[a as usize].length();
                assert!((radius - 1.0).abs() < 0.01, "{radius}");
            }
        }
        assert!(edges.values().all(|&sum| sum == 0), "every edge has a triangle on each side");
        let volume: f32 = kept
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| places[v as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((volume.abs() - 4.0 / 3.0 * std::f32::consts::PI).abs() < 0.06, "{volume}");
    }

    #[test]
    fn the_border_of_a_coarser_sheet_stays() {
        let at = |i: usize, j: usize| Vec3::new(i as f32 / 20.0, j as f32 / 20.0, 0.0);
        let positions: Vec<Vec3> = (0..=20).flat_map(|i| (0..=20).map(move |j| at(i, j))).collect();
        let index = |i: usize, j: usize| (i * 21 + j) as u32;
        let cells = (0..20).flat_map(|i| (0..20).map(move |j| (i, j)));
        let split = |(i, j)| {
            let [a, b, c, d] = [index(i, j), index(i, j + 1), index(i + 1, j), index(i + 1, j + 1)];
            [[a, c, b], [b, c, d]]
        };
        let triangles: Vec<[u32; 3]> = cells.flat_map(split).collect();
        let (places, kept) = coarser(&positions, &triangles, 0.2);
        let area: f32 = kept
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| places[v as usize]);
                0.5 * (b - a).cross(c - a).length()
            })
            .sum();
        assert!(kept.len() <= 160, "{}", kept.len());
        assert!((area - 1.0).abs() < 1e-3, "{area}");
    }
}
