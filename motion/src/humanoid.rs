//! A humanoid in its reference pose, the T-pose, in which motions of one body fit another.
//!
//! Canonical coordinates: X to the left of the body, Y up, Z to the front, the origin on the ground
//! below the middle of the hips. The motion of a bone is its rotation in these coordinates relative
//! to the T-pose. Neither the axes of joints, nor their rolls, nor the rest pose matter then. Limbs
//! are turned into the T-pose by the shortest rotation (a swing without twist), chain by chain;
//! trunk, head and fingers stay as they are at rest, and feet keep their rotation in space.

use glam::{DQuat, DVec3};

use crate::axes::Axes;
use crate::bone::{Bone, SIDES, Side};
use crate::map::HumanoidMap;
use crate::skeleton::{Skeleton, Trs};
use crate::trig;

/// A leg at rest, in canonical coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    /// Head of the thigh relative to the middle of the hips.
    pub hip: DVec3,
    /// Lengths of thigh and shin.
    pub lengths: [f64; 2],
    /// Height of the ankle above the ground.
    pub ankle_height: f64,
    /// From the ankle to the ball of the foot, or to the end of the foot.
    pub ball: Option<DVec3>,
    /// The ankle at rest.
    pub ankle: DVec3,
}

/// An arm at rest.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// Lengths of upper arm, forearm, and from the wrist to the middle of the hand.
    pub lengths: [f64; 3],
}

/// A skeleton with its map, its axes and its reference pose.
#[derive(Clone, Debug)]
pub struct Humanoid<'a> {
    /// The joints.
    pub skeleton: &'a Skeleton,
    /// The standard bones.
    pub map: HumanoidMap,
    /// rest_from_canonical.
    pub turn: DQuat,
    /// The origin of canonical coordinates, in rest space.
    pub origin: DVec3,
    /// World rotations of all joints in the T-pose.
    pub reference: Vec<DQuat>,
    /// Local transforms from which poses start.
    pub base: Vec<Trs>,
    /// Left and right leg.
    pub legs: [Leg; 2],
    /// Left and right arm.
    pub arms: [Arm; 2],
    /// Height of the middle of the hips above the ground with straight legs.
    pub hip_height: f64,
    /// Height of the top of the head at rest.
    pub height: f64,
    /// Whether the ground is that of a mesh. Without one it is a guess.
    pub has_mesh: bool,
    /// The hips joint relative to the middle of the hips, at rest, in rest space.
    hips_offset: DVec3,
}

/// Difference, as a share of the skeleton's size, above which a node is not where its joint was
/// bound. Smaller differences are rounding.
const MAX_NODE_DIFFERENCE: f64 = 1e-3;

