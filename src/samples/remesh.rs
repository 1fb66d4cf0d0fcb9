//! Even triangles on a field's surface.
//!
//! In: a [`Field`], a crude closed mesh of it, a vertex count. Out: a closed mesh of nearly equilateral
//! triangles with its vertices on the surface, finer where limbs are thin. Source: Botsch and Kobbelt, "A
//! Remeshing Approach to Multiresolution Modeling" (2004): long edges are split, short ones collapsed,
//! others flipped, vertices moved along the surface and put back onto it. Everything goes in the order of
//! indices, so the result is the same every time. Cost: a handful of passes over all edges, and two samples
//! of the field per vertex and pass.

use glam::Vec3;

use super::extract::Soup;
use super::field::Field;
use super::solid::Sample;
use super::surface::Surface;

/// Rounds of split, collapse, flip and relax. Fewer: slivers of the grid remain. More: time for nothing.
const ROUNDS: usize = 6;

/// An edge longer than this times its target is split, one shorter than the other is collapsed: the
/// paper's values, between which neither undoes the other.
const TOO_LONG: f32 = 4.0 / 3.0;
const TOO_SHORT: f32 = 4.0 / 5.0;

/// Equilateral triangles of edge 1 have this many vertices per area: 2 / √3.
const VERTICES_PER_AREA: f32 = 1.154_700_5;

/// A triangle may turn by at most acos of this in one operation. Smaller: thin limbs fold over. Larger:
/// coarse meshes can no longer be simplified.
const MOST_TURNED: f32 = 0.3;

/// The neighbours of a vertex among equilateral triangles.
const REGULAR: i32 = 6;

/// How far a vertex moves towards the middle of its neighbours in one go.
const RELAXATION: f32 = 0.8;

/// A gradient's square below this is a ridge between two solids, where Newton's step would overshoot.
const RIDGE: f32 = 0.25;

/// How fine the mesh is where limbs are thin.
#[derive(Clone, Copy, Debug)]
pub struct Sizing {
    /// Limbs of this radius and thicker get the longest edges.
    pub thick: f32,
    /// The shortest edges against the longest. Larger: thin limbs are cut from few vertices. Smaller: they
    /// take all the vertices.
    pub finest_share: f32,
}

impl Sizing {
    fn share(&self, girth: f32) -> f32 {
        (girth / self.thick).max(0.0).sqrt().clamp(self.finest_share, 1.0)
    }
}

/// A mesh on its way.
pub struct Remesher<'a> {
    field: &'a mut Field,
    surface: Surface,
    normals: Vec<Vec3>,
    /// Target edge length against `scale`, per vertex.
    shares: Vec<f32>,
    sizing: Sizing,
    /// The longest target edge.
    scale: f32,
}

impl<'a> Remesher<'a> {
    /// Puts a crude mesh onto the surface.
    pub fn new(field: &'a mut Field, soup: Soup, sizing: Sizing) -> Self {
        let surface = Surface::new(soup);
        let vertices = surface.positions.len();
        let (normals, shares) = (vec![Vec3::Y; vertices], vec![1.0; vertices]);
        let mut remesher = Self { field, surface, normals, shares, sizing, scale: 1.0 };
        for vertex in 0..vertices as u32 {
            remesher.project(vertex, remesher.surface.positions[vertex as usize]);
        }
        remesher.smooth_shares();
        remesher
    }

    /// The longest edge of an even mesh of `vertices` vertices.
    pub fn scale_for(&self, vertices: usize) -> f32 {
        let weighted: f64 = self.surface.triangles().map(|t| f64::from(self.area_in_shares(t))).sum();
        (VERTICES_PER_AREA * weighted as f32 / vertices as f32).sqrt()
    }

    /// A triangle's area counted in squares of its target edge share.
    fn area_in_shares(&self, [a, b, c]: [u32; 3]) -> f32 {
        let share = (self.shares[a as usize] + self.shares[b as usize] + self.shares[c as usize]) / 3.0;
        0.5 * self.normal_of([a, b, c]).length() / (share * share)
    }

    fn normal_of(&self, corners: [u32; 3]) -> Vec3 {
        let [a, b, c] = corners.map(|v| self.surface.positions[v as usize]);
        (b - a).cross(c - a)
    }

    /// Evens the mesh out at about `vertices` vertices.
    pub fn run(&mut self, vertices: usize) {
        self.scale = self.scale_for(vertices);
        for round in 0..ROUNDS {
            self.collapse_short_edges();
            self.split_long_edges();
            self.flip_for_valence();
            self.relax();
            self.smooth_shares();
            if round >= 2 {
                let off = self.surface.vertices() as f32 / vertices as f32;
                self.scale *= off.sqrt();
            }
        }
        self.meet_count(vertices);
        for _ in 0..2 {
            self.flip_for_valence();
            self.relax();
        }
        self.flip_for_angles();
        self.relax();
        self.flip_for_angles();
        self.settle();
    }

