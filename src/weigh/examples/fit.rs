//! The three unknowns of a fit, and the three steps that improve one of them each.
//!
//! Lengths are in units of the mesh's diagonal, so nothing depends on the model's units. Every step finds the minimum of `E` (or of what
//! lies above it and touches it) over its own unknowns, so `E` never grows.

use glam::{DMat3, DVec3};

use super::simplex::Simplex;
use super::{Energy, Learning};
use crate::math::best_rotation;
use crate::operators::DenseFactor;
use crate::operators::qp::Quadratic;

/// `|x|` is rounded off below this, in units of `L w`, so that it has a slope everywhere. Larger: rows are smoothed where they
/// should keep still. Smaller: more sweeps.
const ROUNDED: f64 = 1e-4;

/// How much of a system's own size holds unknowns back that nothing decides. Larger: steps are too short. Smaller: motions
/// of handles that hold next to nothing run away.
const RIDGE: f64 = 1e-9;

/// Turns of transforms and rotations in one step. More: stiff handles come round sooner.
const TURNS: usize = 20;

/// They have come to rest when no transform changes by more than this, in diagonals.
const SETTLED: f64 = 1e-7;

/// What moves a handle in one example: the images of the axes, then the translation.
pub(super) type Transform = [DVec3; 4];

const IDENTITY: Transform = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO];

/// Everything a fit knows.
pub(super) struct Fit {
    pub(super) handles: usize,
    rest: Vec<DVec3>,
    stiffness: Quadratic,
    /// Every edge once: ends and conductance.
    pub(super) edges: Vec<(u32, u32)>,
    conductance: Vec<f64>,
    /// The edges at each vertex: (edge, other end).
    around: Vec<Vec<(u32, u32)>>,
    /// By example and vertex.
    wanted: Vec<Vec<DVec3>>,
    /// By vertex and handle.
    pub(super) weights: Vec<f64>,
    /// By example and handle.
    transforms: Vec<Vec<Transform>>,
    /// By example and group.
    rotations: Vec<Vec<DMat3>>,
    /// By example and handle: the rotation its motion is nearest to.
    turns: Vec<Vec<DMat3>>,
    pub(super) group_of_edge: Vec<u32>,
    /// By example and vertex: where the weights and transforms take it.
    posed: Vec<Vec<DVec3>>,
    /// Vertices whose weights are given.
    is_given: Vec<bool>,
    options: Learning,
}

impl Fit {
    pub(super) fn new(
        rest: Vec<DVec3>,
        stiffness: Quadratic,
        wanted: Vec<Vec<DVec3>>,
        weights: Vec<f64>,
        is_given: Vec<bool>,
        options: Learning,
    ) -> Self {
        let handles = weights.len() / rest.len().max(1);
        let (mut edges, mut conductance) = (Vec::new(), Vec::new());
        let mut around = vec![Vec::new(); rest.len()];
        for row in 0..stiffness.size() {
            for (column, value) in stiffness.row(row).filter(|&(column, value)| column < row && value < 0.0) {
                around[row].push((edges.len() as u32, column as u32));
                around[column].push((edges.len() as u32, row as u32));
                edges.push((column as u32, row as u32));
                conductance.push(-value);
            }
        }
        let transforms = vec![vec![IDENTITY; handles]; wanted.len()];
        let rotations = vec![vec![DMat3::IDENTITY]; wanted.len()];
        let turns = vec![vec![DMat3::IDENTITY; handles]; wanted.len()];
        let posed = vec![rest.clone(); wanted.len()];
        let group_of_edge = vec![0; edges.len()];
        Self {
            handles,
            rest,
            stiffness,
            edges,
            conductance,
            around,
            wanted,
            weights,
            transforms,
            rotations,
            turns,
            group_of_edge,
            posed,
            is_given,
            options,
        }
    }

    fn row(&self, vertex: usize) -> &[f64] {
        &self.weights[vertex * self.handles..(vertex + 1) * self.handles]
    }

    /// One over how many vertices there are: the first term is a mean, so that denser meshes do not weigh it more.
    fn share(&self) -> f64 {
        1.0 / self.rest.len().max(1) as f64
    }

