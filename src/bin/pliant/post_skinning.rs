//! Options of the correction after skinning, for `pose` and `bake`.

use pliant::deform::PostSkinningOptions;
use pliant::model::Skeleton;
use pliant::pipeline::{Parameter, ParameterKind, post_skinning_options};
use serde_json::Value;

use crate::Failure;

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

/// A joint by name; an error has the nearest name.
pub fn find_joint(skeleton: &Skeleton, name: &str) -> Result<usize, Failure> {
    Ok(skeleton.find(name).ok_or_else(|| {
        let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        format!("there is no joint '{name}'; {}", pliant::pipeline::hint(name, &names))
    })?)
}