    /// The mesh as it stands.
    pub fn into_surface(self) -> Surface {
        self.surface
    }

    /// Moves a vertex to the surface near `position` and learns its normal and size there.
    fn project(&mut self, vertex: u32, position: Vec3) {
        let Sample { distance, gradient, girth } = self.field.sample(position);
        let square = gradient.length_squared();
        self.surface.positions[vertex as usize] = position - gradient * (distance / square.max(RIDGE));
        self.normals[vertex as usize] = gradient / square.sqrt().max(f32::MIN_POSITIVE);
        self.shares[vertex as usize] = self.sizing.share(girth);
    }

    /// Puts every vertex exactly onto the surface.
    fn settle(&mut self) {
        for vertex in 0..self.surface.positions.len() as u32 {
            if self.surface.has_vertex(vertex) {
                for _ in 0..2 {
                    self.project(vertex, self.surface.positions[vertex as usize]);
                }
            }
        }
    }

    /// Spreads sizes over neighbours twice, so that fine and coarse places meet gradually.
    fn smooth_shares(&mut self) {
        for _ in 0..2 {
            for vertex in 0..self.shares.len() as u32 {
                if !self.surface.has_vertex(vertex) {
                    continue;
                }
                let (mut sum, mut count) = (self.shares[vertex as usize], 1.0);
                for neighbour in self.surface.neighbours(vertex) {
                    sum += self.shares[neighbour as usize];
                    count += 1.0;
                }
                self.shares[vertex as usize] = sum / count;
            }
        }
    }

    /// An edge's length against its target.
    fn relative_length(&self, [a, b]: [u32; 2]) -> f32 {
        let [a, b] = [a as usize, b as usize];
        let target = self.scale * 0.5 * (self.shares[a] + self.shares[b]);
        self.surface.positions[a].distance(self.surface.positions[b]) / target
    }

    fn split(&mut self, half: u32) {
        let [a, b] = self.surface.ends(half).map(|v| v as usize);
        let middle = (self.surface.positions[a] + self.surface.positions[b]) * 0.5;
        let normal = (self.normals[a] + self.normals[b]).normalize_or_zero();
        let share = 0.5 * (self.shares[a] + self.shares[b]);
        self.surface.split(half, middle);
        self.normals.push(normal);
        self.shares.push(share);
    }

    fn split_long_edges(&mut self) {
        // Edges made by a split wait for the next round: at once, a flat triangle whose corner lies on its
        // long edge would be split for ever.
        for half in 0..self.surface.half_edges() {
            if self.surface.is_edge(half) && self.relative_length(self.surface.ends(half)) > TOO_LONG {
                self.split(half);
            }
        }
    }

    fn collapse_short_edges(&mut self) {
        for half in 0..self.surface.half_edges() {
            if self.surface.is_edge(half) && self.relative_length(self.surface.ends(half)) < TOO_SHORT {
                self.try_collapse(half, TOO_LONG);
            }
        }
    }

    /// Makes an edge one vertex in its middle, unless that pinches the surface, turns a triangle over or
    /// makes an edge longer than `longest` times its target.
    fn try_collapse(&mut self, half: u32, longest: f32) -> bool {
        let [a, b] = self.surface.ends(half);
        let middle = (self.surface.positions[a as usize] + self.surface.positions[b as usize]) * 0.5;
        if !self.stays_sound(a, b, middle, longest)
            || !self.stays_sound(b, a, middle, longest)
            || !self.surface.can_collapse(half)
        {
            return false;
        }
        let normal = (self.normals[a as usize] + self.normals[b as usize]).normalize_or_zero();
        self.surface.collapse(half);
        self.surface.positions[b as usize] = middle;
        self.normals[b as usize] = normal;
        self.shares[b as usize] = 0.5 * (self.shares[a as usize] + self.shares[b as usize]);
        true
    }

    /// Whether the triangles around `vertex`, but those with `other`, bear its move to `position`.
    fn stays_sound(&self, vertex: u32, other: u32, position: Vec3, longest: f32) -> bool {
        let at = |v: u32| self.surface.positions[v as usize];
        self.surface.around(vertex).all(|spoke| {
            let (p, q) = (self.surface.ends(spoke)[1], self.surface.opposite(spoke));
            let target = self.scale * 0.5 * (self.shares[vertex as usize] + self.shares[p as usize]);
            if p != other && at(p).distance(position) > longest * target {
                return false;
            }
            if p == other || q == other {
                return true;
            }
            let old = (at(p) - at(vertex)).cross(at(q) - at(vertex));
            let new = (at(p) - position).cross(at(q) - position);
            let facing = self.normals[vertex as usize] + self.normals[p as usize] + self.normals[q as usize];
            let (length, turned) = (new.length(), old.length() * new.length());
            old.dot(new) > MOST_TURNED * turned && new.dot(facing) > 0.0 && length > 0.0
        })
    }

