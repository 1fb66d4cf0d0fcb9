//! Example poses of a character, out of whatever holds them.
//!
//! In: the character and another file of the same topology, its own morph targets, or its clips with the weights it was stored with. Out:
//! one position per solve vertex for each pose. Cost: a pass per pose. Files that are of another topology are refused with
//! the first place where they differ.

use std::sync::Arc;

use glam::Vec3;

use crate::deform::{Deformer, Posed, Rest, Scratch, Skin, deform};
use crate::io::ReadError;
use crate::io::gltf::morph_shapes;
use crate::model::{Asset, Clip, Rig};

/// How far a file's pose may be from the character's, as a share of its size, to count as the same. Larger: small poses
/// are taken for the rest. Smaller: rounding in text files is taken for a pose.
const SAME_POSE: f32 = 1e-6;

/// A pose to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct ExamplePose {
    /// For people.
    pub name: String,
    /// One per solve vertex.
    pub positions: Vec<Vec3>,
}

/// Why a file holds no poses of a character.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// Another number of vertices.
    #[error(
        "it has {found} vertices, but the character has {expected}; export it from the same mesh, in the same order"
    )]
    OtherVertices {
        /// How many it has.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Another number of triangles.
    #[error("it has {found} triangles, but the character has {expected}; export it from the same mesh")]
    OtherTriangles {
        /// How many it has.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The same numbers, but in another order.
    #[error(
        "its triangle {triangle} joins vertices {found:?}, but that of the character {expected:?}; vertices or triangles were reordered"
    )]
    OtherOrder {
        /// The first that differs.
        triangle: usize,
        /// What it joins there.
        found: [u32; 3],
        /// What it should join.
        expected: [u32; 3],
    },
    /// There is nothing that says how a clip moves the skin.
    #[error(
        "the file has no weights of its own to pose its clips with; rig it first, or give poses as files"
    )]
    NoStoredWeights,
    /// A morph target that cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

impl From<ReadError> for PoseError {
    fn from(error: ReadError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// All poses in another file: the one it stands in, or, if that is the character's own, its morph targets and `frames` of each of its
/// clips where it has weights to be posed with. A file that is the character and holds nothing else is an example of the rest.
///
/// # Errors
/// The first place where it differs from the character.
pub fn poses_in(character: &Asset, example: Asset, frames: usize) -> Result<Vec<ExamplePose>, PoseError> {
    let positions = pose_of(character, &example)?;
    let name = example.name.clone();
    let near = SAME_POSE * character.mesh.diagonal();
    let is_rest = positions.iter().zip(character.mesh.positions()).all(|(a, b)| a.distance(*b) <= near);
    let mut poses = if is_rest { morph_examples(&example)? } else { Vec::new() };
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
///
/// # Errors
/// When one cannot be read.
pub fn morph_examples(character: &Asset) -> Result<Vec<ExamplePose>, PoseError> {
    let poses = morph_poses(character)?.into_iter().enumerate();
    Ok(poses.map(|(i, positions)| ExamplePose { name: format!("Target {}", i + 1), positions }).collect())
}

/// `frames` of one of the character's own clips, evenly spaced, as its stored weights move it, with names.
///
/// # Errors
/// When there are no such weights.
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

/// The pose in which `example` stands, if it is of the same topology as `character`.
///
/// # Errors
/// The first place where they differ.
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
///
/// # Errors
/// When one cannot be read.
pub fn morph_poses(character: &Asset) -> Result<Vec<Vec<Vec3>>, PoseError> {
    Ok(morph_shapes(character)?.iter().map(|shape| solved(character, shape)).collect())
}

/// The rig at `frames` evenly spaced times of a clip.
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

/// Positions of render vertices out of those of solve vertices; what hangs rigidly on a joint stays at rest.
pub fn rendered(character: &Asset, solved: &[Vec3]) -> Vec<Vec3> {
    let pairs = character.solve_from_render.iter().zip(&character.render.positions);
    pairs.map(|(&solve, &own)| solved.get(solve as usize).copied().unwrap_or(own)).collect()
}

/// Positions of solve vertices out of those of render vertices, of which there must be as many as the character has.
pub fn solved(character: &Asset, positions: &[Vec3]) -> Vec<Vec3> {
    let own = character.mesh.positions();
    let at = |(solve, render): (usize, u32)| {
        if render == Asset::NOT_SOLVED { own[solve] } else { positions[render as usize] }
    };
    character.render_from_solve().into_iter().enumerate().map(at).collect()
}
