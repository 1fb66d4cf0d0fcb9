//! Dual quaternion skinning: blends rigid transforms, so that a twist does not lose thickness.
//!
//! In: [`Skin`], one matrix per joint, the rest shape, [`Scratch`]. Out: positions and normals.
//! Source: Kavan, Collins, Žára, O'Sullivan 2007, "Skinning with dual quaternions"
//! (docs/theory/skinning.md#dual-quaternion-skinning). Cost: per vertex two quaternions per
//! influence, and the cost of linear blending in addition if any joint is scaled.
//!
//! Scale takes two phases: the matrix of a joint is split into a rigid transform after a stretch
//! about its pivot. Stretches are blended linearly in rest space, then the rigid transforms as dual
//! quaternions. `q` and `−q` are the same rotation; each joint uses the one nearer to that of the
//! heaviest joint of the vertex.

use glam::{DAffine3, DQuat, DVec3, Mat4, Vec3, Vec3A, Vec4, Vec4Swizzles};

use super::linear::Packed;
use super::skin::{Kernel, Skin, check_joints, sweep};
use super::{Posed, Rest, Scratch, polar};
use crate::model::Influence;

/// Poses every vertex by the blend of its joints' rigid transforms. See [`deform`](super::deform).
///
/// # Panics
/// If a slice does not have the length that `skin` requires.
pub fn dual_quaternion(
    skin: &Skin,
    posed_from_rest: &[Mat4],
    rest: Rest,
    posed: Posed,
    scratch: &mut Scratch,
) {
    check_joints(skin, posed_from_rest);
    let any_stretch = fill(scratch, posed_from_rest, skin.pivots());
    let rigid = Rigid { motions: &scratch.motions };
    if any_stretch {
        sweep(&Stretched { rigid, stretches: &scratch.affines }, skin, rest, posed);
    } else {
        sweep(&rigid, skin, rest, posed);
    }
}

/// Splits every matrix. Whether any of them stretches.
fn fill(scratch: &mut Scratch, posed_from_rest: &[Mat4], pivots: &[Vec3]) -> bool {
    scratch.motions.clear();
    scratch.affines.clear();
    let mut any_stretch = false;
    for (matrix, pivot) in posed_from_rest.iter().zip(pivots) {
        let matrix = DAffine3::from_mat4(matrix.as_dmat4());
        let (motion, stretch) = split(&matrix, pivot.as_dvec3());
        scratch.motions.push(motion);
        any_stretch |= stretch.is_some();
        scratch.affines.push(Packed::new(&stretch.map_or(Mat4::IDENTITY, |s| Mat4::from(s.as_affine3()))));
    }
    any_stretch
}

/// A rigid transform as a dual quaternion (x, y, z, w).
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// The rotation.
    pub real: Vec4,
    /// Half the translation times the rotation.
    pub dual: Vec4,
}

impl Motion {
    fn new(rotation: DQuat, translation: DVec3) -> Self {
        let dual = DQuat::from_xyzw(translation.x, translation.y, translation.z, 0.0) * rotation * 0.5;
        let to_f32 = |q: DQuat| Vec4::from(q.as_quat());
        Self { real: to_f32(rotation), dual: to_f32(dual) }
    }
}

/// `matrix` as a rigid transform after a stretch about `pivot`; no stretch if it is rigid.
pub fn split(matrix: &DAffine3, pivot: DVec3) -> (Motion, Option<DAffine3>) {
    let DAffine3 { matrix3: a, translation } = *matrix;
    if polar::is_rotation(&a) {
        return (Motion::new(DQuat::from_mat3(&a).normalize(), translation), None);
    }
    let (rotation, stretch) = polar::split(&a);
    let posed_pivot = matrix.transform_point3(pivot);
    let motion = Motion::new(DQuat::from_mat3(&rotation).normalize(), posed_pivot - rotation * pivot);
    (motion, Some(DAffine3 { matrix3: stretch, translation: pivot - stretch * pivot }))
}

/// Joints that only rotate and translate.
struct Rigid<'a> {
    motions: &'a [Motion],
}

impl Rigid<'_> {
    /// The weighted sum, not normalised. It cannot vanish: no term points away from the first,
    /// which has the largest weight.
    #[inline(always)]
    fn blend(&self, row: &[Influence]) -> Motion {
        let heaviest = self.motions[row[0].column as usize];
        let mut sum = Motion { real: heaviest.real * row[0].weight, dual: heaviest.dual * row[0].weight };
        for influence in &row[1..] {
            let motion = self.motions[influence.column as usize];
            let towards = heaviest.real.dot(motion.real);
            let weight = if towards < 0.0 { -influence.weight } else { influence.weight };
            sum.real += motion.real * weight;
            sum.dual += motion.dual * weight;
        }
        sum
    }
}

impl Rigid<'_> {
    /// Transforms a point and rotates a direction by the blend.
    #[inline(always)]
    fn apply(&self, row: &[Influence], p: Vec3A, n: Vec3A) -> (Vec3A, Vec3A) {
        let Motion { real, dual } = self.blend(row);
        let (r, d) = (Vec3A::from_vec4(real), Vec3A::from_vec4(dual));
        let (real_w, dual_w) = (Vec3A::from_vec4(real.wwww()), Vec3A::from_vec4(dual.wwww()));
        // Every term below is quadratic in the sum, so dividing by its squared length normalises
        // it.
        let twice = 2.0 / real.length_squared();
        let moved = r.cross(r.cross(p) + real_w * p + d) + (real_w * d - dual_w * r);
        let turned = r.cross(r.cross(n) + real_w * n);
        (p + moved * twice, n + turned * twice)
    }
}

impl Kernel for Rigid<'_> {
    const UNIT_NORMALS: bool = true;

    #[inline(always)]
    fn vertex(&self, row: &[Influence], position: Vec3, normal: Vec3) -> (Vec3A, Vec3A) {
        self.apply(row, position.into(), normal.into())
    }
}

/// Joints of which some are also scaled.
struct Stretched<'a> {
    rigid: Rigid<'a>,
    stretches: &'a [Packed],
}

impl Kernel for Stretched<'_> {
    const UNIT_NORMALS: bool = false;

    #[inline(always)]
    fn vertex(&self, row: &[Influence], position: Vec3, normal: Vec3) -> (Vec3A, Vec3A) {
        let stretch = Packed::blend(self.stretches, row);
        self.rigid.apply(row, stretch.transform(position), stretch.turn_normal(normal))
    }
}