    fn flip_for_valence(&mut self) {
        let mut excess = self.surface.valences();
        excess.iter_mut().for_each(|valence| *valence -= REGULAR);
        for half in 0..self.surface.half_edges() {
            if !self.surface.is_edge(half) {
                continue;
            }
            let [a, b] = self.surface.ends(half);
            let corners = [a, b, self.surface.opposite(half), self.surface.opposite(self.surface.twin(half))];
            let [va, vb, vc, vd] = corners.map(|v| excess[v as usize]);
            let before = va * va + vb * vb + vc * vc + vd * vd;
            let after = (va - 1).pow(2) + (vb - 1).pow(2) + (vc + 1).pow(2) + (vd + 1).pow(2);
            let spare = va.min(vb) > 3 - REGULAR;
            if after < before && spare && self.flip_is_sound(corners) && self.try_flip(half) {
                for (vertex, change) in corners.into_iter().zip([-1, -1, 1, 1]) {
                    excess[vertex as usize] += change;
                }
            }
        }
    }

    /// Makes the smallest angle at an edge as large as a flip can make it.
    fn flip_for_angles(&mut self) {
        for half in 0..self.surface.half_edges() {
            if !self.surface.is_edge(half) {
                continue;
            }
            let [a, b] = self.surface.ends(half);
            let (c, d) = (self.surface.opposite(half), self.surface.opposite(self.surface.twin(half)));
            let before = self.roundness([a, b, c]).min(self.roundness([b, a, d]));
            let after = self.roundness([a, d, c]).min(self.roundness([b, c, d]));
            let has_spare = |v: u32| self.surface.valence(v) > 3;
            if after > before && has_spare(a) && has_spare(b) && self.flip_is_sound([a, b, c, d]) {
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

    /// Whether both triangles face outwards once the edge `a b` leads from `c` to `d`.
    fn flip_is_sound(&self, [a, b, c, d]: [u32; 4]) -> bool {
        [[a, d, c], [b, c, d]].iter().all(|&corners| {
            let normal = self.normal_of(corners);
            let facing: Vec3 = corners.iter().map(|&v| self.normals[v as usize]).sum();
            normal.dot(facing) > MOST_TURNED * normal.length() * facing.length()
        })
    }

    /// 1 for an equilateral triangle, 0 for a degenerate one.
    fn roundness(&self, corners: [u32; 3]) -> f32 {
        let [a, b, c] = corners.map(|v| self.surface.positions[v as usize]);
        let squares = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
        self.normal_of(corners).length() / squares.max(f32::MIN_POSITIVE)
    }

    /// Moves every vertex towards the middle of its triangles, along the surface, and back onto it.
    fn relax(&mut self) {
        for vertex in 0..self.surface.positions.len() as u32 {
            if !self.surface.has_vertex(vertex) {
                continue;
            }
            let position = self.surface.positions[vertex as usize];
            let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
            for spoke in self.surface.around(vertex) {
                let (p, q) = (self.surface.ends(spoke)[1], self.surface.opposite(spoke));
                let area = self.area_in_shares([vertex, p, q]);
                sum += (self.surface.positions[p as usize] + self.surface.positions[q as usize]) * area;
                weight += 2.0 * area;
            }
            let normal = self.normals[vertex as usize];
            let pull = if weight > 0.0 { sum / weight - position } else { Vec3::ZERO };
            let along = (pull - normal * normal.dot(pull)) * RELAXATION;
            self.project(vertex, position + along);
        }
    }

    /// Splits the longest or collapses the shortest edges until the count is met.
    fn meet_count(&mut self, vertices: usize) {
        // The bits of a length, which is never negative, are in its order.
        let bits = |half| u64::from(self.relative_length(self.surface.ends(half)).to_bits());
        let mut edges: Vec<u64> = (0..self.surface.half_edges())
            .filter(|&half| self.surface.is_edge(half))
            .map(|half| bits(half) << 32 | u64::from(half))
            .collect();
        edges.sort_unstable();
        let edges = edges.into_iter().map(|edge| edge as u32);
        let has = self.surface.vertices();
        if has > vertices {
            let mut left = has - vertices;
            for half in edges {
                if left > 0 && self.surface.is_edge(half) && self.try_collapse(half, 2.0 * TOO_LONG) {
                    left -= 1;
                }
            }
        } else {
            edges.rev().take(vertices - has).for_each(|half| self.split(half));
        }
    }
}
