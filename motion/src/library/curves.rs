//! Curves of which clips are made.

use crate::trig;

/// From 0 to 1 without a jerk.
pub fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

/// A value that rests at each key: pairs of time and value, in order.
pub fn keys(t: f64, keys: &[(f64, f64)]) -> f64 {
    let after = keys.partition_point(|(time, _)| *time <= t);
    match (after.checked_sub(1).map(|before| keys[before]), keys.get(after)) {
        (Some((from, a)), Some(&(to, b))) => a + (b - a) * smooth((t - from) / (to - from)),
        (Some((_, value)), None) | (None, Some(&(_, value))) => value,
        (None, None) => 0.0,
    }
}

/// A wave of `phase` turns, from −1 to 1.
pub fn wave(phase: f64) -> f64 {
    trig::wave(phase)
}

/// A bump that is 1 in the middle of the interval from `from` to `to`, and 0 outside.
pub fn bump(t: f64, from: f64, to: f64) -> f64 {
    let u = ((t - from) / (to - from)).clamp(0.0, 1.0);
    let v = 4.0 * u * (1.0 - u);
    v * v
}

/// A cubic with given values and slopes at 0 and 1.
pub fn hermite(t: f64, [from, slope_from]: [f64; 2], [to, slope_to]: [f64; 2]) -> f64 {
    let (t2, t3) = (t * t, t * t * t);
    from * (2.0 * t3 - 3.0 * t2 + 1.0)
        + slope_from * (t3 - 2.0 * t2 + t)
        + to * (3.0 * t2 - 2.0 * t3)
        + slope_to * (t3 - t2)
}
