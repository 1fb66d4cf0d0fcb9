//! Writes the animation clips of a skeleton that the source document does not contain.

use serde_json::{Value, json};

use super::super::editor::{Accessor, Editor, Result, bytes_of};
use crate::model::{Clip, Interpolation, Track, TrackValues};

/// Adds every clip as an animation of the nodes of the joints.
pub(super) fn add(editor: &mut Editor, clips: &[Clip], joint_nodes: &[usize]) -> Result<()> {
    for clip in clips {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        // Tracks of a clip usually share their key times. Each distinct list is written once.
        let mut inputs: Vec<(&[f32], usize)> = Vec::new();
        for track in &clip.tracks {
            let known = inputs.iter().find(|(times, _)| *times == track.times).map(|&(_, input)| input);
            let input = match known {
                Some(input) => input,
                None => {
                    let input = add_times(editor, &track.times)?;
                    inputs.push((&track.times, input));
                    input
                }
            };
            samplers.push(json!({
                "input": input,
                "output": add_values(editor, &track.values)?,
                "interpolation": interpolation(track),
            }));
            channels.push(json!({
                "sampler": samplers.len() - 1,
                "target": { "node": joint_nodes[track.joint], "path": path(track) },
            }));
        }
        let animation: Value = json!({ "name": clip.name, "channels": channels, "samplers": samplers });
        editor.push("animations", &animation)?;
    }
    Ok(())
}

fn interpolation(track: &Track) -> &'static str {
    match track.interpolation {
        Interpolation::Step => "STEP",
        Interpolation::Linear => "LINEAR",
        Interpolation::Cubic => "CUBICSPLINE",
    }
}

fn path(track: &Track) -> &'static str {
    match track.values {
        TrackValues::Translation(_) => "translation",
        TrackValues::Rotation(_) => "rotation",
        TrackValues::Scale(_) => "scale",
    }
}

pub(super) fn add_times(editor: &mut Editor, times: &[f32]) -> Result<usize> {
    let bounds = |time: Option<&f32>| Some(vec![time.copied().unwrap_or(0.0)]);
    let accessor = Accessor {
        component_type: 5126,
        normalized: false,
        count: times.len(),
        shape: "SCALAR",
        min: bounds(times.first()),
        max: bounds(times.last()),
    };
    editor.add_accessor(&accessor, &bytes_of(times), None)
}

pub(super) fn add_values(editor: &mut Editor, values: &TrackValues) -> Result<usize> {
    let (shape, numbers): (_, Vec<f32>) = match values {
        TrackValues::Translation(v) | TrackValues::Scale(v) => {
            ("VEC3", v.iter().flat_map(|v| v.as_vec3().to_array()).collect())
        }
        TrackValues::Rotation(v) => ("VEC4", v.iter().flat_map(|q| q.as_quat().to_array()).collect()),
    };
    let accessor = Accessor {
        component_type: 5126,
        normalized: false,
        count: values.len(),
        shape,
        min: None,
        max: None,
    };
    editor.add_accessor(&accessor, &bytes_of(&numbers), None)
}
