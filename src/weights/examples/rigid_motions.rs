//! The error of weights if joints only turn and move, as in clips.
//!
//! In: weights, and affine motions to start from. Out: the root mean square distance from the
//! examples with rigid motions. Method: one joint after the other gets its best rigid motion for
//! what the others leave (weighted Procrustes). Cost: a few passes over the weights per example.

use glam::{DMat3, DVec3};

use super::fit::{Fit, Transform, moved};
use super::rotations::nearest_rotations;
use crate::math::best_rotation;

/// Passes over all joints. More: no visible difference. Fewer: chains of joints are not in their
/// best pose.
const PASSES: usize = 12;

impl Fit {
    /// The root mean square distance from the examples with the best rigid motions found, in
    /// diagonals.
    pub(super) fn rigid_rms(&self) -> f64 {
        let sum: f64 = (0..self.targets.len()).map(|example| self.rigid_error(example)).sum();
        (sum * self.inverse_vertex_count() / self.targets.len().max(1) as f64).sqrt()
    }

    /// The sum of squared distances from one example.
    fn rigid_error(&self, example: usize) -> f64 {
        let mut motions = self.transforms[example].clone();
        let mut turns = vec![DMat3::IDENTITY; motions.len()];
        nearest_rotations(&motions, &mut turns);
        for (motion, turn) in motions.iter_mut().zip(&turns) {
            *motion = [turn.x_axis, turn.y_axis, turn.z_axis, motion[3]];
        }
        let targets = &self.targets[example];
        // What is left of each target: the target less the motions of all joints.
        let mut left: Vec<DVec3> = (0..self.rest.len())
            .map(|vertex| {
                targets[vertex] - super::fit::blended(self.row(vertex), &motions, self.rest[vertex])
            })
            .collect();
        for _ in 0..PASSES {
            for (handle, motion) in motions.iter_mut().enumerate() {
                self.improve_rigid(handle, motion, &mut left);
            }
        }
        left.iter().map(|left| left.length_squared()).sum()
    }

    /// Gives one joint its best rigid motion, with those of the others fixed.
    fn improve_rigid(&self, handle: usize, motion: &mut Transform, left: &mut [DVec3]) {
        let weighted = || {
            let weights = self.weights.iter().skip(handle).step_by(self.handles.max(1)).copied().enumerate();
            weights.filter(|&(_, weight)| weight > 0.0)
        };
        let total: f64 = weighted().map(|(_, weight)| weight * weight).sum();
        if total <= 0.0 {
            return;
        }
        let wanted = |vertex: usize, weight: f64, left: &[DVec3]| {
            left[vertex] + moved(motion, self.rest[vertex]) * weight
        };
        let from = weighted().map(|(v, w)| self.rest[v] * (w * w)).sum::<DVec3>() / total;
        let to = weighted().map(|(v, w)| wanted(v, w, left) * w).sum::<DVec3>() / total;
        let covariance = weighted().fold(DMat3::ZERO, |sum, (v, w)| {
            let (a, b) = ((self.rest[v] - from) * w, wanted(v, w, left) - to * w);
            sum + DMat3::from_cols(b * a.x, b * a.y, b * a.z)
        });
        let turn = best_rotation(&covariance);
        let better = [turn.x_axis, turn.y_axis, turn.z_axis, to - turn * from];
        for (vertex, weight) in weighted() {
            left[vertex] += (moved(motion, self.rest[vertex]) - moved(&better, self.rest[vertex])) * weight;
        }
        *motion = better;
    }
}
