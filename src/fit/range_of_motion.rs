//! A clip that bends every limb, one after another, to show how a fitted skeleton moves.
//!
//! Input: a skeleton in its rest pose. Output: a clip that begins and ends in that pose. Humanoids
//! raise their arms, lift their legs, turn and bow; the axes follow from standard bones, so neither
//! the orientation nor the rest frames matter. Other skeletons bend each chain of joints a little
//! about the X axes of its frames. Keys are joined by cubic splines with zero tangents, so every
//! movement starts and stops smoothly.

use glam::{DQuat, DVec3};

use super::body_axes::{BodyAxes, joint_of};
use crate::math::Trs;
use crate::model::{Clip, HumanBone, Interpolation, JointKind, Skeleton, Track, TrackValues};

/// The name of the clip.
const NAME: &str = "range of motion";

/// Seconds between the keys of a humanoid.
const STEP: f32 = 0.8;

/// The keys of a humanoid. Between the movements of different limbs it is at rest.
#[derive(Clone, Copy)]
enum Key {
    ArmsOut = 1,
    ArmsForward = 2,
    LeftLeg = 4,
    RightLeg = 6,
    TurnLeft = 8,
    TurnRight = 9,
    Bow = 10,
    End = 11,
}

/// The largest swing of an upper arm, in degrees. If larger, the skin of shoulders collapses.
const MAX_ARM_SWING: f64 = 70.0;

/// The largest roll of an upper arm, in degrees. If larger, the skin of shoulders is wrung.
const MAX_ARM_ROLL: f64 = 45.0;

/// Bends of joints, in degrees.
const ELBOW: f64 = 65.0;
const FINGER: f64 = 35.0;
const THIGH: f64 = 45.0;
const KNEE: f64 = 60.0;

/// How far the trunk turns and bows, bone by bone, in degrees.
const TRUNK: [(HumanBone, f64, f64); 5] = [
    (HumanBone::Spine, 8.0, 8.0),
    (HumanBone::Chest, 8.0, 8.0),
    (HumanBone::UpperChest, 5.0, 5.0),
    (HumanBone::Neck, 10.0, 5.0),
    (HumanBone::Head, 22.0, 12.0),
];

/// Bend of a chain that ends in a leaf and of one between branches, in degrees over its length.
const LEAF_CHAIN: f64 = 30.0;
const INNER_CHAIN: f64 = 8.0;

/// The largest bend of a joint of a chain, in degrees.
const MAX_CHAIN_JOINT: f64 = 15.0;

/// Seconds after the start of a chain and its bend, as a factor.
const CHAIN_KEYS: [(f32, f64); 4] = [(0.0, 0.0), (0.6, 1.0), (1.4, -0.6), (2.0, 0.0)];

/// Seconds from the start of one chain to that of the next, and from the first start to the last.
const CHAIN_DELAY: f32 = 0.5;
const MAX_CHAIN_DELAYS: f32 = 8.0;

/// The clip, or `None` if the skeleton has no joints.
pub fn range_of_motion(skeleton: &Skeleton) -> Option<Clip> {
    let tracks = humanoid(skeleton).unwrap_or_else(|| chains(skeleton));
    (!tracks.is_empty()).then(|| Clip { name: NAME.to_owned(), tracks, ..Clip::default() })
}

/// The bones of a side: upper arm, lower arm, hand, thigh, shin, and the roots of index and little
/// finger.
type Side = [HumanBone; 7];

const SIDES: [(Side, f64, Key); 2] = {
    use HumanBone as B;
    [
        (
            [
                B::LeftUpperArm,
                B::LeftLowerArm,
                B::LeftHand,
                B::LeftUpperLeg,
                B::LeftLowerLeg,
                B::LeftIndexProximal,
                B::LeftLittleProximal,
            ],
            1.0,
            Key::LeftLeg,
        ),
        (
            [
                B::RightUpperArm,
                B::RightLowerArm,
                B::RightHand,
                B::RightUpperLeg,
                B::RightLowerLeg,
                B::RightIndexProximal,
                B::RightLittleProximal,
            ],
            -1.0,
            Key::RightLeg,
        ),
    ]
};

