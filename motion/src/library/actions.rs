//! Clips in which a person does something once: sit down, squat, jump.

use glam::DVec3;

use super::curves::{keys, smooth};
use super::pose::{ArmPose, Bend, FootPose, Pose};
use super::standing;

/// The pose between standing at ease and another.
fn towards(standing: &Pose, other: &Pose, share: f64) -> Pose {
    let mix = |a: f64, b: f64| a + (b - a) * share;
    let bend = |a: Bend, b: Bend| Bend::new(mix(a.pitch, b.pitch), mix(a.yaw, b.yaw), mix(a.roll, b.roll));
    let arm = |a: ArmPose, b: ArmPose| ArmPose {
        out: mix(a.out, b.out),
        forward: mix(a.forward, b.forward),
        roll: mix(a.roll, b.roll),
        bend: mix(a.bend, b.bend),
        pronate: mix(a.pronate, b.pronate),
        wrist: mix(a.wrist, b.wrist),
        curl: mix(a.curl, b.curl),
    };
    let foot = |a: FootPose, b: FootPose| FootPose {
        outside: mix(a.outside, b.outside),
        front: mix(a.front, b.front),
        lift: mix(a.lift, b.lift),
        pitch: mix(a.pitch, b.pitch),
        yaw: mix(a.yaw, b.yaw),
        toes: mix(a.toes, b.toes),
    };
    Pose {
        hips: standing.hips.lerp(other.hips, share),
        pelvis: bend(standing.pelvis, other.pelvis),
        trunk: bend(standing.trunk, other.trunk),
        head: bend(standing.head, other.head),
        arms: [0, 1].map(|side| arm(standing.arms[side], other.arms[side])),
        feet: [0, 1].map(|side| foot(standing.feet[side], other.feet[side])),
        shrug: mix(standing.shrug, other.shrug),
        heading: standing.heading,
    }
}

/// Sitting down on a chair as high as the knees, resting, and getting up.
pub fn sit_down(t: f64) -> Pose {
    let stand = standing::idle(t);
    // On the way down and up, the trunk bows so that the weight stays above the feet.
    let down = keys(t, &[(0.0, 0.0), (0.06, 0.0), (0.32, 1.0), (0.7, 1.0), (0.94, 0.0), (1.0, 0.0)]);
    let bow =
        keys(t, &[(0.0, 0.0), (0.04, 0.0), (0.19, 1.0), (0.36, 0.0), (0.66, 0.0), (0.82, 1.0), (0.97, 0.0)]);
    let arm =
        ArmPose { out: 8.0, forward: 24.0, roll: -12.0, bend: 38.0, pronate: 52.0, wrist: 0.0, curl: 10.0 };
    let seated = Pose {
        hips: DVec3::new(0.0, -0.52, -0.44),
        pelvis: Bend::new(-6.0, 0.0, 0.0),
        trunk: Bend::new(5.0, 0.0, 0.0),
        head: Bend::new(2.0, 0.0, 0.0),
        arms: [arm; 2],
        feet: [FootPose { yaw: 5.0, ..FootPose::default() }; 2],
        ..Pose::default()
    };
    let mut pose = towards(&stand, &seated, down);
    pose.pelvis.pitch += 30.0 * bow;
    pose.trunk.pitch += 16.0 * bow;
    pose.head.pitch -= 18.0 * bow;
    for arm in &mut pose.arms {
        arm.forward += 16.0 * bow;
        arm.bend -= 14.0 * bow;
    }
    pose
}

/// A squat with arms stretched forward.
pub fn squat(t: f64) -> Pose {
    let stand = standing::idle(t);
    let down = keys(t, &[(0.0, 0.0), (0.06, 0.0), (0.42, 1.0), (0.56, 1.0), (0.92, 0.0), (1.0, 0.0)]);
    let arm =
        ArmPose { out: 6.0, forward: 106.0, roll: -6.0, bend: 8.0, pronate: 70.0, wrist: 0.0, curl: 8.0 };
    let low = Pose {
        hips: DVec3::new(0.0, -0.42, -0.22),
        pelvis: Bend::new(30.0, 0.0, 0.0),
        trunk: Bend::new(10.0, 0.0, 0.0),
        head: Bend::new(-26.0, 0.0, 0.0),
        arms: [arm; 2],
        feet: [FootPose { yaw: 14.0, ..FootPose::default() }; 2],
        ..Pose::default()
    };
    let mut pose = towards(&stand, &low, down);
    // The feet do not turn while they stand.
    for (foot, standing) in pose.feet.iter_mut().zip(stand.feet) {
        foot.yaw = standing.yaw;
    }
    pose
}

