//! Clips in which a person stands: idle, breathe, look around, wave, reach, dance.

use glam::DVec3;

use super::curves::{bump, keys, wave};
use super::pose::{ArmPose, Bend, FootPose, Pose};

/// An arm that hangs loosely.
fn relaxed() -> ArmPose {
    ArmPose { out: 6.0, forward: 3.0, bend: 16.0, pronate: 14.0, wrist: 4.0, curl: 15.0, roll: -4.0 }
}

/// Standing with little movements; the base of other clips. Two breaths per cycle.
fn stand(t: f64, breath: f64) -> Pose {
    let sway = wave(t);
    let air = wave(2.0 * t);
    let arm = |side: f64| {
        let hanging = relaxed();
        ArmPose {
            out: hanging.out + breath * (0.8 + 0.8 * air),
            forward: hanging.forward - side * 0.8 * sway,
            bend: hanging.bend + breath * 1.0 * air,
            ..hanging
        }
    };
    Pose {
        hips: DVec3::new(0.016 * sway, -0.012 - 0.003 * breath * air, 0.004 * wave(t + 0.2)),
        pelvis: Bend::new(1.0, 1.0 * wave(t + 0.1), -1.1 * sway),
        trunk: Bend::new(0.6 - breath * 1.3 * air, -wave(t + 0.1), 1.5 * sway),
        head: Bend::new(1.0 + breath * 0.7 * air, 2.0 * wave(t + 0.35), -0.5 * sway),
        arms: [arm(1.0), arm(-1.0)],
        feet: [FootPose { yaw: 5.0, ..FootPose::default() }; 2],
        shrug: breath * (1.0 + air),
        ..Pose::default()
    }
}

/// Standing at ease.
pub fn idle(t: f64) -> Pose {
    stand(t, 1.0)
}

/// Two deep breaths.
pub fn breathe(t: f64) -> Pose {
    let mut pose = stand(t, 2.6);
    let air = wave(2.0 * t);
    pose.hips.x = 0.0;
    for arm in &mut pose.arms {
        arm.roll += 4.0 * air;
        arm.curl -= 3.0 * air;
    }
    pose
}

/// Looking left, right and up.
pub fn look_around(t: f64) -> Pose {
    let mut pose = stand(t, 1.0);
    let yaw =
        keys(t, &[(0.0, 0.0), (0.12, 1.0), (0.3, 1.0), (0.46, -1.0), (0.64, -1.0), (0.76, 0.0), (1.0, 0.0)]);
    let up = keys(t, &[(0.0, 0.0), (0.7, 0.0), (0.8, 1.0), (0.9, 1.0), (1.0, 0.0)]);
    pose.head = Bend::new(pose.head.pitch + 6.0 * yaw.abs() - 22.0 * up, 52.0 * yaw, 0.0);
    pose.trunk.yaw += 14.0 * yaw;
    pose.trunk.pitch -= 5.0 * up;
    pose.pelvis.yaw += 4.0 * yaw;
    pose.hips.x += 0.02 * yaw;
    pose
}

/// Waving with the right hand.
pub fn wave_hand(t: f64) -> Pose {
    let mut pose = stand(t, 1.0);
    let raised = keys(t, &[(0.0, 0.0), (0.04, 0.0), (0.2, 1.0), (0.8, 1.0), (0.97, 0.0), (1.0, 0.0)]);
    let to_and_fro = wave(4.0 * (t - 0.2) / 0.6) * bump(t, 0.16, 0.86).sqrt();
    let rest = pose.arms[1];
    let to = |from: f64, to: f64| from + (to - from) * raised;
    pose.arms[1] = ArmPose {
        out: to(rest.out, 72.0),
        forward: to(rest.forward, 18.0),
        roll: to(rest.roll, 82.0),
        bend: to(rest.bend, 92.0) + 24.0 * to_and_fro,
        pronate: to(rest.pronate, 30.0),
        wrist: to(rest.wrist, 0.0),
        curl: to(rest.curl, 3.0),
    };
    pose.trunk.roll += 4.0 * raised;
    pose.hips.x += 0.018 * raised;
    pose.head = Bend::new(pose.head.pitch, pose.head.yaw - 6.0 * raised, pose.head.roll - 5.0 * raised);
    pose
}

