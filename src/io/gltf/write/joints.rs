//! Writes the joint nodes: existing nodes are kept, missing ones are added.

use serde::Serialize;
use serde_json::{Map, Value};

use super::super::editor::{Editor, Result};
use super::add_to_scene;
use crate::math::Trs;
use crate::model::{Joint, JointKind, Pose, Skeleton, Source};

/// The node of each joint, after adding missing nodes and applying the pose.
pub(super) fn write_nodes(
    editor: &mut Editor,
    skeleton: &Skeleton,
    source: &Source,
    pose: Option<&Pose>,
) -> Result<Vec<usize>> {
    let first_new = editor.len("nodes");
    let mut nodes: Vec<Option<usize>> = source.joint_nodes.clone();
    nodes.resize(skeleton.joints().len(), None);
    let missing: Vec<usize> = (0..nodes.len()).filter(|&joint| nodes[joint].is_none()).collect();
    let ends: Vec<usize> =
        missing.iter().copied().filter(|&joint| tail_to_store(skeleton, joint).is_some()).collect();
    for (i, &joint) in missing.iter().enumerate() {
        nodes[joint] = Some(first_new + i);
    }
    let node_of = |joint: usize| nodes[joint].unwrap_or_default();
    let end_of = |joint: usize| ends.iter().position(|&e| e == joint).map(|i| first_new + missing.len() + i);

    for &joint in &missing {
        let children = (0..nodes.len()).filter(|&child| skeleton.joints()[child].parent == Some(joint));
        let children: Vec<usize> = children.map(node_of).chain(end_of(joint)).collect();
        editor.push("nodes", &node(&skeleton.joints()[joint], &children))?;
    }
    for &joint in &ends {
        editor.push("nodes", &end_node(skeleton, joint))?;
    }
    // Append new joints to the children of existing nodes.
    for (joint, own) in source.joint_nodes.iter().enumerate() {
        let Some(own) = *own else { continue };
        let added = missing.iter().filter(|&&child| skeleton.joints()[child].parent == Some(joint));
        let added: Vec<usize> = added.map(|&child| node_of(child)).collect();
        if !added.is_empty() {
            let mut children: Vec<usize> = editor.get("nodes", own, "children").unwrap_or_default();
            children.extend(added);
            editor.edit("nodes", own, |object| object.set("children", &children))?;
        }
    }
    let is_root = |&joint: &usize| skeleton.joints()[joint].parent.is_none();
    let mut roots: Vec<usize> = missing.iter().copied().filter(is_root).map(node_of).collect();
    if roots.len() > 1 {
        // The joints of a skin must have a common root.
        let root = editor.push("nodes", &serde_json::json!({ "name": "Skeleton", "children": roots }))?;
        roots = vec![root];
    }
    add_to_scene(editor, &roots)?;
    if let Some(pose) = pose {
        for joint in 0..nodes.len() {
            let local = Trs::from_affine(&pose.parent_from_joint[joint]);
            editor.edit("nodes", node_of(joint), |object| {
                object.remove("matrix");
                object.set("translation", &to_f32(local.translation.to_array()))?;
                object.set("rotation", &to_f32(local.rotation.to_array()))?;
                object.set("scale", &to_f32(local.scale.to_array()))
            })?;
        }
    }
    Ok((0..nodes.len()).map(node_of).collect())
}

/// Rounds to f32. glTF readers store these values as f32, so longer text adds nothing.
pub(super) fn to_f32<const N: usize>(values: [f64; N]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

fn node(joint: &Joint, children: &[usize]) -> Map<String, Value> {
    let Trs { translation, rotation, scale } = joint.local;
    let mut node = Map::new();
    node.insert("name".into(), joint.name.clone().into());
    insert_unless_default(&mut node, "translation", &to_f32(translation.to_array()), &[0.0; 3]);
    insert_unless_default(&mut node, "rotation", &to_f32(rotation.to_array()), &[0.0, 0.0, 0.0, 1.0]);
    insert_unless_default(&mut node, "scale", &to_f32(scale.to_array()), &[1.0; 3]);
    if !children.is_empty() {
        node.insert("children".into(), children.into());
    }
    node
}

fn insert_unless_default<T: Serialize + PartialEq + Copy + Into<Value>>(
    node: &mut Map<String, Value>,
    key: &str,
    value: &[T],
    default: &[T],
) {
    if value != default {
        node.insert(key.into(), value.to_vec().into());
    }
}

/// The tail of a leaf joint that must be stored. glTF has no tails; like other tools, we store it
/// as a child node called `…_end`.
fn tail_to_store(skeleton: &Skeleton, joint: usize) -> Option<glam::Vec3> {
    let is_child = |other: &Joint| other.parent == Some(joint) && other.kind != JointKind::Point;
    let is_leaf = !skeleton.joints().iter().any(is_child);
    skeleton.joints()[joint].tail.filter(|_| is_leaf)
}

fn end_node(skeleton: &Skeleton, joint: usize) -> Map<String, Value> {
    let Joint { name, tail, .. } = &skeleton.joints()[joint];
    let tail = tail.unwrap_or_default().as_dvec3();
    let local = skeleton.joint_from_rest()[joint].transform_point3(tail);
    let mut node = Map::new();
    node.insert("name".into(), format!("{name}_end").into());
    node.insert("translation".into(), to_f32(local.to_array()).into());
    node
}
