//! Drops samples that interpolation between the others reproduces (Douglas and Peucker 1973).

use glam::{DQuat, DVec3};

/// Largest number of calls of `error` per sample. Where it is reached, all samples are kept. If
/// larger, a malicious file takes quadratic time. Smooth motion needs the logarithm of the number
/// of samples.
const MAX_TESTS: usize = 256;

/// The samples to keep, in order. `segment` is given two samples and returns the distance of any
/// sample from the interpolation between them.
pub(crate) fn kept_samples<E: Fn(usize) -> f64>(
    count: usize,
    tolerance: f64,
    segment: impl Fn(usize, usize) -> E,
) -> Vec<usize> {
    let Some(last) = count.checked_sub(1) else { return Vec::new() };
    let mut tests_left = count.saturating_mul(MAX_TESTS);
    let mut kept = vec![0];
    let mut pending = vec![(0, last)];
    while let Some((first, last)) = pending.pop() {
        let Some(left) = tests_left.checked_sub(last - first) else {
            kept.extend(first + 1..=last);
            continue;
        };
        tests_left = left;
        let error = segment(first, last);
        let (mut worst, mut worst_error) = (None, tolerance);
        for i in first + 1..last {
            let error = error(i);
            if error > worst_error {
                (worst, worst_error) = (Some(i), error);
            }
        }
        match worst {
            Some(middle) => {
                pending.push((middle, last));
                pending.push((first, middle));
            }
            None => kept.push(last),
        }
    }
    kept.dedup();
    kept
}

/// Distance of vectors from the line between `a` and `b`.
pub(crate) fn vector_error(times: &[f64], list: &[DVec3], a: usize, b: usize) -> impl Fn(usize) -> f64 {
    let at = |index: usize| list.get(index).copied().unwrap_or_default();
    let (start, end, fraction) = (at(a), at(b), fraction(times, a, b));
    move |i| start.lerp(end, fraction(i)).distance(list.get(i).copied().unwrap_or_default())
}

/// Angle of rotations from the spherical interpolation between `a` and `b`, in radians.
pub(crate) fn rotation_error(times: &[f64], list: &[DQuat], a: usize, b: usize) -> impl Fn(usize) -> f64 {
    let at = |index: usize| list.get(index).copied().unwrap_or_default();
    let (start, end, fraction) = (at(a), at(b), fraction(times, a, b));
    let cosine = start.dot(end);
    let angle = cosine.clamp(-1.0, 1.0).acos();
    let sine = angle.sin();
    move |i| {
        // A turn near 180° has no stable interpolation.
        if cosine < 0.2 {
            return f64::MAX;
        }
        let t = fraction(i);
        let [near, far] = if sine > 1e-6 {
            [((1.0 - t) * angle).sin() / sine, (t * angle).sin() / sine]
        } else {
            [1.0 - t, t]
        };
        let (between, exact) = (start * near + end * far, list.get(i).copied().unwrap_or_default());
        2.0 * (between - exact).length().min((between + exact).length())
    }
}

/// Where a sample is between samples `a` and `b`, from 0 to 1.
pub(crate) fn fraction(times: &[f64], a: usize, b: usize) -> impl Fn(usize) -> f64 {
    let at = |index: usize| times.get(index).copied().unwrap_or(0.0);
    let (start, duration) = (at(a), (at(b) - at(a)).max(f64::MIN_POSITIVE));
    move |i| (times.get(i).copied().unwrap_or(0.0) - start) / duration
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_motion_keeps_its_ends() {
        let times: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.1).collect();
        let list: Vec<DVec3> = times.iter().map(|&t| DVec3::new(t, 2.0 * t, 1.0)).collect();
        assert_eq!(kept_samples(100, 1e-6, |a, b| vector_error(&times, &list, a, b)), [0, 99]);
    }

    #[test]
    fn a_bend_is_kept() {
        let times: Vec<f64> = (0..11).map(f64::from).collect();
        let list: Vec<DVec3> = times.iter().map(|&t| DVec3::X * (t - 4.0).abs()).collect();
        assert_eq!(kept_samples(11, 1e-6, |a, b| vector_error(&times, &list, a, b)), [0, 4, 10]);
    }

    #[test]
    fn a_full_turn_is_not_lost() {
        let times: Vec<f64> = (0..=36).map(f64::from).collect();
        let list: Vec<DQuat> =
            times.iter().map(|t| DQuat::from_rotation_y((t * 10.0).to_radians())).collect();
        let kept = kept_samples(37, 1e-6, |a, b| rotation_error(&times, &list, a, b));
        assert!(kept.len() >= 4, "{kept:?}");
    }

    #[test]
    fn few_samples_are_kept_as_they_are() {
        assert_eq!(kept_samples(0, 1.0, |_, _| |_| 0.0), [0usize; 0]);
        assert_eq!(kept_samples(1, 1.0, |_, _| |_| 0.0), [0]);
        assert_eq!(kept_samples(2, 1.0, |_, _| |_| 0.0), [0, 1]);
    }
}
