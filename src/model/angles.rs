//! A pose as turns about each joint's own axes, the form in which people and links keep it.

use glam::{DAffine3, DQuat, EulerRot};

use super::{Pose, Skeleton};
use crate::math::Trs;

/// Turns about a joint's own X, then Y, then Z axis on top of its rest frame, in degrees.
pub type Degrees = [f64; 3];

/// Turns smaller than this are none: the rounding of a round trip through degrees.
const STILL: f64 = 1e-4;

impl Pose {
    /// How far each joint is turned from rest. Translations and scales of a motion are not turns.
    pub fn angles(&self, skeleton: &Skeleton) -> Vec<Degrees> {
        let locals = self.parent_from_joint.iter().enumerate();
        locals.map(|(joint, local)| degrees(&(skeleton.rest_local(joint).inverse() * *local))).collect()
    }

    /// Turns every joint to `angles`; no turns at all are the rest pose. A joint that already is turned so
    /// is left as it is, so that sliders do not take away the translation a motion gave it.
    pub fn set_angles(&mut self, skeleton: &Skeleton, angles: &[Degrees]) {
        if angles.iter().flatten().all(|turn| turn.abs() < STILL) {
            *self = Self::rest(skeleton);
            return;
        }
        let now = self.angles(skeleton);
        for (joint, &wanted) in angles.iter().enumerate().take(now.len()) {
            let is_there = wanted.iter().zip(now[joint]).all(|(a, b)| (a - b).abs() < STILL);
            if !is_there {
                let turn = DAffine3::from_quat(from_degrees(wanted));
                self.parent_from_joint[joint] = skeleton.rest_local(joint) * turn;
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
    // Whole zeros read better than -1e-17, and compare equal after a reset.
    [x, y, z].map(f64::to_degrees).map(|turn| if turn.abs() < STILL { 0.0 } else { turn })
}

fn degrees(turned_from_rest: &DAffine3) -> Degrees {
    to_degrees(Trs::from_affine(turned_from_rest).rotation)
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
    fn an_unchanged_turn_keeps_what_a_motion_did_besides() {
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