/// Rotations in rest space of the joints of a humanoid at each key.
struct Movements<'a> {
    skeleton: &'a Skeleton,
    tracks: Vec<Track>,
}

impl Movements<'_> {
    /// Adds a joint that is rotated at some keys, and at rest at the others.
    fn add(&mut self, joint: usize, rotations: &[(Key, DQuat)]) {
        let keys: Vec<(f32, DQuat)> = (0..=Key::End as usize)
            .map(|key| {
                let rotation = rotations.iter().find(|(at, _)| *at as usize == key);
                (key as f32 * STEP, rotation.map_or(DQuat::IDENTITY, |(_, rotation)| *rotation))
            })
            .collect();
        self.tracks.push(track(self.skeleton, joint, &keys));
    }

    fn add_bone(&mut self, bone: HumanBone, rotations: &[(Key, DQuat)]) {
        if let Some(joint) = joint_of(self.skeleton, bone) {
            self.add(joint, rotations);
        }
    }
}

/// A rotation by an angle in degrees.
fn turn(axis: DVec3, degrees: f64) -> DQuat {
    axis.try_normalize().map_or(DQuat::IDENTITY, |axis| DQuat::from_axis_angle(axis, degrees.to_radians()))
}

/// The movements of a humanoid; `None` for other skeletons.
fn humanoid(skeleton: &Skeleton) -> Option<Vec<Track>> {
    let axes = BodyAxes::of(skeleton)?;
    let mut movements = Movements { skeleton, tracks: Vec::new() };
    for (side, sign, leg) in SIDES {
        let at = |bone| joint_of(skeleton, bone).map(|joint| skeleton.joints()[joint].rest.translation);
        let [upper, lower, hand, thigh, shin, index, little] = side;
        let out = axes.left * sign;
        if let (Some(shoulder), Some(elbow), Some(wrist)) = (at(upper), at(lower), at(hand)) {
            let (upper_arm, forearm) = (elbow - shoulder, wrist - elbow);
            let hinge = elbow_hinge(upper_arm, forearm, &axes);
            let forward = swing(upper_arm, axes.front + 0.6 * out - 0.2 * axes.up);
            let roll = roll_up(forward * upper_arm, forward * hinge.cross(forearm), axes.up);
            let rotations =
                [(Key::ArmsOut, swing(upper_arm, out + 0.15 * axes.up)), (Key::ArmsForward, roll * forward)];
            movements.add_bone(upper, &rotations);
            movements.add_bone(lower, &[(Key::ArmsForward, turn(hinge, ELBOW))]);
            let across = match (at(index), at(little)) {
                (Some(index), Some(little)) => (little - index) * sign,
                _ => -axes.front * sign,
            };
            for joint in fingers_below(skeleton, hand) {
                movements.add(joint, &[(Key::ArmsForward, turn(across, FINGER))]);
            }
        }
        movements.add_bone(thigh, &[(leg, turn(axes.left, -THIGH))]);
        movements.add_bone(shin, &[(leg, turn(axes.left, KNEE))]);
    }
    for (bone, turns, bows) in TRUNK {
        let rotations = [
            (Key::TurnLeft, turn(axes.up, turns)),
            (Key::TurnRight, turn(axes.up, -turns)),
            (Key::Bow, turn(axes.left, bows)),
        ];
        movements.add_bone(bone, &rotations);
    }
    Some(movements.tracks)
}

/// The shortest rotation of a bone towards a direction, by at most [`MAX_ARM_SWING`].
fn swing(along: DVec3, target: DVec3) -> DQuat {
    let (Some(along), Some(target)) = (along.try_normalize(), target.try_normalize()) else {
        return DQuat::IDENTITY;
    };
    let rotation = DQuat::from_rotation_arc(along, target);
    let share = MAX_ARM_SWING.to_radians() / along.angle_between(target).max(1e-9);
    DQuat::IDENTITY.slerp(rotation, share.min(1.0))
}

