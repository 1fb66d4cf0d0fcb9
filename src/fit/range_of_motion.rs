//! A clip that moves every limb of a humanoid, one after another, to show how its joints bend.
//!
//! Input: a skeleton with standard bones. Output: a clip that begins and ends in the rest pose.
//! Axes follow from the joints, so neither the orientation nor the rest frames matter.

use glam::{DQuat, DVec3};

use crate::model::{Clip, HumanBone, Interpolation, Skeleton, Track, TrackValues};

/// The name of the clip.
const NAME: &str = "range of motion";

/// Seconds per key.
const STEP: f32 = 0.5;

/// A movement: the bone, the axis, and degrees at each key. The first and the last key are at rest.
type Movement = (HumanBone, Axis, [f64; KEYS]);

/// Keys of the clip.
const KEYS: usize = 13;

/// Axes of the body. Those of a limb depend on the direction of its bone.
#[derive(Clone, Copy)]
enum Axis {
    /// To the left: turning about it nods and bends forwards.
    Left,
    /// Up: turning about it looks to the left.
    Up,
    /// To the front: turning about it raises the left arm.
    Front,
    /// Across the bone and the front: turning about it bends an elbow.
    AcrossArm,
}

const MOVEMENTS: [Movement; 14] = {
    use HumanBone as B;
    [
        (B::LeftUpperArm, Axis::Front, [0., 35., 0., -30., 0., 0., 0., 0., 0., 0., 0., 0., 0.]),
        (B::RightUpperArm, Axis::Front, [0., -35., 0., 30., 0., 0., 0., 0., 0., 0., 0., 0., 0.]),
        (B::LeftLowerArm, Axis::AcrossArm, [0., 0., 20., 0., 80., 10., 0., 0., 0., 0., 0., 0., 0.]),
        (B::RightLowerArm, Axis::AcrossArm, [0., 0., 20., 0., 80., 10., 0., 0., 0., 0., 0., 0., 0.]),
        (B::LeftHand, Axis::Front, [0., 0., 0., 0., 30., -20., 0., 0., 0., 0., 0., 0., 0.]),
        (B::RightHand, Axis::Front, [0., 0., 0., 0., -30., 20., 0., 0., 0., 0., 0., 0., 0.]),
        (B::LeftUpperLeg, Axis::Left, [0., 0., 0., 0., 0., 0., -55., 0., 10., 0., 0., 0., 0.]),
        (B::LeftLowerLeg, Axis::Left, [0., 0., 0., 0., 0., 0., 70., 0., 10., 0., 0., 0., 0.]),
        (B::RightUpperLeg, Axis::Left, [0., 0., 0., 0., 0., 0., 10., 0., -55., 0., 0., 0., 0.]),
        (B::RightLowerLeg, Axis::Left, [0., 0., 0., 0., 0., 0., 10., 0., 70., 0., 0., 0., 0.]),
        (B::Spine, Axis::Up, [0., 0., 0., 0., 0., 0., 0., 0., 0., 18., -18., 0., 0.]),
        (B::Chest, Axis::Left, [0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 14., 0.]),
        (B::Head, Axis::Up, [0., 0., 0., 0., 0., 0., 0., 0., 0., 35., -35., 0., 0.]),
        (B::Neck, Axis::Left, [0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 18., 0.]),
    ]
};

/// The clip, or `None` if the skeleton has no hips, neck or thighs.
pub fn range_of_motion(skeleton: &Skeleton) -> Option<Clip> {
    let joints = skeleton.joints();
    let joint_of = |bone| joints.iter().position(|joint| joint.human == Some(bone));
    let at = |bone| joint_of(bone).map(|joint| joints[joint].rest.translation);
    let across = at(HumanBone::LeftUpperLeg)? - at(HumanBone::RightUpperLeg)?;
    let left = across.try_normalize()?;
    let front = left.cross(at(HumanBone::Neck)? - at(HumanBone::Hips)?).try_normalize()?;
    let up = front.cross(left);
    let mut tracks = Vec::new();
    for (bone, axis, degrees) in MOVEMENTS {
        let Some(joint) = joint_of(bone) else { continue };
        let axis = match axis {
            Axis::Left => left,
            Axis::Up => up,
            Axis::Front => front,
            Axis::AcrossArm => {
                let along = joints[joint].tail.map_or(DVec3::ZERO, glam::Vec3::as_dvec3)
                    - joints[joint].rest.translation;
                along.cross(front).normalize_or(up)
            }
        };
        // Frames may be rotated and scaled; the axis is the same direction in all of them.
        let own = joints[joint].rest.matrix3.inverse() * axis;
        let Some(own) = own.try_normalize() else { continue };
        let turned =
            |degrees: &f64| joints[joint].local.rotation * DQuat::from_axis_angle(own, degrees.to_radians());
        tracks.push(Track {
            joint,
            times: (0..KEYS).map(|key| key as f32 * STEP).collect(),
            interpolation: Interpolation::Linear,
            values: TrackValues::Rotation(degrees.iter().map(turned).collect()),
        });
    }
    Some(Clip { name: NAME.to_owned(), tracks })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::model::Joint;

    fn skeleton() -> Skeleton {
        let mut joints = vec![
            Joint::at("hips", None, Vec3::Y),
            Joint::at("neck", Some((0, Vec3::Y)), Vec3::Y * 1.5),
            Joint::at("thigh.L", Some((0, Vec3::Y)), Vec3::new(0.1, 0.9, 0.0)),
            Joint::at("thigh.R", Some((0, Vec3::Y)), Vec3::new(-0.1, 0.9, 0.0)),
            Joint::at("arm.L", Some((1, Vec3::Y * 1.5)), Vec3::new(0.2, 1.4, 0.0)),
            Joint::at("hand.L", Some((4, Vec3::new(0.2, 1.4, 0.0))), Vec3::new(0.6, 1.4, 0.0)),
        ];
        let bones = [
            HumanBone::Hips,
            HumanBone::Neck,
            HumanBone::LeftUpperLeg,
            HumanBone::RightUpperLeg,
            HumanBone::LeftUpperArm,
            HumanBone::LeftHand,
        ];
        joints.iter_mut().zip(bones).for_each(|(joint, bone)| joint.human = Some(bone));
        Skeleton::new(joints).unwrap()
    }

    #[test]
    fn the_left_arm_rises_first_and_the_clip_ends_at_rest() {
        let skeleton = skeleton();
        let clip = range_of_motion(&skeleton).unwrap();
        clip.assert_well_formed(&skeleton);
        let hand = |time: f32| clip.sample(&skeleton, time).world(&skeleton)[5].translation;
        assert!(hand(STEP).y > 1.6, "{}", hand(STEP));
        let rest = skeleton.joints()[5].rest.translation;
        assert!(hand(0.0).distance(rest) < 1e-6 && hand(clip.duration()).distance(rest) < 1e-6);
    }

    #[test]
    fn a_skeleton_without_standard_bones_has_no_such_clip() {
        let skeleton = Skeleton::new(vec![Joint::at("root", None, Vec3::ZERO)]).unwrap();
        assert_eq!(range_of_motion(&skeleton), None);
    }
}
