//! The error of weights if joints only turn and move, as in clips.
//!
//! In: weights, and affine motions to start from. Out: the root mean square distance from the
//! examples with rigid motions. Method: one joint after the other gets its best rigid motion for
//! what the others leave (weighted Procrustes). Cost: a few passes over the weights per example.

use glam::{DMat3, DVec3};

use super::fit::{Fit, moved};
use crate::math::best_rotation;

/// Passes over all joints. More: no visible difference. Fewer: chains of joints are not in their
/// best pose.
const PASSES: usize = 12;

impl Fit {
    /// The root mean square distance from the examples with the best rigid motions found, in
    /// diagonals. Replaces the motions, but not the positions that belong to them.
    pub(super) fn rigid_rms(&mut self) -> f64 {
        let mut sum = 0.0;
        for example in 0..self.targets.len() {
            // What the motions of all joints leave of each target.
            let mut left = self.targets[example].clone();
            left.iter_mut().zip(&self.posed[example]).for_each(|(target, posed)| *target -= *posed);
            for joint in 0..PASSES * self.handles {
                self.make_rigid(example, joint % self.handles, &mut left);
            }
            sum += left.iter().map(|left| left.length_squared()).sum::<f64>();
        }
        (sum * self.inverse_vertex_count() / self.targets.len().max(1) as f64).sqrt()
    }

    /// Gives one joint its best rigid motion, with those of the others fixed.
    fn make_rigid(&mut self, example: usize, handle: usize, left: &mut [DVec3]) {
        let motion = self.transforms[example][handle];
        let weights = || self.weights[handle..].iter().step_by(self.handles).zip(&self.rest);
        let (mut total, mut from, mut to, mut covariance) = (0.0, DVec3::ZERO, DVec3::ZERO, DMat3::ZERO);
        for ((&weight, &rest), left) in weights().zip(&*left) {
            if weight > 0.0 {
                let wanted = (*left + moved(&motion, rest) * weight) * weight;
                total += weight * weight;
                from += rest * (weight * weight);
                to += wanted;
                covariance += DMat3::from_cols(wanted * rest.x, wanted * rest.y, wanted * rest.z);
            }
        }
        if total > 0.0 {
            let mean = from / total;
            covariance -= DMat3::from_cols(to * mean.x, to * mean.y, to * mean.z);
            let turn = best_rotation(&covariance);
            let better = [turn.x_axis, turn.y_axis, turn.z_axis, to / total - turn * mean];
            for ((&weight, &rest), left) in weights().zip(left) {
                *left += (moved(&motion, rest) - moved(&better, rest)) * weight;
            }
            self.transforms[example][handle] = better;
        }
    }
}
