//! Drops samples that interpolation between the others reproduces (Douglas and Peucker 1973).

use glam::{DQuat, DVec3};

/// Largest number of calls of `error` per sample. Where it is reached, all samples are kept. If
/// larger, a malicious file takes quadratic time. Smooth motion needs the logarithm of the number
/// of samples.
const MAX_TESTS: usize = 256;

/// The samples to keep, in order. `error` is the distance of sample `i` from the interpolation
/// between samples `a` and `b`.
pub(crate) fn kept_samples(
    count: usize,
    tolerance: f64,
    error: impl Fn(usize, usize, usize) -> f64,
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
        let errors = (first + 1..last).map(|i| (i, error(i, first, last)));
        let worst = errors.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|worst| worst.1 > tolerance);
        match worst {
            Some((middle, _)) => {
                pending.push((middle, last));
                pending.push((first, middle));
            }
            None => kept.push(last),
        }
    }
    kept.dedup();
    kept
}

/// Distance of vector `i` from the line between `a` and `b`.
pub(crate) fn vector_error(times: &[f64], list: &[DVec3], i: usize, a: usize, b: usize) -> f64 {
    let at = |index: usize| list.get(index).copied().unwrap_or_default();
    at(a).lerp(at(b), fraction(times, i, a, b)).distance(at(i))
}

/// Angle of rotation `i` from the spherical interpolation between `a` and `b`, in radians.
pub(crate) fn rotation_error(times: &[f64], list: &[DQuat], i: usize, a: usize, b: usize) -> f64 {
    let at = |index: usize| list.get(index).copied().unwrap_or_default();
    // A turn near 180° has no stable interpolation.
    if at(a).dot(at(b)) < 0.2 {
        return f64::MAX;
    }
    let (between, exact) = (at(a).slerp(at(b), fraction(times, i, a, b)), at(i));
    2.0 * (between - exact).length().min((between + exact).length())
}

fn fraction(times: &[f64], i: usize, a: usize, b: usize) -> f64 {
    let at = |index: usize| times.get(index).copied().unwrap_or(0.0);
    (at(i) - at(a)) / (at(b) - at(a)).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_motion_keeps_its_ends() {
        let times: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.1).collect();
        let list: Vec<DVec3> = times.iter().map(|&t| DVec3::new(t, 2.0 * t, 1.0)).collect();
        assert_eq!(kept_samples(100, 1e-6, |i, a, b| vector_error(&times, &list, i, a, b)), [0, 99]);
    }

    #[test]
    fn a_bend_is_kept() {
        let times: Vec<f64> = (0..11).map(f64::from).collect();
        let list: Vec<DVec3> = times.iter().map(|&t| DVec3::X * (t - 4.0).abs()).collect();
        assert_eq!(kept_samples(11, 1e-6, |i, a, b| vector_error(&times, &list, i, a, b)), [0, 4, 10]);
    }

    #[test]
    fn a_full_turn_is_not_lost() {
        let times: Vec<f64> = (0..=36).map(f64::from).collect();
        let list: Vec<DQuat> =
            times.iter().map(|t| DQuat::from_rotation_y((t * 10.0).to_radians())).collect();
        let kept = kept_samples(37, 1e-6, |i, a, b| rotation_error(&times, &list, i, a, b));
        assert!(kept.len() >= 4, "{kept:?}");
    }

    #[test]
    fn few_samples_are_kept_as_they_are() {
        assert_eq!(kept_samples(0, 1.0, |_, _, _| 0.0), [0usize; 0]);
        assert_eq!(kept_samples(1, 1.0, |_, _, _| 0.0), [0]);
        assert_eq!(kept_samples(2, 1.0, |_, _, _| 0.0), [0, 1]);
    }
}
