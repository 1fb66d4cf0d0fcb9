//! Animation curves: keys with constant, linear or cubic interpolation.
//!
//! A cubic segment is a Bézier curve in time and value. Its inner control points are at a fraction
//! (the weight, 1/3 by default) of the segment's duration, along the slopes at its ends.

/// Length of a tangent that is not weighted, as a fraction of the segment.
pub(crate) const DEFAULT_WEIGHT: f64 = 1.0 / 3.0;

/// How the value goes from a key to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Interpolation {
    /// The value of this key.
    Constant,
    /// The value of the next key.
    ConstantNext,
    Linear,
    Cubic,
}

/// How the slopes at a key are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tangent {
    /// As stored: the slope to the right of this key and to the left of the next.
    Stored,
    /// From the neighbours.
    Auto(Clamp),
    /// Kochanek–Bartels: tension, continuity, bias.
    Tcb([f64; 3]),
}

/// What limits an automatic slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Clamp {
    None,
    /// Flat if a neighbour has the same value.
    Flat,
    /// Neither tangent passes the value of its neighbour.
    Progressive,
}

/// A key of a curve.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// Seconds.
    pub time: f64,
    pub value: f64,
    pub interpolation: Interpolation,
    pub tangent: Tangent,
    /// Slopes per second, on the right of this key and on the left of the next.
    pub slopes: [f64; 2],
    /// Tangent lengths of the same as fractions of the segment.
    pub weights: [f64; 2],
}

/// A curve with at least one key, in increasing order of time.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    keys: Vec<Key>,
}

impl Curve {
    /// A curve of keys. Keys that are not finite or go back in time are left out.
    pub(crate) fn new(keys: Vec<Key>) -> Option<Self> {
        let mut kept: Vec<Key> = Vec::with_capacity(keys.len());
        for key in keys {
            let follows = kept.last().is_none_or(|last| key.time > last.time);
            if key.time.is_finite() && key.value.is_finite() && follows {
                kept.push(key);
            }
        }
        solve_tangents(&mut kept);
        (!kept.is_empty()).then_some(Self { keys: kept })
    }

    pub(crate) fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The value at a time. Before the first and after the last key the curve is constant.
    pub(crate) fn value(&self, time: f64) -> f64 {
        let after = self.keys.partition_point(|key| key.time <= time);
        let next = self.keys.get(after);
        match (after.checked_sub(1).and_then(|before| self.keys.get(before)), next) {
            (Some(key), Some(next)) => segment_value(key, next, time),
            (Some(key), None) | (None, Some(key)) => key.value,
            (None, None) => 0.0,
        }
    }
}

fn segment_value(key: &Key, next: &Key, time: f64) -> f64 {
    let duration = next.time - key.time;
    let fraction = (time - key.time) / duration;
    match key.interpolation {
        Interpolation::Constant => key.value,
        Interpolation::ConstantNext => next.value,
        Interpolation::Linear => key.value + (next.value - key.value) * fraction,
        Interpolation::Cubic => {
            let [right, left] = key.weights.map(|weight| weight.clamp(0.0, 1.0));
            let parameter = bezier_parameter(right, 1.0 - left, fraction);
            let inner = key.value + key.slopes[0] * right * duration;
            let outer = next.value - key.slopes[1] * left * duration;
            bezier([key.value, inner, outer, next.value], parameter)
        }
    }
}

fn bezier([a, b, c, d]: [f64; 4], t: f64) -> f64 {
    let u = 1.0 - t;
    u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
}

