//! The step that finds weights, motions as they are.
//!
//! In: motions, rotations, weights so far. Out: better weights, vertex after vertex, each within `w
//! ≥ 0, Σ w = 1` exactly. Cost: per vertex a small system of as many unknowns as there are handles
//! ([`Simplex`]).

use glam::DVec3;

use super::energy::{REACH, ROUNDED};
use super::fit::{Fit, moved};
use super::simplex::Simplex;

/// How much of a vertex's own system holds weights back that nothing decides. Larger: steps are too
/// short. Smaller: weights jump between handles that move alike.
const RIDGE: f64 = 1e-9;

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

impl Fit {
    /// Improves the weights of all vertices, one after the other; every second time from the last
    /// to the first.
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

    /// Finds one vertex's weights, all others as they are. The second term's kinks are covered by
    /// parabolas that touch them.
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
            // Seen from where it should be: then what decides is not lost in how far the whole
            // example is away.
            let wanted = self.wanted[example][vertex];
            let images = self.transforms[example].iter().map(|t| moved(t, self.rest[vertex]) - wanted);
            room.images.clear();
            room.images.extend(images);
            let posed = &self.posed[example];
            let near = |&(edge, other): &(u32, u32)| {
                (posed[other as usize] - wanted) * self.conductance[edge as usize]
            };
            let around: DVec3 = self.around[vertex].iter().map(near).sum();
            let target = (around + self.turned(example, vertex)) * rigidity;
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
        for (right, far) in room.right.iter_mut().zip(&self.far[vertex * handles..(vertex + 1) * handles]) {
            *right -= kink * REACH * far;
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
}

/// `½ wᵀ A w − bᵀ w`.
fn cost(a: &[f64], b: &[f64], w: &[f64]) -> f64 {
    let size = b.len();
    let row = |i: usize| a[i * size..(i + 1) * size].iter().zip(w).map(|(a, w)| a * w).sum::<f64>();
    (0..size).map(|i| w[i] * (0.5 * row(i) - b[i])).sum()
}
