//! Legs that bring the feet to where they belong.

use glam::DVec3;

use crate::bone::SIDES;
use crate::frames::Frame;
use crate::humanoid::Humanoid;
use crate::{leg, trig};

/// Distance, as a share of the hip height, below which a foot is where it belongs. It covers
/// rounding, so that a motion on its own skeleton does not change.
const IN_PLACE: f64 = 1e-8;

/// Weight of the direction to the front of the thigh when the knee is nearly straight, as a share
/// of the length of the leg.
const STRAIGHT: f64 = 0.05;

/// Bends the leg so that the ball of the foot is where it is in the source, scaled. Where a foot
/// has no ball, its ankle is used.
pub(super) fn place(
    side: usize,
    [ankle, ball]: [DVec3; 2],
    (source, target): (&Humanoid<'_>, &Humanoid<'_>),
    scale: f64,
    frame: &mut Frame,
) {
    let (from, to) = (&source.legs[side], &target.legs[side]);
    let bones = &SIDES[side];
    let foot = frame.turn(bones.foot);
    // Heights count from where the point is when the foot stands.
    let at = |point: DVec3, [before, after]: [f64; 2]| {
        DVec3::new(point.x * scale, after + (point.y - before) * scale, point.z * scale)
    };
    let wanted = match (from.ball, to.ball) {
        (Some(before), Some(after)) => {
            let standing = [from.ankle_height + before.y, to.ankle_height + after.y];
            at(ball, standing) - foot * after
        }
        _ => at(ankle, [from.ankle_height, to.ankle_height]),
    };
    bend(side, wanted, target, frame);
}

/// Bends thigh and shin so that the ankle is at a point.
pub(crate) fn bend(side: usize, wanted: DVec3, target: &Humanoid<'_>, frame: &mut Frame) {
    let bones = &SIDES[side];
    let leg = &target.legs[side];
    let hip = frame.hips + frame.turn(crate::bone::Bone::Hips) * leg.hip;
    let [thigh, shin] = [bones.upper_leg, bones.lower_leg].map(|bone| frame.turn(bone));
    let knee = hip + thigh * DVec3::NEG_Y * leg.lengths[0];
    let ankle = knee + shin * DVec3::NEG_Y * leg.lengths[1];
    if ankle.distance(wanted) <= IN_PLACE * target.hip_height {
        return;
    }
    let bent = knee - hip.midpoint(ankle);
    let pole = bent + thigh * DVec3::Z * (STRAIGHT * (leg.lengths[0] + leg.lengths[1]));
    let (new_knee, new_ankle) = leg::knee(hip, wanted, leg.lengths, pole);
    frame.set(bones.upper_leg, trig::arc(knee - hip, new_knee - hip) * thigh);
    frame.set(bones.lower_leg, trig::arc(ankle - knee, new_ankle - new_knee) * shin);
}
