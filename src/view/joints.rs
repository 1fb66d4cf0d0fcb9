//! Joints and weights laid out for the vertex shader.
//!
//! Per joint [`TEXELS`] texels: the matrix by rows, a dual quaternion, and the stretch before it by rows.
//! Per vertex up to [`MOST_INFLUENCES`] joints, the heaviest first. `skinned.vert` reads both.

use glam::{DAffine3, DVec3, Vec3};

use crate::deform::{self, Deformer};
use crate::math::sort_few;
use crate::model::{Influence, Weights};

/// How the graphics card blends the motions of several joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Skinning {
    /// Their matrices.
    #[default]
    Linear,
    /// Their rigid motions, as dual quaternions after a linear blend of their stretches.
    DualQuaternion,
}

impl Skinning {
    /// The deformer that does the same on the CPU.
    pub fn deformer(self) -> Deformer {
        match self {
            Self::Linear => Deformer::Linear,
            Self::DualQuaternion => Deformer::DualQuaternion,
        }
    }
}

impl From<Deformer> for Skinning {
    fn from(deformer: Deformer) -> Self {
        match deformer {
            Deformer::Linear => Self::Linear,
            Deformer::DualQuaternion => Self::DualQuaternion,
        }
    }
}

/// Texels per joint: 3 for the matrix, 2 for the dual quaternion, 3 for the stretch.
pub const TEXELS: usize = 8;

/// Joints per row of the texture: every WebGL2 has textures 2048 wide.
pub const JOINTS_PER_ROW: usize = 256;

/// More than this many joints per vertex are drawn without the lightest.
pub const MOST_INFLUENCES: usize = 8;

/// `TEXELS` texels per joint; `heads` are the points about which a stretch acts, in rest space.
pub fn joint_texels(posed_from_rest: &[DAffine3], heads: &[Vec3], skinning: Skinning) -> Vec<[f32; 4]> {
    let mut texels = Vec::with_capacity(posed_from_rest.len() * TEXELS);
    for (matrix, head) in posed_from_rest.iter().zip(heads) {
        texels.extend(rows(matrix));
        if skinning == Skinning::DualQuaternion {
            // The same split as the CPU's, so that both draw the same character.
            let (motion, stretch) = deform::split(matrix, head.as_dvec3());
            texels.extend([motion.real, motion.dual].map(|q| q.to_array()));
            texels.extend(rows(&stretch.unwrap_or(DAffine3::IDENTITY)));
        } else {
            texels.resize(texels.len() + TEXELS - 3, [0.0; 4]);
        }
    }
    texels
}

fn rows(affine: &DAffine3) -> [[f32; 4]; 3] {
    let (m, t) = (affine.matrix3.transpose(), affine.translation);
    let row = |axis: DVec3, last: f64| axis.extend(last).as_vec4().to_array();
    [row(m.x_axis, t.x), row(m.y_axis, t.y), row(m.z_axis, t.z)]
}

/// Joints and weights of every vertex, in groups of four.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// The four heaviest of every vertex.
    pub first: Group,
    /// The next four, when any vertex has that many.
    pub more: Option<Group>,
}

/// Four joints of every vertex; those without weight fill up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Which.
    pub joints: Vec<[u16; 4]>,
    /// How much.
    pub weights: Vec<[f32; 4]>,
}

impl Group {
    fn with_capacity(vertices: usize) -> Self {
        Self { joints: Vec::with_capacity(vertices), weights: Vec::with_capacity(vertices) }
    }

    fn push(&mut self, row: &[Influence]) {
        let slot = |i: usize| row.get(i).map_or((0, 0.0), |i| (i.column as u16, i.weight));
        let slots = [0, 1, 2, 3].map(slot);
        self.joints.push(slots.map(|slot| slot.0));
        self.weights.push(slots.map(|slot| slot.1));
    }
}

impl Influences {
    /// Every vertex held by the first joint alone: with that joint at rest, the character stands still.
    /// So one without weights is drawn by the same shader as one with, which need not be compiled anew in
    /// the moment it begins to move.
    pub fn standing(vertices: usize) -> Self {
        let first = Group { joints: vec![[0; 4]; vertices], weights: vec![[1.0, 0.0, 0.0, 0.0]; vertices] };
        Self { first, more: None }
    }

