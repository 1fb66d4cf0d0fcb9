//! Example poses from files.

use std::sync::Arc;

use glam::Vec3;
use pliant::model::Asset;
use pliant::pipeline::poses_in;
use pliant::report::Report;

use crate::Failure;
use crate::args::RigArgs;
use crate::rig::read_model;

/// All poses in the files of `--example`.
pub fn read(args: &RigArgs, character: &Arc<Asset>, report: &mut Report) -> Result<Vec<Vec<Vec3>>, Failure> {
    if args.example.is_empty() {
        return Err("the method examples needs poses; give some with --example FILE".into());
    }
    let mut poses = Vec::new();
    for path in &args.example {
        let example = read_model(path, report)?;
        let with_names =
            |error| format!("{} is no pose of {}: {error}", path.display(), args.model.display());
        let found = poses_in(character, example, args.example_frames).map_err(with_names)?;
        poses.extend(found.into_iter().map(|pose| pose.positions));
    }
    Ok(poses)
}
