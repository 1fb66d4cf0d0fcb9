//! Rest frames of bones: a roll that follows from positions alone.
//!
//! Input: the joints of a skeleton in the space of the body (left is +X, up is +Y, front is +Z).
//! Output: one rotation per joint. Y runs along the bone and X is the axis it hinges about, so a
//! positive rotation about X moves the tail of the bone along Z = X × Y. Conventions:
//!
//! | bone | X | a positive rotation about X |
//! |---|---|---|
//! | spine, neck, head | left | bends forwards |
//! | collar bone, upper arm, forearm | across the arm | bends towards the front |
//! | hand, fingers | across the palm | bends towards the palm, curls |
//! | thigh, shin, foot, toe | left | moves back: bends the knee, points the foot down |
//! | others | left, or across bones that stretch sideways | moves back or forwards, or down |
//!
//! An elbow or knee that is clearly bent hinges about the normal of its plane instead, and a
//! positive rotation bends it further. Frames of the two sides are mirrored: Y and Z are mirror
//! images, and X is the reversed one, so that all frames are right-handed and equal angles about X
//! bend both sides alike.

use glam::{Mat3, Quat, Vec3};

use crate::plans::BodyJoint;

/// Bend of a limb, in radians, below which its plane says nothing about the hinge. If smaller,
/// errors of joints of 1 % of the height turn the hinge of a straight limb.
const STRAIGHT: f32 = 0.17;

/// Bend of a limb from which its plane alone decides.
const BENT: f32 = 0.44;

/// Bend of a limb from which it also decides the side to which the limb bends. Below, a limb that
/// seems to bend the wrong way is badly fitted or posed.
const STRONGLY_BENT: f32 = 0.8;

/// Cosine between a bone and an axis from which the axis says nothing about its roll.
const PARALLEL: f32 = 0.9;

/// The rest frame of every joint, as a rotation from the bone to the body.
pub fn rest_frames(joints: &[BodyJoint]) -> Vec<Quat> {
    joints
        .iter()
        .map(|joint| {
            let along = direction(joint);
            frame(along, hinge(joints, joint, along))
        })
        .collect()
}

/// The frame with Y along a bone and X near the hinge.
fn frame(along: Vec3, hinge: Vec3) -> Quat {
    let across = hinge - along * hinge.dot(along);
    let x = across.try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
    let rotation = Quat::from_mat3(&Mat3::from_cols(x, along, x.cross(along)));
    // Of the two quaternions of a rotation, the one with a positive real part.
    if rotation.w < 0.0 { -rotation } else { rotation }
}

/// The unit vector along the bone of a joint.
fn direction(joint: &BodyJoint) -> Vec3 {
    (joint.tail - joint.head).try_normalize().unwrap_or(Vec3::Y)
}

/// The axis that a bone hinges about; not always perpendicular to it.
fn hinge(joints: &[BodyJoint], joint: &BodyJoint, along: Vec3) -> Vec3 {
    let (part, side) = joint.label.rsplit_once('.').unwrap_or((&joint.label, ""));
    let of_side = |part: &str| joints.iter().find(|other| other.label == format!("{part}.{side}"));
    let limb = |upper: &str, lower: &str| {
        let (upper, lower) = (of_side(upper)?, of_side(lower)?);
        Some((direction(upper), direction(lower), (lower.tail - upper.head).try_normalize()?))
    };
    match part {
        "shoulder" => to_the_front(along),
        "upper_arm" | "forearm" => limb("upper_arm", "forearm")
            .map_or(to_the_front(along), |(upper, lower, whole)| bent(upper, lower, to_the_front(whole))),
        "thigh" | "shin" => {
            limb("thigh", "shin").map_or(Vec3::X, |(upper, lower, _)| bent(upper, lower, Vec3::X))
        }
        "foot" | "toe" => Vec3::X,
        "hand" => across_palm(joints, side),
        _ if is_thumb(part) => {
            // A thumb bends towards the palm and the other fingers.
            let across = across_palm(joints, side);
            let palm = of_side("hand").map_or(Vec3::ZERO, |hand| across.cross(direction(hand)));
            along.cross(palm.normalize_or_zero() + across.normalize_or_zero() * sign(side))
        }
        _ if is_finger(part) => across_palm(joints, side),
        _ if along.x.abs() < PARALLEL => Vec3::X,
        _ => along.cross(Vec3::NEG_Y),
    }
}

