//! Lines through points.

use glam::Vec3;

/// The length of a line through points.
pub fn length(points: &[Vec3]) -> f32 {
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// The place at a fraction of the length. Fractions beyond the ends continue straight on.
pub fn at(points: &[Vec3], fraction: f32) -> Vec3 {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return Vec3::ZERO };
    let total = length(points);
    let wanted = fraction * total;
    if wanted < 0.0 {
        let ahead = points.iter().find(|p| p.distance(first) > 0.1 * total).copied().unwrap_or(last);
        return first + (first - ahead).normalize_or_zero() * -wanted;
    }
    let mut passed = 0.0;
    for pair in points.windows(2) {
        let step = pair[0].distance(pair[1]);
        if passed + step >= wanted && step > 0.0 {
            return pair[0].lerp(pair[1], (wanted - passed) / step);
        }
        passed += step;
    }
    let behind = points.iter().rev().find(|p| p.distance(last) > 0.1 * total).copied().unwrap_or(first);
    last + (last - behind).normalize_or_zero() * (wanted - total)
}

/// The fraction of the length at which a line is nearest to a place.
pub fn nearest(points: &[Vec3], place: Vec3) -> f32 {
    let total = length(points).max(f32::MIN_POSITIVE);
    let (mut best, mut passed) = ((f32::INFINITY, 0.0), 0.0);
    for pair in points.windows(2) {
        let along = pair[1] - pair[0];
        let t = ((place - pair[0]).dot(along) / along.length_squared().max(1e-20)).clamp(0.0, 1.0);
        let distance = place.distance(pair[0] + along * t);
        if distance < best.0 {
            best = (distance, (passed + t * along.length()) / total);
        }
        passed += along.length();
    }
    best.1
}

/// The points where a line bends, with its ends: no point of the line is farther than `tolerance`
/// from the line through them (Douglas & Peucker 1973).
pub fn bends(points: &[Vec3], tolerance: f32) -> Vec<usize> {
    let mut kept = vec![0];
    if points.len() > 1 {
        divide(points, 0, points.len() - 1, tolerance, &mut kept);
    }
    kept
}

fn divide(points: &[Vec3], first: usize, last: usize, tolerance: f32, kept: &mut Vec<usize>) {
    let line = [points[first], points[last]];
    let distance = |index: usize| {
        let along = line[1] - line[0];
        let t = ((points[index] - line[0]).dot(along) / along.length_squared().max(1e-20)).clamp(0.0, 1.0);
        points[index].distance(line[0] + along * t)
    };
    let farthest = (first + 1..last).max_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    if let Some(middle) = farthest.filter(|&index| distance(index) > tolerance) {
        divide(points, first, middle, tolerance, kept);
        divide(points, middle, last, tolerance, kept);
    } else {
        kept.push(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> Vec<Vec3> {
        (0..=10)
            .map(|i| Vec3::new(i as f32, 0.0, 0.0))
            .chain((1..=10).map(|i| Vec3::new(10.0, i as f32, 0.0)))
            .collect()
    }

    #[test]
    fn a_corner_is_a_bend_and_fractions_go_around_it() {
        let line = corner();
        assert_eq!(bends(&line, 0.5), [0, 10, 20]);
        assert!((length(&line) - 20.0).abs() < 1e-5);
        assert!(at(&line, 0.75).distance(Vec3::new(10.0, 5.0, 0.0)) < 1e-5);
        assert!(at(&line, 1.1).distance(Vec3::new(10.0, 12.0, 0.0)) < 1e-5);
        assert!(at(&line, -0.1).distance(Vec3::new(-2.0, 0.0, 0.0)) < 1e-5);
        assert!((nearest(&line, Vec3::new(12.0, 5.0, 0.0)) - 0.75).abs() < 1e-5);
    }
}