/// The parameter at which a Bézier curve with the times 0, `b`, `c`, 1 reaches `time`. The curve is
/// monotone in time, so bisection between its bounds always works; Newton's steps make it fast.
fn bezier_parameter(b: f64, c: f64, time: f64) -> f64 {
    if (b - DEFAULT_WEIGHT).abs() < 1e-5 && (c - 2.0 * DEFAULT_WEIGHT).abs() < 1e-5 {
        return time;
    }
    let (mut low, mut high, mut t) = (0.0, 1.0, time);
    for _ in 0..60 {
        let error = bezier([0.0, b, c, 1.0], t) - time;
        if error.abs() < 1e-13 {
            break;
        }
        if error > 0.0 {
            high = t;
        } else {
            low = t;
        }
        let u = 1.0 - t;
        let slope = 3.0 * (u * u * b + 2.0 * u * t * (c - b) + t * t * (1.0 - c));
        let newton = t - error / slope;
        t = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    t
}

/// Replaces slopes that follow from neighbouring keys.
fn solve_tangents(keys: &mut [Key]) {
    for at in 0..keys.len() {
        let Some(key) = keys.get(at).filter(|key| key.interpolation == Interpolation::Cubic) else {
            continue;
        };
        let previous = at.checked_sub(1).and_then(|before| keys.get(before));
        let [left, right] = match (key.tangent, previous, keys.get(at + 1)) {
            (Tangent::Stored, ..) => continue,
            (Tangent::Auto(clamp), Some(previous), Some(next)) => [auto_slope(clamp, previous, key, next); 2],
            (Tangent::Tcb(parameters), Some(previous), Some(next)) => {
                tcb_slopes(parameters, previous, key, next)
            }
            _ => [0.0; 2],
        };
        if let Some(key) = keys.get_mut(at) {
            key.slopes[0] = right;
        }
        let previous = at.checked_sub(1).and_then(|before| keys.get_mut(before));
        if let Some(previous) = previous.filter(|key| key.interpolation == Interpolation::Cubic) {
            previous.slopes[1] = left;
        }
    }
}

/// The slope between the neighbours, limited as the clamp asks.
fn auto_slope(clamp: Clamp, previous: &Key, key: &Key, next: &Key) -> f64 {
    let slope = (next.value - previous.value) / (next.time - previous.time);
    let is_flat = key.value == previous.value || key.value == next.value;
    match clamp {
        Clamp::None => return slope,
        Clamp::Flat => return if is_flat { 0.0 } else { slope },
        Clamp::Progressive => {}
    }
    let limit = |rise: f64, run: f64| if run > 0.0 { (rise * slope.signum() / run).max(0.0) } else { 0.0 };
    let left = limit(key.value - previous.value, previous.weights[1] * (key.time - previous.time));
    let right = limit(next.value - key.value, key.weights[0] * (next.time - key.time));
    slope.signum() * slope.abs().min(left).min(right)
}

/// Incoming and outgoing slope of a Kochanek–Bartels spline.
fn tcb_slopes([tension, continuity, bias]: [f64; 3], previous: &Key, key: &Key, next: &Key) -> [f64; 2] {
    let before = (key.value - previous.value) / (key.time - previous.time);
    let after = (next.value - key.value) / (next.time - key.time);
    let blend = |continuity: f64| {
        let first = 0.5 * (1.0 - tension) * (1.0 + bias) * (1.0 + continuity);
        let second = 0.5 * (1.0 - tension) * (1.0 - bias) * (1.0 - continuity);
        first * before + second * after
    };
    [blend(-continuity), blend(continuity)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: f64, value: f64, tangent: Tangent) -> Key {
        let weights = [DEFAULT_WEIGHT; 2];
        Key { time, value, interpolation: Interpolation::Cubic, tangent, slopes: [0.0; 2], weights }
    }

    #[test]
    fn a_cubic_with_its_own_slopes_is_reproduced() {
        let cubic = |t: f64| 2.0 * t * t * t - t * t + 3.0 * t - 1.0;
        let slope = |t: f64| 6.0 * t * t - 2.0 * t + 3.0;
        let mut keys: Vec<Key> = [0.0, 0.5, 2.0].iter().map(|&t| key(t, cubic(t), Tangent::Stored)).collect();
        keys[0].slopes = [slope(0.0), slope(0.5)];
        keys[1].slopes = [slope(0.5), slope(2.0)];
        let curve = Curve::new(keys).unwrap();
        for i in 0..=40 {
            let t = f64::from(i) / 20.0;
            assert!((curve.value(t) - cubic(t)).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn weighted_tangents_keep_time_monotone() {
        let mut first = key(0.0, 0.0, Tangent::Stored);
        (first.weights, first.slopes) = ([0.9, 0.05], [1.0, 1.0]);
        let curve = Curve::new(vec![first, key(1.0, 1.0, Tangent::Stored)]).unwrap();
        for i in 0..=20 {
            let t = f64::from(i) / 20.0;
            assert!((curve.value(t) - t).abs() < 1e-9, "unit slopes are a straight line, {t}");
        }
    }

    #[test]
    fn automatic_tangents_do_not_overshoot() {
        let values = [0.0, 1.0, 1.0, 5.0, 2.0];
        let keys = values
            .iter()
            .zip(0..)
            .map(|(&value, t)| key(f64::from(t), value, Tangent::Auto(Clamp::Progressive)))
            .collect();
        let curve = Curve::new(keys).unwrap();
        for i in 0..=400 {
            let t = f64::from(i) / 100.0;
            assert!((0.0..=5.0).contains(&curve.value(t)));
            assert!(!(1.0..=2.0).contains(&t) || (curve.value(t) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn constant_keys_step() {
        let step = |interpolation| {
            let keys =
                [(0.0, 3.0), (1.0, 7.0)].map(|(t, v)| Key { interpolation, ..key(t, v, Tangent::Stored) });
            Curve::new(keys.to_vec()).unwrap().value(0.5)
        };
        assert_eq!(step(Interpolation::Constant), 3.0);
        assert_eq!(step(Interpolation::ConstantNext), 7.0);
        assert_eq!(step(Interpolation::Linear), 5.0);
    }
}