/// The rotation about an arm that turns the direction in which its elbow bends towards `up`, by at
/// most [`MAX_ARM_ROLL`]. Without it, hands of raised arms would meet.
fn roll_up(along: DVec3, bends_to: DVec3, up: DVec3) -> DQuat {
    let along = along.normalize_or_zero();
    let [bends_to, up] = [bends_to, up].map(|v| (v - along * v.dot(along)).normalize_or_zero());
    let angle = bends_to.cross(up).dot(along).atan2(bends_to.dot(up)).to_degrees();
    turn(along, angle.clamp(-MAX_ARM_ROLL, MAX_ARM_ROLL))
}

/// The axis about which an elbow bends further, or to the front if the arm is straight.
fn elbow_hinge(upper_arm: DVec3, forearm: DVec3, axes: &BodyAxes) -> DVec3 {
    const BENT: f64 = 0.5;
    let plane = upper_arm.cross(forearm);
    if upper_arm.angle_between(forearm) > BENT {
        return plane;
    }
    let to_the_front = (upper_arm + forearm).cross(axes.front);
    if to_the_front.length() > 0.4 * (upper_arm + forearm).length() {
        to_the_front
    } else {
        (upper_arm + forearm).cross(axes.up)
    }
}

/// The joints of the fingers of a hand, without the thumb.
fn fingers_below(skeleton: &Skeleton, hand: HumanBone) -> Vec<usize> {
    let prefix = if hand == HumanBone::LeftHand { "left" } else { "right" };
    let is_finger = |name: &str| {
        let finger = name.strip_prefix(prefix).unwrap_or_default();
        ["Index", "Middle", "Ring", "Little"].iter().any(|known| finger.starts_with(known))
    };
    let joints = skeleton.joints().iter().enumerate();
    joints
        .filter(|(_, joint)| joint.human.is_some_and(|bone| is_finger(bone.name())))
        .map(|(i, _)| i)
        .collect()
}

/// A track of rotations in rest space, at times.
fn track(skeleton: &Skeleton, joint: usize, keys: &[(f32, DQuat)]) -> Track {
    let rest_local = Trs::from_affine(&skeleton.rest_local(joint)).rotation;
    let rest = Trs::from_affine(&skeleton.joints()[joint].rest).rotation;
    let mut values = Vec::with_capacity(3 * keys.len());
    for (_, rotation) in keys {
        // Near the identity all rotations have positive real parts, so neighbours never differ in
        // sign.
        let turned = rest_local * (rest.inverse() * *rotation * rest);
        let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        values.extend([zero, turned, zero]);
    }
    Track {
        joint,
        times: keys.iter().map(|(time, _)| *time).collect(),
        interpolation: Interpolation::Cubic,
        values: TrackValues::Rotation(values),
    }
}