/// The axis about which a positive rotation moves a bone to the front; up, if it points there.
fn to_the_front(along: Vec3) -> Vec3 {
    if along.z.abs() < PARALLEL { along.cross(Vec3::Z) } else { along.cross(Vec3::Y) }
}

/// The hinge of a limb of two bones: the normal of its plane if it is bent, otherwise `straight`.
fn bent(upper: Vec3, lower: Vec3, straight: Vec3) -> Vec3 {
    let straight = straight.normalize_or_zero();
    let bend = upper.angle_between(lower);
    let normal = upper.cross(lower).normalize_or_zero();
    let normal = if bend < STRONGLY_BENT && normal.dot(straight) < 0.0 { -normal } else { normal };
    let share = ((bend - STRAIGHT) / (BENT - STRAIGHT)).clamp(0.0, 1.0);
    (straight * (1.0 - share) + normal * share).try_normalize().unwrap_or(straight)
}

/// 1 on the left, -1 on the right.
fn sign(side: &str) -> f32 {
    if side == "R" { -1.0 } else { 1.0 }
}

/// The hinge of the fingers of a hand: from the index to the little finger on the left, the reverse
/// on the right. Without them, the index finger is in front: palms face down in a T-pose and
/// inwards when arms hang.
fn across_palm(joints: &[BodyJoint], side: &str) -> Vec3 {
    let roots: Vec<Vec3> = FINGERS
        .iter()
        .filter_map(|finger| joints.iter().find(|joint| joint.label == format!("{finger}_1.{side}")))
        .map(|joint| joint.head)
        .collect();
    let across = match roots.as_slice() {
        [first, .., last] => *last - *first,
        _ => Vec3::NEG_Z,
    };
    across * sign(side)
}

/// Fingers in their order, without the thumb.
const FINGERS: [&str; 4] = ["index", "middle", "ring", "little"];

fn is_thumb(part: &str) -> bool {
    part.starts_with("thumb_")
}

