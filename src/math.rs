//! What glam lacks: safe directions and decomposed transforms.

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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn collapsed_infinite_and_far_frames_are_refused() {
        assert!(is_usable_frame(&DAffine3::from_scale(DVec3::splat(1e-6))));
        assert!(!is_usable_frame(&DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0))));
        assert!(!is_usable_frame(&DAffine3::from_translation(DVec3::new(f64::NAN, 0.0, 0.0))));
        assert!(!is_usable_frame(&DAffine3::from_translation(DVec3::X * 1e30)));
    }
}
