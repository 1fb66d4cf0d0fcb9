//! Rotations on top of a pose: what a user changed while a clip was on screen.
//!
//! An offset is a rotation about a joint's own axes, applied after the rotation of the pose below, so it
//! stays meaningful when that pose advances. Translations and scales of the pose below are kept.

use glam::{DAffine3, DQuat, EulerRot};

use super::angles::degrees;
use super::{Degrees, Pose};

impl Pose {
    /// The rotation of each joint relative to `base`. Differences in translation and scale are ignored.
    #[must_use]
    pub fn offsets_from(&self, base: &Self) -> Vec<Degrees> {
        let locals = self.parent_from_joint.iter().zip(&base.parent_from_joint);
        locals.map(|(local, below)| degrees(&(below.inverse() * *local))).collect()
    }

    /// Rotates each joint about its own axes, X first, on top of this pose.
    pub fn add_offsets(&mut self, offsets: &[Degrees]) {
        for (local, offset) in self.parent_from_joint.iter_mut().zip(offsets) {
            if *offset != [0.0; 3] {
                let [x, y, z] = offset.map(f64::to_radians);
                *local = *local * DAffine3::from_quat(DQuat::from_euler(EulerRot::XYZ, x, y, z));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::*;
    use crate::model::{Joint, Skeleton};

    #[test]
    fn offsets_are_read_back_from_another_pose_below() {
        let joints =
            vec![Joint::at("a", None, Vec3::ZERO), Joint::at("b", Some((0, Vec3::ZERO)), Vec3::X * 2.0)];
        let skeleton = Skeleton::new(joints).unwrap();
        let offsets = [[10.0, -20.0, 30.0], [0.0; 3]];
        for angle in [0.0, 0.7] {
            let mut base = Pose::rest(&skeleton);
            base.parent_from_joint[0] *= DAffine3::from_rotation_y(angle);
            base.parent_from_joint[0].translation += DVec3::new(0.0, angle, 0.0);
            let mut pose = base.clone();
            pose.add_offsets(&offsets);
            let read = pose.offsets_from(&base);
            for (read, offset) in read.iter().flatten().zip(offsets.iter().flatten()) {
                assert!((read - offset).abs() < 1e-9, "{read} is not {offset}");
            }
            assert_eq!(pose.parent_from_joint[0].translation, base.parent_from_joint[0].translation);
        }
    }
}
