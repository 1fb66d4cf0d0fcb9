//! Retargeting: the motion of one humanoid on another (docs/theory/motion.md).
//!
//! Input: a clip of a source humanoid, and a target humanoid. Output: tracks of the target. The
//! rotation of each bone relative to its T-pose is carried over in canonical coordinates, so
//! that names, rolls and rest poses of the joints do not matter. The middle of the hips and the
//! balls of the feet follow the source, scaled by the height of the hips, and the legs are bent so
//! that the feet are there: feet that stand in the source stand in the target. Cost: one forward
//! pass per skeleton and key.

mod creature;
mod feet;
mod times;

use glam::{DQuat, DVec3};

use crate::bone::{Bone, SIDES};
use crate::frames::{Frame, Poser};
use crate::humanoid::Humanoid;
use crate::skeleton::{Clip, Trs};
use crate::trig;

pub use creature::retarget_creature;
pub use times::key_times;

/// What happens to the way that a character travels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Root {
    /// It is kept.
    #[default]
    Keep,
    /// The mean travel along the ground is removed.
    InPlace,
}

/// Options of [`retarget`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetargetOptions {
    /// Travel along the ground.
    pub root: Root,
}

/// Share of the frames whose lowest foot may be below the ground of a motion without a mesh. It
/// covers noise of the capture.
const BELOW_GROUND: f64 = 0.02;

/// The motion of `clip` on the target.
pub fn retarget(clip: &Clip, source: &Humanoid<'_>, target: &Humanoid<'_>, options: RetargetOptions) -> Clip {
    let times = key_times(clip);
    let mut motion = Motion::read(clip, source, &times);
    motion.set_ground(source);
    if options.root == Root::InPlace {
        motion.remove_travel();
    }
    let others = others(source, target);
    let frames: Vec<Frame> =
        motion.moments.iter().map(|moment| frame(moment, source, target, &others)).collect();
    let tracks = Poser::new(target).tracks(&times, &frames);
    Clip { name: clip.name.clone(), tracks }
}

/// What the source does at one time, in canonical coordinates.
struct Moment {
    turns: Vec<Option<DQuat>>,
    hips: DVec3,
    /// Ankle and ball of each foot.
    feet: [[DVec3; 2]; 2],
    /// Local transforms, for joints that are not standard bones, and for bones that are stretched.
    locals: Vec<Trs>,
}

struct Motion {
    moments: Vec<Moment>,
}

impl Motion {
    fn read(clip: &Clip, source: &Humanoid<'_>, times: &[f32]) -> Self {
        let joint = |bone: Bone| source.map.get(bone);
        let moment = |&time: &f32| {
            let locals = clip.sample(source.skeleton, time);
            let world = source.skeleton.world(&locals);
            let mut turns = vec![None; Bone::COUNT];
            for (bone, joint) in source.map.bones() {
                turns[bone as usize] = Some(source.turn_of(joint, world.rotations[joint]));
            }
            let turn = |bone: Bone| turns[bone as usize].unwrap_or(DQuat::IDENTITY);
            let head = joint(Bone::Hips).map_or(DVec3::ZERO, |joint| world.head(joint));
            let hips = source.middle_of(head, turn(Bone::Hips));
            // With the proportions of the rest pose, which the target is compared with.
            let feet = [0, 1].map(|number| {
                let (side, leg) = (&SIDES[number], &source.legs[number]);
                let hip = hips + turn(Bone::Hips) * leg.hip;
                let knee = hip + turn(side.upper_leg) * DVec3::NEG_Y * leg.lengths[0];
                let ankle = knee + turn(side.lower_leg) * DVec3::NEG_Y * leg.lengths[1];
                [ankle, ankle + turn(side.foot) * leg.ball.unwrap_or(DVec3::ZERO)]
            });
            Moment { turns, hips, feet, locals }
        };
        Self { moments: times.iter().map(moment).collect() }
    }

    /// Moves a motion without a mesh onto the ground: where its lowest foot stands. The root of
    /// many motion captures is at the origin at rest, so their rest pose does not say where that
    /// is.
    fn set_ground(&mut self, source: &Humanoid<'_>) {
        if source.has_mesh {
            return;
        }
        let heights = self.moments.iter().map(|moment| {
            let of_side = |side: usize| {
                let leg = &source.legs[side];
                let ball = leg.ankle_height + leg.ball.map_or(0.0, |ball| ball.y);
                (moment.feet[side][0].y - leg.ankle_height).min(moment.feet[side][1].y - ball)
            };
            of_side(0).min(of_side(1))
        });
        let mut heights: Vec<f64> = heights.collect();
        heights.sort_by(f64::total_cmp);
        if let Some(&lowest) = heights.get((heights.len() as f64 * BELOW_GROUND) as usize) {
            self.shift(|_, _| DVec3::Y * -lowest);
        }
    }

    /// Removes the mean travel along the ground, and starts where the body stands.
    fn remove_travel(&mut self) {
        let [Some(first), Some(last)] = [self.moments.first(), self.moments.last()] else { return };
        let along = |hips: DVec3| DVec3::new(hips.x, 0.0, hips.z);
        let (start, end) = (along(first.hips), along(last.hips));
        let steps = (self.moments.len() - 1).max(1) as f64;
        self.shift(|index, _| -start.lerp(end, index as f64 / steps));
    }

