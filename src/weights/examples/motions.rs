//! The motion step: affine motions of the handles in every example, with fixed weights
//! (docs/theory/example-fitting.md#iteration).
//!
//! In: weights, groups of edges, examples. Out: the affine motion T of every handle, the rotation R
//! of every group, and the rotation Q nearest to each motion, which alternate towards a minimum of
//! `E`. Cost: one pass over the vertices and a dense system of four unknowns per handle; each
//! alternation is independent of the number of vertices.

use glam::{DMat3, DVec3};

use super::fit::Fit;
use super::rotations::nearest_rotations;
use crate::math::best_rotation;
use crate::operators::DenseFactor;

/// Regularisation towards the previous motions, as a fraction of the mean diagonal. Larger: steps
/// are too short. Smaller: motions of handles with nearly no weight diverge.
const RIDGE: f64 = 1e-9;

/// Largest number of alternations of transforms and rotations in one step. Larger: stiff handles
/// converge earlier.
const MAX_ALTERNATIONS: usize = 20;

/// The alternation stops when no transform changes by more than this, in diagonals.
const MOTION_TOLERANCE: f64 = 1e-7;

/// The linear system for the transforms.
struct MotionSystem {
    matrix: Vec<f64>,
    rights: Vec<Vec<DVec3>>,
    /// For each group, its coefficients in the right-hand side that depend on its rotation.
    rotation_terms: Vec<Vec<(usize, DVec3)>>,
}

impl Fit {
    /// Initialises the motion of every handle with the best rigid fit of the vertices it
    /// influences, in each example.
    pub(super) fn begin(&mut self) {
        for example in 0..self.targets.len() {
            let targets = &self.targets[example];
            for handle in 0..self.handles {
                let squared_weight = |i: usize| self.weights[i * self.handles + handle].powi(2);
                let all = 0..self.rest.len();
                let total: f64 = all.clone().map(squared_weight).sum();
                if total <= 0.0 {
                    continue;
                }
                let mean = |places: &[DVec3]| {
                    all.clone().map(|i| places[i] * squared_weight(i)).sum::<DVec3>() / total
                };
                let (from, to) = (mean(&self.rest), mean(targets));
                let covariance = all.clone().fold(DMat3::ZERO, |sum, i| {
                    let (a, b) = ((self.rest[i] - from) * squared_weight(i), targets[i] - to);
                    sum + DMat3::from_cols(b * a.x, b * a.y, b * a.z)
                });
                let turn = best_rotation(&covariance);
                self.handle_rotations[example][handle] = turn;
                self.transforms[example][handle] = [turn.x_axis, turn.y_axis, turn.z_axis, to - turn * from];
            }
        }
        self.pose();
        self.step_rotations();
    }

    /// Computes the transforms of all handles and the rotations of all groups, with fixed weights.
    /// The system is assembled once; then transforms and rotations alternate, at no cost per
    /// vertex.
    pub(super) fn step_motions(&mut self) {
        let size = 4 * self.handles;
        let (stiffness, rigidity) = (self.options.stiffness, self.options.rigidity);
        let MotionSystem { mut matrix, rights, rotation_terms } = self.motion_system();
        let ridge = RIDGE * (0..size).map(|c| matrix[c * size + c]).sum::<f64>() / size.max(1) as f64;
        let ridge = ridge.max(f64::MIN_POSITIVE);
        (0..size).for_each(|c| matrix[c * size + c] += ridge + if c % 4 < 3 { stiffness } else { 0.0 });
        let mut factor = DenseFactor::default();
        if !factor.factor(&matrix, size) {
            return;
        }
        let mut found = vec![DVec3::ZERO; size];
        for (example, right) in rights.iter().enumerate() {
            let transforms = &mut self.transforms[example];
            let (rotations, handle_rotations) =
                (&mut self.rotations[example], &mut self.handle_rotations[example]);
            rotations.resize(rotation_terms.len(), DMat3::IDENTITY);
            for _ in 0..MAX_ALTERNATIONS {
                let mut changed = 0.0f64;
                for (c, found) in found.iter_mut().enumerate() {
                    let turned =
                        if c % 4 < 3 { handle_rotations[c / 4].col(c % 4) * stiffness } else { DVec3::ZERO };
                    *found = right[c] + turned + transforms[c / 4][c % 4] * ridge;
                }
                for (rotation, terms) in rotations.iter().zip(&rotation_terms) {
                    let turn = *rotation * rigidity;
                    terms.iter().for_each(|&(c, term)| found[c] += turn * term);
                }
                factor.solve_vectors(&mut found);
                for (c, value) in found.iter().enumerate() {
                    let motion = &mut transforms[c / 4][c % 4];
                    changed = changed.max(motion.distance(*value));
                    *motion = *value;
                }
                for (rotation, terms) in rotations.iter_mut().zip(&rotation_terms) {
                    let sum = terms.iter().fold(DMat3::ZERO, |sum, &(c, from)| {
                        let to = found[c];
                        sum + DMat3::from_cols(to * from.x, to * from.y, to * from.z)
                    });
                    *rotation = best_rotation(&sum);
                }
                nearest_rotations(transforms, handle_rotations);
                if changed < MOTION_TOLERANCE {
                    break;
                }
            }
        }
        self.pose();
    }

    /// Assembles the matrix, a right-hand side for every example, and the coefficients of the
    /// rotation of every group.
    fn motion_system(&self) -> MotionSystem {
        let size = 4 * self.handles;
        let (share, rigidity) = (self.inverse_vertex_count() * self.options.data, self.options.rigidity);
        let groups = self.group_of_edge.iter().max().map_or(1, |&last| last as usize + 1);
        let column = |vertex: usize, out: &mut Vec<(usize, f64)>| {
            out.clear();
            let at = self.rest[vertex];
            for (j, w) in self.row(vertex).iter().enumerate().filter(|(_, w)| **w > 0.0) {
                let c = 4 * j;
                out.extend_from_slice(&[(c, w * at.x), (c + 1, w * at.y), (c + 2, w * at.z), (c + 3, *w)]);
            }
        };
        let mut matrix = vec![0.0; size * size];
        let mut rights = vec![vec![DVec3::ZERO; size]; self.targets.len()];
        let mut rotation_terms = vec![vec![DVec3::ZERO; size]; groups];
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
            for (right, targets) in rights.iter_mut().zip(&self.targets) {
                own.iter().for_each(|&(c, value)| right[c] += targets[vertex] * (share * value));
            }
            for &(edge, other) in &self.around[vertex] {
                let rest = (self.rest[vertex] - self.rest[other as usize]) * self.conductance[edge as usize];
                let terms = &mut rotation_terms[self.group_of_edge[edge as usize] as usize];
                own.iter().for_each(|&(c, value)| terms[c] += rest * value);
            }
        }
        let of_group =
            |terms: Vec<DVec3>| terms.into_iter().enumerate().filter(|(_, a)| *a != DVec3::ZERO).collect();
        MotionSystem { matrix, rights, rotation_terms: rotation_terms.into_iter().map(of_group).collect() }
    }
}
