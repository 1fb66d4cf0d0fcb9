//! Additions to glam: safe normalisation, decomposed transforms, rotations from covariances; and
//! compact sorts.

use std::cmp::Ordering;

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// The unit vector of `v`, or `fallback` if `v` is too short or not finite.
pub fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    v.try_normalize().unwrap_or(fallback)
}

/// The unit vector of `v`, or `fallback` if `v` is too short or not finite.
pub fn unit_or_f64(v: DVec3, fallback: DVec3) -> DVec3 {
    v.try_normalize().unwrap_or(fallback)
}

/// A unit vector orthogonal to the unit vector `axis`. Deterministic.
pub fn any_orthogonal(axis: DVec3) -> DVec3 {
    axis.any_orthonormal_vector()
}

/// Insertion sort: stable, quadratic. For influences, ray hits or siblings, not for vertices. Each
/// instance of the standard sort adds 5 to 10 KB of WebAssembly; this one adds a tenth of that.
pub fn sort_few<T>(few: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for end in 1..few.len() {
        let mut index = end;
        while index > 0 && compare(&few[index - 1], &few[index]).is_gt() {
            few.swap(index - 1, index);
            index -= 1;
        }
    }
}

/// The larger of two numbers, neither of which may be NaN. `f32::max` handles NaN, which is a
/// function call in WebAssembly.
#[inline]
pub fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The same in double precision.
#[inline]
pub fn larger_f64(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers, neither of which may be NaN.
#[inline]
pub fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The same in double precision.
#[inline]
pub fn smaller_f64(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Stable sort by a key. All types share one instance of the standard sort, because each would add
/// 3 kB to the download. At most 64 items are sorted by [`sort_few`].
pub fn sort_by_keys<T: Copy>(items: &mut [T], key: impl Fn(&T) -> u64) {
    const FEW: usize = 64;
    if items.len() <= FEW {
        return sort_few(items, |a, b| key(a).cmp(&key(b)));
    }
    let with_indices = items.iter().enumerate().map(|(at, item)| u128::from(key(item)) << 64 | at as u128);
    let mut keys: Vec<u128> = with_indices.collect();
    keys.sort_unstable();
    let sorted: Vec<T> = keys.into_iter().map(|key| items[key as u64 as usize]).collect();
    items.copy_from_slice(&sorted);
}

/// The upper median of numbers that are not negative, or `None` without any. Sorts them.
pub fn median(numbers: &mut [f64]) -> Option<f64> {
    sort_by_keys(numbers, |number| number.to_bits());
    numbers.get(numbers.len() / 2).copied()
}

/// The bits of a float, transformed so that their order is that of the floats.
pub fn order_preserving_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Combines two numbers into a key that sorts lexicographically.
pub fn key_of(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// A transform as translation, rotation and scale, which animation channels drive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trs {
    /// Applied last.
    pub translation: DVec3,
    /// Applied second; a unit quaternion.
    pub rotation: DQuat,
    /// Applied first, along the local axes.
    pub scale: DVec3,
}

impl Trs {
    /// The identity.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// A pure translation.
    pub fn from_translation(translation: DVec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Decomposes `affine`. Shear is lost, a reflection becomes a negative scale, a degenerate axis
    /// has zero scale.
    pub fn from_affine(affine: &DAffine3) -> Self {
        let m = affine.matrix3;
        let mut scale = DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
        if m.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let x = unit_or_f64(m.x_axis / nonzero(scale.x), DVec3::X);
        let y = unit_or_f64(m.y_axis - x * x.dot(m.y_axis), any_orthogonal(x));
        let z = x.cross(y);
        Self {
            translation: affine.translation,
            rotation: DQuat::from_mat3(&DMat3::from_cols(x, y, z)),
            scale,
        }
    }

    /// The transform as a matrix.
    pub fn to_affine(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

fn nonzero(scale: f64) -> f64 {
    if scale == 0.0 { 1.0 } else { scale }
}

/// Whether a matrix can be the frame of a joint: every entry is finite, the matrix can be inverted
/// with reasonable accuracy, and the position can be represented in single precision.
pub fn is_usable_frame(affine: &DAffine3) -> bool {
    // Smallest determinant relative to the product of the lengths of the axes. If larger, sheared
    // rigs of real files are rejected. If smaller, inverses lose all their digits.
    const MIN_RELATIVE_DETERMINANT: f64 = 1e-9;
    // Largest coordinate. Squared lengths beyond it overflow single precision in later stages.
    const MAX_COORDINATE: f64 = 1e9;
    let m = affine.matrix3;
    let size = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
    affine.is_finite()
        && affine.translation.abs().max_element() <= MAX_COORDINATE
        && size > 0.0
        && m.determinant().abs() > MIN_RELATIVE_DETERMINANT * size
}

/// The rotation that best maps vectors `a` to vectors `b`, from `covariance = Σ b aᵀ`: the proper
/// rotation that maximises `Σ b · R a` (Horn 1987). Never a reflection; the identity if the
/// covariance is zero.
pub fn best_rotation(covariance: &DMat3) -> DMat3 {
    let c = |row: usize, column: usize| covariance.col(column)[row];
    let trace = c(0, 0) + c(1, 1) + c(2, 2);
    let mut n = [[0.0; 4]; 4];
    n[0] = [trace, c(2, 1) - c(1, 2), c(0, 2) - c(2, 0), c(1, 0) - c(0, 1)];
    for i in 0..3 {
        n[i + 1][0] = n[0][i + 1];
        for j in 0..3 {
            n[i + 1][j + 1] = c(i, j) + c(j, i) - if i == j { trace } else { 0.0 };
        }
    }
    let [w, x, y, z] = largest_eigenvector(n);
    DMat3::from_quat(DQuat::from_xyzw(x, y, z, w))
}

/// The eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi rotations. A unit
/// vector.
fn largest_eigenvector(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    /// Jacobi sweeps converge quadratically; after eight only rounding is left.
    const SWEEPS: usize = 8;
    let mut vectors =
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    for (p, q) in (0..SWEEPS).flat_map(|_| [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]) {
        // This entry is zero up to rounding.
        if a[p][q].abs() <= f64::EPSILON * (a[p][p].abs() + a[q][q].abs()) {
            continue;
        }
        let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
        let sine = tangent * cosine;
        for row in &mut a {
            (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
        }
        for i in 0..4 {
            (a[p][i], a[q][i]) = (cosine * a[p][i] - sine * a[q][i], sine * a[p][i] + cosine * a[q][i]);
            let (u, v) = (vectors[p][i], vectors[q][i]);
            (vectors[p][i], vectors[q][i]) = (cosine * u - sine * v, sine * u + cosine * v);
        }
    }
    let best = (1..4).fold(0, |best, i| if a[i][i] > a[best][best] { i } else { best });
    vectors[best]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_by_keys_is_stable() {
        for count in [0, 1, 2, 64, 65, 1000] {
            let mut items: Vec<(u32, u32)> = (0..count).map(|i| (i * 7919 % 101, i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|&(key, _)| key);
            sort_by_keys(&mut items, |&(key, _)| key_of(key, 0));
            assert_eq!(items, expected, "{count}");
        }
    }

    #[test]
    fn insertion_sort_is_stable() {
        for seed in 0..200_u32 {
            let number = |i: u32| (seed.wrapping_mul(2_654_435_761).wrapping_add(i * i * 40_503) >> 7) % 5;
            let mut few: Vec<(u32, u32)> = (0..seed % 13).map(|i| (number(i), i)).collect();
            let mut expected = few.clone();
            expected.sort_by_key(|&(key, _)| key);
            sort_few(&mut few, |a, b| a.0.cmp(&b.0));
            assert_eq!(few, expected);
        }
    }

    #[test]
    fn a_transform_survives_decomposition() {
        let trs = Trs {
            translation: DVec3::new(1.0, -2.0, 3.0),
            rotation: DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 2.0),
            scale: DVec3::new(-0.5, 2.0, 3.0),
        };
        let affine = trs.to_affine();
        assert!(Trs::from_affine(&affine).to_affine().abs_diff_eq(affine, 1e-12));
    }

    #[test]
    fn a_rotation_is_recovered_and_never_a_reflection() {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 2.9, -1.2, 0.7));
        let pairs = [DVec3::X, DVec3::new(0.3, 2.0, 0.1), DVec3::new(-1.0, 0.2, 0.4)];
        let outer = |b: DVec3, a: DVec3| DMat3::from_cols(b * a.x, b * a.y, b * a.z);
        let covariance = |m: DMat3| pairs.iter().fold(DMat3::ZERO, |sum, &a| sum + outer(m * a, a));
        assert!(best_rotation(&covariance(turn)).abs_diff_eq(turn, 1e-12));
        let mirrored = turn * DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
        assert!((best_rotation(&covariance(mirrored)).determinant() - 1.0).abs() < 1e-12);
        assert_eq!(best_rotation(&DMat3::ZERO), DMat3::IDENTITY);
    }

    #[test]
    fn singular_infinite_and_distant_frames_are_rejected() {
        assert!(is_usable_frame(&DAffine3::from_scale(DVec3::splat(1e-6))));
        assert!(!is_usable_frame(&DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0))));
        assert!(!is_usable_frame(&DAffine3::from_translation(DVec3::new(f64::NAN, 0.0, 0.0))));
        assert!(!is_usable_frame(&DAffine3::from_translation(DVec3::X * 1e30)));
    }
}