    /// `L w` of every vertex and handle.
    fn laplacians(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.weights.len()];
        for vertex in 0..self.rest.len() {
            let sum = &mut sums[vertex * self.handles..(vertex + 1) * self.handles];
            for (other, value) in self.stiffness.row(vertex) {
                sum.iter_mut().zip(self.row(other)).for_each(|(sum, w)| *sum += value * w);
            }
        }
        sums
    }

    /// How good it is.
    pub(super) fn energy(&self) -> Energy {
        let mut data = 0.0;
        for (posed, wanted) in self.posed.iter().zip(&self.wanted) {
            data += posed.iter().zip(wanted).map(|(p, q)| p.distance_squared(*q)).sum::<f64>() * self.share();
        }
        let rounded = |x: f64| if x.abs() >= ROUNDED { x.abs() } else { 0.5 * (x * x / ROUNDED + ROUNDED) };
        let of_all: f64 = self.laplacians().into_iter().map(rounded).sum();
        let sparsity = self.options.sparsity * of_all * self.wanted.len() as f64;
        let mut arap = 0.0;
        for (posed, rotations) in self.posed.iter().zip(&self.rotations) {
            for (edge, &(a, b)) in self.edges.iter().enumerate() {
                let (a, b) = (a as usize, b as usize);
                let turned = rotations[self.group_of_edge[edge] as usize] * (self.rest[a] - self.rest[b]);
                arap += self.conductance[edge] * (posed[a] - posed[b]).distance_squared(turned);
            }
        }
        arap *= self.options.rigidity;
        for (transforms, turns) in self.transforms.iter().zip(&self.turns) {
            let apart = |(t, turn): (&Transform, &DMat3)| {
                (0..3).map(|c| t[c].distance_squared(turn.col(c))).sum::<f64>()
            };
            arap += self.options.stiffness * transforms.iter().zip(turns).map(apart).sum::<f64>();
        }
        let data = data * self.options.data;
        Energy { total: data + sparsity + arap, data, sparsity, arap }
    }

    /// The root of the mean squared distance from the examples, in diagonals.
    pub(super) fn rms(&self) -> f64 {
        let all = self.posed.iter().zip(&self.wanted).flat_map(|(p, q)| p.iter().zip(q));
        let sum: f64 = all.map(|(p, q)| p.distance_squared(*q)).sum();
        (sum * self.share() / self.wanted.len().max(1) as f64).sqrt()
    }

    /// How far each vertex is from one of the examples, in diagonals.
    pub(super) fn errors(&self, example: usize) -> Vec<f32> {
        let pairs = self.posed[example].iter().zip(&self.wanted[example]);
        pairs.map(|(p, q)| p.distance(*q) as f32).collect()
    }

    /// Turns every handle as the skin it holds is turned in each example, to begin with.
    pub(super) fn begin(&mut self) {
        for example in 0..self.wanted.len() {
            let wanted = &self.wanted[example];
            for handle in 0..self.handles {
                let held = |i: usize| self.weights[i * self.handles + handle].powi(2);
                let all = 0..self.rest.len();
                let whole: f64 = all.clone().map(held).sum();
                if whole <= 0.0 {
                    continue;
                }
                let mean = |places: &[DVec3]| all.clone().map(|i| places[i] * held(i)).sum::<DVec3>() / whole;
                let (from, to) = (mean(&self.rest), mean(wanted));
                let covariance = all.clone().fold(DMat3::ZERO, |sum, i| {
                    let (a, b) = ((self.rest[i] - from) * held(i), wanted[i] - to);
                    sum + DMat3::from_cols(b * a.x, b * a.y, b * a.z)
                });
                let turn = best_rotation(&covariance);
                self.turns[example][handle] = turn;
                self.transforms[example][handle] = [turn.x_axis, turn.y_axis, turn.z_axis, to - turn * from];
            }
        }
        self.pose();
        self.step_rotations();
    }

    /// Finds the transforms of all handles and the rotations of all groups, weights as they are. What the mesh has to say about
    /// that is gathered once; then they follow each other in turn, at no cost per vertex.
    pub(super) fn step_motions(&mut self) {
        let size = 4 * self.handles;
        let (stiffness, rigidity) = (self.options.stiffness, self.options.rigidity);
        let Gathered { mut matrix, rights, asked } = self.gathered();
        let ridge = RIDGE * (0..size).map(|c| matrix[c * size + c]).sum::<f64>() / size.max(1) as f64;
        let ridge = ridge.max(f64::MIN_POSITIVE);
        (0..size).for_each(|c| matrix[c * size + c] += ridge + if c % 4 < 3 { stiffness } else { 0.0 });
        let mut factor = DenseFactor::default();
        if !factor.factor(&matrix, size) {
            return;
        }
        let (mut line, mut found) = (vec![0.0; size], vec![DVec3::ZERO; size]);
        for (example, right) in rights.iter().enumerate() {
            let transforms = &mut self.transforms[example];
            let (rotations, turns) = (&mut self.rotations[example], &mut self.turns[example]);
            rotations.resize(asked.len(), DMat3::IDENTITY);
            for _ in 0..TURNS {
                let mut changed = 0.0f64;
                for axis in 0..3 {
                    for (c, line) in line.iter_mut().enumerate() {
                        let turned = if c % 4 < 3 { stiffness * turns[c / 4].col(c % 4)[axis] } else { 0.0 };
                        let by_groups: f64 =
                            asked.iter().zip(&*rotations).map(|(asked, r)| (*r * asked[c])[axis]).sum();
                        let held = ridge * transforms[c / 4][c % 4][axis];
                        *line = right[c][axis] + rigidity * by_groups + turned + held;
                    }
                    factor.solve(&mut line);
                    found.iter_mut().zip(&line).for_each(|(found, value)| found[axis] = *value);
                }
                for (c, value) in found.iter().enumerate() {
                    let motion = &mut transforms[c / 4][c % 4];
                    changed = changed.max(motion.distance(*value));
                    *motion = *value;
                }
                for (rotation, asked) in rotations.iter_mut().zip(&asked) {
                    let outer = |(to, from): (&DVec3, &DVec3)| {
                        DMat3::from_cols(*to * from.x, *to * from.y, *to * from.z)
                    };
                    *rotation = best_rotation(
                        &found.iter().zip(asked).map(outer).fold(DMat3::ZERO, |sum, m| sum + m),
                    );
                }
                turn_with(transforms, turns);
                if changed < SETTLED {
                    break;
                }
            }
        }
        self.pose();
    }

    /// What transforms depend on: a matrix, a right hand side for every example, and what the rotation of every group asks of
    /// them.
    fn gathered(&self) -> Gathered {
        let size = 4 * self.handles;
        let (share, rigidity) = (self.share() * self.options.data, self.options.rigidity);
        let groups = self.group_of_edge.iter().max().map_or(1, |&last| last as usize + 1);
        let column = |vertex: usize, out: &mut Vec<(usize, f64)>| {
            out.clear();
            let at = self.rest[vertex].extend(1.0).to_array();
            let held = self.row(vertex).iter().enumerate().filter(|(_, w)| **w > 0.0);
            out.extend(held.flat_map(|(j, w)| (0..4).map(move |c| (4 * j + c, w * at[c]))));
        };
        let mut matrix = vec![0.0; size * size];
        let mut rights = vec![vec![DVec3::ZERO; size]; self.wanted.len()];
        let mut asked = vec![vec![DVec3::ZERO; size]; groups];
        let (mut own, mut other, mut sum) = (Vec::new(), Vec::new(), vec![0.0; size]);
        for vertex in 0..self.rest.len() {
            column(vertex, &mut own);
            sum.fill(0.0);
            own.iter().for_each(|&(c, value)| sum[c] += share * value);
            for (near, value) in self.stiffness.row(vertex) {
                column(near, &mut other);
                other.iter().for_each(|&(c, of)| sum[c] += rigidity * value * of);
            }
            for &(c, value) in &own {
                matrix[c * size..(c + 1) * size].iter_mut().zip(&sum).for_each(|(m, s)| *m += value * s);
            }
            for (right, wanted) in rights.iter_mut().zip(&self.wanted) {
                own.iter().for_each(|&(c, value)| right[c] += wanted[vertex] * (share * value));
            }
            for &(edge, other) in &self.around[vertex] {
                let rest = (self.rest[vertex] - self.rest[other as usize]) * self.conductance[edge as usize];
                let asked = &mut asked[self.group_of_edge[edge as usize] as usize];
                own.iter().for_each(|&(c, value)| asked[c] += rest * value);
            }
        }
        Gathered { matrix, rights, asked }
    }

    /// Goes on as the last step did, `share` times as far. What that makes of `E` must be looked at.
    pub(super) fn extrapolate(&mut self, last: &[Vec<Transform>], share: f64) {
        for (transforms, last) in self.transforms.iter_mut().zip(last) {
            for (motion, last) in transforms.iter_mut().flatten().zip(last.iter().flatten()) {
                *motion += (*motion - *last) * share;
            }
        }
        for (transforms, turns) in self.transforms.iter().zip(&mut self.turns) {
            turn_with(transforms, turns);
        }
        self.pose();
    }

    /// What [`Fit::restore`] brings back.
    pub(super) fn kept(&self) -> Kept {
        Kept {
            weights: self.weights.clone(),
            transforms: self.transforms.clone(),
            rotations: self.rotations.clone(),
            turns: self.turns.clone(),
            group_of_edge: self.group_of_edge.clone(),
            posed: self.posed.clone(),
        }
    }

    /// Forgets everything since `kept`.
    pub(super) fn restore(&mut self, kept: Kept) {
        let Kept { weights, transforms, rotations, turns, group_of_edge, posed } = kept;
        (self.weights, self.transforms, self.rotations) = (weights, transforms, rotations);
        (self.turns, self.group_of_edge, self.posed) = (turns, group_of_edge, posed);
    }

    /// `Σ c R (p_i − p_l)` over the edges at a vertex.
    fn turned(&self, example: usize, vertex: usize) -> DVec3 {
        let rotations = &self.rotations[example];
        let of_edge = |&(edge, other): &(u32, u32)| {
            let edge = edge as usize;
            let rest = self.rest[vertex] - self.rest[other as usize];
            rotations[self.group_of_edge[edge] as usize] * rest * self.conductance[edge]
        };
        self.around[vertex].iter().map(of_edge).sum()
    }

    fn pose(&mut self) {
        for (posed, transforms) in self.posed.iter_mut().zip(&self.transforms) {
            for (vertex, posed) in posed.iter_mut().enumerate() {
                let at = self.rest[vertex];
                let row = &self.weights[vertex * self.handles..(vertex + 1) * self.handles];
                let held = row.iter().zip(transforms).filter(|(w, _)| **w > 0.0);
                *posed = held.map(|(w, t)| moved(t, at) * *w).sum();
            }
        }
    }

    /// Finds the rotation of every group in every example, and of every handle.
    pub(super) fn step_rotations(&mut self) {
        for (transforms, turns) in self.transforms.iter().zip(&mut self.turns) {
            turn_with(transforms, turns);
        }
        let groups = self.group_of_edge.iter().max().map_or(1, |&last| last as usize + 1);
        for (posed, rotations) in self.posed.iter().zip(&mut self.rotations) {
            let mut covariances = vec![DMat3::ZERO; groups];
            for (edge, &(a, b)) in self.edges.iter().enumerate() {
                let (a, b) = (a as usize, b as usize);
                let (to, from) =
                    (posed[a] - posed[b], (self.rest[a] - self.rest[b]) * self.conductance[edge]);
                covariances[self.group_of_edge[edge] as usize] +=
                    DMat3::from_cols(to * from.x, to * from.y, to * from.z);
            }
            rotations.clear();
            rotations.extend(covariances.iter().map(best_rotation));
        }
    }

    /// Improves the weights of all vertices, one after the other; every second time from the last to the first.
    pub(super) fn step_weights(&mut self, backwards: bool, room: &mut Room) {
        let laplacians = self.laplacians();
        room.laplacians = laplacians;
        for i in 0..self.rest.len() {
            let vertex = if backwards { self.rest.len() - 1 - i } else { i };
            if !self.is_given[vertex] {
                self.step_row(vertex, room);
            }
        }
    }

    /// Finds one vertex's weights, all others as they are. The third term's kinks are covered by parabolas that touch them.
    fn step_row(&mut self, vertex: usize, room: &mut Room) {
        let (handles, examples) = (self.handles, self.wanted.len());
        let (share, rigidity) = (self.share() * self.options.data, self.options.rigidity);
        let kink = self.options.sparsity * examples as f64;
        room.matrix.clear();
        room.matrix.resize(handles * handles, 0.0);
        room.right.clear();
        room.right.resize(handles, 0.0);
        let stiff: f64 = self.around[vertex].iter().map(|&(edge, _)| self.conductance[edge as usize]).sum();
        let strength = 2.0 * (share + rigidity * stiff);
        for example in 0..examples {
            let images = self.transforms[example].iter().map(|t| moved(t, self.rest[vertex]));
            room.images.clear();
            room.images.extend(images);
            let posed = &self.posed[example];
            let near = |&(edge, other): &(u32, u32)| posed[other as usize] * self.conductance[edge as usize];
            let around: DVec3 = self.around[vertex].iter().map(near).sum();
            let target =
                self.wanted[example][vertex] * share + (around + self.turned(example, vertex)) * rigidity;
            for i in 0..handles {
                room.right[i] += 2.0 * room.images[i].dot(target);
                for j in 0..=i {
                    room.matrix[i * handles + j] += strength * room.images[i].dot(room.images[j]);
                }
            }
        }
        let before = &self.weights[vertex * handles..(vertex + 1) * handles];
        for (near, value) in self.stiffness.row(vertex) {
            let laplacians = &room.laplacians[near * handles..(near + 1) * handles];
            for (j, (at, before)) in laplacians.iter().zip(before).enumerate() {
                let slope = kink * value / at.abs().max(ROUNDED);
                room.matrix[j * handles + j] += slope * value;
                room.right[j] += slope * (value * before - at);
            }
        }
        let ridge =
            RIDGE * (0..handles).map(|j| room.matrix[j * handles + j]).sum::<f64>() + f64::MIN_POSITIVE;
        for (j, before) in before.iter().enumerate() {
            room.matrix[j * handles + j] += ridge;
            room.right[j] += ridge * before;
            for i in 0..j {
                room.matrix[i * handles + j] = room.matrix[j * handles + i];
            }
        }
        room.row.clear();
        room.row.extend_from_slice(before);
        room.simplex.minimise(&room.matrix, &room.right, &mut room.row);
        let [now, last] = [room.row.as_slice(), before].map(|row| cost(&room.matrix, &room.right, row));
        if now.is_nan() || now > last {
            return;
        }
        for (near, value) in self.stiffness.row(vertex) {
            let laplacians = &mut room.laplacians[near * handles..(near + 1) * handles];
            for (sum, (now, last)) in laplacians.iter_mut().zip(room.row.iter().zip(before)) {
                *sum += value * (now - last);
            }
        }
        self.weights[vertex * handles..(vertex + 1) * handles].copy_from_slice(&room.row);
        for (posed, transforms) in self.posed.iter_mut().zip(&self.transforms) {
            let held = room.row.iter().zip(transforms).filter(|(w, _)| **w > 0.0);
            posed[vertex] = held.map(|(w, t)| moved(t, self.rest[vertex]) * *w).sum();
        }
    }

    /// Other groups of edges, if they are no worse.
    pub(super) fn regroup(&mut self, groups: Vec<u32>) {
        let before = self.energy().arap;
        let old = (std::mem::replace(&mut self.group_of_edge, groups), self.rotations.clone());
        self.step_rotations();
        if self.energy().arap > before {
            (self.group_of_edge, self.rotations) = old;
        }
    }
}