/// Times of a jump: the lowest point before it, leaving the ground, the highest point, landing, the
/// lowest point after it, and standing again.
const JUMP: [f64; 6] = [0.28, 0.42, 0.52, 0.62, 0.76, 0.95];

/// When the arms swing up.
const SWING: [f64; 2] = [0.2, 0.47];

/// Height of a jump, in leg lengths.
const JUMP_HEIGHT: f64 = 0.34;

/// A jump with both legs.
pub fn jump(t: f64) -> Pose {
    let [low, off, top, land, absorb, end] = JUMP;
    let stand = standing::idle(t);
    let crouch_arm =
        ArmPose { out: 10.0, forward: -40.0, roll: 0.0, bend: 16.0, pronate: 20.0, wrist: 0.0, curl: 22.0 };
    let raised_arm =
        ArmPose { out: 14.0, forward: 112.0, roll: 0.0, bend: 24.0, pronate: 30.0, wrist: 0.0, curl: 10.0 };
    let landed_arm =
        ArmPose { out: 18.0, forward: 46.0, roll: 0.0, bend: 34.0, pronate: 34.0, wrist: 0.0, curl: 14.0 };
    let feet = stand.feet;
    let crouch = Pose {
        hips: DVec3::new(0.0, -0.34, -0.14),
        pelvis: Bend::new(26.0, 0.0, 0.0),
        trunk: Bend::new(16.0, 0.0, 0.0),
        head: Bend::new(-18.0, 0.0, 0.0),
        arms: [crouch_arm; 2],
        feet,
        ..Pose::default()
    };
    let flying = Pose {
        hips: DVec3::new(0.0, 0.0, 0.0),
        pelvis: Bend::new(-2.0, 0.0, 0.0),
        trunk: Bend::new(-6.0, 0.0, 0.0),
        head: Bend::new(-10.0, 0.0, 0.0),
        arms: [raised_arm; 2],
        feet,
        ..Pose::default()
    };
    let landing = Pose { arms: [landed_arm; 2], hips: DVec3::new(0.0, -0.3, -0.1), ..crouch };
    let mut pose = if t < off {
        let down = smooth((t - 0.05) / (low - 0.05));
        let up = smooth((t - low) / (off - low));
        towards(&towards(&stand, &crouch, down), &flying, up)
    } else if t < land {
        flying
    } else {
        let down = smooth((t - land) / (absorb - land));
        let up = smooth((t - absorb) / (end - absorb));
        towards(&towards(&flying, &landing, down), &stand, up)
    };
    // Arms swing up before the body does, and are lowered on the way down.
    if t < land {
        let back = smooth((t - 0.04) / 0.18);
        let up = smooth((t - SWING[0]) / (SWING[1] - SWING[0]));
        let falling = smooth((t - top) / (land - top));
        let swung = towards(&towards(&stand, &crouch, back), &flying, up);
        pose.arms = towards(&swung, &landing, 0.6 * falling).arms;
    } else {
        let rest = smooth((t - land) / (absorb - land));
        let up = smooth((t - absorb) / (end - absorb));
        let lowered = towards(&towards(&flying, &landing, 0.6), &landing, rest);
        pose.arms = towards(&lowered, &stand, up).arms;
    }
    // Free fall between leaving the ground and landing; the heels rise first and land last.
    let air = ((t - off) / (land - off)).clamp(0.0, 1.0);
    let height = JUMP_HEIGHT * 4.0 * air * (1.0 - air);
    let tiptoe = keys(t, &[(low, 0.0), (off, 1.0), (top, 0.75), (land, 0.5), (0.5 * (land + absorb), 0.0)]);
    pose.hips.y += height + 0.05 * keys(t, &[(low, 0.0), (off, 1.0), (land, 0.6), (absorb, 0.0)]);
    let tuck = keys(t, &[(off, 0.0), (top, 1.0), (land, 0.0)]);
    for foot in &mut pose.feet {
        foot.lift = height + 0.1 * tuck;
        foot.pitch = 48.0 * tiptoe;
        foot.toes = 1.0 - smooth(air * 6.0) + smooth((air - 0.85) * 7.0);
    }
    pose
}
