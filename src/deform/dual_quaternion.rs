//! Dual quaternion skinning: blends rigid motions so that a twist keeps its thickness.
//!
//! In: [`Skin`], one matrix per joint, the rest shape, [`Scratch`]. Out: positions and normals.
//! Source: Kavan, Collins, Žára, O'Sullivan 2007, "Skinning with dual quaternions"; scale by its two
//! phases. Cost: per vertex two quaternions per influence; as much as linear blending on top once any
//! joint is scaled.
//!
//! Two phases: a joint's matrix is split into a rigid motion after a stretch about its pivot. The
//! stretches are blended linearly in rest space, then the rigid motions as dual quaternions. Of `q` and
//! `−q`, the same rotation, each joint uses the one nearer to the vertex's heaviest joint's.

use glam::{DMat4, DQuat, DVec3, Mat4, Vec3, Vec3A, Vec4, Vec4Swizzles};

use super::skin::{Kernel, Skin, check_joints, sweep};
use super::{Posed, Rest, linear, polar};
use crate::model::Influence;

/// What dual quaternions need per joint and frame, kept so that no frame allocates.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    motions: Vec<Motion>,
    stretches: Vec<Mat4>,
}

impl Scratch {
    /// Room for the joints of `skin`. One made for another skin, or by `default`, grows on first use.
    pub fn new(skin: &Skin) -> Self {
        let joints = skin.joints();
        Self { motions: Vec::with_capacity(joints), stretches: Vec::with_capacity(joints) }
    }

    /// Splits every matrix; true if any of them stretches.
    fn fill(&mut self, posed_from_rest: &[Mat4], pivots: &[Vec3]) -> bool {
        self.motions.clear();
        self.stretches.clear();
        let mut any_stretch = false;
        for (matrix, pivot) in posed_from_rest.iter().zip(pivots) {
            let (motion, stretch) = split(matrix, pivot.as_dvec3());
            self.motions.push(motion);
            any_stretch |= stretch.is_some();
            self.stretches.push(stretch.unwrap_or(Mat4::IDENTITY));
        }
        any_stretch
    }
}

/// Poses every vertex by the blend of its joints' rigid motions. See [`deform`](super::deform).
///
/// # Panics
/// When a slice does not have the length that `skin` asks for.
pub fn dual_quaternion(
    skin: &Skin,
    posed_from_rest: &[Mat4],
    rest: Rest,
    posed: Posed,
    scratch: &mut Scratch,
) {
    check_joints(skin, posed_from_rest);
    let any_stretch = scratch.fill(posed_from_rest, skin.pivots());
    let rigid = Rigid { motions: &scratch.motions };
    if any_stretch {
        sweep(&Stretched { rigid, stretches: &scratch.stretches }, skin, rest, posed);
    } else {
        sweep(&rigid, skin, rest, posed);
    }
}

/// A rigid motion as a dual quaternion (x, y, z, w): the rotation, and half the translation times it.
#[derive(Clone, Copy, Debug)]
struct Motion {
    real: Vec4,
    dual: Vec4,
}

impl Motion {
    fn new(rotation: DQuat, translation: DVec3) -> Self {
        let dual = DQuat::from_xyzw(translation.x, translation.y, translation.z, 0.0) * rotation * 0.5;
        let to_f32 = |q: DQuat| Vec4::from(q.as_quat());
        Self { real: to_f32(rotation), dual: to_f32(dual) }
    }
}

/// `matrix` as a rigid motion after a stretch about `pivot`; no stretch if it is rigid already.
fn split(matrix: &Mat4, pivot: DVec3) -> (Motion, Option<Mat4>) {
    let matrix = matrix.as_dmat4();
    let a = glam::DMat3::from_mat4(matrix);
    let translation = matrix.w_axis.truncate();
    if polar::is_rotation(&a) {
        return (Motion::new(DQuat::from_mat3(&a).normalize(), translation), None);
    }
    let (rotation, stretch) = polar::split(&a);
    let posed_pivot = a * pivot + translation;
    let motion = Motion::new(DQuat::from_mat3(&rotation).normalize(), posed_pivot - rotation * pivot);
    let about_pivot =
        DMat4::from_translation(pivot) * DMat4::from_mat3(stretch) * DMat4::from_translation(-pivot);
    (motion, Some(about_pivot.as_mat4()))
}

/// Joints that turn and move only.
struct Rigid<'a> {
    motions: &'a [Motion],
}

impl Rigid<'_> {
    /// The weighted sum, not yet of unit length. It cannot vanish: no term points away from the first,
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

impl Kernel for Rigid<'_> {
    #[inline(always)]
    fn vertex<const NORMALS: bool>(&self, row: &[Influence], position: Vec3, normal: Vec3) -> (Vec3, Vec3) {
        let Motion { real, dual } = self.blend(row);
        let (r, d) = (Vec3A::from_vec4(real), Vec3A::from_vec4(dual));
        let (real_w, dual_w) = (Vec3A::from_vec4(real.wwww()), Vec3A::from_vec4(dual.wwww()));
        // Every term below is quadratic in the sum, so dividing by its squared length makes it unit.
        let twice = 2.0 / real.length_squared();
        let p = Vec3A::from(position);
        let moved = r.cross(r.cross(p) + real_w * p + d) + (real_w * d - dual_w * r);
        let posed = Vec3::from(p + moved * twice);
        if !NORMALS {
            return (posed, normal);
        }
        let n = Vec3A::from(normal);
        (posed, Vec3::from(n + r.cross(r.cross(n) + real_w * n) * twice))
    }
}

/// Joints of which some also scale.
struct Stretched<'a> {
    rigid: Rigid<'a>,
    stretches: &'a [Mat4],
}

impl Kernel for Stretched<'_> {
    #[inline(always)]
    fn vertex<const NORMALS: bool>(&self, row: &[Influence], position: Vec3, normal: Vec3) -> (Vec3, Vec3) {
        let stretch = linear::blend(self.stretches, row);
        let stretched = Vec3::from(linear::transform(&stretch, position));
        let turned = if NORMALS { linear::turn_normal(&stretch, normal) } else { normal };
        self.rigid.vertex::<NORMALS>(row, stretched, turned)
    }
}
