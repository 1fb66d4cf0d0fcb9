//! Writes joints of the document that the user moved: their nodes, and the translation keys of
//! their animations.

use serde_json::{Value, json};

use super::super::editor::{Editor, Result};
use super::clips::add_values;
use super::joints::to_f32;
use crate::math::Trs;
use crate::model::{Clip, Joint, Skeleton, Track, TrackValues};

/// Updates the nodes of moved joints and the key frames of their translations.
pub(super) fn apply(
    editor: &mut Editor,
    skeleton: &Skeleton,
    clips: &[Clip],
    joint_nodes: &[usize],
) -> Result<()> {
    let mut moved = Vec::new();
    for (joint, &node) in skeleton.joints().iter().zip(joint_nodes) {
        if move_node(editor, joint, node)? {
            moved.push(node);
        }
    }
    let joint_of = |node: usize| joint_nodes.iter().position(|&n| n == node);
    let mut clips = clips.iter().filter(|clip| !clip.tracks.is_empty()).peekable();
    for index in 0..editor.len("animations") {
        let name: Option<String> = editor.get("animations", index, "name");
        let name = name.unwrap_or_else(|| format!("clip {index}"));
        let channels: Vec<Value> = editor.get("animations", index, "channels").unwrap_or_default();
        // Clips are the animations with channels for joints, in document order.
        let moves_joints = channels.iter().any(|channel| node_of(channel).and_then(joint_of).is_some());
        let Some(clip) = clips.next_if(|clip| moves_joints && clip.name == name) else { continue };
        let outputs = |channel: &Value| -> Option<&Track> {
            let node = node_of(channel).filter(|node| moved.contains(node))?;
            let is_translation = channel["target"]["path"] == "translation";
            is_translation.then(|| translation_of(clip, joint_of(node)?)).flatten()
        };
        move_animation(editor, index, channels.clone(), outputs)?;
    }
    Ok(())
}

/// Updates the translation of a node. Returns whether it changed.
fn move_node(editor: &mut Editor, joint: &Joint, node: usize) -> Result<bool> {
    let matrix: Option<[f32; 16]> = editor.get("nodes", node, "matrix");
    let stored: Option<[f32; 3]> = editor.get("nodes", node, "translation");
    let before = matrix.map_or(stored.unwrap_or_default(), |m| [m[12], m[13], m[14]]);
    let Trs { translation, rotation, scale } = joint.local;
    let after = to_f32(translation.to_array());
    if after == before {
        return Ok(false);
    }
    editor.edit("nodes", node, |object| {
        object.set("translation", &after)?;
        if matrix.is_some() {
            // A node has either a matrix or translation, rotation and scale.
            object.remove("matrix");
            object.set("rotation", &to_f32(rotation.to_array()))?;
            object.set("scale", &to_f32(scale.to_array()))?;
        }
        Ok(())
    })?;
    Ok(true)
}

/// Replaces the output of the channels for which `track_of` returns a track.
fn move_animation<'a>(
    editor: &mut Editor,
    animation: usize,
    mut channels: Vec<Value>,
    track_of: impl Fn(&Value) -> Option<&'a Track>,
) -> Result<()> {
    let mut samplers: Vec<Value> = editor.get("animations", animation, "samplers").unwrap_or_default();
    let mut is_changed = false;
    for channel in &mut channels {
        let Some(track) = track_of(channel) else { continue };
        let sampler = channel["sampler"].as_u64().and_then(|index| samplers.get(index as usize));
        let Some(mut sampler) = sampler.cloned() else { continue };
        // Other channels may use the sampler, so this channel gets a copy.
        sampler["output"] = json!(add_values(editor, &track.values)?);
        channel["sampler"] = json!(samplers.len());
        samplers.push(sampler);
        is_changed = true;
    }
    if !is_changed {
        return Ok(());
    }
    remove_unused_samplers(&mut channels, &mut samplers);
    editor.edit("animations", animation, |object| {
        object.set("channels", &channels)?;
        object.set("samplers", &samplers)
    })
}

/// Removes samplers that no channel uses any more.
fn remove_unused_samplers(channels: &mut [Value], samplers: &mut Vec<Value>) {
    let index_of = |channel: &Value| channel["sampler"].as_u64().unwrap_or_default() as usize;
    let used: Vec<usize> =
        (0..samplers.len()).filter(|&s| channels.iter().any(|channel| index_of(channel) == s)).collect();
    for channel in channels.iter_mut() {
        let old = index_of(channel);
        channel["sampler"] = json!(used.iter().position(|&s| s == old).unwrap_or(old));
    }
    *samplers = used.into_iter().map(|s| samplers[s].take()).collect();
}

fn node_of(channel: &Value) -> Option<usize> {
    channel["target"]["node"].as_u64().map(|node| node as usize)
}

fn translation_of(clip: &Clip, joint: usize) -> Option<&Track> {
    let is_translation = |track: &&Track| matches!(track.values, TrackValues::Translation(_));
    clip.tracks.iter().filter(is_translation).find(|track| track.joint == joint)
}