impl<'a> Humanoid<'a> {
    /// `None` if the skeleton is not a humanoid. `ground` is the height of the ground along up in
    /// rest space, for example that of the lowest vertex; otherwise the lowest joint stands on it.
    pub fn new(skeleton: &'a Skeleton, map: HumanoidMap, positions: &[glam::Vec3]) -> Option<Self> {
        let axes = Axes::of(skeleton, &map)?;
        let turn = axes.rotation();
        let joint = |bone: Bone| map.get(bone);
        let [l, r] = SIDES;
        let mid_hips = skeleton.head(joint(l.upper_leg)?).midpoint(skeleton.head(joint(r.upper_leg)?));
        let lowest = |heights: &mut dyn Iterator<Item = f64>| heights.fold(f64::INFINITY, f64::min);
        let by_mesh = lowest(&mut positions.iter().map(|p| p.as_dvec3().dot(axes.up)));
        let by_joints = lowest(
            &mut SIDES.iter().flat_map(|side| leg_points(skeleton, &map, side)).map(|p| p.dot(axes.up)),
        );
        let hips_above = mid_hips.dot(axes.up) - by_joints;
        // A mesh that reaches far below the feet stands on something, or has a floor.
        let has_floor = by_mesh < by_joints - 0.5 * hips_above;
        let ground = if by_mesh.is_finite() && !has_floor { by_mesh.min(by_joints) } else { by_joints };
        let origin = mid_hips - axes.up * (mid_hips.dot(axes.up) - ground);
        let canonical = |p: DVec3| turn.inverse() * (p - origin);
        let mut legs = Vec::new();
        let mut arms = Vec::new();
        for side in &SIDES {
            let at = |bone: Bone| joint(bone).map(|joint| skeleton.head(joint));
            let (hip, knee, ankle) = (at(side.upper_leg)?, at(side.lower_leg)?, at(side.foot)?);
            let foot = joint(side.foot)?;
            let ball =
                at(side.toes).or_else(|| end_of(skeleton, foot)).map(|ball| turn.inverse() * (ball - ankle));
            // Where the front of the foot cannot be told, it stands on the ankle.
            let ball = ball.filter(|ball| ball.z > 0.2 * ball.length() && ball.length() < hip.distance(knee));
            legs.push(Leg {
                hip: turn.inverse() * (hip - mid_hips),
                lengths: [hip.distance(knee), knee.distance(ankle)],
                ankle_height: canonical(ankle).y,
                ball,
                ankle: canonical(ankle),
            });
            let (shoulder, elbow, wrist) = (at(side.upper_arm)?, at(side.lower_arm)?, at(side.hand)?);
            let forearm = elbow.distance(wrist);
            let knuckles = at(side.finger(2, 0)).or_else(|| end_of(skeleton, joint(side.hand)?));
            let hand = knuckles.map_or(0.35 * forearm, |knuckles| knuckles.distance(wrist).min(forearm));
            arms.push(Arm { lengths: [shoulder.distance(elbow), forearm, hand] });
        }
        let (legs, arms): ([Leg; 2], [Arm; 2]) = (legs.try_into().ok()?, arms.try_into().ok()?);
        let straight = |leg: &Leg| leg.lengths[0] + leg.lengths[1] + leg.ankle_height - leg.hip.y;
        let hip_height = 0.5 * (straight(&legs[0]) + straight(&legs[1]));
        let top =
            (0..skeleton.joints().len()).map(|joint| canonical(skeleton.head(joint)).y).fold(0.0, f64::max);
        let top = positions.iter().map(|p| canonical(p.as_dvec3()).y).fold(top, f64::max);
        if !(hip_height > 0.0 && hip_height.is_finite()) {
            return None;
        }
        let hips_offset = skeleton.head(joint(Bone::Hips)?) - mid_hips;
        let reference = reference(skeleton, &map, &axes);
        let base = base(skeleton, &map);
        Some(Self {
            skeleton,
            map,
            turn,
            origin,
            reference,
            base,
            legs,
            arms,
            hip_height,
            height: top,
            has_mesh: !positions.is_empty(),
            hips_offset,
        })
    }

    /// A point of rest space in canonical coordinates.
    pub fn canonical(&self, point: DVec3) -> DVec3 {
        self.turn.inverse() * (point - self.origin)
    }

    /// A canonical point in rest space.
    pub fn rest(&self, point: DVec3) -> DVec3 {
        self.turn * point + self.origin
    }

    /// The rotation of a joint relative to the T-pose, in canonical coordinates.
    pub fn turn_of(&self, joint: usize, world: DQuat) -> DQuat {
        (self.turn.inverse() * (world * self.reference[joint].inverse()) * self.turn).normalize()
    }

    /// The world rotation of a joint that is turned relative to the T-pose.
    pub fn world_of(&self, joint: usize, turned: DQuat) -> DQuat {
        (self.turn * turned * self.turn.inverse() * self.reference[joint]).normalize()
    }

    /// The head of the hips joint in rest space, for a canonical position of the middle of the
    /// hips.
    pub fn hips_head(&self, middle: DVec3, turned: DQuat) -> DVec3 {
        self.rest(middle) + self.turn * (turned * (self.turn.inverse() * self.hips_offset))
    }

    /// The middle of the hips, in canonical coordinates, from the head and the rotation of their
    /// joint. The inverse of [`Self::hips_head`].
    pub fn middle_of(&self, head: DVec3, turned: DQuat) -> DVec3 {
        self.canonical(head) - turned * (self.turn.inverse() * self.hips_offset)
    }

