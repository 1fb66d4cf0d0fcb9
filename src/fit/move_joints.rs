//! Moves the heads of joints. Child joints keep their world positions.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use crate::model::{Clip, Interpolation, Joint, Skeleton, SkeletonError, TrackValues};

/// Distance between a tail and the head of a child, relative to the bone, below which the tail
/// follows the child.
const TAIL_TOLERANCE: f32 = 1e-3;

/// Moves the heads of the joints in `heads` to points in rest space. Key frames of their
/// translations move along. The classification of joints is reset, because it depends on their
/// positions.
///
/// # Errors
/// If a point is not finite.
pub fn move_joints(
    skeleton: &Skeleton,
    clips: &[Clip],
    heads: &BTreeMap<usize, Vec3>,
) -> Result<(Skeleton, Vec<Clip>), SkeletonError> {
    let mut joints: Vec<Joint> = skeleton.joints().to_vec();
    for (&joint, head) in heads.iter().filter(|&(&joint, _)| joint < skeleton.joints().len()) {
        joints[joint].rest.translation = head.as_dvec3();
    }
    for (joint, moved) in joints.iter_mut().enumerate() {
        moved.tail = skeleton.joints()[joint].tail.map(|tail| tail_after(skeleton, heads, joint, tail));
    }
    let moved_skeleton = Skeleton::new(joints.clone())?;
    let shifts: Vec<DVec3> = (0..joints.len())
        .map(|joint| moved_skeleton.rest_local(joint).translation - skeleton.rest_local(joint).translation)
        .collect();
    for (joint, shift) in joints.iter_mut().zip(&shifts) {
        joint.local.translation += *shift;
    }
    Ok((Skeleton::new(joints)?, clips.iter().map(|clip| shifted(clip, &shifts)).collect()))
}

fn tail_after(skeleton: &Skeleton, heads: &BTreeMap<usize, Vec3>, joint: usize, tail: Vec3) -> Vec3 {
    let joints = skeleton.joints();
    let tolerance = TAIL_TOLERANCE * joints[joint].head().distance(tail);
    let is_child = |&child: &usize| joints[child].parent == Some(joint);
    let child =
        (0..joints.len()).filter(is_child).find(|&child| joints[child].head().distance(tail) <= tolerance);
    child.and_then(|child| heads.get(&child).copied()).unwrap_or(tail)
}

fn shifted(clip: &Clip, shifts: &[DVec3]) -> Clip {
    let mut clip = clip.clone();
    for track in &mut clip.tracks {
        let TrackValues::Translation(values) = &mut track.values else { continue };
        // A cubic spline has three values per key; the outer two are tangents, which do not move.
        let (first, step) = if track.interpolation == Interpolation::Cubic { (1, 3) } else { (0, 1) };
        values.iter_mut().skip(first).step_by(step).for_each(|value| *value += shifts[track.joint]);
    }
    clip
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat};

    use super::*;
    use crate::model::{Pose, Track};

    fn arm() -> (Skeleton, Vec<Clip>) {
        let mut joints = vec![
            Joint::at("shoulder", None, Vec3::Y),
            Joint::at("elbow", Some((0, Vec3::Y)), Vec3::new(1.0, 1.0, 0.0)),
            Joint::at("hand", Some((1, Vec3::new(1.0, 1.0, 0.0))), Vec3::new(2.0, 1.0, 0.0)),
        ];
        // A rotated frame, so that parent space and world space differ.
        let rotation = DQuat::from_rotation_z(0.7);
        joints[0].rest *= DAffine3::from_quat(rotation);
        joints[0].local.rotation = rotation;
        joints[1].local = crate::math::Trs::from_affine(&(joints[0].rest.inverse() * joints[1].rest));
        joints[1].tail = Some(Vec3::new(2.0, 1.0, 0.0));
        let skeleton = Skeleton::new(joints).unwrap();
        let translation = skeleton.rest_local(1).translation;
        let track = Track {
            joint: 1,
            times: vec![0.0, 1.0],
            interpolation: Interpolation::Linear,
            values: TrackValues::Translation(vec![translation; 2]),
        };
        (skeleton, vec![Clip { name: "posed".into(), tracks: vec![track], ..Clip::default() }])
    }

    #[test]
    fn a_moved_joint_keeps_its_children_in_place_and_clips_agree_with_the_rest_pose() {
        let (skeleton, clips) = arm();
        let elbow = Vec3::new(1.2, 0.5, 0.1);
        let (moved_skeleton, clips) = move_joints(&skeleton, &clips, &BTreeMap::from([(1, elbow)])).unwrap();
        assert_eq!(moved_skeleton.joints()[1].head(), elbow);
        assert_eq!(moved_skeleton.joints()[2].head(), skeleton.joints()[2].head());
        assert_eq!(moved_skeleton.joints()[1].rest.matrix3, skeleton.joints()[1].rest.matrix3);
        let rest = Pose::rest(&moved_skeleton).world(&moved_skeleton);
        let posed = clips[0].sample(&moved_skeleton, 0.5).world(&moved_skeleton);
        for (a, b) in rest.iter().zip(&posed) {
            assert!(a.abs_diff_eq(*b, 1e-6), "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_tail_on_a_childs_head_follows_the_child() {
        let (skeleton, clips) = arm();
        let hand = Vec3::new(2.0, 3.0, 0.0);
        let (moved_skeleton, _) = move_joints(&skeleton, &clips, &BTreeMap::from([(2, hand)])).unwrap();
        assert_eq!(moved_skeleton.joints()[1].tail, Some(hand));
    }

    #[test]
    fn a_point_that_is_not_finite_is_rejected() {
        let (skeleton, clips) = arm();
        assert!(move_joints(&skeleton, &clips, &BTreeMap::from([(1, Vec3::NAN)])).is_err());
    }
}
