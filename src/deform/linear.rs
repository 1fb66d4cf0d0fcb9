//! Linear blend skinning: every vertex moves by the weighted mean of its joints' matrices
//! (docs/theory/skinning.md#linear-blend-skinning).
//!
//! In: [`Skin`], one matrix per joint, the rest shape. Out: positions `Σ w_j M_j p` and unit
//! normals along `cof(Σ w_j M_j) n`. Source: the common practice since Magnenat-Thalmann et al.
//! 1988. Cost: per vertex three vector multiply-adds per influence, and three cross products.
//!
//! The cofactor matrix transforms area vectors, so normals are right under any scale and shear of
//! the joints. The effect of the gradient of the weights on normals is neglected.

use glam::{Mat4, Vec3, Vec3A, Vec3Swizzles, Vec4};

use super::skin::{Kernel, Skin, check_joints, sweep};
use super::{Posed, Rest, Scratch};
use crate::model::Influence;

/// Factor of the rest normal that is added to the posed one before normalisation, so that a blend
/// that has collapsed to a line or a point has a normal too. Larger: visible in joints scaled by
/// 1e-6. Smaller: its square underflows in f32.
const LEAST_AREA: f32 = 1e-16;

/// Poses every vertex by the mean of its joints' matrices. See [`deform`](super::deform).
///
/// # Panics
/// If a slice does not have the length that `skin` requires.
pub fn linear(skin: &Skin, posed_from_rest: &[Mat4], rest: Rest, posed: Posed, scratch: &mut Scratch) {
    check_joints(skin, posed_from_rest);
    scratch.affines.clear();
    scratch.affines.extend(posed_from_rest.iter().map(Packed::new));
    sweep(&Linear { posed_from_rest: &scratch.affines }, skin, rest, posed);
}

/// An affine matrix in three registers instead of four: the columns of its 3 × 3 part, each with
/// one component of the translation in its last lane. (Blending four columns took 20 % longer.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    x: Vec4,
    y: Vec4,
    z: Vec4,
}

impl Packed {
    pub(super) fn new(affine: &Mat4) -> Self {
        let translation = affine.w_axis;
        let column = |axis: Vec4, last: f32| axis.truncate().extend(last);
        Self {
            x: column(affine.x_axis, translation.x),
            y: column(affine.y_axis, translation.y),
            z: column(affine.z_axis, translation.z),
        }
    }

    /// `Σ w_j M_j`; `row` has at least one influence.
    #[inline(always)]
    pub(super) fn blend(matrices: &[Self], row: &[Influence]) -> Self {
        let term = |i: &Influence| {
            let m = &matrices[i.column as usize];
            Self { x: m.x * i.weight, y: m.y * i.weight, z: m.z * i.weight }
        };
        row[1..].iter().map(term).fold(term(&row[0]), |sum, next| Self {
            x: sum.x + next.x,
            y: sum.y + next.y,
            z: sum.z + next.z,
        })
    }

    /// The image of a point.
    #[inline(always)]
    pub(super) fn transform(&self, point: Vec3) -> Vec3A {
        let Self { x, y, z } = *self;
        let translation = Vec4::new(x.w, y.w, z.w, 0.0);
        Vec3A::from_vec4(x * point.x + y * point.y + (z * point.z + translation))
    }

    /// `cof(A) n` for the 3 × 3 part `A`, not yet of unit length.
    #[inline(always)]
    pub(super) fn turn_normal(&self, normal: Vec3) -> Vec3A {
        let [x, y, z] = [self.x, self.y, self.z].map(Vec3A::from_vec4);
        // The cross products y × z, z × x and x × y, except for a last permutation of components,
        // which is applied once to the sum.
        let [x_zxy, y_zxy, z_zxy] = [x.zxy(), y.zxy(), z.zxy()];
        let area_yzx = (y_zxy * z - y * z_zxy) * normal.x
            + (z_zxy * x - z * x_zxy) * normal.y
            + (x_zxy * y - x * y_zxy) * normal.z;
        area_yzx.zxy() + Vec3A::from(normal) * LEAST_AREA
    }
}

struct Linear<'a> {
    posed_from_rest: &'a [Packed],
}

impl Kernel for Linear<'_> {
    const UNIT_NORMALS: bool = false;

    #[inline(always)]
    fn vertex(&self, row: &[Influence], position: Vec3, normal: Vec3) -> (Vec3A, Vec3A) {
        let blend = Packed::blend(self.posed_from_rest, row);
        (blend.transform(position), blend.turn_normal(normal))
    }
}
