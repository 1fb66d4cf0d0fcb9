//! Poses to learn from, out of files.

use std::sync::Arc;

use glam::Vec3;
use pliant::model::{Asset, Rig};
use pliant::pipeline::{clip_poses, morph_poses, pose_of};
use pliant::report::Report;

use crate::Failure;
use crate::args::RigArgs;
use crate::rig::read_model;

/// How far a file's pose may be from the character's, as a share of its size, to count as the same.
const SAME_POSE: f32 = 1e-6;

/// All poses in the files that `--example` names. A file that stands in another pose than the character is a pose; one that
/// stands in the same has them in its morph targets or clips.
pub fn read(args: &RigArgs, character: &Arc<Asset>, report: &mut Report) -> Result<Vec<Vec<Vec3>>, Failure> {
    if args.example.is_empty() {
        return Err("the examples method learns from poses; give some with --example FILE".into());
    }
    let mut poses = Vec::new();
    for path in &args.example {
        let example = read_model(path, report)?;
        let about = |error| format!("{} is no pose of {}: {error}", path.display(), args.model.display());
        let own = pose_of(character, &example).map_err(about)?;
        let near = SAME_POSE * character.mesh.diagonal();
        let is_rest = own.iter().zip(character.mesh.positions()).all(|(a, b)| a.distance(*b) <= near);
        let inside = if is_rest { poses_inside(args, example).map_err(about)? } else { Vec::new() };
        // A file that is the character and holds nothing else is an example as well: of the rest.
        if inside.is_empty() {
            poses.push(own);
        } else {
            poses.extend(inside);
        }
    }
    Ok(poses)
}

/// Morph targets, and frames of clips where the file has weights to pose it with.
fn poses_inside(args: &RigArgs, example: Asset) -> Result<Vec<Vec<Vec3>>, pliant::pipeline::PoseError> {
    let mut poses = morph_poses(&example)?;
    let (Some(skeleton), Some(weights)) = (example.skeleton.clone(), example.stored_weights.clone()) else {
        return Ok(poses);
    };
    if let Ok(rig) = Rig::from_render_weights(Arc::new(example), skeleton, weights) {
        let clips = &rig.asset.clips;
        poses.extend(clips.iter().flat_map(|clip| clip_poses(&rig, clip, args.example_frames)));
    }
    Ok(poses)
}
