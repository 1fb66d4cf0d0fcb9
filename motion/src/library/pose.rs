//! Poses as an animator thinks of them, and the rotations of bones that follow.
//!
//! Lengths are in units of the body: the length of a leg. Angles are in degrees. Positive angles
//! lead a limb to the front, away from the body, or upwards; a pitch of the trunk bows it.

use glam::{DQuat, DVec3};

use super::body::Outline;
use crate::bone::{Bone, FINGER_JOINTS, FINGERS, SIDES};
use crate::frames::Frame;
use crate::humanoid::Humanoid;
use crate::{leg, trig};

/// Angles of a part of the trunk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bend {
    /// To the front.
    pub pitch: f64,
    /// To the left.
    pub yaw: f64,
    /// The left side downwards.
    pub roll: f64,
}

impl Bend {
    /// From three angles.
    pub fn new(pitch: f64, yaw: f64, roll: f64) -> Self {
        Self { pitch, yaw, roll }
    }

    fn turn(&self, share: f64) -> DQuat {
        let about = |axis: DVec3, degrees: f64| trig::about(axis, (share * degrees).to_radians());
        about(DVec3::Y, self.yaw) * about(DVec3::X, self.pitch) * about(DVec3::NEG_Z, self.roll)
    }
}

/// An arm relative to the chest.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArmPose {
    /// Away from the body; never less than what the body needs.
    pub out: f64,
    /// To the front.
    pub forward: f64,
    /// Outward rotation of the upper arm about itself.
    pub roll: f64,
    /// Of the elbow.
    pub bend: f64,
    /// Rotation of the forearm that turns the palm to the back.
    pub pronate: f64,
    /// Of the wrist, towards the palm.
    pub wrist: f64,
    /// Of every joint of the fingers.
    pub curl: f64,
}

/// A foot.
#[derive(Clone, Copy, Debug, Default)]
pub struct FootPose {
    /// To the outside and to the front of where the foot stands at rest.
    pub outside: f64,
    /// See `outside`.
    pub front: f64,
    /// Above the ground.
    pub lift: f64,
    /// Heel up, about the ball; if negative toes up, about the heel.
    pub pitch: f64,
    /// Toes outwards.
    pub yaw: f64,
    /// Bend of the toes back to the ground when the heel is up, from 0 to 1.
    pub toes: f64,
}

/// A pose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pose {
    /// The middle of the hips, from where it is at rest: left, up, front.
    pub hips: DVec3,
    /// The pelvis.
    pub pelvis: Bend,
    /// The trunk relative to the pelvis.
    pub trunk: Bend,
    /// The head relative to the trunk.
    pub head: Bend,
    /// Left and right.
    pub arms: [ArmPose; 2],
    /// Left and right.
    pub feet: [FootPose; 2],
    /// Raises both shoulders.
    pub shrug: f64,
    /// Turns the whole pose about the vertical, and all feet on the ground with it; for each foot
    /// and for the body.
    pub heading: [f64; 3],
}

/// A character for which clips are made.
#[derive(Clone, Debug)]
pub struct Actor<'a> {
    /// The bones.
    pub humanoid: &'a Humanoid<'a>,
    /// The length of a leg, in units of the file.
    pub unit: f64,
    clearance: [f64; 2],
    /// Where the ankles are when the character stands.
    ankles: [DVec3; 2],
    /// The height of the middle of the hips then.
    standing: f64,
}

/// Share of the bend of the head that the neck takes.
const NECK: f64 = 0.4;

/// Angle of a raised arm, in degrees, above which the clavicle rises too, and how much of the rest
/// of the angle it takes.
const CLAVICLE: (f64, f64) = (60.0, 0.2);

/// The largest rotation of a foot relative to its shin, in degrees.
const MAX_ANKLE: f64 = 80.0;

/// The least and the largest distance of a standing ankle from the middle, as shares of that of the
/// hip joint.
const STANCE: [f64; 2] = [0.6, 1.2];

/// Height of the middle of the hips at rest.
fn rest_height(humanoid: &Humanoid<'_>) -> f64 {
    let height = |side: usize| {
        let joint = humanoid.map.get(SIDES[side].upper_leg);
        joint.map_or(0.0, |joint| humanoid.canonical(humanoid.skeleton.head(joint)).y)
    };
    0.5 * (height(0) + height(1))
}

