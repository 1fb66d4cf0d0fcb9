//! Sine, cosine and arc tangent with the same bits on every machine.
//!
//! The standard library uses the platform, and browsers differ from desktops in the last bit. Only
//! arithmetic and square roots are used here, exact to about 1e-13.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec3};

/// Terms of the series. With fewer, the error exceeds rounding. More have no effect.
const SINE_TERMS: usize = 8;
const TANGENT_TERMS: usize = 12;

/// Sine and cosine of an angle in radians.
pub fn sin_cos(angle: f64) -> (f64, f64) {
    if !angle.is_finite() {
        return (0.0, 1.0);
    }
    let quarters = (angle / FRAC_PI_2 + 0.5).floor();
    let rest = angle - quarters * FRAC_PI_2;
    let square = rest * rest;
    let (mut sine, mut cosine) = (1.0, 1.0);
    for term in (1..=SINE_TERMS).rev() {
        let n = 2.0 * term as f64;
        sine = 1.0 - sine * square / (n * (n + 1.0));
        cosine = 1.0 - cosine * square / (n * (n - 1.0));
    }
    sine *= rest;
    match quarters.rem_euclid(4.0) as u32 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// The sine of `phase` turns.
pub fn wave(phase: f64) -> f64 {
    sin_cos(phase * TAU).0
}

/// The angle of the point (x, y), from −π to π.
pub fn atan2(y: f64, x: f64) -> f64 {
    let (small, large) = (y.abs().min(x.abs()), y.abs().max(x.abs()));
    if large == 0.0 || !large.is_finite() {
        return 0.0;
    }
    // Halving the angle twice leaves at most π/16, for which few terms suffice.
    let half = |t: f64| t / (1.0 + (1.0 + t * t).sqrt());
    let t = half(half(small / large));
    let square = t * t;
    let mut sum = 0.0;
    for term in (0..TANGENT_TERMS).rev() {
        sum = 1.0 / (2 * term + 1) as f64 - square * sum;
    }
    let eighth = 4.0 * t * sum;
    let quarter = if y.abs() > x.abs() { FRAC_PI_2 - eighth } else { eighth };
    let upper = if x < 0.0 { PI - quarter } else { quarter };
    if y < 0.0 { -upper } else { upper }
}

/// The rotation by an angle in radians about a unit vector.
pub fn about(axis: DVec3, angle: f64) -> DQuat {
    let (sine, cosine) = sin_cos(0.5 * angle);
    DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
}

/// The angle of a rotation, from 0 to π.
pub fn angle_of(rotation: DQuat) -> f64 {
    2.0 * atan2(rotation.xyz().length(), rotation.w.abs())
}

/// The angle between two vectors.
pub fn angle_between(a: DVec3, b: DVec3) -> f64 {
    atan2(a.cross(b).length(), a.dot(b))
}

/// The rotation at a fraction of the shortest way from `a` to `b`, with constant speed.
pub fn slerp(a: DQuat, b: DQuat, fraction: f64) -> DQuat {
    let dot = a.dot(b);
    let b = if dot < 0.0 { -b } else { b };
    // The angle between unit quaternions, exact for small ones too.
    let angle = 2.0 * atan2((a - b).length(), (a + b).length());
    if angle < 1e-9 {
        return a.lerp(b, fraction).normalize();
    }
    let sine = sin_cos(angle).0;
    let (from, to) = (sin_cos((1.0 - fraction) * angle).0 / sine, sin_cos(fraction * angle).0 / sine);
    (a * from + b * to).normalize()
}

/// The shortest rotation from a unit vector to another.
pub fn arc(from: DVec3, to: DVec3) -> DQuat {
    let (from, to) = (from.normalize_or_zero(), to.normalize_or_zero());
    let w = 1.0 + from.dot(to);
    if w < 1e-9 {
        let axis = from.any_orthonormal_vector();
        return DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
    }
    let axis = from.cross(to);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, w).normalize()
}

/// The twist of a rotation about a unit axis; `rotation · twist⁻¹` is the swing.
pub fn twist(rotation: DQuat, axis: DVec3) -> DQuat {
    let along = axis * rotation.xyz().dot(axis);
    let twist = DQuat::from_xyzw(along.x, along.y, along.z, rotation.w);
    if twist.length_squared() < 1e-12 { DQuat::IDENTITY } else { twist.normalize() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_agree_with_the_standard_library() {
        for i in -900..900 {
            let angle = f64::from(i) * 0.0237;
            let (sine, cosine) = sin_cos(angle);
            assert!((sine - angle.sin()).abs() < 1e-12 && (cosine - angle.cos()).abs() < 1e-12, "{angle}");
            assert!((atan2(sine, cosine) - sine.atan2(cosine)).abs() < 1e-12, "{angle}");
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert!(atan2(f64::NAN, 1.0).is_finite() || atan2(f64::NAN, 1.0).is_nan());
    }

    #[test]
    fn slerp_has_constant_speed() {
        let (a, b) = (about(DVec3::Y, 0.3), about(DVec3::X, 1.9));
        for i in 0..=10 {
            let t = f64::from(i) / 10.0;
            assert!(slerp(a, b, t).abs_diff_eq(a.slerp(b, t), 1e-9), "{t}");
        }
        assert!((angle_of(about(DVec3::Z, 2.0)) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn an_arc_maps_one_direction_to_the_other() {
        let (a, b) =
            (DVec3::new(1.0, 2.0, -0.5).normalize_or_zero(), DVec3::new(-0.3, 0.1, 1.0).normalize_or_zero());
        assert!((arc(a, b) * a).abs_diff_eq(b, 1e-12));
        assert!((arc(a, -a) * a).abs_diff_eq(-a, 1e-12));
    }

    #[test]
    fn a_twist_is_the_part_about_the_axis() {
        let rotation = about(DVec3::X, 0.4) * about(DVec3::Y, 0.7);
        let part = twist(rotation, DVec3::Y);
        assert!(part.abs_diff_eq(about(DVec3::Y, 0.7), 1e-12));
    }
}
