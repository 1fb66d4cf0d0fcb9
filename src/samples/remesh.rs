//! Isotropic remeshing of the surface of a field.
//!
//! Input: a [`ShapeField`], a closed mesh of its surface with poor triangles, a vertex count.
//! Output: a closed mesh of nearly equilateral triangles with its vertices on the surface, finer
//! where limbs are thin. Source: Botsch and Kobbelt, "A Remeshing Approach to Multiresolution
//! Modeling" (2004): long edges are split, short ones collapsed, others flipped, vertices moved
//! along the surface and projected onto it. Operations run in the order of indices, so the result
//! is deterministic. Cost: a few passes over all edges, and two samples of the field per vertex and
//! pass.

use glam::Vec3;

use super::extract::Soup;
use super::field::ShapeField;
use super::solid::Sample;
use super::surface::Surface;

/// Rounds of split, collapse, flip and relax. With fewer, slivers of the grid remain. More have no
/// effect.
const ROUNDS: usize = 6;

/// Length relative to its target above which an edge is split, and below which it is collapsed.
/// With these values of the paper neither operation undoes the other.
const SPLIT_RATIO: f32 = 4.0 / 3.0;
const COLLAPSE_RATIO: f32 = 4.0 / 5.0;

/// Vertices per area of equilateral triangles with edge length 1: 2 / √3.
const VERTICES_PER_AREA: f32 = 1.154_700_5;

/// Smallest cosine between the normals of a triangle before and after an operation. If smaller,
/// thin limbs fold over. If larger, coarse meshes cannot be simplified any more.
const MIN_NORMAL_COSINE: f32 = 0.3;

/// The valence of a regular vertex.
const REGULAR_VALENCE: i32 = 6;

/// Fraction of the way to the centroid of its neighbours by which a vertex moves in one pass.
const RELAXATION: f32 = 0.8;

/// Smallest squared gradient for Newton's step. At a ridge between two solids it is smaller, and
/// the step would overshoot.
const MIN_SQUARED_GRADIENT: f32 = 0.25;

/// Edge lengths where limbs are thin.
#[derive(Clone, Copy, Debug)]
pub struct Sizing {
    /// Limbs of at least this radius have the longest edges.
    pub thick: f32,
    /// Length of the shortest edges relative to the longest. If larger, thin limbs have few
    /// vertices. If smaller, they use up all vertices.
    pub min_ratio: f32,
}

impl Sizing {
    fn ratio(&self, limb_radius: f32) -> f32 {
        (limb_radius / self.thick).max(0.0).sqrt().clamp(self.min_ratio, 1.0)
    }
}

/// A mesh being remeshed.
pub struct Remesher<'a> {
    field: &'a mut ShapeField,
    surface: Surface,
    normals: Vec<Vec3>,
    /// Target edge length relative to `scale`, per vertex.
    ratios: Vec<f32>,
    sizing: Sizing,
    /// The longest target edge length.
    scale: f32,
}

impl<'a> Remesher<'a> {
    /// Projects an initial mesh onto the surface.
    pub fn new(field: &'a mut ShapeField, soup: Soup, sizing: Sizing) -> Self {
        let surface = Surface::new(soup);
        let vertices = surface.positions.len();
        let (normals, ratios) = (vec![Vec3::Y; vertices], vec![1.0; vertices]);
        let mut remesher = Self { field, surface, normals, ratios, sizing, scale: 1.0 };
        for vertex in 0..vertices as u32 {
            remesher.project(vertex, remesher.surface.positions[vertex as usize]);
        }
        remesher.smooth_ratios();
        remesher
    }

    /// The longest edge of an isotropic mesh of `vertices` vertices.
    pub fn scale_for(&self, vertices: usize) -> f32 {
        let weighted: f64 = self.surface.triangles().map(|t| f64::from(self.relative_area(t))).sum();
        (VERTICES_PER_AREA * weighted as f32 / vertices as f32).sqrt()
    }

    /// The area of a triangle in units of its squared relative target length.
    fn relative_area(&self, [a, b, c]: [u32; 3]) -> f32 {
        let ratio = (self.ratios[a as usize] + self.ratios[b as usize] + self.ratios[c as usize]) / 3.0;
        0.5 * self.normal_of([a, b, c]).length() / (ratio * ratio)
    }

    fn normal_of(&self, corners: [u32; 3]) -> Vec3 {
        let [a, b, c] = corners.map(|v| self.surface.positions[v as usize]);
        (b - a).cross(c - a)
    }

    /// Remeshes to about `vertices` vertices.
    pub fn run(&mut self, vertices: usize) {
        self.scale = self.scale_for(vertices);
        for round in 0..ROUNDS {
            self.collapse_short_edges();
            self.split_long_edges();
            self.flip_for_valence();
            self.relax();
            self.smooth_ratios();
            if round >= 2 {
                let count_ratio = self.surface.vertices() as f32 / vertices as f32;
                self.scale *= count_ratio.sqrt();
            }
        }
        self.adjust_count(vertices);
        for _ in 0..2 {
            self.flip_for_valence();
            self.relax();
        }
        self.flip_for_angles();
        self.relax();
        self.flip_for_angles();
        self.project_all();
    }

