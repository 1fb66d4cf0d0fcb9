//! The labelled characters: mesh, skin and joints in a common space.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DMat3, Mat3, Vec3};
use pliant::io::{self, File};
use pliant::model::Attachment;
use pliant::report::Report;
use serde::Deserialize;

/// A character that stands along +Y and looks along +Z, one unit high.
#[derive(Clone, Debug)]
pub struct Character {
    /// The name of its file.
    pub file: String,
    /// The collection it comes from.
    pub source: String,
    /// Humanoid, quadruped, …
    pub kind: String,
    /// Vertices at rest.
    pub positions: Vec<Vec3>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Joint and weight, per vertex.
    pub weights: Vec<Vec<(u32, f32)>>,
    /// Parents of joints, which come before their children.
    pub parents: Vec<Option<usize>>,
    /// Positions of joints at rest.
    pub heads: Vec<Vec3>,
    /// The joint of each label.
    pub labels: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
struct Label {
    source: String,
    kind: String,
    up: String,
    faces: String,
    joints: BTreeMap<String, [f32; 3]>,
    bones: BTreeMap<String, String>,
}

/// Reads all characters of a folder with a `labels.json`.
pub fn read(folder: &Path) -> Vec<Character> {
    let text = std::fs::read_to_string(folder.join("labels.json")).expect("labels.json is readable");
    let labels: BTreeMap<String, Label> = serde_json::from_str(&text).expect("labels.json is valid");
    labels.into_iter().filter_map(|(file, label)| read_one(folder, &file, &label)).collect()
}

fn read_one(folder: &Path, file: &str, label: &Label) -> Option<Character> {
    let bytes = std::fs::read(folder.join(file)).ok()?;
    let files = [File { name: file.to_owned(), bytes }];
    let asset = io::read_character(&files, &mut Report::default()).ok()?;
    let skeleton = asset.skeleton.as_ref()?;
    let stored = asset.stored_weights.as_ref()?;
    let rest_from_mesh = asset.source.as_ref()?.skins.first()?.rest_from_mesh;
    let direction = |name: &str| (rest_from_mesh.matrix3 * axis(name).as_dvec3()).normalize();
    let (up, front) = (direction(&label.up), direction(&label.faces));
    let turned = DMat3::from_cols(up.cross(front), up, front).transpose().as_mat3();
    let mut weights: Vec<Vec<(u32, f32)>> =
        stored.rows().map(|row| row.iter().map(|i| (i.column, i.weight)).collect()).collect();
    for part in &asset.render.parts {
        if let Attachment::Rigid { joint } = part.attachment {
            part.vertices.clone().for_each(|v| weights[v as usize] = vec![(joint as u32, 1.0)]);
        }
    }
    let joints = skeleton.joints();
    let by_name = |name: &str| joints.iter().position(|joint| joint.name == name);
    let mut found = BTreeMap::new();
    for (label, bone) in &label.bones {
        if let Some(joint) = by_name(bone) {
            found.insert(label.clone(), joint);
        }
    }
    let mut positions: Vec<Vec3> = asset.render.positions.iter().map(|&p| turned * p).collect();
    let mut heads: Vec<Vec3> = joints.iter().map(|joint| turned * joint.head()).collect();
    let low = positions.iter().fold(Vec3::INFINITY, |low, &p| low.min(p));
    let high = positions.iter().fold(Vec3::NEG_INFINITY, |high, &p| high.max(p));
    let (middle, height) = (low.midpoint(high), high.y - low.y);
    let origin = Vec3::new(middle.x, low.y, middle.z);
    positions.iter_mut().chain(&mut heads).for_each(|p| *p = (*p - origin) / height);
    // The label must be the head of its joint.
    for (name, &joint) in &found {
        let label = label.joints.get(name)?;
        let at = rest_from_mesh.transform_point3(Vec3::from(*label).as_dvec3()).as_vec3();
        let at = (turned * at - origin) / height;
        if at.distance(heads[joint]) > 2e-3 {
            eprintln!("{file}: {name} is {} off", at.distance(heads[joint]));
        }
    }
    Some(Character {
        file: file.to_owned(),
        source: label.source.clone(),
        kind: label.kind.clone(),
        positions,
        triangles: asset.render.triangles.clone(),
        weights,
        parents: joints.iter().map(|joint| joint.parent).collect(),
        heads,
        labels: found,
    })
}

fn axis(name: &str) -> Vec3 {
    let sign = if name.starts_with('-') { -1.0 } else { 1.0 };
    let axis = name.chars().last().map_or(1, |c| "XYZ".find(c).unwrap_or(1));
    Mat3::IDENTITY.col(axis) * sign
}