    /// The direction of the arm of a side in the T-pose.
    pub fn arm_direction(side: usize) -> DVec3 {
        DVec3::X * SIDES[side].sign
    }
}

/// The points of a leg that may stand on the ground.
fn leg_points(skeleton: &Skeleton, map: &HumanoidMap, side: &Side) -> Vec<DVec3> {
    let Some(foot) = map.get(side.foot) else { return Vec::new() };
    let below = skeleton.subtree(foot);
    let tails = below.iter().filter_map(|&joint| skeleton.joints()[joint].tail.map(|tail| tail.as_dvec3()));
    below.iter().map(|&joint| skeleton.head(joint)).chain(tails).collect()
}

/// The end of a joint without a bone after it: its child or its tail.
fn end_of(skeleton: &Skeleton, joint: usize) -> Option<DVec3> {
    let head = skeleton.head(joint);
    let children = skeleton.children(joint).iter().map(|&child| skeleton.head(child));
    let far = children.max_by(|a, b| a.distance(head).total_cmp(&b.distance(head)));
    let tail = skeleton.joints()[joint].tail.map(|tail| tail.as_dvec3());
    far.filter(|far| far.distance(head) > 0.0).or(tail)
}

/// The world rotations of all joints in the T-pose.
fn reference(skeleton: &Skeleton, map: &HumanoidMap, axes: &Axes) -> Vec<DQuat> {
    let joints = skeleton.joints().len();
    let mut rotations = skeleton.rest_rotations().to_vec();
    let mut heads: Vec<DVec3> = (0..joints).map(|joint| skeleton.head(joint)).collect();
    let mut align = |bone: Bone, end: Option<usize>, target: DVec3| {
        let (Some(joint), Some(end)) = (map.get(bone), end) else { return };
        let head = heads[joint];
        let along = heads[end] - head;
        if along.length() <= 1e-9 {
            return;
        }
        let swing = trig::arc(along, target);
        for below in skeleton.subtree(joint) {
            heads[below] = head + swing * (heads[below] - head);
            rotations[below] = (swing * rotations[below]).normalize();
        }
    };
    for side in &SIDES {
        let out = axes.left * side.sign;
        let knuckle = [2, 1, 3].into_iter().find_map(|finger| map.get(side.finger(finger, 0)));
        align(side.upper_arm, map.get(side.lower_arm), out);
        align(side.lower_arm, map.get(side.hand), out);
        align(side.hand, knuckle, out);
        align(side.upper_leg, map.get(side.lower_leg), -axes.up);
        align(side.lower_leg, map.get(side.foot), -axes.up);
    }
    for side in &SIDES {
        let Some(foot) = map.get(side.foot) else { continue };
        let back = skeleton.rest_rotations()[foot] * rotations[foot].inverse();
        for below in skeleton.subtree(foot) {
            rotations[below] = (back * rotations[below]).normalize();
        }
    }
    rotations
}

/// The transforms of the nodes; below the hips those of the rest pose, where the nodes differ.
fn base(skeleton: &Skeleton, map: &HumanoidMap) -> Vec<Trs> {
    let size = crate::map::structure::extent(skeleton);
    let mut base = skeleton.locals();
    let Some(hips) = map.get(Bone::Hips) else { return base };
    for joint in skeleton.subtree(hips) {
        if skeleton.joints()[joint].is_secondary {
            continue;
        }
        let rotation = skeleton.rest_local_rotation(joint);
        let rest = skeleton.rest_local(joint);
        if trig::angle_of(rotation.inverse() * base[joint].rotation) > MAX_NODE_DIFFERENCE {
            base[joint].rotation = rotation;
        }
        let parent = skeleton.joints()[joint].parent;
        let scale = parent.map_or(1.0, |parent| skeleton.joints()[parent].rest.matrix3.x_axis.length());
        if rest.translation.distance(base[joint].translation) * scale > MAX_NODE_DIFFERENCE * size {
            base[joint].translation = rest.translation;
        }
    }
    base
}