    /// The heaviest of every row, first; what does not fit is shared among the others.
    pub fn new(weights: &Weights) -> Self {
        let has_more = weights.max_influences() > 4;
        let mut first = Group::with_capacity(weights.vertices());
        let mut more = Group::with_capacity(if has_more { weights.vertices() } else { 0 });
        // One for all rows: weights come anew with every step of a slider.
        let mut sorted = Vec::with_capacity(2 * MOST_INFLUENCES);
        for row in weights.rows() {
            heaviest(row, &mut sorted);
            let (four, rest) = sorted.split_at(sorted.len().min(4));
            first.push(four);
            if has_more {
                more.push(rest);
            }
        }
        Self { first, more: has_more.then_some(more) }
    }
}

fn heaviest(row: &[Influence], sorted: &mut Vec<Influence>) {
    sorted.clear();
    sorted.extend_from_slice(row);
    sort_few(sorted, |a, b| b.weight.total_cmp(&a.weight));
    if sorted.len() > MOST_INFLUENCES {
        sorted.truncate(MOST_INFLUENCES);
        let sum: f32 = sorted.iter().map(|i| i.weight).sum();
        sorted.iter_mut().for_each(|i| i.weight /= sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn affine(scale: DVec3) -> DAffine3 {
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 2.0, -1.1);
        DAffine3::from_scale_rotation_translation(scale, turn, DVec3::new(3.0, -1.0, 2.0))
    }

    /// As the shader does it, for one joint.
    fn apply(texels: &[[f32; 4]], p: Vec3) -> Vec3 {
        let row = |i: usize, p: Vec3| glam::Vec4::from_array(texels[i]).dot(p.extend(1.0));
        let stretched = Vec3::new(row(5, p), row(6, p), row(7, p));
        let (real, dual) = (glam::Vec4::from_array(texels[3]), glam::Vec4::from_array(texels[4]));
        let (r, d) = (real.truncate(), dual.truncate());
        let moved = r.cross(r.cross(stretched) + stretched * real.w + d) + d * real.w - r * dual.w;
        stretched + 2.0 * moved
    }

    #[test]
    fn one_joint_moves_alike_as_a_matrix_and_as_a_dual_quaternion_even_scaled_and_mirrored() {
        for scale in [DVec3::ONE, DVec3::new(2.0, 0.5, 1.5), DVec3::new(-1.0, 1.0, 1.0), DVec3::ZERO] {
            let matrix = affine(scale);
            let head = Vec3::new(0.3, 0.2, 0.1);
            let texels = joint_texels(&[matrix], &[head], Skinning::DualQuaternion);
            assert_eq!(texels.len(), TEXELS);
            for point in [Vec3::ZERO, Vec3::X, Vec3::new(-1.0, 2.0, 0.5)] {
                let expected = matrix.transform_point3(point.as_dvec3()).as_vec3();
                assert!(apply(&texels, point).distance(expected) < 2e-6, "scale {scale}");
            }
        }
    }

    #[test]
    fn influences_come_heaviest_first_and_keep_their_sum() {
        let row: Vec<Influence> =
            (0..10).map(|column| Influence { column, weight: (column + 1) as f32 / 55.0 }).collect();
        let weights = Weights::new(10, [row]).unwrap();
        let packed = Influences::new(&weights);
        assert_eq!(packed.first.joints[0], [9, 8, 7, 6]);
        let more = packed.more.unwrap();
        assert_eq!(more.joints[0], [5, 4, 3, 2]);
        let sum: f32 = packed.first.weights[0].iter().chain(&more.weights[0]).sum();
        assert!((sum - 1.0).abs() < 1e-6);
    }

    #[test]
    fn four_influences_need_no_second_group() {
        let weights = Weights::rigid(3, [2, 0]).unwrap();
        let packed = Influences::new(&weights);
        assert_eq!((packed.first.joints[0], packed.first.weights[0]), ([2, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(packed.more, None);
    }
}
