//! Options of the correction after skinning, for `pose` and `bake`.

use std::path::Path;

use pliant::deform::PostSkinningOptions;
use pliant::model::{Rig, Skeleton};
use pliant::pipeline::{Parameter, ParameterKind, post_skinning_options};
use serde_json::Value;

use crate::Failure;
use crate::files;

/// The options that values of parameters stand for. Joints that they name must exist.
pub fn options(
    values: &[(&'static Parameter, Value)],
    skeleton: &Skeleton,
) -> Result<PostSkinningOptions, Failure> {
    let lists = values.iter().filter(|(parameter, _)| parameter.kind == ParameterKind::Joints);
    for name in lists.flat_map(|(parameter, value)| parameter.texts(value)) {
        find_joint(skeleton, &name)?;
    }
    Ok(post_skinning_options(values)?)
}

/// The painted factors of a rig's vertices from a file; empty for none.
pub fn painted(path: Option<&Path>, rig: &Rig) -> Result<Vec<f32>, Failure> {
    let Some(path) = path else { return Ok(Vec::new()) };
    let malformed =
        |error: serde_json::Error| format!("{}: expected an array of numbers: {error}", path.display());
    let painted: Vec<f32> = serde_json::from_slice(&files::read(path)?.bytes).map_err(malformed)?;
    let vertices = rig.asset.render.positions.len();
    if painted.len() == vertices {
        Ok(painted)
    } else {
        Err(format!("{}: {} numbers for {vertices} vertices", path.display(), painted.len()).into())
    }
}

/// A joint by name; an error has the nearest name.
pub fn find_joint(skeleton: &Skeleton, name: &str) -> Result<usize, Failure> {
    Ok(skeleton.find(name).ok_or_else(|| {
        let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        format!("there is no joint '{name}'; {}", pliant::pipeline::hint(name, &names))
    })?)
}
