//! Clips in which a person steps: walk, run, turn.

use glam::DVec3;

use super::curves::{bump, hermite, keys, smooth, wave};
use super::pose::{ArmPose, Bend, FootPose, Pose};

/// How a person moves forward.
struct Gait {
    /// Length of a cycle of two steps, in leg lengths. The ground passes so far per cycle.
    stride: f64,
    /// Share of the cycle for which a foot stands.
    duty: f64,
    /// Pitch of the foot when it lands and when it leaves the ground, in degrees.
    strike: f64,
    push: f64,
    /// Height of the foot as it passes the other.
    lift: f64,
}

const WALK: Gait = Gait { stride: 1.32, duty: 0.62, strike: -22.0, push: 42.0, lift: 0.06 };
const RUN: Gait = Gait { stride: 2.3, duty: 0.36, strike: -8.0, push: 42.0, lift: 0.3 };

/// Shares of the stance until the foot is flat and from which the heel rises.
const FLAT: (f64, f64) = (0.16, 0.5);

impl Gait {
    /// A foot at a phase of its cycle, which begins when it lands. While it stands, it moves back
    /// with the ground.
    fn foot(&self, phase: f64) -> FootPose {
        let phase = phase.rem_euclid(1.0);
        // The path of a standing foot is its share of the stride.
        let half = 0.5 * self.stride * self.duty;
        if phase < self.duty {
            let u = phase / self.duty;
            let strike = self.strike * (1.0 - smooth(u / FLAT.0));
            let rise = ((u - FLAT.1) / (1.0 - FLAT.1)).max(0.0);
            let pitch = strike + self.push * rise * rise;
            return FootPose { front: half - 2.0 * half * u, pitch, toes: 1.0, ..FootPose::default() };
        }
        let w = (phase - self.duty) / (1.0 - self.duty);
        // The speed at both ends is that of the ground.
        let slope = -self.stride * (1.0 - self.duty);
        let pitch_slope = 2.0 * self.push / (1.0 - FLAT.1) * (1.0 - self.duty) / self.duty;
        let early = hermite(
            (w / 0.45).min(1.0),
            [self.push, 0.45 * pitch_slope.min(120.0)],
            [self.push * 0.35, -10.0],
        );
        let late = hermite(
            ((w - 0.45) / 0.55).clamp(0.0, 1.0),
            [self.push * 0.35, -10.0 * 0.55 / 0.45],
            [self.strike, 0.0],
        );
        FootPose {
            front: hermite(w, [-half, slope], [half, slope]),
            lift: self.lift * bump(w, -0.04, 0.96) * (1.0 - smooth((w - 0.75) / 0.25)),
            pitch: if w < 0.45 { early } else { late },
            toes: 1.0 - smooth(w * 3.0),
            ..FootPose::default()
        }
    }
}

/// The ground that passes under a walk and a run, in leg lengths per cycle.
pub const WALK_STRIDE: f64 = WALK.stride;
/// See [`WALK_STRIDE`].
pub const RUN_STRIDE: f64 = RUN.stride;

/// A walk in place.
pub fn walk(t: f64) -> Pose {
    // At phase 0 the left foot lands.
    let step = |side: usize| t + 0.5 * side as f64;
    let swing = wave(t + 0.25);
    let arm = |side: f64| {
        // The left arm is behind when the left foot is in front.
        let forward = -side * swing;
        ArmPose {
            forward: 4.0 + 22.0 * forward,
            out: 6.0,
            bend: 22.0 + 12.0 * forward.max(-0.4),
            pronate: 12.0,
            wrist: 4.0,
            curl: 16.0,
            roll: -8.0,
        }
    };
    Pose {
        hips: DVec3::new(
            0.028 * wave(t - 0.06),
            -0.035 - 0.018 * wave(2.0 * t + 0.14),
            0.008 * wave(2.0 * t),
        ),
        pelvis: Bend::new(3.0, -7.0 * swing, 3.5 * wave(t + 0.44)),
        trunk: Bend::new(1.5 + 1.0 * wave(2.0 * t + 0.3), 12.0 * swing, -3.0 * wave(t + 0.44)),
        head: Bend::new(-2.0, -5.0 * swing, -0.5 * wave(t + 0.44)),
        arms: [arm(1.0), arm(-1.0)],
        feet: [0, 1].map(|side| FootPose { outside: -0.025, yaw: 3.0, ..WALK.foot(step(side)) }),
        ..Pose::default()
    }
}

