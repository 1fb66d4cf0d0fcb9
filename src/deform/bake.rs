//! The correction of a clip as shapes that any engine can blend in before plain linear skinning.
//!
//! In: a rig, its [`PostSkinning`], a clip and the times of its keys. Out: [`Morphs`]: at every key the displacement
//! that skinning carries to where the correction put the vertex, `(Σ w_j A_j)⁻¹ Δ`. Cost: one corrected frame and one
//! 3 × 3 inverse per vertex and key. Linear skinning only: what engines do.

use glam::{DMat3, Mat3, Mat4, Vec3};

use super::post_skinning::PostSkinning;
use super::{Deformer, Posed, Rest, Scratch, Skin, deform};
use crate::model::{Clip, Influence, Morphs, Rig};

/// A blend that shrinks volumes below this share has lost a direction; a displacement along it cannot be carried back.
/// Larger: folded skin keeps its fold. Smaller: vertices fly off between the keys.
const COLLAPSED: f64 = 1e-2;

/// No displacement at rest is longer than this many times the one it stands for.
const LONGEST: f32 = 8.0;

/// Bakes what `post_skinning` does to `clip` at `keys` evenly spaced times from its start to its end, both included: to all of the character,
/// or around `joints` only, if there are any. A joint's flesh is held by itself and by its parent; the correction fades out with their weights.
pub fn bake(
    rig: &Rig,
    post_skinning: &mut PostSkinning,
    clip: &Clip,
    keys: usize,
    joints: &[usize],
) -> Morphs {
    let shares = shares_of(rig, joints);
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
            .map(|(v, (a, b))| carried_back(&matrices, rig.weights().row(v), (*b - *a) * shares[v]))
            .collect();
        morphs.times.push(time);
        morphs.targets.push(target);
    }
    morphs
}

/// How much of every render vertex's correction is baked.
fn shares_of(rig: &Rig, joints: &[usize]) -> Vec<f32> {
    let mut chosen = vec![joints.is_empty(); rig.skeleton.joints().len()];
    for &joint in joints {
        chosen[joint] = true;
        if let Some(parent) = rig.skeleton.joints()[joint].parent {
            chosen[parent] = true;
        }
    }
    let share = |row: &[Influence]| row.iter().filter(|i| chosen[i.column as usize]).map(|i| i.weight).sum();
    rig.weights().rows().map(share).collect()
}

/// The displacement at rest that becomes `moved` when it is skinned.
fn carried_back(posed_from_rest: &[Mat4], row: &[Influence], moved: Vec3) -> Vec3 {
    if moved == Vec3::ZERO {
        return moved;
    }
    let blend = row.iter().fold(DMat3::ZERO, |sum, influence| {
        sum + Mat3::from_mat4(posed_from_rest[influence.column as usize]).as_dmat3()
            * f64::from(influence.weight)
    });
    if blend.determinant().abs() < COLLAPSED {
        return Vec3::ZERO;
    }
    let back = (blend.inverse() * moved.as_dvec3()).as_vec3();
    back.clamp_length_max(LONGEST * moved.length())
}