    /// The current mesh.
    pub fn into_surface(self) -> Surface {
        self.surface
    }

    /// Moves a vertex to the surface near `position` and updates its normal and target length.
    fn project(&mut self, vertex: u32, position: Vec3) {
        let Sample { distance, gradient, limb_radius } = self.field.sample(position);
        let square = gradient.length_squared();
        self.surface.positions[vertex as usize] =
            position - gradient * (distance / square.max(MIN_SQUARED_GRADIENT));
        self.normals[vertex as usize] = gradient / square.sqrt().max(f32::MIN_POSITIVE);
        self.ratios[vertex as usize] = self.sizing.ratio(limb_radius);
    }

    /// Projects every vertex onto the surface with two Newton steps.
    fn project_all(&mut self) {
        for vertex in 0..self.surface.positions.len() as u32 {
            if self.surface.has_vertex(vertex) {
                for _ in 0..2 {
                    self.project(vertex, self.surface.positions[vertex as usize]);
                }
            }
        }
    }

    /// Averages target lengths over neighbours twice, so that they change gradually.
    fn smooth_ratios(&mut self) {
        for _ in 0..2 {
            for vertex in 0..self.ratios.len() as u32 {
                if !self.surface.has_vertex(vertex) {
                    continue;
                }
                let (mut sum, mut count) = (self.ratios[vertex as usize], 1.0);
                for neighbour in self.surface.neighbours(vertex) {
                    sum += self.ratios[neighbour as usize];
                    count += 1.0;
                }
                self.ratios[vertex as usize] = sum / count;
            }
        }
    }

    /// The length of an edge relative to its target.
    fn relative_length(&self, [a, b]: [u32; 2]) -> f32 {
        let [a, b] = [a as usize, b as usize];
        let target = self.scale * 0.5 * (self.ratios[a] + self.ratios[b]);
        self.surface.positions[a].distance(self.surface.positions[b]) / target
    }

    fn split(&mut self, half: u32) {
        let [a, b] = self.surface.ends(half).map(|v| v as usize);
        let middle = (self.surface.positions[a] + self.surface.positions[b]) * 0.5;
        let normal = (self.normals[a] + self.normals[b]).normalize_or_zero();
        let ratio = 0.5 * (self.ratios[a] + self.ratios[b]);
        self.surface.split(half, middle);
        self.normals.push(normal);
        self.ratios.push(ratio);
    }

    fn split_long_edges(&mut self) {
        // Edges that a split creates wait for the next round. Otherwise a flat triangle with a
        // corner on its longest edge would be split forever.
        for half in 0..self.surface.half_edges() {
            if self.surface.is_edge(half) && self.relative_length(self.surface.ends(half)) > SPLIT_RATIO {
                self.split(half);
            }
        }
    }

    fn collapse_short_edges(&mut self) {
        for half in 0..self.surface.half_edges() {
            if self.surface.is_edge(half) && self.relative_length(self.surface.ends(half)) < COLLAPSE_RATIO {
                self.try_collapse(half, SPLIT_RATIO);
            }
        }
    }

    /// Collapses an edge to its midpoint, unless that changes the topology, flips a triangle or
    /// makes an edge longer than `max_length` times its target.
    fn try_collapse(&mut self, half: u32, max_length: f32) -> bool {
        let [a, b] = self.surface.ends(half);
        let middle = (self.surface.positions[a as usize] + self.surface.positions[b as usize]) * 0.5;
        if !self.stays_valid(a, b, middle, max_length)
            || !self.stays_valid(b, a, middle, max_length)
            || !self.surface.can_collapse(half)
        {
            return false;
        }
        let normal = (self.normals[a as usize] + self.normals[b as usize]).normalize_or_zero();
        self.surface.collapse(half);
        self.surface.positions[b as usize] = middle;
        self.normals[b as usize] = normal;
        self.ratios[b as usize] = 0.5 * (self.ratios[a as usize] + self.ratios[b as usize]);
        true
    }

    /// Whether the triangles around `vertex`, except those with `other`, stay valid if it moves to
    /// `position`.
    fn stays_valid(&self, vertex: u32, other: u32, position: Vec3, max_length: f32) -> bool {
        let at = |v: u32| self.surface.positions[v as usize];
        self.surface.around(vertex).all(|half| {
            let (p, q) = (self.surface.ends(half)[1], self.surface.opposite(half));
            let target = self.scale * 0.5 * (self.ratios[vertex as usize] + self.ratios[p as usize]);
            if p != other && at(p).distance(position) > max_length * target {
                return false;
            }
            if p == other || q == other {
                return true;
            }
            let old = (at(p) - at(vertex)).cross(at(q) - at(vertex));
            let new = (at(p) - position).cross(at(q) - position);
            let outward = self.normals[vertex as usize] + self.normals[p as usize] + self.normals[q as usize];
            let (length, product) = (new.length(), old.length() * new.length());
            old.dot(new) > MIN_NORMAL_COSINE * product && new.dot(outward) > 0.0 && length > 0.0
        })
    }