/// A run in place.
pub fn run(t: f64) -> Pose {
    let step = |side: usize| t + 0.5 * side as f64;
    let swing = wave(t + 0.22);
    let arm = |side: f64| {
        let forward = -side * swing;
        ArmPose {
            forward: 4.0 + 42.0 * forward,
            out: 16.0,
            bend: 88.0 + 14.0 * forward,
            pronate: 8.0,
            wrist: 0.0,
            curl: 38.0,
            roll: -4.0,
        }
    };
    // Twice per cycle both feet are in the air; lowest while one stands.
    let bounce = wave(2.0 * t + 0.89);
    Pose {
        hips: DVec3::new(0.012 * wave(t + 0.07), -0.075 + 0.045 * bounce, 0.01 * wave(2.0 * t)),
        pelvis: Bend::new(9.0, -9.0 * swing, 4.0 * wave(t + 0.57)),
        trunk: Bend::new(8.0, 18.0 * swing, -4.0 * wave(t + 0.57)),
        head: Bend::new(-11.0, -9.0 * swing, 0.0),
        arms: [arm(1.0), arm(-1.0)],
        feet: [0, 1].map(|side| FootPose { outside: -0.05, yaw: 2.0, ..RUN.foot(step(side)) }),
        ..Pose::default()
    }
}

/// Steps of a turn, and the angle of each in degrees.
const TURN_STEPS: usize = 6;
const TURN_ANGLE: f64 = 360.0 / TURN_STEPS as f64;

/// A full turn to the left, on the spot.
pub fn turn(t: f64) -> Pose {
    let place = t * TURN_STEPS as f64;
    let (step, u) = (place.floor(), place.fract());
    let angle = |progress: f64| (step + progress) * TURN_ANGLE;
    // The left foot steps first, and the right one follows.
    let left = smooth((u - 0.04) / 0.42);
    let right = smooth((u - 0.52) / 0.42);
    let body = smooth((u - 0.02) / 0.96);
    // The weight is on the foot that stands.
    let shift = keys(u, &[(0.0, 0.0), (0.22, -1.0), (0.5, 0.0), (0.72, 1.0), (1.0, 0.0)]);
    let arm = |side: f64| ArmPose {
        forward: 6.0 + 9.0 * side * wave(u),
        out: 8.0,
        bend: 22.0,
        pronate: 10.0,
        curl: 14.0,
        ..ArmPose::default()
    };
    let foot = |from: f64, to: f64| FootPose {
        lift: 0.075 * bump(u, from, to),
        pitch: 18.0 * bump(u, from, 0.5 * (from + to)) + 8.0 * bump(u, from, to),
        ..FootPose::default()
    };
    Pose {
        hips: DVec3::new(0.05 * shift, -0.04 - 0.012 * wave(2.0 * u + 0.25), 0.0),
        pelvis: Bend::new(2.0, 0.0, -2.5 * shift),
        trunk: Bend::new(2.0, 8.0 * bump(u, 0.0, 0.9), 2.5 * shift),
        head: Bend::new(2.0, 16.0 * bump(u, 0.0, 0.8), 0.0),
        arms: [arm(1.0), arm(-1.0)],
        feet: [foot(0.04, 0.46), foot(0.52, 0.94)],
        heading: [angle(left), angle(right), angle(body)],
        ..Pose::default()
    }
}
