//! Reads skeletons from JSON.
//!
//! Input: `{"bones": [{"name", "parent", "head": [x, y, z], "tail": [x, y, z], "rotation": [x, y,
//! z, w], "human"}, …]}`. `parent` is the index of a bone (from 0), the name of a bone, or −1, null
//! or absent for a root. `rotation` is the rest frame as a quaternion in rest space, the identity
//! if absent. `human` is the standard bone by its name in VRM 1.0; other names are ignored. Only
//! `head` is required, and other fields are ignored, so a fitted skeleton (crate `pliant-fitting`)
//! is such a file. Output: one joint per bone, in file order. Cost: linear.

use std::collections::HashMap;

use glam::{DAffine3, DQuat, Vec3};
use serde::Deserialize;
use serde_json::Value;

use super::text::{self, checked_coordinate};
use super::{ErrorCode, File, ReadError, SkeletonFile, limits};
use crate::math::Trs;
use crate::model::{HumanBone, Joint, Skeleton};

#[derive(Deserialize)]
struct Document {
    bones: Vec<Bone>,
}

#[derive(Deserialize)]
struct Bone {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    parent: Value,
    head: [f64; 3],
    #[serde(default)]
    tail: Option<[f64; 3]>,
    #[serde(default)]
    rotation: Option<[f64; 4]>,
    #[serde(default)]
    human: Option<String>,
}

/// Reads a skeleton.
///
/// # Errors
/// Invalid JSON or wrong types, with line and column; a missing parent, a cycle or a coordinate out
/// of range, with the path of the bone; no bones.
pub(super) fn read(file: &File) -> Result<SkeletonFile, ReadError> {
    let text = std::str::from_utf8(text::without_bom(&file.bytes)).map_err(|error| {
        ReadError::new(ErrorCode::Malformed, "", format!("the text is not UTF-8: {error}"))
    })?;
    let Document { bones } = serde_json::from_str(text).map_err(|error| json_error(&error))?;
    if bones.is_empty() {
        return Err(ReadError::new(ErrorCode::NoSkeleton, "bones", "the list of bones is empty"));
    }
    limits::check_budget("bones", "joints", bones.len(), limits::MAX_JOINTS)?;
    let names: Vec<String> = (0..)
        .zip(&bones)
        .map(|(i, bone)| bone.name.clone().unwrap_or_else(|| format!("joint {i}")))
        .collect();
    let mut by_name = HashMap::new();
    for (i, name) in names.iter().enumerate() {
        by_name.entry(name.as_str()).or_insert(i);
    }
    let heads = (0..)
        .zip(&bones)
        .map(|(i, bone)| point(bone.head, i, "head"))
        .collect::<Result<Vec<Vec3>, ReadError>>()?;
    let mut joints: Vec<Joint> = Vec::with_capacity(bones.len());
    for (i, (bone, &head)) in bones.iter().zip(&heads).enumerate() {
        let parent = parent_of(&bone.parent, &by_name, bones.len()).map_err(|what| {
            ReadError::new(ErrorCode::Malformed, format!("bones[{i}].parent"), what)
                .hint("use the index or the name of a bone, or -1 for a root")
        })?;
        let parent = parent.and_then(|p| heads.get(p).map(|&at| (p, at)));
        let mut joint = Joint::at(names.get(i).cloned().unwrap_or_default(), parent, head);
        joint.tail = bone.tail.map(|tail| point(tail, i, "tail")).transpose()?;
        joint.human = bone.human.as_deref().and_then(HumanBone::from_name);
        if let Some(rotation) = bone.rotation {
            joint.rest *= DAffine3::from_quat(unit_quaternion(rotation, i)?);
        }
        joints.push(joint);
    }
    set_locals(&mut joints);
    let skeleton = Skeleton::new(joints)
        .map_err(|error| ReadError::new(ErrorCode::Malformed, "bones", error.to_string()))?;
    Ok(SkeletonFile { skeleton, clips: Vec::new() })
}

fn json_error(error: &serde_json::Error) -> ReadError {
    let place = format!("line {}, column {}", error.line(), error.column());
    let text = error.to_string();
    // serde_json appends the location; `ReadError` puts it in front.
    let what = text.split(" at line ").next().unwrap_or_default();
    if error.is_eof() {
        return ReadError::new(ErrorCode::Truncated, place, what).hint(limits::TRUNCATED_HINT);
    }
    let expected =
        "a skeleton is {\"bones\": [{\"name\", \"parent\", \"head\": [x, y, z], \"tail\": [x, y, z]}]}";
    ReadError::new(ErrorCode::Malformed, place, what).hint(expected)
}

/// Sets the transform of every joint relative to its parent.
fn set_locals(joints: &mut [Joint]) {
    let rests: Vec<DAffine3> = joints.iter().map(|joint| joint.rest).collect();
    // Joints with the axes of the world keep the exact differences of their heads.
    let is_rotated = rests.iter().any(|rest| rest.matrix3 != glam::DMat3::IDENTITY);
    for joint in joints.iter_mut().filter(|_| is_rotated) {
        let parent = joint.parent.and_then(|parent| rests.get(parent));
        let local = parent.map_or(joint.rest, |parent| parent.inverse() * joint.rest);
        joint.local = Trs { scale: glam::DVec3::ONE, ..Trs::from_affine(&local) };
    }
}

/// Largest difference of the length of a quaternion from one.
const MAX_LENGTH_ERROR: f64 = 1e-2;

fn unit_quaternion(values: [f64; 4], bone: usize) -> Result<DQuat, ReadError> {
    let rotation = DQuat::from_array(values);
    let length = rotation.length();
    if (length - 1.0).abs() <= MAX_LENGTH_ERROR {
        return Ok(rotation / length);
    }
    let place = format!("bones[{bone}].rotation");
    Err(ReadError::new(ErrorCode::Malformed, place, format!("a quaternion of length {length}"))
        .hint("write a unit quaternion: [x, y, z, w]"))
}

fn point([x, y, z]: [f64; 3], bone: usize, field: &str) -> Result<Vec3, ReadError> {
    let place = format!("bones[{bone}].{field}");
    Ok(Vec3::new(
        checked_coordinate(x, &place)?,
        checked_coordinate(y, &place)?,
        checked_coordinate(z, &place)?,
    ))
}

fn parent_of(parent: &Value, by_name: &HashMap<&str, usize>, bones: usize) -> Result<Option<usize>, String> {
    match parent {
        Value::Null => Ok(None),
        Value::String(name) if name.is_empty() => Ok(None),
        Value::String(name) => match by_name.get(name.as_str()) {
            Some(&bone) => Ok(Some(bone)),
            None => Err(format!("there is no bone called \"{}\"", text::for_message(name.as_bytes()))),
        },
        Value::Number(number) if number.as_f64() == Some(-1.0) => Ok(None),
        Value::Number(number) => match number.as_u64().and_then(|n| usize::try_from(n).ok()) {
            Some(bone) if bone < bones => Ok(Some(bone)),
            _ => Err(format!("there is no bone {number}; there are {bones}, counted from 0")),
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err("a parent is an index or a name".into()),
    }
}
