//! Bakes the correction of a clip as morph targets, for engines that only skin linearly.
//!
//! In: a rig, its [`PostSkinning`], a clip and the number of its keys. Out: [`Morphs`]: at every
//! key the displacement in rest space that skinning transforms to the correction, `(Σ w_j A_j)⁻¹ Δ`
//! (docs/theory/volume.md#baking). Cost: one corrected frame and one 3 × 3 inverse per vertex and
//! key.

use glam::{DMat3, Mat3, Mat4, Vec3};

use super::post_skinning::PostSkinning;
use super::{Deformer, Posed, Rest, Scratch, Skin, deform};
use crate::model::{Clip, Influence, Morphs, Rig};

/// Determinant of a blended matrix below which it counts as singular, and the displacement is left
/// out. Larger: strongly bent skin is not corrected. Smaller: vertices move far between keys.
const MIN_DETERMINANT: f64 = 1e-2;

/// Largest ratio of the displacement in rest space to the one in posed space. Larger: vertices move
/// far between keys. Smaller: strongly bent skin is not corrected.
const MAX_RATIO: f32 = 8.0;

/// Bakes the corrections of `clip` at `keys` evenly spaced times from its start to its end, both
/// included. If `joints` are given, only around these: the correction is multiplied by the weights
/// of these joints and their parents.
pub fn bake(
    rig: &Rig,
    post_skinning: &mut PostSkinning,
    clip: &Clip,
    keys: usize,
    joints: &[usize],
) -> Morphs {
    let factors = factors_of(rig, joints);
    let skin = Skin::of_rig(rig);
    let mut scratch = Scratch::new(&skin);
    let rest = Rest { positions: &rig.asset.render.positions, normals: &[] };
    let mut morphs = Morphs { clip: clip.name.clone(), ..Morphs::default() };
    let mut skinned = vec![Vec3::ZERO; rest.positions.len()];
    let last = keys.max(2) - 1;
    for key in 0..=last {
        let time = clip.duration() * key as f32 / last as f32;
        let matrices = clip.sample(&rig.skeleton, time).skinning_matrices(&rig.skeleton);
        let posed = Posed { positions: &mut skinned, normals: &mut [] };
        deform(Deformer::Linear, &skin, &matrices, rest, posed, &mut scratch);
        let mut corrected = skinned.clone();
        post_skinning.correct(&matrices, Posed { positions: &mut corrected, normals: &mut [] });
        let pairs = skinned.iter().zip(&corrected).enumerate();
        let target = pairs
            .map(|(v, (a, b))| to_rest(&matrices, rig.weights().row(v), (*b - *a) * factors[v]))
            .collect();
        morphs.times.push(time);
        morphs.targets.push(target);
    }
    morphs
}

/// The factor of the correction of every render vertex.
fn factors_of(rig: &Rig, joints: &[usize]) -> Vec<f32> {
    let mut chosen = vec![joints.is_empty(); rig.skeleton.joints().len()];
    for &joint in joints {
        chosen[joint] = true;
        if let Some(parent) = rig.skeleton.joints()[joint].parent {
            chosen[parent] = true;
        }
    }
    let sum = |row: &[Influence]| row.iter().filter(|i| chosen[i.column as usize]).map(|i| i.weight).sum();
    rig.weights().rows().map(sum).collect()
}

/// The displacement in rest space that skinning transforms to `moved`.
fn to_rest(posed_from_rest: &[Mat4], row: &[Influence], moved: Vec3) -> Vec3 {
    if moved == Vec3::ZERO {
        return moved;
    }
    let blend = row.iter().fold(DMat3::ZERO, |sum, influence| {
        sum + Mat3::from_mat4(posed_from_rest[influence.column as usize]).as_dmat3()
            * f64::from(influence.weight)
    });
    if blend.determinant().abs() < MIN_DETERMINANT {
        return Vec3::ZERO;
    }
    let back = (blend.inverse() * moved.as_dvec3()).as_vec3();
    back.clamp_length_max(MAX_RATIO * moved.length())
}
