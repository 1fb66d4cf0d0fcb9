//! Poses as Euler angles per joint, the form that sliders and links use.

use glam::{DAffine3, DQuat, EulerRot};

use super::{Pose, Skeleton};
use crate::math::Trs;

/// Intrinsic rotations about the X, Y and Z axes of a joint relative to its rest frame, in degrees.
pub type Degrees = [f64; 3];

/// Angles below this, in degrees, count as zero. It covers the rounding of a conversion to degrees
/// and back.
const ZERO_ANGLE: f64 = 1e-4;

impl Pose {
    /// The rotation of each joint relative to rest. Translations and scales of the pose are
    /// ignored.
    pub fn angles(&self, skeleton: &Skeleton) -> Vec<Degrees> {
        let locals = self.parent_from_joint.iter().enumerate();
        locals.map(|(joint, local)| degrees(&(skeleton.rest_local(joint).inverse() * *local))).collect()
    }

    /// Rotates every joint to `angles`. If all angles are zero, this is the rest pose. A joint that
    /// already has its angles is not changed, so that it keeps a translation from a clip.
    pub fn set_angles(&mut self, skeleton: &Skeleton, angles: &[Degrees]) {
        if angles.iter().flatten().all(|angle| angle.abs() < ZERO_ANGLE) {
            *self = Self::rest(skeleton);
            return;
        }
        let current = self.angles(skeleton);
        for (joint, &target) in angles.iter().enumerate().take(current.len()) {
            let has_angles = target.iter().zip(current[joint]).all(|(a, b)| (a - b).abs() < ZERO_ANGLE);
            if !has_angles {
                let rotation = DAffine3::from_quat(from_degrees(target));
                self.parent_from_joint[joint] = skeleton.rest_local(joint) * rotation;
            }
        }
    }
}

/// The rotation of angles about X, then Y, then Z.
pub fn from_degrees(angles: Degrees) -> DQuat {
    let [x, y, z] = angles.map(f64::to_radians);
    DQuat::from_euler(EulerRot::XYZ, x, y, z)
}

/// The angles about X, then Y, then Z of a rotation.
pub fn to_degrees(rotation: DQuat) -> Degrees {
    let (x, y, z) = rotation.to_euler(EulerRot::XYZ);
    // Exact zeros instead of values like -1e-17, so that angles compare equal after a reset.
    [x, y, z].map(f64::to_degrees).map(|angle| if angle.abs() < ZERO_ANGLE { 0.0 } else { angle })
}

fn degrees(joint_from_rest_joint: &DAffine3) -> Degrees {
    to_degrees(Trs::from_affine(joint_from_rest_joint).rotation)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::model::Joint;

    fn chain() -> Skeleton {
        let joints =
            vec![Joint::at("a", None, Vec3::ZERO), Joint::at("b", Some((0, Vec3::ZERO)), Vec3::X * 2.0)];
        Skeleton::new(joints).unwrap()
    }

    #[test]
    fn angles_that_are_set_are_read_back() {
        let skeleton = chain();
        let mut pose = Pose::rest(&skeleton);
        let angles = [[10.0, -20.0, 30.0], [0.0, 0.0, -170.0]];
        pose.set_angles(&skeleton, &angles);
        for (got, want) in pose.angles(&skeleton).iter().flatten().zip(angles.iter().flatten()) {
            assert!((got - want).abs() < 1e-9, "{got} {want}");
        }
        pose.set_angles(&skeleton, &[[0.0; 3]; 2]);
        assert_eq!(pose, Pose::rest(&skeleton));
    }

    #[test]
    fn a_joint_with_unchanged_angles_keeps_its_translation() {
        let skeleton = chain();
        let mut pose = Pose::rest(&skeleton);
        pose.rotate(0, DQuat::from_rotation_x(0.5));
        pose.parent_from_joint[0].translation.y = 3.0;
        let mut angles = pose.angles(&skeleton);
        angles[1] = [0.0, 45.0, 0.0];
        pose.set_angles(&skeleton, &angles);
        assert_eq!(pose.parent_from_joint[0].translation.y, 3.0);
        assert!((pose.angles(&skeleton)[1][1] - 45.0).abs() < 1e-9);
    }
}
