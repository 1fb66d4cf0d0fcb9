//! Polar decomposition: splits the matrix of a joint into a rotation after a stretch.
//!
//! In: any finite 3 × 3 matrix `A`. Out: a proper rotation `R` and `S = Rᵀ A`, so that `A = R S`
//! whatever `A` is; for an invertible `A` without a mirror, `S` is symmetric and `R` the rotation
//! nearest to `A`. Cost: a Jacobi eigenvalue problem of size 3, once per scaled joint and frame.

use glam::{DMat3, DVec3};

use crate::math::{any_orthogonal, sort_few, unit_or_f64};

/// Largest difference between an entry of `Aᵀ A` and of the identity for which `A` counts as a
/// rotation: the error of a rotation rounded to f32 a few times. Larger: true scale is lost.
/// Smaller: rigid poses take the slower path.
const RIGID_TOLERANCE: f64 = 8e-6;

/// Sweeps of Jacobi rotations. They converge quadratically, and skip entries that are zero. Larger:
/// no effect. Smaller: axes of stretches of very different sizes are mixed.
const JACOBI_SWEEPS: usize = 8;

/// Stretch, as a share of the largest, below which an axis counts as collapsed: its image is
/// rounding of f32. Larger: thin axes are rotated arbitrarily. Smaller: rounding decides on the
/// rotation.
const FLAT_SHARE: f64 = 1e-9;

/// Whether `a` is a rotation: no scale, no shear, no mirror.
pub(super) fn is_rotation(a: &DMat3) -> bool {
    let off = a.transpose() * *a - DMat3::IDENTITY;
    off.to_cols_array().iter().all(|entry| entry.abs() <= RIGID_TOLERANCE) && a.determinant() > 0.0
}

/// `(R, S)` with `a = R S`.
pub(super) fn split(a: &DMat3) -> (DMat3, DMat3) {
    let (v, squared_stretches) = eigen(&(a.transpose() * *a));
    let mut order = [0, 1, 2];
    sort_few(&mut order, |&i, &j| squared_stretches[j].total_cmp(&squared_stretches[i]));
    let [first, second, third] = order;
    // A collapsed axis has no image, so the rotation of the other axes decides.
    let largest = (*a * v[first]).length();
    let image = |axis: usize| Some(*a * v[axis]).filter(|u| u.length() > FLAT_SHARE * largest);
    let mut u = v;
    u[first] = unit_or_f64(*a * v[first], v[first]);
    let across = |w: DVec3| w - u[first] * u[first].dot(w);
    let guess = image(second).map_or(DVec3::ZERO, across);
    u[second] = unit_or_f64(guess, unit_or_f64(across(v[second]), any_orthogonal(u[first])));
    let handedness = v[first].cross(v[second]).dot(v[third]);
    u[third] = u[first].cross(u[second]) * handedness;
    let mut rotation = from_pairs(&u, &v);
    if a.determinant() < 0.0 {
        rotation = smallest_rotation_of_mirror(&u, &v, third);
    }
    (rotation, rotation.transpose() * *a)
}

/// A mirror along any one of the axes undoes the mirror in `a`. The one that leaves the smallest
/// rotation is most likely the intended one. `u` is right-handed because `third` was reversed.
fn smallest_rotation_of_mirror(u: &[DVec3; 3], v: &[DVec3; 3], third: usize) -> DMat3 {
    let candidate = |mirrored: usize| {
        let mut image = *u;
        image[third] = -image[third];
        image[mirrored] = -image[mirrored];
        from_pairs(&image, v)
    };
    let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
    [candidate(0), candidate(1), candidate(2)]
        .into_iter()
        .fold(candidate(third), |best, other| if trace(&other) > trace(&best) { other } else { best })
}

/// The rotation from every `v` to its `u`.
fn from_pairs(u: &[DVec3; 3], v: &[DVec3; 3]) -> DMat3 {
    from_columns(u) * from_columns(v).transpose()
}

/// Eigenvectors (as columns) and eigenvalues of a symmetric matrix, by cyclic Jacobi rotations.
fn eigen(symmetric: &DMat3) -> ([DVec3; 3], [f64; 3]) {
    let mut m = columns(symmetric);
    let mut axes = columns(&DMat3::IDENTITY);
    for _ in 0..JACOBI_SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] != 0.0 {
                let turn = annihilate(m[p][p], m[p][q], m[q][q]);
                rotate_columns(&mut m, p, q, turn);
                m = columns(&from_columns(&m).transpose());
                rotate_columns(&mut m, p, q, turn);
                rotate_columns(&mut axes, p, q, turn);
            }
        }
    }
    (axes, [m[0].x, m[1].y, m[2].z])
}

/// Cosine and sine of the rotation that makes `[[a, b], [b, d]]` diagonal, `b` not zero.
fn annihilate(a: f64, b: f64, d: f64) -> (f64, f64) {
    let theta = (d - a) / (2.0 * b);
    let tan = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cos = 1.0 / (tan * tan + 1.0).sqrt();
    (cos, tan * cos)
}

fn rotate_columns(m: &mut [DVec3; 3], p: usize, q: usize, (cos, sin): (f64, f64)) {
    (m[p], m[q]) = (m[p] * cos - m[q] * sin, m[p] * sin + m[q] * cos);
}

fn columns(m: &DMat3) -> [DVec3; 3] {
    [m.x_axis, m.y_axis, m.z_axis]
}

fn from_columns([x, y, z]: &[DVec3; 3]) -> DMat3 {
    DMat3::from_cols(*x, *y, *z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn assert_split(a: DMat3) -> (DMat3, DMat3) {
        let (rotation, stretch) = split(&a);
        assert!(is_rotation(&rotation), "{a}: {rotation} is not a rotation");
        let error = (rotation * stretch - a).to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        let size = a.to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        assert!(error <= 1e-12 * size, "{a}: the product differs by {error}");
        (rotation, stretch)
    }

    #[test]
    fn a_rotation_after_a_stretch_is_split_where_it_was_joined() {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 2.0));
        let tilt = DMat3::from_quat(DQuat::from_rotation_y(0.7));
        let stretch = tilt * DMat3::from_diagonal(DVec3::new(2.0, 0.5, 1.3)) * tilt.transpose();
        let (rotation, rest) = assert_split(turn * stretch);
        assert!(rotation.abs_diff_eq(turn, 1e-12) && rest.abs_diff_eq(stretch, 1e-12));
        assert!(is_rotation(&turn) && !is_rotation(&stretch));
    }

    #[test]
    fn a_mirror_along_an_axis_needs_no_rotation() {
        for diagonal in [DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, 1.0, -2.0), DVec3::new(0.5, -3.0, 2.0)] {
            let (rotation, _) = assert_split(DMat3::from_diagonal(diagonal));
            assert!(rotation.abs_diff_eq(DMat3::IDENTITY, 1e-12), "{diagonal}");
        }
    }

    #[test]
    fn collapsed_and_sheared_matrices_still_split() {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::ZYX, 2.3, 0.4, -1.0));
        for diagonal in [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, 1.0), DVec3::new(1.0, 1e-12, 1e-30)] {
            assert_split(turn * DMat3::from_diagonal(diagonal));
            assert_split(DMat3::from_diagonal(diagonal) * turn);
        }
        assert_split(DMat3::from_cols(DVec3::X, DVec3::new(3.0, 1.0, 0.0), DVec3::new(-2.0, 0.1, 1e-3)));
        assert_split(DMat3::from_cols(DVec3::X, DVec3::X, DVec3::X));
        assert_split(turn * -1e-20);
        assert_split(turn * 1e20);
    }
}