    fn flip_for_valence(&mut self) {
        let mut excess = self.surface.valences();
        excess.iter_mut().for_each(|valence| *valence -= REGULAR_VALENCE);
        for half in 0..self.surface.half_edges() {
            if !self.surface.is_edge(half) {
                continue;
            }
            let [a, b] = self.surface.ends(half);
            let corners = [a, b, self.surface.opposite(half), self.surface.opposite(self.surface.twin(half))];
            let [va, vb, vc, vd] = corners.map(|v| excess[v as usize]);
            let before = va * va + vb * vb + vc * vc + vd * vd;
            let after = (va - 1).pow(2) + (vb - 1).pow(2) + (vc + 1).pow(2) + (vd + 1).pow(2);
            let has_spare_valence = va.min(vb) > 3 - REGULAR_VALENCE;
            if after < before && has_spare_valence && self.flip_is_valid(corners) && self.try_flip(half) {
                for (vertex, change) in corners.into_iter().zip([-1, -1, 1, 1]) {
                    excess[vertex as usize] += change;
                }
            }
        }
    }

    /// Flips edges where that increases the smallest angle of the two triangles.
    fn flip_for_angles(&mut self) {
        for half in 0..self.surface.half_edges() {
            if !self.surface.is_edge(half) {
                continue;
            }
            let [a, b] = self.surface.ends(half);
            let (c, d) = (self.surface.opposite(half), self.surface.opposite(self.surface.twin(half)));
            let before = self.quality([a, b, c]).min(self.quality([b, a, d]));
            let after = self.quality([a, d, c]).min(self.quality([b, c, d]));
            let has_spare = |v: u32| self.surface.valence(v) > 3;
            if after > before && has_spare(a) && has_spare(b) && self.flip_is_valid([a, b, c, d]) {
                self.try_flip(half);
            }
        }
    }

    fn try_flip(&mut self, half: u32) -> bool {
        let allowed = self.surface.can_flip(half);
        if allowed {
            self.surface.flip(half);
        }
        allowed
    }

    /// Whether both triangles face outwards if the edge `a b` is replaced by `c d`.
    fn flip_is_valid(&self, [a, b, c, d]: [u32; 4]) -> bool {
        [[a, d, c], [b, c, d]].iter().all(|&corners| {
            let normal = self.normal_of(corners);
            let outward: Vec3 = corners.iter().map(|&v| self.normals[v as usize]).sum();
            normal.dot(outward) > MIN_NORMAL_COSINE * normal.length() * outward.length()
        })
    }

    /// The quality of a triangle: largest for an equilateral triangle, 0 for a degenerate one.
    fn quality(&self, corners: [u32; 3]) -> f32 {
        let [a, b, c] = corners.map(|v| self.surface.positions[v as usize]);
        let squares = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
        self.normal_of(corners).length() / squares.max(f32::MIN_POSITIVE)
    }

    /// Moves every vertex tangentially towards the centroid of its triangles, and projects it.
    fn relax(&mut self) {
        for vertex in 0..self.surface.positions.len() as u32 {
            if !self.surface.has_vertex(vertex) {
                continue;
            }
            let position = self.surface.positions[vertex as usize];
            let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
            for half in self.surface.around(vertex) {
                let (p, q) = (self.surface.ends(half)[1], self.surface.opposite(half));
                let area = self.relative_area([vertex, p, q]);
                sum += (self.surface.positions[p as usize] + self.surface.positions[q as usize]) * area;
                weight += 2.0 * area;
            }
            let normal = self.normals[vertex as usize];
            let displacement = if weight > 0.0 { sum / weight - position } else { Vec3::ZERO };
            let along = (displacement - normal * normal.dot(displacement)) * RELAXATION;
            self.project(vertex, position + along);
        }
    }

    /// Splits the longest or collapses the shortest edges until the count is reached.
    fn adjust_count(&mut self, vertices: usize) {
        // The bits of non-negative floats sort like their values.
        let bits = |half| u64::from(self.relative_length(self.surface.ends(half)).to_bits());
        let mut edges: Vec<u64> = (0..self.surface.half_edges())
            .filter(|&half| self.surface.is_edge(half))
            .map(|half| bits(half) << 32 | u64::from(half))
            .collect();
        edges.sort_unstable();
        let edges = edges.into_iter().map(|edge| edge as u32);
        let count = self.surface.vertices();
        if count > vertices {
            let mut left = count - vertices;
            for half in edges {
                if left > 0 && self.surface.is_edge(half) && self.try_collapse(half, 2.0 * SPLIT_RATIO) {
                    left -= 1;
                }
            }
        } else {
            edges.rev().take(vertices - count).for_each(|half| self.split(half));
        }
    }
}
