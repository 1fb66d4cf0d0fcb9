//! Example poses of a character, out of whatever holds them.
//!
//! In: the character and another file of the same topology, its own morph targets, or its clips with the weights it was stored with. Out:
//! one position per solve vertex for each pose. Cost: a pass per pose. Files that are of another topology are refused with
//! the first place where they differ.

use glam::Vec3;

use crate::deform::{Deformer, Posed, Rest, Scratch, Skin, deform};
use crate::io::ReadError;
use crate::io::gltf::morph_shapes;
use crate::model::{Asset, Clip, Rig};

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
    /// A morph target that cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

impl From<ReadError> for PoseError {
    fn from(error: ReadError) -> Self {
        Self::Unreadable(error.to_string())
    }
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

/// The character at `frames` evenly spaced times of a clip, as the weights it was stored with move it; none without such weights.
pub fn clip_poses(rig: &Rig, clip: &Clip, frames: usize) -> Vec<Vec<Vec3>> {
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

/// Positions of solve vertices out of those of render vertices.
fn solved(character: &Asset, positions: &[Vec3]) -> Vec<Vec3> {
    let own = character.mesh.positions();
    let at = |(solve, render): (usize, u32)| {
        if render == Asset::NOT_SOLVED { own[solve] } else { positions[render as usize] }
    };
    character.render_from_solve().into_iter().enumerate().map(at).collect()
}