fn is_finger(part: &str) -> bool {
    part.rsplit_once('_').is_some_and(|(finger, _)| FINGERS.contains(&finger))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A joint with its bone.
    fn joint(label: &str, head: [f32; 3], tail: [f32; 3]) -> BodyJoint {
        BodyJoint {
            label: label.to_owned(),
            parent: None,
            head: head.into(),
            tail: tail.into(),
            confidence: 1.0,
        }
    }

    /// The arms and legs of a body, from the directions of the left arm's bones. The right side is
    /// the mirror image.
    fn body(upper: Vec3, lower: Vec3, knee: f32) -> Vec<BodyJoint> {
        let shoulder = Vec3::new(0.1, 0.8, 0.0);
        let elbow = shoulder + 0.15 * upper;
        let wrist = elbow + 0.15 * lower;
        let left = [
            ("shoulder", Vec3::new(0.02, 0.8, 0.0), shoulder),
            ("upper_arm", shoulder, elbow),
            ("forearm", elbow, wrist),
            ("hand", wrist, wrist + 0.1 * lower),
            ("thigh", Vec3::new(0.06, 0.5, 0.0), Vec3::new(0.06, 0.27, knee)),
            ("shin", Vec3::new(0.06, 0.27, knee), Vec3::new(0.06, 0.04, 0.0)),
            ("foot", Vec3::new(0.06, 0.04, 0.0), Vec3::new(0.06, 0.01, 0.07)),
            ("toe", Vec3::new(0.06, 0.01, 0.07), Vec3::new(0.06, 0.01, 0.11)),
        ];
        let mirror = |p: Vec3| Vec3::new(-p.x, p.y, p.z);
        let mut joints = vec![joint("spine", [0.0, 0.55, 0.0], [0.0, 0.7, 0.01])];
        for (label, head, tail) in left {
            joints.push(joint(&format!("{label}.L"), head.into(), tail.into()));
            joints.push(joint(&format!("{label}.R"), mirror(head).into(), mirror(tail).into()));
        }
        joints
    }

    fn t_pose() -> Vec<BodyJoint> {
        body(Vec3::X, Vec3::X, 0.0)
    }

    fn a_pose() -> Vec<BodyJoint> {
        let down = Vec3::new(1.0, -1.0, 0.0).normalize_or_zero();
        body(down, down, 0.0)
    }

    fn arms_down() -> Vec<BodyJoint> {
        body(Vec3::NEG_Y, Vec3::NEG_Y, 0.0)
    }

    /// Where a rotation of 90° about X moves the bone of a joint.
    fn bends_to(joints: &[BodyJoint], label: &str) -> Vec3 {
        let index = joints.iter().position(|joint| joint.label == label).unwrap();
        rest_frames(joints)[index] * Vec3::Z
    }

    fn assert_near(found: Vec3, expected: Vec3) {
        assert!(found.distance(expected) < 1e-4, "{found}, not {expected}");
    }

    #[test]
    fn y_runs_along_every_bone() {
        for joints in [t_pose(), a_pose(), arms_down()] {
            for (joint, frame) in joints.iter().zip(rest_frames(&joints)) {
                assert_near(frame * Vec3::Y, direction(joint));
                assert!((frame.length() - 1.0).abs() < 1e-5 && frame.w >= 0.0);
            }
        }
    }

    #[test]
    fn straight_arms_bend_to_the_front_in_every_pose() {
        for joints in [t_pose(), a_pose(), arms_down()] {
            for label in ["upper_arm.L", "upper_arm.R", "forearm.L", "forearm.R"] {
                assert_near(bends_to(&joints, label), Vec3::Z);
            }
        }
    }

    #[test]
    fn an_arm_that_points_to_the_front_bends_up() {
        let joints = body(Vec3::Z, Vec3::Z, 0.0);
        assert_near(bends_to(&joints, "forearm.L"), Vec3::Y);
        assert_near(bends_to(&joints, "forearm.R"), Vec3::Y);
    }

    #[test]
    fn a_bent_elbow_hinges_about_the_normal_of_its_plane_and_bends_further() {
        // The hand on the hip: the forearm leads back to the body.
        let upper = Vec3::new(0.8, -0.6, 0.0);
        let lower = Vec3::new(-0.7, -0.7, 0.2).normalize_or_zero();
        let joints = body(upper, lower, 0.0);
        let frames = rest_frames(&joints);
        let index = joints.iter().position(|joint| joint.label == "forearm.L").unwrap();
        assert_near(frames[index] * Vec3::X, upper.cross(lower).normalize_or_zero());
        let further = Quat::from_axis_angle(frames[index] * Vec3::X, 0.1) * lower;
        assert!(further.angle_between(upper) > lower.angle_between(upper));
    }

    #[test]
    fn a_slightly_bent_elbow_keeps_the_side_to_which_elbows_bend() {
        let hardly = |z: f32| Vec3::new(1.0, 0.0, z).normalize_or_zero();
        for lower in [hardly(0.3), hardly(-0.3)] {
            assert!(bends_to(&body(Vec3::X, lower, 0.0), "forearm.L").z > 0.9);
        }
    }

    #[test]
    fn knees_bend_back_and_feet_point_down() {
        for knee in [0.0, 0.02, -0.01, 0.1] {
            let joints = body(Vec3::X, Vec3::X, knee);
            for side in ["L", "R"] {
                assert!(bends_to(&joints, &format!("shin.{side}")).z < -0.9, "{knee}");
                assert!(bends_to(&joints, &format!("thigh.{side}")).z < -0.9, "{knee}");
                assert!(bends_to(&joints, &format!("foot.{side}")).y < -0.9);
                assert_near(bends_to(&joints, &format!("toe.{side}")), Vec3::NEG_Y);
            }
        }
        assert!(bends_to(&t_pose(), "spine").z > 0.9, "the spine bends forwards");
    }

    #[test]
    fn frames_of_the_sides_are_mirror_images() {
        let mirror = |p: Vec3| Vec3::new(-p.x, p.y, p.z);
        let bent = body(Vec3::new(0.8, -0.6, 0.0), Vec3::new(0.6, -0.7, 0.3).normalize_or_zero(), 0.03);
        for joints in [t_pose(), a_pose(), arms_down(), bent, with_fingers()] {
            let frames = rest_frames(&joints);
            for (joint, frame) in joints.iter().zip(&frames) {
                let Some(label) = joint.label.strip_suffix(".L") else { continue };
                let right = joints.iter().position(|other| other.label == format!("{label}.R")).unwrap();
                for (axis, sign) in [(Vec3::X, -1.0), (Vec3::Y, 1.0), (Vec3::Z, 1.0)] {
                    assert_near(frames[right] * axis, sign * mirror(*frame * axis));
                }
            }
        }
    }

    /// A T-pose with palms down: index fingers in front, thumbs that point to the front.
    fn with_fingers() -> Vec<BodyJoint> {
        let mut joints = t_pose();
        for (sign, side) in [(1.0, "L"), (-1.0, "R")] {
            for (finger, z) in [("index", 0.02), ("middle", 0.0), ("little", -0.03)] {
                let at = |x: f32| [sign * x, 0.8, z];
                joints.push(joint(&format!("{finger}_1.{side}"), at(0.5), at(0.53)));
                joints.push(joint(&format!("{finger}_2.{side}"), at(0.53), at(0.55)));
            }
            let [root, tip] = [[sign * 0.42, 0.8, 0.03], [sign * 0.46, 0.8, 0.07]];
            joints.push(joint(&format!("thumb_1.{side}"), root, tip));
        }
        joints
    }

    #[test]
    fn fingers_curl_into_the_palm_and_hands_bend_the_same_way() {
        let joints = with_fingers();
        for side in ["L", "R"] {
            for label in ["index_1", "middle_2", "little_1", "hand"] {
                assert_near(bends_to(&joints, &format!("{label}.{side}")), Vec3::NEG_Y);
            }
            // The thumb bends down and back, towards the other fingers.
            let thumb = bends_to(&joints, &format!("thumb_1.{side}"));
            assert!(thumb.y < -0.3 && thumb.z < 0.0, "{thumb}");
        }
        // Without fingers, palms face down in a T-pose and inwards when arms hang.
        assert_near(bends_to(&t_pose(), "hand.R"), Vec3::NEG_Y);
        assert_near(bends_to(&arms_down(), "hand.L"), Vec3::NEG_X);
        assert_near(bends_to(&arms_down(), "hand.R"), Vec3::X);
    }

    #[test]
    fn wings_flap_down_and_tails_and_legs_of_animals_swing_in_the_middle_plane() {
        let joints = [
            joint("wing_root.L", [0.1, 0.5, 0.0], [0.4, 0.5, 0.0]),
            joint("wing_root.R", [-0.1, 0.5, 0.0], [-0.4, 0.5, 0.0]),
            joint("tail_base", [0.0, 0.5, -0.5], [0.0, 0.5, -0.7]),
            joint("hind_knee.L", [0.1, 0.3, -0.4], [0.1, 0.1, -0.4]),
            joint("without a length", [0.1, 0.3, -0.4], [0.1, 0.3, -0.4]),
        ];
        assert_near(bends_to(&joints, "wing_root.L"), Vec3::NEG_Y);
        assert_near(bends_to(&joints, "wing_root.R"), Vec3::NEG_Y);
        assert_near(bends_to(&joints, "tail_base"), Vec3::Y);
        assert_near(bends_to(&joints, "hind_knee.L"), Vec3::NEG_Z);
        assert!(rest_frames(&joints)[4].is_finite());
    }
}