/// The movements of any skeleton, chain by chain.
fn chains(skeleton: &Skeleton) -> Vec<Track> {
    let joints = skeleton.joints();
    let mut children = vec![Vec::new(); joints.len()];
    for (index, joint) in joints.iter().enumerate().filter(|(_, joint)| joint.kind == JointKind::Skin) {
        if let Some(parent) = joint.parent {
            children[parent].push(index);
        }
    }
    let starts_chain = |joint: usize| match joints[joint].parent {
        // A root with branches carries the body and stays.
        None => children[joint].len() < 2,
        Some(parent) => children[parent].len() > 1,
    };
    let is_skin = |&joint: &usize| joints[joint].kind == JointKind::Skin;
    let starts: Vec<usize> = skeleton
        .parents_first()
        .iter()
        .copied()
        .filter(is_skin)
        .filter(|&joint| starts_chain(joint))
        .collect();
    let delay = CHAIN_DELAY.min(MAX_CHAIN_DELAYS / starts.len().max(1) as f32);
    let mut tracks = Vec::new();
    for (number, start) in starts.into_iter().enumerate() {
        let next = |&joint: &usize| match children[joint].as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        let chain: Vec<usize> = std::iter::successors(Some(start), next).collect();
        let is_leaf = chain.last().is_some_and(|&last| children[last].is_empty());
        let whole = if is_leaf { LEAF_CHAIN } else { INNER_CHAIN };
        let degrees = (whole / chain.len() as f64).min(MAX_CHAIN_JOINT);
        for joint in chain {
            let axis = chain_axis(skeleton, joint, children[joint].first().copied());
            let key =
                |&(time, factor): &(f32, f64)| (time + number as f32 * delay, turn(axis, factor * degrees));
            let keys: Vec<(f32, DQuat)> = CHAIN_KEYS.iter().map(key).collect();
            tracks.push(track(skeleton, joint, &keys));
        }
    }
    tracks
}

