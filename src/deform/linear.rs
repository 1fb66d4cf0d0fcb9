//! Linear blend skinning: every vertex moves by the weighted mean of its joints' matrices.
//!
//! In: [`Skin`], one matrix per joint, the rest shape. Out: positions `Σ w_j M_j p` and unit normals
//! along `cof(Σ w_j M_j) n`. Source: the common practice since Magnenat-Thalmann et al. 1988.
//! Cost: per vertex 4 fused columns per influence, and three cross products for the normal.
//!
//! The cofactor matrix carries area vectors, so normals are right under any scale and shear of the
//! joints. What the change of the weights along the surface does to normals is left out.

use glam::{DMat3, Mat4, Vec3, Vec3A, Vec4};

use super::skin::{Kernel, Skin, check_joints, sweep};
use super::{Posed, Rest};
use crate::model::Influence;

/// Squared lengths of area vectors that f32 holds with all its digits, and so does their reciprocal
/// root. Outside (joints scaled by less than 1e-8 or more than 1e8, and collapsed blends) the normal is
/// found again in f64.
const EXACT_IN_F32: std::ops::Range<f32> = 1e-30..1e30;

/// Poses every vertex by the mean of its joints' matrices. See [`deform`](super::deform).
///
/// # Panics
/// When a slice does not have the length that `skin` asks for.
pub fn linear(skin: &Skin, posed_from_rest: &[Mat4], rest: Rest, posed: Posed) {
    check_joints(skin, posed_from_rest);
    sweep(&Linear { posed_from_rest }, skin, rest, posed);
}

struct Linear<'a> {
    posed_from_rest: &'a [Mat4],
}

impl Kernel for Linear<'_> {
    #[inline(always)]
    fn vertex<const NORMALS: bool>(&self, row: &[Influence], position: Vec3, normal: Vec3) -> (Vec3, Vec3) {
        let blend = blend(self.posed_from_rest, row);
        let posed = transform(&blend, position);
        let posed_normal = if NORMALS { turn_normal(&blend, normal) } else { normal };
        (Vec3::from(posed), posed_normal)
    }
}

/// The columns of `Σ w_j M_j`; `row` has at least one influence.
#[inline(always)]
pub(super) fn blend(matrices: &[Mat4], row: &[Influence]) -> [Vec4; 4] {
    let columns = |i: &Influence| {
        let m = &matrices[i.column as usize];
        [m.x_axis, m.y_axis, m.z_axis, m.w_axis].map(|column| column * i.weight)
    };
    let mut sum = columns(&row[0]);
    for influence in &row[1..] {
        let [x, y, z, w] = columns(influence);
        sum = [sum[0] + x, sum[1] + y, sum[2] + z, sum[3] + w];
    }
    sum
}

/// The point `[x y z w] · (p, 1)`.
#[inline(always)]
pub(super) fn transform([x, y, z, w]: &[Vec4; 4], point: Vec3) -> Vec3A {
    Vec3A::from_vec4(*x * point.x + *y * point.y + (*z * point.z + *w))
}

/// The direction of `cof(A) n` for the upper 3 × 3 matrix `A` of `columns`.
#[inline(always)]
pub(super) fn turn_normal(columns: &[Vec4; 4], normal: Vec3) -> Vec3 {
    let [x, y, z] = [columns[0], columns[1], columns[2]].map(Vec3A::from_vec4);
    let area = y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z;
    let squared = area.length_squared();
    if EXACT_IN_F32.contains(&squared) {
        Vec3::from(area * squared.sqrt().recip())
    } else {
        turn_normal_in_f64(columns, normal)
    }
}

/// The same where f32 underflows or overflows; the rest normal where the blend has collapsed to a line
/// or a point and there is no answer.
#[cold]
fn turn_normal_in_f64(columns: &[Vec4; 4], normal: Vec3) -> Vec3 {
    let [x, y, z] = [columns[0], columns[1], columns[2]].map(|c| c.truncate().as_dvec3());
    let cofactor = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    (cofactor * normal.as_dvec3()).try_normalize().map_or(normal, |n| n.as_vec3())
}
