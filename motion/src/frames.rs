//! From rotations of bones to tracks of joints.

use glam::{DQuat, DVec3};

use crate::bone::{Bone, SIDES};
use crate::humanoid::Humanoid;
use crate::map::meaning;
use crate::skeleton::{Interpolation, Track, Trs, Values, World};
use crate::trig;

/// A pose of a humanoid, in canonical coordinates.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The rotation of every bone relative to the T-pose. Bones without one follow their parents.
    pub turns: Vec<Option<DQuat>>,
    /// The middle of the hips.
    pub hips: DVec3,
    /// Local rotations of further joints.
    pub others: Vec<(usize, DQuat)>,
    /// Local translations of joints whose bones become longer or shorter.
    pub stretched: Vec<(usize, DVec3)>,
}

impl Frame {
    /// The T-pose with the hips somewhere.
    pub fn at(hips: DVec3) -> Self {
        Self { turns: vec![None; Bone::COUNT], hips, others: Vec::new(), stretched: Vec::new() }
    }

    /// The rotation of a bone, or of the nearest bone above it that has one.
    pub fn turn(&self, bone: Bone) -> DQuat {
        let chain = std::iter::successors(Some(bone), |bone| bone.parent());
        chain.filter_map(|bone| self.turns[bone as usize]).next().unwrap_or(DQuat::IDENTITY)
    }

    /// Sets the rotation of a bone.
    pub fn set(&mut self, bone: Bone, turn: DQuat) {
        self.turns[bone as usize] = Some(turn);
    }
}

/// A joint between the ends of a limb that takes a part of a twist.
struct TwistJoint {
    joint: usize,
    /// The bone that it follows.
    bone: Bone,
    /// The bone whose twist it takes a part of, relative to `relative_to`.
    of: Bone,
    relative_to: Bone,
    axis: DVec3,
    share: f64,
}

/// Turns frames of one humanoid into tracks.
pub struct Poser<'a> {
    humanoid: &'a Humanoid<'a>,
    bone_of: Vec<Option<Bone>>,
    twists: Vec<TwistJoint>,
}

impl<'a> Poser<'a> {
    /// For a humanoid.
    pub fn new(humanoid: &'a Humanoid<'a>) -> Self {
        let mut bone_of = vec![None; humanoid.skeleton.joints().len()];
        for (bone, joint) in humanoid.map.bones() {
            bone_of[joint] = Some(bone);
        }
        let twists = twist_joints(humanoid, &bone_of);
        Self { humanoid, bone_of, twists }
    }

    /// The local transforms and the frames of all joints.
    pub fn pose(&self, frame: &Frame) -> (Vec<Trs>, World) {
        let Humanoid { skeleton, map, base, .. } = self.humanoid;
        let mut locals = base.clone();
        let joints = locals.len();
        let mut world = World {
            frames: vec![glam::DAffine3::IDENTITY; joints],
            rotations: vec![DQuat::IDENTITY; joints],
        };
        let hips = map.get(Bone::Hips);
        for &joint in skeleton.parents_first() {
            let parent = skeleton.joints()[joint].parent;
            let above = parent.map_or(DQuat::IDENTITY, |parent| world.rotations[parent]);
            let turned = match self.bone_of[joint] {
                Some(bone) => frame.turns[bone as usize],
                None => self.twist(joint, frame),
            };
            if let Some(turned) = turned {
                locals[joint].rotation =
                    (above.inverse() * self.humanoid.world_of(joint, turned)).normalize();
            } else if let Some((_, rotation)) = frame.others.iter().find(|(other, _)| *other == joint) {
                locals[joint].rotation = *rotation;
            }
            if let Some((_, translation)) = frame.stretched.iter().find(|(other, _)| *other == joint) {
                locals[joint].translation = *translation;
            }
            if Some(joint) == hips {
                let head = self.humanoid.hips_head(frame.hips, frame.turn(Bone::Hips));
                locals[joint].translation =
                    parent.map_or(head, |parent| world.frames[parent].inverse().transform_point3(head));
            }
            world.update(skeleton, joint, &locals[joint]);
        }
        (locals, world)
    }

    fn twist(&self, joint: usize, frame: &Frame) -> Option<DQuat> {
        if frame.others.iter().any(|(other, _)| *other == joint) {
            return None;
        }
        let twist = self.twists.iter().find(|twist| twist.joint == joint)?;
        let relative = frame.turn(twist.relative_to).inverse() * frame.turn(twist.of);
        let twisted = trig::twist(relative, twist.axis);
        let twisted = if twisted.w < 0.0 { -twisted } else { twisted };
        let part = trig::slerp(DQuat::IDENTITY, twisted, twist.share.abs());
        let part = if twist.share < 0.0 { part.inverse() } else { part };
        Some(frame.turn(twist.bone) * part)
    }

