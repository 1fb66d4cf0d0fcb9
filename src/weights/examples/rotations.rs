//! The rotation step: rotations of groups of edges and of handles in every example, and the groups.
//!
//! In: the posed vertices. Out: per group and example the rotation that fits its edges best. Cost:
//! a pass over the edges per example.

use glam::DMat3;

use super::fit::{Fit, Transform};
use crate::math::best_rotation;

impl Fit {
    /// Computes the rotation of every group and every handle in every example.
    pub(super) fn step_rotations(&mut self) {
        for (transforms, handle_rotations) in self.transforms.iter().zip(&mut self.handle_rotations) {
            nearest_rotations(transforms, handle_rotations);
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

    /// Replaces the groups of edges if the rigidity term does not grow.
    pub(super) fn regroup(&mut self, groups: Vec<u32>) {
        let before = self.energy().arap;
        let old = (std::mem::replace(&mut self.group_of_edge, groups), self.rotations.clone());
        self.step_rotations();
        if self.energy().arap > before {
            (self.group_of_edge, self.rotations) = old;
        }
    }
}

/// The rotations nearest to transforms.
pub(super) fn nearest_rotations(transforms: &[Transform], handle_rotations: &mut [DMat3]) {
    for (t, turn) in transforms.iter().zip(handle_rotations) {
        *turn = best_rotation(&DMat3::from_cols(t[0], t[1], t[2]));
    }
}