/// What [`Fit::gathered`] finds.
struct Gathered {
    matrix: Vec<f64>,
    rights: Vec<Vec<DVec3>>,
    asked: Vec<Vec<DVec3>>,
}

/// All unknowns of a fit at one time.
pub(super) struct Kept {
    weights: Vec<f64>,
    pub(super) transforms: Vec<Vec<Transform>>,
    rotations: Vec<Vec<DMat3>>,
    turns: Vec<Vec<DMat3>>,
    group_of_edge: Vec<u32>,
    posed: Vec<Vec<DVec3>>,
}

/// The rotations nearest to transforms.
fn turn_with(transforms: &[Transform], turns: &mut [DMat3]) {
    for (t, turn) in transforms.iter().zip(turns) {
        *turn = best_rotation(&DMat3::from_cols(t[0], t[1], t[2]));
    }
}

/// `½ wᵀ A w − bᵀ w`.
fn cost(a: &[f64], b: &[f64], w: &[f64]) -> f64 {
    let size = b.len();
    let row = |i: usize| a[i * size..(i + 1) * size].iter().zip(w).map(|(a, w)| a * w).sum::<f64>();
    (0..size).map(|i| w[i] * (0.5 * row(i) - b[i])).sum()
}

fn moved(t: &Transform, at: DVec3) -> DVec3 {
    t[0] * at.x + t[1] * at.y + t[2] * at.z + t[3]
}

/// Room for the weights of one vertex after the other.
#[derive(Default)]
pub(super) struct Room {
    simplex: Simplex,
    laplacians: Vec<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    images: Vec<DVec3>,
    row: Vec<f64>,
}