impl<'a> Actor<'a> {
    /// With the vertices of the character, if there are any.
    pub fn new(humanoid: &'a Humanoid<'a>, positions: &[glam::Vec3]) -> Self {
        let outline = Outline::of(humanoid, positions);
        let clearance = [0, 1].map(|side| outline.clearance(humanoid, side).to_degrees());
        let unit = 0.5 * humanoid.legs.iter().map(|leg| leg.lengths[0] + leg.lengths[1]).sum::<f64>();
        let rest = rest_height(humanoid);
        // Legs that are apart at rest stand below the hips, stretched as they are at rest.
        let middle = 0.5 * (humanoid.legs[0].ankle.z + humanoid.legs[1].ankle.z);
        let ankles = [0, 1].map(|side| {
            let leg = &humanoid.legs[side];
            let [narrow, wide] = STANCE.map(|share| share * leg.hip.x.abs());
            let aside = (leg.ankle.x * SIDES[side].sign).clamp(narrow, wide);
            DVec3::new(SIDES[side].sign * aside, leg.ankle_height, middle)
        });
        let height = |side: usize| {
            let leg = &humanoid.legs[side];
            let hip = DVec3::new(leg.hip.x, rest + leg.hip.y, leg.hip.z);
            let stretched = hip.distance_squared(leg.ankle);
            let flat = DVec3::new(hip.x - ankles[side].x, 0.0, hip.z - ankles[side].z).length_squared();
            ankles[side].y + (stretched - flat).max(0.0).sqrt() - leg.hip.y
        };
        let standing = 0.5 * (height(0) + height(1));
        Self { humanoid, unit, clearance, ankles, standing }
    }

    /// How far the hips must go down so that both feet can be reached.
    pub fn missing(&self, pose: &Pose) -> f64 {
        let frame = self.trunk(pose);
        let missing = [0, 1].map(|side| {
            let leg = &self.humanoid.legs[side];
            let (ankle, ..) = self.foot(pose, side);
            let hip = frame.hips + frame.turn(Bone::Hips) * leg.hip;
            let reach = leg::MAX_STRETCH * 0.999 * (leg.lengths[0] + leg.lengths[1]);
            let flat = DVec3::new(hip.x - ankle.x, 0.0, hip.z - ankle.z).length_squared();
            (hip.y - ankle.y) - (reach * reach - flat).max(0.0).sqrt()
        });
        missing[0].max(missing[1]).max(0.0)
    }

    /// The rotations of all bones, with the hips lowered by `drop`.
    pub fn frame(&self, pose: &Pose, drop: f64) -> Frame {
        let mut frame = self.trunk(pose);
        frame.hips.y -= drop;
        for side in 0..2 {
            self.set_arm(&mut frame, pose, side);
            self.set_leg(&mut frame, pose, side);
        }
        frame
    }

    fn trunk(&self, pose: &Pose) -> Frame {
        let map = &self.humanoid.map;
        let rest = self.ankles[0].midpoint(self.ankles[1]);
        let heading = trig::about(DVec3::Y, pose.heading[2].to_radians());
        let standing = DVec3::Y * self.standing;
        let pivot = DVec3::new(rest.x, 0.0, rest.z);
        let offset = heading * (standing + pose.hips * self.unit - pivot) + pivot;
        let mut frame = Frame::at(offset);
        let hips = heading * pose.pelvis.turn(1.0);
        frame.set(Bone::Hips, hips);
        let trunk: Vec<Bone> = Bone::TRUNK.into_iter().filter(|&bone| map.get(bone).is_some()).collect();
        let mut chest = hips;
        for (index, &bone) in trunk.iter().enumerate() {
            chest = hips * pose.trunk.turn((index + 1) as f64 / trunk.len() as f64);
            frame.set(bone, chest);
        }
        frame.set(Bone::Neck, chest * pose.head.turn(NECK));
        frame.set(Bone::Head, chest * pose.head.turn(1.0));
        frame
    }

    fn set_arm(&self, frame: &mut Frame, pose: &Pose, side: usize) {
        let (bones, arm) = (&SIDES[side], &pose.arms[side]);
        let sign = bones.sign;
        let about = |axis: DVec3, degrees: f64| trig::about(axis, degrees.to_radians());
        let chest = frame.turn(Bone::UpperChest);
        // From the T-pose to arms that hang down with palms to the body.
        let hanging = about(DVec3::Z, -90.0 * sign);
        let raised = arm.out.max(arm.forward) - CLAVICLE.0;
        let shrug = pose.shrug + CLAVICLE.1 * raised.max(0.0);
        frame.set(bones.shoulder, chest * about(DVec3::Z, sign * shrug));
        let out = self.out(arm, side);
        let upper = chest
            * about(DVec3::X, -arm.forward)
            * about(DVec3::Z, sign * out)
            * about(DVec3::Y, sign * arm.roll);
        let fore = upper * about(DVec3::X, -arm.bend) * about(DVec3::Y, -sign * arm.pronate);
        let hand = fore * about(DVec3::Z, -sign * arm.wrist);
        frame.set(bones.upper_arm, upper * hanging);
        // The forearm takes half of its own twist: the rest is at the wrist.
        frame.set(
            bones.lower_arm,
            upper * about(DVec3::X, -arm.bend) * about(DVec3::Y, -0.5 * sign * arm.pronate) * hanging,
        );
        frame.set(bones.hand, hand * hanging);
        for finger in 0..FINGERS {
            for joint in 0..FINGER_JOINTS {
                let share = if finger == 0 { 0.3 } else { 1.0 + 0.08 * finger as f64 };
                let curl = share * arm.curl * (joint + 1) as f64;
                frame.set(bones.finger(finger, joint), hand * about(DVec3::Z, -sign * curl) * hanging);
            }
        }
    }

