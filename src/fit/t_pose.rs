//! The T-pose of a humanoid: the reference in which motions of one skeleton fit another.
//!
//! Input: a skeleton with standard bones in any rest pose. Output: a pose with arms to the sides
//! and legs straight down. Nothing is stored: the rest pose stays that of the mesh, and this pose
//! follows from it. Rotations are the shortest ones, so palms that face the body of hanging arms
//! face down, and elbows that bend to the front still do. Cost: a few passes over the joints.

use glam::{DAffine3, DQuat, DVec3};

use super::body_axes::{BodyAxes, joint_of};
use crate::model::{HumanBone, Pose, Skeleton};

/// Bones of the limbs, each with the one that it leads to, and whether it is on the left. Parents
/// come first.
const ARMS: [(HumanBone, HumanBone, bool); 6] = {
    use HumanBone as B;
    [
        (B::LeftUpperArm, B::LeftLowerArm, true),
        (B::LeftLowerArm, B::LeftHand, true),
        (B::LeftHand, B::LeftMiddleProximal, true),
        (B::RightUpperArm, B::RightLowerArm, false),
        (B::RightLowerArm, B::RightHand, false),
        (B::RightHand, B::RightMiddleProximal, false),
    ]
};
const LEGS: [(HumanBone, HumanBone); 4] = {
    use HumanBone as B;
    [
        (B::LeftUpperLeg, B::LeftLowerLeg),
        (B::LeftLowerLeg, B::LeftFoot),
        (B::RightUpperLeg, B::RightLowerLeg),
        (B::RightLowerLeg, B::RightFoot),
    ]
};

/// The T-pose, or `None` if the skeleton is not a humanoid. Trunk, head and fingers keep their
/// rotations relative to their parents, feet keep theirs in space.
pub fn t_pose(skeleton: &Skeleton) -> Option<Pose> {
    let axes = BodyAxes::of(skeleton)?;
    let mut pose = Pose::rest(skeleton);
    for (bone, next, is_left) in ARMS {
        align(skeleton, &mut pose, (bone, next), if is_left { axes.left } else { -axes.left });
    }
    for (bone, next) in LEGS {
        align(skeleton, &mut pose, (bone, next), -axes.up);
    }
    for foot in [HumanBone::LeftFoot, HumanBone::RightFoot] {
        let Some(foot) = joint_of(skeleton, foot) else { continue };
        let mut world = pose.world(skeleton)[foot];
        world.matrix3 = skeleton.joints()[foot].rest.matrix3;
        set_world(skeleton, &mut pose, foot, world);
    }
    Some(pose)
}

/// Rotates a bone about its head so that it points along `target`.
fn align(skeleton: &Skeleton, pose: &mut Pose, (bone, next): (HumanBone, HumanBone), target: DVec3) {
    let Some(joint) = joint_of(skeleton, bone) else { return };
    let world = pose.world(skeleton);
    let head = world[joint].translation;
    let tail = match joint_of(skeleton, next) {
        Some(next) => Some(world[next].translation),
        None => skeleton.joints()[joint].tail.map(|tail| {
            let joint_from_rest = &skeleton.joint_from_rest()[joint];
            (world[joint] * *joint_from_rest).transform_point3(tail.as_dvec3())
        }),
    };
    let Some(along) = tail.and_then(|tail| (tail - head).try_normalize()) else { return };
    let rotation = DAffine3::from_quat(DQuat::from_rotation_arc(along, target));
    let mut turned = rotation * world[joint];
    turned.translation = head;
    set_world(skeleton, pose, joint, turned);
}

/// Sets the frame of a joint in space.
fn set_world(skeleton: &Skeleton, pose: &mut Pose, joint: usize, world_from_joint: DAffine3) {
    let parent = skeleton.joints()[joint].parent.map(|parent| pose.world(skeleton)[parent]);
    pose.parent_from_joint[joint] =
        parent.map_or(world_from_joint, |parent| parent.inverse() * world_from_joint);
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::model::Joint;
    use crate::samples::{self, SampleCharacter};

    /// The mannequin, whose arms hang, with standard bones and every frame rotated.
    fn mannequin() -> Skeleton {
        let made = samples::make(SampleCharacter::Mannequin, 1_500).unwrap();
        let mut joints: Vec<Joint> = made.skeleton.joints().to_vec();
        let rotation = DAffine3::from_quat(DQuat::from_rotation_y(0.4) * DQuat::from_rotation_x(0.8));
        for joint in &mut joints {
            joint.rest *= rotation;
            joint.human = crate::fit::tests::standard_bone(&joint.name);
        }
        Skeleton::new(joints).unwrap()
    }

    #[test]
    fn arms_are_horizontal_and_legs_vertical_and_feet_as_they_were() {
        let skeleton = mannequin();
        let pose = t_pose(&skeleton).unwrap();
        pose.assert_well_formed(&skeleton);
        let world = pose.world(&skeleton);
        let direction = |from: &str, to: &str| {
            let [from, to] = [from, to].map(|name| world[skeleton.find(name).unwrap()].translation);
            (to - from).normalize_or_zero().as_vec3()
        };
        for (side, out) in [("L", Vec3::X), ("R", Vec3::NEG_X)] {
            let joint = |part: &str| format!("{part}.{side}");
            for (from, to, expected) in [
                ("upper_arm", "forearm", out),
                ("forearm", "hand", out),
                ("thigh", "shin", Vec3::NEG_Y),
                ("shin", "foot", Vec3::NEG_Y),
            ] {
                let found = direction(&joint(from), &joint(to));
                // Up is from the hips to the neck, which leans back by one degree.
                assert!(found.angle_between(expected) < 0.05, "{from}: {found}");
            }
            let foot = skeleton.find(&joint("foot")).unwrap();
            assert!(world[foot].matrix3.abs_diff_eq(skeleton.joints()[foot].rest.matrix3, 1e-9));
        }
    }

    #[test]
    fn a_pose_of_joints_in_t_pose_is_their_rest_pose() {
        let skeleton = mannequin();
        let world = t_pose(&skeleton).unwrap().world(&skeleton);
        let mut joints = skeleton.joints().to_vec();
        for (joint, world) in joints.iter_mut().zip(&world) {
            joint.rest = *world;
            joint.tail = None;
        }
        let standing = Skeleton::new(joints).unwrap();
        let again = t_pose(&standing).unwrap().world(&standing);
        for (joint, (a, b)) in standing.joints().iter().zip(world.iter().zip(&again)) {
            assert!(a.abs_diff_eq(*b, 1e-6), "{}", joint.name);
        }
    }

    #[test]
    fn a_skeleton_without_standard_bones_has_no_t_pose() {
        let skeleton = Skeleton::new(vec![Joint::at("root", None, Vec3::ZERO)]).unwrap();
        assert_eq!(t_pose(&skeleton), None);
    }
}