/// The axis that a joint of a chain bends about: X of its frame, or Z if X runs along the bone.
fn chain_axis(skeleton: &Skeleton, joint: usize, child: Option<usize>) -> DVec3 {
    /// Cosine between X and the bone from which a rotation about X is a twist.
    const TWIST: f64 = 0.8;
    let joints = skeleton.joints();
    let rest = Trs::from_affine(&joints[joint].rest);
    let tail = joints[joint].tail.map(glam::Vec3::as_dvec3);
    let tail = tail.or_else(|| child.map(|child| joints[child].rest.translation));
    let along = tail.map_or(DVec3::ZERO, |tail| (tail - rest.translation).normalize_or_zero());
    let [x, z] = [DVec3::X, DVec3::Z].map(|axis| rest.rotation * axis);
    if along.dot(x).abs() < TWIST { x } else { z }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::fit::tests::standard_bone;
    use crate::model::Joint;
    use crate::samples::{self, SampleCharacter};

    fn sample(character: SampleCharacter) -> Skeleton {
        let made = samples::make(character, 1_500).unwrap();
        let mut joints = made.skeleton.joints().to_vec();
        joints.iter_mut().for_each(|joint| joint.human = standard_bone(&joint.name));
        Skeleton::new(joints).unwrap()
    }

    fn heads(skeleton: &Skeleton, clip: &Clip, time: f32) -> Vec<Vec3> {
        let world = clip.sample(skeleton, time).world(skeleton);
        world.iter().map(|frame| frame.translation.as_vec3()).collect()
    }

    /// The clip begins and ends at rest, and is smooth: no joint moves faster than a limb can.
    fn assert_gentle(skeleton: &Skeleton, clip: &Clip) {
        clip.assert_well_formed(skeleton);
        let rest: Vec<Vec3> = skeleton.joints().iter().map(Joint::head).collect();
        let size = rest.iter().map(|p| p.distance(rest[0])).fold(0.0, f32::max);
        let far = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(far(&rest, &heads(skeleton, clip, 0.0)) < 1e-5 * size);
        assert!(far(&rest, &heads(skeleton, clip, clip.duration())) < 1e-5 * size);
        let frames = (clip.duration() * 30.0) as usize;
        let mut before = rest;
        let mut velocity: Vec<Vec3> = vec![Vec3::ZERO; before.len()];
        for frame in 1..=frames {
            let now = heads(skeleton, clip, frame as f32 / 30.0);
            assert!(far(&before, &now) < 0.1 * size, "frame {frame} jumps");
            let step: Vec<Vec3> = now.iter().zip(&before).map(|(a, b)| *a - *b).collect();
            assert!(far(&step, &velocity) < 0.02 * size, "frame {frame} jerks: {}", far(&step, &velocity));
            (before, velocity) = (now, step);
        }
    }

    #[test]
    fn a_humanoid_moves_every_limb_and_keeps_its_hands_away_from_its_body() {
        let skeleton = sample(SampleCharacter::Mannequin);
        let clip = range_of_motion(&skeleton).unwrap();
        assert_gentle(&skeleton, &clip);
        let joint = |name: &str| skeleton.find(name).unwrap();
        let at = |key: Key| heads(&skeleton, &clip, key as usize as f32 * STEP);
        let rest: Vec<Vec3> = skeleton.joints().iter().map(Joint::head).collect();
        assert!(at(Key::ArmsOut)[joint("hand.L")].y > rest[joint("hand.L")].y + 0.2);
        assert!(at(Key::ArmsForward)[joint("hand.R")].z > rest[joint("hand.R")].z + 0.2);
        let knee = at(Key::LeftLeg)[joint("shin.L")] - rest[joint("shin.L")];
        assert!(knee.z > 0.2 && knee.y > 0.05, "{knee}");
        let ankle = at(Key::LeftLeg)[joint("foot.L")];
        assert!(ankle.z < at(Key::LeftLeg)[joint("shin.L")].z, "the knee bends back");
        let mirrored = at(Key::RightLeg)[joint("foot.R")] * Vec3::new(-1.0, 1.0, 1.0);
        assert!(ankle.distance(mirrored) < 1e-4, "{ankle} {mirrored}");
        // The trunk is an elliptic cylinder of these radii.
        for frame in 0..(clip.duration() * 30.0) as usize {
            let heads = heads(&skeleton, &clip, frame as f32 / 30.0);
            for name in ["hand.L", "hand.R", "forearm.L", "forearm.R"] {
                let p = heads[joint(name)];
                let inside = (p.x / 0.16).powi(2) + (p.z / 0.11).powi(2) < 1.0 && p.y < 1.45;
                assert!(!inside, "{name} at {p} in frame {frame}");
            }
        }
    }

    #[test]
    fn hands_of_a_t_pose_do_not_meet() {
        let skeleton = sample(SampleCharacter::Mannequin);
        let world = crate::fit::t_pose(&skeleton).unwrap().world(&skeleton);
        let mut joints = skeleton.joints().to_vec();
        for (joint, world) in joints.iter_mut().zip(&world) {
            (joint.rest, joint.tail) = (*world, None);
        }
        let locals: Vec<Trs> = (0..joints.len())
            .map(|j| joints[j].parent.map_or(world[j], |parent| world[parent].inverse() * world[j]))
            .map(|local| Trs::from_affine(&local))
            .collect();
        joints.iter_mut().zip(locals).for_each(|(joint, local)| joint.local = local);
        let skeleton = Skeleton::new(joints).unwrap();
        let clip = range_of_motion(&skeleton).unwrap();
        assert_gentle(&skeleton, &clip);
        let [left, right] = ["hand.L", "hand.R"].map(|name| skeleton.find(name).unwrap());
        for frame in 0..(clip.duration() * 30.0) as usize {
            let heads = heads(&skeleton, &clip, frame as f32 / 30.0);
            assert!(heads[left].x - heads[right].x > 0.15, "frame {frame}: {}", heads[left]);
        }
    }

    #[test]
    fn any_other_skeleton_moves_chain_by_chain() {
        for character in [SampleCharacter::Elephant, SampleCharacter::Arm, SampleCharacter::Cylinder] {
            let made = samples::make(character, 1_500).unwrap();
            let clip = range_of_motion(&made.skeleton).unwrap();
            assert_gentle(&made.skeleton, &clip);
            let moving = made.skeleton.joints().len() - usize::from(made.skeleton.joints().len() > 10);
            assert!(clip.tracks.len() >= moving / 2, "{character:?}: {}", clip.tracks.len());
        }
    }

    #[test]
    fn a_single_joint_moves_too() {
        let skeleton = Skeleton::new(vec![Joint::at("root", None, Vec3::ZERO)]).unwrap();
        assert_eq!(range_of_motion(&skeleton).unwrap().tracks.len(), 1);
    }
}
