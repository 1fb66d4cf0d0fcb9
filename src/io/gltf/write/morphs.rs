//! Writes morph targets, and the animation channels of their weights.
//!
//! All primitives of a mesh must have the same targets. So the targets of every clip are added to
//! every skinned mesh, one clip after the other, and the channel of a clip sets the weights of
//! other clips to zero. Meshes with targets of their own are rejected, because their animations
//! depend on the number of targets.

use glam::{DAffine3, Vec3};
use serde_json::{Value, json};

use super::super::editor::{Accessor, Editor, Result, VERTICES, bytes_of};
use super::clips::add_times;
use super::{Export, WriteError};
use crate::model::{Attachment, Morphs, Part, bounds_of};

/// Adds `morphs` to the meshes of skinned parts.
pub(super) fn add(
    editor: &mut Editor,
    export: &Export<'_>,
    morphs: &[Morphs],
) -> std::result::Result<(), WriteError> {
    let total: usize = morphs.iter().map(|morphs| morphs.targets.len()).sum();
    if total == 0 {
        return Ok(());
    }
    let mut nodes: Vec<usize> = Vec::new();
    let mut meshes: Vec<usize> = Vec::new();
    for (index, part) in export.asset.render.parts.iter().enumerate() {
        let Attachment::Skinned { .. } = part.attachment else { continue };
        let [node, ..] = export.source.part_primitives[index];
        let Some(mesh) = editor.get::<usize>("nodes", node, "mesh") else { continue };
        let primitive = export.source.part_primitives[index][2];
        let mut primitives: Vec<Value> = editor.get("meshes", mesh, "primitives").unwrap_or_default();
        let has_targets = |primitive: &Value| primitive.get("targets").is_some();
        if !meshes.contains(&mesh) {
            if primitives.iter().any(has_targets) {
                return Err(WriteError::HasTargets(mesh));
            }
            meshes.push(mesh);
        }
        if !nodes.contains(&node) {
            nodes.push(node);
        }
        if primitives.get(primitive).is_none_or(has_targets) {
            continue;
        }
        primitives[primitive]["targets"] = add_targets(editor, part, morphs)?;
        editor.edit("meshes", mesh, |object| {
            object.set("primitives", &primitives)?;
            object.set("weights", &vec![0.0; total])
        })?;
    }
    let mut first = 0;
    for morphs in morphs {
        add_channels(editor, morphs, &nodes, [first, total])?;
        first += morphs.targets.len();
    }
    Ok(())
}

fn add_targets(editor: &mut Editor, part: &Part, morphs: &[Morphs]) -> Result<Value> {
    let range = part.vertices.start as usize..part.vertices.end as usize;
    let primitive_from_rest: DAffine3 = part.rest_from_primitive.inverse();
    let mut targets = Vec::new();
    for target in morphs.iter().flat_map(|morphs| &morphs.targets) {
        let own = |d: &Vec3| primitive_from_rest.transform_vector3(d.as_dvec3()).as_vec3();
        let displacements: Vec<Vec3> = target[range.clone()].iter().map(own).collect();
        let (low, high) = bounds_of(&displacements);
        let accessor = Accessor {
            component_type: 5126,
            normalized: false,
            count: displacements.len(),
            shape: "VEC3",
            min: Some(low.to_array().to_vec()),
            max: Some(high.to_array().to_vec()),
        };
        targets.push(
            json!({ "POSITION": editor.add_accessor(&accessor, &bytes_of(&displacements), VERTICES)? }),
        );
    }
    Ok(targets.into())
}

/// Adds a channel per node to the animation of that name, or to a new one.
fn add_channels(
    editor: &mut Editor,
    morphs: &Morphs,
    nodes: &[usize],
    [first, total]: [usize; 2],
) -> Result<()> {
    let mut weights = vec![0.0_f32; total * morphs.times.len()];
    for key in 0..morphs.times.len() {
        weights[key * total + first + key] = 1.0;
    }
    let accessor = Accessor {
        component_type: 5126,
        normalized: false,
        count: weights.len(),
        shape: "SCALAR",
        min: None,
        max: None,
    };
    let output = editor.add_accessor(&accessor, &bytes_of(&weights), None)?;
    let input = add_times(editor, &morphs.times)?;
    let is_named = |&index: &usize| {
        editor.get::<String>("animations", index, "name").is_some_and(|name| name == morphs.clip)
    };
    let animation = match (0..editor.len("animations")).find(is_named) {
        Some(animation) => animation,
        None => {
            let empty = Vec::<Value>::new();
            editor
                .push("animations", &json!({ "name": morphs.clip, "channels": empty, "samplers": empty }))?
        }
    };
    let mut channels: Vec<Value> = editor.get("animations", animation, "channels").unwrap_or_default();
    let mut samplers: Vec<Value> = editor.get("animations", animation, "samplers").unwrap_or_default();
    for node in nodes {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": "weights" } }));
    }
    samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    editor.edit("animations", animation, |object| {
        object.set("channels", &channels)?;
        object.set("samplers", &samplers)
    })
}
