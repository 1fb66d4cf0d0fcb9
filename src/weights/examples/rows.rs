//! The weight step, with fixed motions (docs/theory/example-fitting.md#iteration).
//!
//! In: motions, rotations, current weights. Out: better weights, vertex by vertex, each within `w ≥
//! 0, Σ w = 1`. Cost: per vertex a small system of as many unknowns as there are handles
//! ([`Simplex`]).

use glam::DVec3;

use super::energy::{ABS_ROUNDING, PENALTY_FACTOR};
use super::fit::{Fit, blended, moved};
use super::simplex::Simplex;
use crate::math::larger_f64;

/// Regularisation towards the previous weights, as a fraction of the trace of a vertex's system.
/// Larger: steps are too short. Smaller: weights jump between handles that move alike.
const RIDGE: f64 = 1e-9;

/// Buffers for the system of one vertex.
#[derive(Default)]
pub(super) struct RowWorkspace {
    simplex: Simplex,
    laplacians: Vec<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    images: Vec<DVec3>,
    row: Vec<f64>,
}

impl Fit {
    /// Improves the weights of all vertices, one after the other, in ascending or descending order.
    pub(super) fn step_weights(&mut self, backwards: bool, workspace: &mut RowWorkspace) {
        let laplacians = self.laplacians();
        workspace.laplacians = laplacians;
        for i in 0..self.rest.len() {
            let vertex = if backwards { self.rest.len() - 1 - i } else { i };
            if !self.is_fixed[vertex] {
                self.step_row(vertex, workspace);
            }
        }
    }

    /// Minimises over the weights of one vertex, with all others fixed. The kinks of `|L w|` are
    /// bounded from above by parabolas that touch them.
    fn step_row(&mut self, vertex: usize, workspace: &mut RowWorkspace) {
        let (handles, examples) = (self.handles, self.targets.len());
        let (share, rigidity) = (self.inverse_vertex_count() * self.options.data, self.options.rigidity);
        let kink = self.options.sparsity * examples as f64;
        workspace.matrix.resize(handles * handles, 0.0);
        workspace.matrix.fill(0.0);
        workspace.right.resize(handles, 0.0);
        workspace.right.fill(0.0);
        let stiff: f64 = self.around[vertex].iter().map(|&(edge, _)| self.conductance[edge as usize]).sum();
        let strength = 2.0 * (share + rigidity * stiff);
        for example in 0..examples {
            // Relative to the target, so that a large distance of the whole example costs no
            // accuracy.
            let example_position = self.targets[example][vertex];
            let images =
                self.transforms[example].iter().map(|t| moved(t, self.rest[vertex]) - example_position);
            workspace.images.clear();
            workspace.images.extend(images);
            let posed = &self.posed[example];
            let near = |&(edge, other): &(u32, u32)| {
                (posed[other as usize] - example_position) * self.conductance[edge as usize]
            };
            let around: DVec3 = self.around[vertex].iter().map(near).sum();
            let target = (around + self.turned(example, vertex)) * rigidity;
            let RowWorkspace { images, matrix, right, .. } = workspace;
            for (i, image) in images.iter().enumerate() {
                right[i] += 2.0 * image.dot(target);
                for (entry, other) in matrix[i * handles..][..=i].iter_mut().zip(&*images) {
                    *entry += strength * image.dot(*other);
                }
            }
        }
        let before = &self.weights[vertex * handles..(vertex + 1) * handles];
        for (near, value) in self.stiffness.row(vertex) {
            let laplacians = &workspace.laplacians[near * handles..(near + 1) * handles];
            for (j, (at, before)) in laplacians.iter().zip(before).enumerate() {
                let slope = kink * value / larger_f64(at.abs(), ABS_ROUNDING);
                workspace.matrix[j * handles + j] += slope * value;
                workspace.right[j] += slope * (value * before - at);
            }
        }
        for (right, distance_penalty) in
            workspace.right.iter_mut().zip(&self.distance_penalty[vertex * handles..(vertex + 1) * handles])
        {
            *right -= kink * PENALTY_FACTOR * distance_penalty;
        }
        let ridge =
            RIDGE * (0..handles).map(|j| workspace.matrix[j * handles + j]).sum::<f64>() + f64::MIN_POSITIVE;
        for (j, before) in before.iter().enumerate() {
            workspace.matrix[j * handles + j] += ridge;
            workspace.right[j] += ridge * before;
            for i in 0..j {
                workspace.matrix[i * handles + j] = workspace.matrix[j * handles + i];
            }
        }
        workspace.row.clear();
        workspace.row.extend_from_slice(before);
        let may_grow = self.may_move(vertex);
        workspace.simplex.minimise(&workspace.matrix, &workspace.right, &mut workspace.row, may_grow);
        let [now, last] =
            [workspace.row.as_slice(), before].map(|row| cost(&workspace.matrix, &workspace.right, row));
        if now.is_nan() || now > last {
            return;
        }
        for (near, value) in self.stiffness.row(vertex) {
            let laplacians = &mut workspace.laplacians[near * handles..(near + 1) * handles];
            for (sum, (now, last)) in laplacians.iter_mut().zip(workspace.row.iter().zip(before)) {
                *sum += value * (now - last);
            }
        }
        self.weights[vertex * handles..(vertex + 1) * handles].copy_from_slice(&workspace.row);
        for (posed, transforms) in self.posed.iter_mut().zip(&self.transforms) {
            posed[vertex] = blended(&workspace.row, transforms, self.rest[vertex]);
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
