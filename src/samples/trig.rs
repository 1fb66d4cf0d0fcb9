//! Sine and cosine with the same bits on every machine.
//!
//! The standard library uses the platform, and browsers differ from desktops in the last bit.
//! Characters must be the same bytes everywhere, so only additions and multiplications are used
//! here. Input: turns (1 is a full circle). Output: sine and cosine, exact to about 1e-13. Cost:
//! two short series.

use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Terms of the series on an eighth of a turn. With fewer, the error exceeds rounding. More have no
/// effect.
const TERMS: usize = 8;

/// Sine and cosine of an angle in full turns.
pub fn sin_cos_turns(turns: f64) -> (f64, f64) {
    let fraction = turns - turns.floor();
    let quarter = (fraction * 4.0 + 0.5).floor();
    let angle = (fraction - quarter * 0.25) * TAU;
    let (sine, cosine) = series(angle);
    match quarter as u32 % 4 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Taylor series of sine and cosine for angles up to an eighth of a turn, in radians.
fn series(angle: f64) -> (f64, f64) {
    let square = angle * angle;
    let (mut sine, mut cosine) = (1.0, 1.0);
    for term in (1..=TERMS).rev() {
        let n = 2.0 * term as f64;
        sine = 1.0 - sine * square / (n * (n + 1.0));
        cosine = 1.0 - cosine * square / (n * (n - 1.0));
    }
    (sine * angle, cosine)
}

/// The sine of `phase` turns.
pub fn wave(phase: f64) -> f64 {
    sin_cos_turns(phase).0
}

/// The rotation by `degrees` about the world axes: first Z, then Y, then X.
pub fn rotation_of(degrees: DVec3) -> DQuat {
    let about = |axis: DVec3, degrees: f64| {
        let (sine, cosine) = sin_cos_turns(degrees / 720.0);
        DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
    };
    about(DVec3::X, degrees.x) * about(DVec3::Y, degrees.y) * about(DVec3::Z, degrees.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_agree_with_the_standard_library() {
        for i in -500..500 {
            let turns = f64::from(i) * 0.0137;
            let (sine, cosine) = sin_cos_turns(turns);
            assert!((sine - (turns * TAU).sin()).abs() < 1e-12, "sine of {turns} turns");
            assert!((cosine - (turns * TAU).cos()).abs() < 1e-12, "cosine of {turns} turns");
        }
    }

    #[test]
    fn a_quarter_turn_about_y_maps_z_to_x() {
        let left = rotation_of(DVec3::new(0.0, 90.0, 0.0)) * DVec3::Z;
        assert!(left.abs_diff_eq(DVec3::X, 1e-12));
    }
}