    fn shift(&mut self, by: impl Fn(usize, &Moment) -> DVec3) {
        for index in 0..self.moments.len() {
            let by = by(index, &self.moments[index]);
            let moment = &mut self.moments[index];
            moment.hips += by;
            moment.feet.as_flattened_mut().iter_mut().for_each(|point| *point += by);
        }
    }
}

/// The pose of the target at a moment.
fn frame(moment: &Moment, source: &Humanoid<'_>, target: &Humanoid<'_>, others: &[(usize, usize)]) -> Frame {
    let scale = target.hip_height / source.hip_height;
    let mut frame = Frame::at(moment.hips * scale);
    for &bone in Bone::ALL {
        if target.map.get(bone).is_some() {
            frame.turns[bone as usize] = moment.turns[bone as usize];
        }
    }
    fold_trunk(moment, source, target, &mut frame);
    if target.map.get(Bone::Neck).is_some()
        && moment.turns[Bone::Neck as usize].is_none()
        && let Some(head) = moment.turns[Bone::Head as usize]
    {
        frame.set(Bone::Neck, trig::slerp(frame.turn(Bone::UpperChest), head, 0.5));
    }
    for side in 0..2 {
        feet::place(side, moment.feet[side], (source, target), scale, &mut frame);
    }
    stretch(moment, source, target, scale, &mut frame);
    for &(from, to) in others {
        // The rotation relative to rest, in canonical coordinates, of the same joint elsewhere.
        let skeleton = source.skeleton;
        let turned = skeleton.rest_local_rotation(from).inverse() * moment.locals[from].rotation;
        let at_rest = source.turn.inverse() * source.reference[from];
        let canonical = at_rest * turned * at_rest.inverse();
        let here = target.turn.inverse() * target.reference[to];
        let local = target.base[to].rotation * (here.inverse() * canonical * here);
        frame.others.push((to, local.normalize()));
    }
    frame
}

/// Carries over translations of joints relative to those that they hang from, which some clips
/// have besides that of the hips.
fn stretch(moment: &Moment, source: &Humanoid<'_>, target: &Humanoid<'_>, scale: f64, frame: &mut Frame) {
    /// Smaller ones are rounding, larger ones are another skeleton.
    const RANGE: std::ops::Range<f64> = 1e-7..0.1;
    for (bone, from) in source.map.bones().filter(|(bone, _)| *bone != Bone::Hips) {
        let Some(to) = target.map.get(bone) else { continue };
        let above = [(source, from), (target, to)].map(|(humanoid, joint)| {
            let parent = humanoid.skeleton.joints()[joint].parent?;
            let size = humanoid.skeleton.joints()[parent].rest.matrix3.x_axis.length();
            Some((humanoid.turn.inverse() * humanoid.reference[parent], size))
        });
        let [Some((there, size_there)), Some((here, size_here))] = above else { continue };
        let moved = (moment.locals[from].translation - source.base[from].translation) * size_there;
        if RANGE.contains(&(moved.length() / source.hip_height)) {
            let moved = here.inverse() * (there * moved) * (scale / size_here);
            frame.stretched.push((to, target.base[to].translation + moved));
        }
    }
}

/// Distributes the bend of the trunk if source and target have different bones in it: each bone
/// gets the rotation at its share of the way from the hips to the top.
fn fold_trunk(moment: &Moment, source: &Humanoid<'_>, target: &Humanoid<'_>, frame: &mut Frame) {
    let bones = |humanoid: &Humanoid<'_>| -> Vec<Bone> {
        Bone::TRUNK.into_iter().filter(|&bone| humanoid.map.get(bone).is_some()).collect()
    };
    let (from, to) = (bones(source), bones(target));
    if from == to {
        return;
    }
    let turn = |bone: Bone| moment.turns[bone as usize].unwrap_or(DQuat::IDENTITY);
    let mut rotations = vec![turn(Bone::Hips)];
    rotations.extend(from.iter().map(|&bone| turn(bone)));
    for (index, &bone) in to.iter().enumerate() {
        let place = (index + 1) as f64 / to.len() as f64 * from.len() as f64;
        let before = (place as usize).min(from.len());
        let after = (before + 1).min(from.len());
        frame.set(bone, trig::slerp(rotations[before], rotations[after], place - before as f64));
    }
}

/// Joints that are no standard bones and have the same name and the same parent's name in both.
fn others(source: &Humanoid<'_>, target: &Humanoid<'_>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (to, joint) in target.skeleton.joints().iter().enumerate() {
        if target.map.bone_of(to).is_some() || joint.parent.is_none() {
            continue;
        }
        let Some(from) = source.skeleton.find(&joint.name) else { continue };
        let name_above = |skeleton: &crate::skeleton::Skeleton, joint: usize| {
            skeleton.joints()[joint].parent.map(|parent| skeleton.joints()[parent].name.clone())
        };
        let is_same = name_above(source.skeleton, from) == name_above(target.skeleton, to);
        let hips = source.map.get(Bone::Hips);
        let is_on_body = hips.is_some_and(|hips| source.skeleton.is_below(from, hips));
        if is_same && is_on_body && source.map.bone_of(from).is_none() {
            found.push((from, to));
        }
    }
    found
}