    /// One rotation track per joint that moves, and a translation track of the hips. `times` are
    /// strictly increasing.
    pub fn tracks(&self, times: &[f32], frames: &[Frame]) -> Vec<Track> {
        let Humanoid { skeleton, map, base, .. } = self.humanoid;
        let poses: Vec<Vec<Trs>> = frames.iter().map(|frame| self.pose(frame).0).collect();
        let (Some(hips), Some(_)) = (map.get(Bone::Hips), poses.first()) else { return Vec::new() };
        let mut tracks = Vec::new();
        let mut add = |joint: usize, values: Values, is_constant: bool| {
            let times = if is_constant { times[..1].to_vec() } else { times.to_vec() };
            tracks.push(Track { joint, times, interpolation: Interpolation::Linear, values });
        };
        for &joint in skeleton.parents_first() {
            let local = &skeleton.joints()[joint].local;
            let mut rotations: Vec<DQuat> = poses.iter().map(|pose| pose[joint].rotation).collect();
            for next in 1..rotations.len() {
                // Neighbours on one hemisphere, for readers that do not check.
                if rotations[next].dot(rotations[next - 1]) < 0.0 {
                    rotations[next] = -rotations[next];
                }
            }
            let is_constant = rotations.iter().all(|rotation| *rotation == rotations[0]);
            let is_driven = self.bone_of[joint]
                .is_some_and(|bone| frames.iter().any(|f| f.turns[bone as usize].is_some()));
            if is_driven || !is_constant || rotations[0] != local.rotation {
                if is_constant {
                    rotations.truncate(1);
                }
                add(joint, Values::Rotation(rotations), is_constant);
            }
            if joint == hips {
                add(
                    joint,
                    Values::Translation(poses.iter().map(|pose| pose[joint].translation).collect()),
                    false,
                );
            } else if frames.iter().any(|frame| frame.stretched.iter().any(|(other, _)| *other == joint)) {
                add(
                    joint,
                    Values::Translation(poses.iter().map(|pose| pose[joint].translation).collect()),
                    false,
                );
            } else if base[joint].translation != local.translation {
                add(joint, Values::Translation(vec![base[joint].translation]), true);
            }
        }
        tracks
    }
}

/// The joints of limbs that are not standard bones and take a part of a twist: those that lie
/// between forearm and hand (shin and foot), and those that are named so.
fn twist_joints(humanoid: &Humanoid<'_>, bone_of: &[Option<Bone>]) -> Vec<TwistJoint> {
    /// Joints nearer to the start of their bone than this share of its length are copies of it.
    const START: f64 = 0.1;
    let Humanoid { skeleton, map, .. } = humanoid;
    let mut twists = Vec::new();
    for (number, side) in SIDES.iter().enumerate() {
        let arm = Humanoid::arm_direction(number);
        let limbs = [
            (side.upper_arm, side.lower_arm, side.hand, arm),
            (side.upper_leg, side.lower_leg, side.foot, DVec3::NEG_Y),
        ];
        for (upper, lower, end, axis) in limbs {
            let joints = [upper, lower, end].map(|bone| map.get(bone));
            let [Some(upper_joint), Some(lower_joint), Some(end_joint)] = joints else { continue };
            for (start, stop, bone) in [(upper_joint, lower_joint, upper), (lower_joint, end_joint, lower)] {
                let (from, to) = (skeleton.head(start), skeleton.head(stop));
                let along = to - from;
                for joint in skeleton.subtree(start) {
                    if joint == start || bone_of[joint].is_some() {
                        continue;
                    }
                    let owner = skeleton.upwards(joint).find_map(|above| bone_of[above]);
                    let is_between = skeleton.is_below(stop, joint) && bone == lower;
                    if owner != Some(bone)
                        || !(is_between || meaning(&skeleton.joints()[joint].name).is_twist)
                    {
                        continue;
                    }
                    let share = (skeleton.head(joint) - from).dot(along)
                        / along.length_squared().max(f64::MIN_POSITIVE);
                    let share = if share < START { 0.5 } else { share.min(1.0) };
                    let above = map.parent_of(upper).unwrap_or(Bone::Hips);
                    twists.push(if bone == lower {
                        TwistJoint { joint, bone, of: end, relative_to: lower, axis, share }
                    } else {
                        TwistJoint { joint, bone, of: upper, relative_to: above, axis, share: share - 1.0 }
                    });
                }
            }
        }
    }
    twists
}