    /// The angle away from the body. Arms beside the body keep the distance that it needs; arms in
    /// front of it need less.
    fn out(&self, arm: &ArmPose, side: usize) -> f64 {
        let beside = trig::sin_cos(arm.forward.clamp(-90.0, 90.0).to_radians()).1;
        arm.out.max(self.clearance[side] * (0.3 + 0.7 * beside))
    }

    /// The ankle, and the rotations of foot and toes.
    fn foot(&self, pose: &Pose, side: usize) -> (DVec3, DQuat, DQuat) {
        let (foot, leg) = (&pose.feet[side], &self.humanoid.legs[side]);
        let sign = SIDES[side].sign;
        let rest = self.ankles[0].midpoint(self.ankles[1]);
        let pivot = DVec3::new(rest.x, 0.0, rest.z);
        let heading = trig::about(DVec3::Y, pose.heading[side].to_radians());
        let yaw = heading * trig::about(DVec3::Y, (sign * foot.yaw).to_radians());
        let offset = DVec3::new(sign * foot.outside, foot.lift, foot.front) * self.unit;
        let standing = heading * (self.ankles[side] + offset - pivot) + pivot;
        let ball = leg.ball.unwrap_or(DVec3::new(0.0, -0.7 * leg.ankle_height, 1.2 * leg.ankle_height));
        let heel = DVec3::new(0.0, -leg.ankle_height, -0.25 * ball.z);
        let tip = if self.humanoid.map.get(SIDES[side].toes).is_some() {
            ball
        } else {
            DVec3::new(ball.x, -leg.ankle_height, 1.3 * ball.z)
        };
        let contact = if foot.pitch > 0.0 { tip } else { heel };
        let turned = yaw * trig::about(DVec3::X, foot.pitch.to_radians());
        let ankle = standing + yaw * contact - turned * contact;
        let toes = yaw * trig::about(DVec3::X, (foot.pitch * (1.0 - foot.toes)).to_radians());
        (ankle, turned, toes)
    }

    fn set_leg(&self, frame: &mut Frame, pose: &Pose, side: usize) {
        let (bones, leg) = (&SIDES[side], &self.humanoid.legs[side]);
        let (ankle, foot, toes) = self.foot(pose, side);
        let pelvis = frame.turn(Bone::Hips);
        let hip = frame.hips + pelvis * leg.hip;
        // The knee points halfway between where the pelvis and where the foot point.
        let ahead = |turn: DQuat| {
            let front = turn * DVec3::Z;
            DVec3::new(front.x, 0.0, front.z).normalize_or_zero()
        };
        let foot_front = ahead(trig::about(
            DVec3::Y,
            (pose.heading[side] + bones.sign * pose.feet[side].yaw).to_radians(),
        ));
        let pole = ahead(pelvis) + foot_front;
        let (knee, reached) = leg::knee(hip, ankle, leg.lengths, pole);
        let hinge = (reached - hip).cross(pole);
        let shin = leg::aligned(DVec3::NEG_Y, DVec3::NEG_X, reached - knee, hinge);
        frame.set(bones.upper_leg, leg::aligned(DVec3::NEG_Y, DVec3::NEG_X, knee - hip, hinge));
        frame.set(bones.lower_leg, shin);
        // Of very short legs, ankles would bend too far.
        let ankle = shin.inverse() * foot;
        let angle = trig::angle_of(ankle).to_degrees();
        let share = (MAX_ANKLE / angle.max(f64::MIN_POSITIVE)).min(1.0);
        let foot = if share < 1.0 { shin * trig::slerp(DQuat::IDENTITY, ankle, share) } else { foot };
        frame.set(bones.foot, foot);
        frame.set(bones.toes, toes);
    }
}
