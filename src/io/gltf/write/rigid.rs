//! Moves parts that follow one joint without weights (hats, horns) to a skeleton that is new to the
//! document.

use serde_json::{Map, Value};

use super::super::editor::{Editor, Result};
use super::Export;
use super::joints::to_f32;
use crate::math::Trs;
use crate::model::Attachment;

/// Puts the mesh of every rigid part whose joint is new into a node below that joint, at the same
/// place. The old node stays, because others may hang on it.
pub(super) fn attach(editor: &mut Editor, export: &Export<'_>) -> Result<()> {
    let mut moved: Vec<usize> = Vec::new();
    for (part, &[node, ..]) in export.asset.render.parts.iter().zip(&export.source.part_primitives) {
        let Attachment::Rigid { joint } = part.attachment else { continue };
        let is_known = export.source.joint_nodes.get(joint).is_some_and(Option::is_some);
        let Some(&joint_node) = export.joint_nodes.get(joint) else { continue };
        // The primitives of a mesh are parts of one node.
        if is_known || moved.contains(&node) {
            continue;
        }
        moved.push(node);
        let mut below = Map::new();
        for key in ["name", "mesh", "weights"] {
            if let Some(value) = editor.get::<Value>("nodes", node, key) {
                below.insert(key.into(), value);
            }
        }
        let local = export.skeleton.joint_from_rest()[joint] * part.rest_from_primitive;
        let Trs { translation, rotation, scale } = Trs::from_affine(&local);
        below.insert("translation".into(), to_f32(translation.to_array()).into());
        below.insert("rotation".into(), to_f32(rotation.to_array()).into());
        below.insert("scale".into(), to_f32(scale.to_array()).into());
        let below = editor.push("nodes", &below)?;
        editor.edit("nodes", node, |object| {
            object.remove("mesh");
            object.remove("weights");
            Ok(())
        })?;
        let mut children: Vec<usize> = editor.get("nodes", joint_node, "children").unwrap_or_default();
        children.push(below);
        editor.edit("nodes", joint_node, |object| object.set("children", &children))?;
    }
    Ok(())
}
