//! What glam lacks: safe directions and decomposed transforms; and a sort for a few things.

use std::cmp::Ordering;

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// The direction of `v`, or `fallback` where `v` is too short (or not finite) to have one.
pub fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    v.try_normalize().unwrap_or(fallback)
}

/// The direction of `v`, or `fallback` where `v` is too short (or not finite) to have one.
pub fn unit_or_f64(v: DVec3, fallback: DVec3) -> DVec3 {
    v.try_normalize().unwrap_or(fallback)
}

/// A unit vector at a right angle to the unit vector `axis`; the same one every time.
pub fn any_orthogonal(axis: DVec3) -> DVec3 {
    axis.any_orthonormal_vector()
}

/// Sorts a list of a few, equals in the order they came. Of the standard sort every type and order is 5 to 10 KB of WebAssembly, of this
/// a tenth. Cost: the square of how many there are; for influences, hits of a ray or siblings, not for vertices.
pub fn sort_few<T>(few: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for end in 1..few.len() {
        let mut place = end;
        while place > 0 && compare(&few[place - 1], &few[place]).is_gt() {
            few.swap(place - 1, place);
            place -= 1;
        }
    }
}

/// The larger of two numbers that both are numbers. `f32::max` asks whether they are, which in WebAssembly is a call.
#[inline]
pub fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Sorts by a key, of equals the first first. As [`sort_few`], whatever they are: all types share one sort of the standard library's, each of which
/// would be 3 kB of the download.
pub fn sort_by_keys<T: Copy>(items: &mut [T], key: impl Fn(&T) -> u64) {
    const FEW: usize = 64;
    if items.len() <= FEW {
        return sort_few(items, |a, b| key(a).cmp(&key(b)));
    }
    let with_places = items.iter().enumerate().map(|(at, item)| u128::from(key(item)) << 64 | at as u128);
    let mut keys: Vec<u128> = with_places.collect();
    keys.sort_unstable();
    let sorted: Vec<T> = keys.into_iter().map(|key| items[key as u64 as usize]).collect();
    items.copy_from_slice(&sorted);
}

/// Two numbers as one that sorts as they do.
pub fn key_of(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// A transform kept as the three parts that animation channels drive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trs {
    /// Moved by, after turning and scaling.
    pub translation: DVec3,
    /// Turned by; a unit quaternion.
    pub rotation: DQuat,
    /// Scaled by, first, along the local axes.
    pub scale: DVec3,
}

impl Trs {
    /// Leaves everything where it is.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// A pure translation.
    pub fn from_translation(translation: DVec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Splits `affine`; shear is lost, a mirror becomes a negative scale, a flat axis keeps a zero scale.
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

    /// The same as a matrix.
    pub fn to_affine(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

fn nonzero(scale: f64) -> f64 {
    if scale == 0.0 { 1.0 } else { scale }
}

/// Whether a joint can stand here: every entry is a number, the frame can be undone without blowing up, and
/// its place fits into single precision with digits to spare.
pub fn is_usable_frame(affine: &DAffine3) -> bool {
    // A determinant below this share of the axes' product means two axes have all but collapsed into
    // one. Larger: sheared rigs of real files are refused. Smaller: inverses lose all their digits.
    const COLLAPSED: f64 = 1e-9;
    // Squares of lengths beyond this overflow single precision in later stages.
    const FARTHEST: f64 = 1e9;
    let m = affine.matrix3;
    let size = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
    affine.is_finite()
        && affine.translation.abs().max_element() <= FARTHEST
        && size > 0.0
        && m.determinant().abs() > COLLAPSED * size
}

/// The rotation that turns vectors `a` into vectors `b` best, from `covariance = Σ b aᵀ`: of all proper rotations the one with
/// the largest `Σ b · R a` (Horn 1987). Never a mirror, and the identity where nothing says otherwise.
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

/// Of a symmetric matrix, by Jacobi rotations; a unit vector.
fn largest_eigenvector(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    /// They converge quadratically: eight leave nothing but rounding.
    const SWEEPS: usize = 8;
    let mut vectors =
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    for (p, q) in (0..SWEEPS).flat_map(|_| [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]) {
        // What is left is rounding of what is there.
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
    fn keys_sort_many_as_they_sort_few() {
        for count in [0, 1, 2, 64, 65, 1000] {
            let mut items: Vec<(u32, u32)> = (0..count).map(|i| (i * 7919 % 101, i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|&(key, _)| key);
            sort_by_keys(&mut items, |&(key, _)| key_of(key, 0));
            assert_eq!(items, expected, "{count}");
        }
    }

    #[test]
    fn a_few_are_sorted_and_equals_stay_in_order() {
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
    fn a_transform_survives_being_split_and_put_together() {
        let trs = Trs {
            translation: DVec3::new(1.0, -2.0, 3.0),
            rotation: DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 2.0),
            scale: DVec3::new(-0.5, 2.0, 3.0),
        };
        let affine = trs.to_affine();
        assert!(Trs::from_affine(&affine).to_affine().abs_diff_eq(affine, 1e-12));
    }

    #[test]
    fn a_rotation_is_found_again_and_a_mirror_never() {
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
    fn collapsed_infinite_and_far_frames_are_refused() {
        assert!(is_usable_frame(&DAffine3::from_scale(DVec3::splat(1e-6))));
        assert!(!is_usable_frame(&DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0))));
        assert!(!is_usable_frame(&DAffine3::from_translation(DVec3::new(f64::NAN, 0.0, 0.0))));
        assert!(!is_usable_frame(&DAffine3::from_translation(DVec3::X * 1e30)));
    }
}
