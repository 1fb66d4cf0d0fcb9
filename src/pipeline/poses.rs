//! Example poses of a character, from files, morph targets or clips.
//!
//! In: the character and another file of the same topology, its own morph targets, or its clips
//! with the weights stored in the file. Out: one position per solve vertex for each pose. Cost: a
//! pass per pose. Files of another topology are rejected with the first difference.

use std::sync::Arc;

use glam::Vec3;

use crate::deform::{Deformer, Posed, Rest, Scratch, Skin, deform};
use crate::model::{Asset, Clip, Rig};

/// Largest distance of a pose from the rest pose, as a fraction of the character's size, at which
/// both count as equal. Larger: small poses count as the rest pose. Smaller: rounding in text files
/// counts as a pose.
const SAME_POSE: f32 = 1e-6;

/// An example pose.
#[derive(Clone, Debug, PartialEq)]
pub struct ExamplePose {
    /// The name shown to users.
    pub name: String,
    /// One per solve vertex.
    pub positions: Vec<Vec3>,
}

/// Why a file has no poses of a character.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// Another number of vertices.
    #[error(
        "it has {found} vertices, but the character has {expected}; export it from the same mesh, in the same order"
    )]
    OtherVertices {
        /// Its number of vertices.
        found: usize,
        /// The number of vertices of the character.
        expected: usize,
    },
    /// Another number of triangles.
    #[error("it has {found} triangles, but the character has {expected}; export it from the same mesh")]
    OtherTriangles {
        /// Its number of triangles.
        found: usize,
        /// The number of triangles of the character.
        expected: usize,
    },
    /// The same numbers, but in another order.
    #[error(
        "its triangle {triangle} joins vertices {found:?}, but that of the character {expected:?}; vertices or triangles were reordered"
    )]
    OtherOrder {
        /// The first triangle that differs.
        triangle: usize,
        /// Its vertices in the file.
        found: [u32; 3],
        /// Its vertices in the character.
        expected: [u32; 3],
    },
    /// There are no weights with which a clip could be posed.
    #[error(
        "the file has no weights of its own to pose its clips with; rig it first, or give poses as files"
    )]
    NoStoredWeights,
}

/// All poses in another file: its rest pose, or, if that is the character's own, its morph targets
/// and `frames` of each of its clips if it has weights. A file that equals the character and has
/// nothing else is an example of the rest pose.
///
/// # Errors
/// The first difference from the character.
pub fn poses_in(character: &Asset, example: Asset, frames: usize) -> Result<Vec<ExamplePose>, PoseError> {
    let positions = pose_of(character, &example)?;
    let name = example.name.clone();
    let near = SAME_POSE * character.mesh.diagonal();
    let is_rest = positions.iter().zip(character.mesh.positions()).all(|(a, b)| a.distance(*b) <= near);
    let mut poses = if is_rest { morph_examples(&example) } else { Vec::new() };
    if is_rest && example.stored_weights.is_some() {
        let example = Arc::new(example);
        poses.extend(example.clips.iter().flat_map(|clip| clip_examples(&example, clip, frames)).flatten());
    }
    if poses.is_empty() {
        poses.push(ExamplePose { name, positions });
    }
    Ok(poses)
}

/// The character's own morph targets, with names.
pub fn morph_examples(character: &Asset) -> Vec<ExamplePose> {
    let poses = morph_poses(character).into_iter().enumerate();
    poses.map(|(i, positions)| ExamplePose { name: format!("Target {}", i + 1), positions }).collect()
}

/// `frames` of one of the character's own clips, evenly spaced, posed with its stored weights, with
/// names.
///
/// # Errors
/// If there are no such weights.
pub fn clip_examples(
    character: &Arc<Asset>,
    clip: &Clip,
    frames: usize,
) -> Result<Vec<ExamplePose>, PoseError> {
    let stored = character.skeleton.clone().zip(character.stored_weights.clone());
    let (skeleton, weights) = stored.ok_or(PoseError::NoStoredWeights)?;
    let rig = Rig::from_render_weights(character.clone(), skeleton, weights)
        .map_err(|_| PoseError::NoStoredWeights)?;
    let poses = clip_poses(&rig, clip, frames).into_iter().enumerate();
    let named =
        poses.map(|(i, positions)| ExamplePose { name: format!("{} {}", clip.name, i + 1), positions });
    Ok(named.collect())
}

/// The rest pose of `example`, if it has the same topology as `character`.
///
/// # Errors
/// The first difference between them.
pub fn pose_of(character: &Asset, example: &Asset) -> Result<Vec<Vec3>, PoseError> {
    let (ours, theirs) = (&character.render, &example.render);
    let (found, expected) = (theirs.positions.len(), ours.positions.len());
    if found != expected {
        return Err(PoseError::OtherVertices { found, expected });
    }
    let (found, expected) = (theirs.triangles.len(), ours.triangles.len());
    if found != expected {
        return Err(PoseError::OtherTriangles { found, expected });
    }
    let mut pairs = theirs.triangles.iter().zip(&ours.triangles).enumerate();
    if let Some((triangle, (&found, &expected))) = pairs.find(|(_, (found, expected))| found != expected) {
        return Err(PoseError::OtherOrder { triangle, found, expected });
    }
    Ok(solved(character, &theirs.positions))
}

/// The character's own morph targets, each as a pose.
pub fn morph_poses(character: &Asset) -> Vec<Vec<Vec3>> {
    character.morph_shapes().iter().map(|shape| solved(character, shape)).collect()
}

/// Poses of the rig at `frames` evenly spaced times of a clip.
fn clip_poses(rig: &Rig, clip: &Clip, frames: usize) -> Vec<Vec<Vec3>> {
    let skin = Skin::of_rig(rig);
    let mut scratch = Scratch::new(&skin);
    let rest = Rest { positions: &rig.asset.render.positions, normals: &[] };
    let last = frames.max(2) - 1;
    let pose = |frame: usize| {
        let time = clip.duration() * frame as f32 / last as f32;
        let matrices = clip.sample(&rig.skeleton, time).skinning_matrices(&rig.skeleton);
        let mut positions = vec![Vec3::ZERO; rest.positions.len()];
        let posed = Posed { positions: &mut positions, normals: &mut [] };
        deform(Deformer::Linear, &skin, &matrices, rest, posed, &mut scratch);
        solved(&rig.asset, &positions)
    };
    (0..frames).map(pose).collect()
}

/// Positions of render vertices from those of solve vertices; rigidly attached vertices stay at
/// rest.
pub fn rendered(character: &Asset, solved: &[Vec3]) -> Vec<Vec3> {
    let pairs = character.solve_from_render.iter().zip(&character.render.positions);
    pairs.map(|(&solve, &own)| solved.get(solve as usize).copied().unwrap_or(own)).collect()
}

/// Positions of solve vertices from those of render vertices, of which there must be as many as the
/// character has.
pub fn solved(character: &Asset, positions: &[Vec3]) -> Vec<Vec3> {
    let own = character.mesh.positions();
    let at = |(solve, render): (usize, u32)| {
        if render == Asset::NOT_SOLVED { own[solve] } else { positions[render as usize] }
    };
    character.render_from_solve().into_iter().enumerate().map(at).collect()
}