/// Reaching for something high in front, on tiptoe.
pub fn reach(t: f64) -> Pose {
    let mut pose = stand(t, 1.0);
    let up = keys(t, &[(0.0, 0.0), (0.08, 0.0), (0.4, 1.0), (0.62, 1.0), (0.92, 0.0), (1.0, 0.0)]);
    let grasp = keys(t, &[(0.0, 0.0), (0.4, 0.0), (0.56, 1.0), (0.7, 1.0), (0.9, 0.0)]);
    let rest = pose.arms[1];
    let to = |from: f64, to: f64| from + (to - from) * up;
    pose.arms[1] = ArmPose {
        out: to(rest.out, 16.0),
        forward: to(rest.forward, 148.0),
        roll: to(rest.roll, 10.0),
        bend: to(rest.bend, 14.0) + 38.0 * bump(t, 0.08, 0.4) + 30.0 * bump(t, 0.62, 0.94),
        pronate: to(rest.pronate, 62.0),
        wrist: to(rest.wrist, -6.0),
        curl: to(rest.curl, 4.0) + 46.0 * grasp * up,
    };
    pose.arms[0].forward -= 12.0 * up;
    pose.arms[0].out += 8.0 * up;
    pose.trunk = Bend::new(pose.trunk.pitch + 2.0 * up, 13.0 * up, 7.0 * up);
    pose.head = Bend::new(pose.head.pitch - 26.0 * up, -12.0 * up, -3.0 * up);
    pose.hips += DVec3::new(-0.02, 0.06, 0.03) * up;
    for (foot, pitch) in pose.feet.iter_mut().zip([26.0, 18.0]) {
        foot.pitch = pitch * up;
        foot.toes = 1.0;
    }
    pose
}

/// A step from side to side with swinging arms, twice per cycle.
pub fn dance(t: f64) -> Pose {
    let beat = 2.0 * t;
    let side = wave(beat);
    let bounce = wave(2.0 * beat + 0.25);
    let arm = |sign: f64| {
        let lead = wave(beat + 0.06) * sign;
        // In the second half of the cycle the arms go up.
        let high = keys(t, &[(0.0, 0.0), (0.44, 0.0), (0.56, 1.0), (0.9, 1.0), (1.0, 0.0)]);
        ArmPose {
            out: 24.0 + 9.0 * lead + high * (54.0 + 10.0 * lead),
            forward: 24.0 + 12.0 * lead - 6.0 * high,
            roll: -6.0 + 12.0 * lead + 62.0 * high,
            bend: 78.0 + 16.0 * bounce + 8.0 * high,
            pronate: 18.0,
            wrist: 8.0 * bounce,
            curl: 28.0 - 14.0 * high,
        }
    };
    // A foot is light when the weight is on the other, and taps out to its side.
    let foot = |sign: f64| {
        let light = (-sign * wave(beat)).max(0.0);
        FootPose {
            outside: 0.09,
            lift: 0.0,
            pitch: 34.0 * light * light,
            yaw: 10.0,
            toes: 1.0,
            ..FootPose::default()
        }
    };
    Pose {
        hips: DVec3::new(0.085 * side, -0.07 - 0.035 * bounce, 0.012 * wave(beat + 0.5)),
        pelvis: Bend::new(4.0, 9.0 * wave(beat + 0.1), -8.0 * side),
        trunk: Bend::new(3.0 + 3.0 * bounce, -14.0 * wave(beat + 0.1), 12.0 * side),
        head: Bend::new(2.0 + 4.0 * bounce, 8.0 * wave(beat + 0.1), -6.0 * side),
        arms: [arm(1.0), arm(-1.0)],
        feet: [foot(1.0), foot(-1.0)],
        shrug: 2.0 + 2.0 * bounce,
        ..Pose::default()
    }
}
