//! A segmentation from elsewhere: a joint for every vertex or every triangle of a file.
//!
//! In: text, and the asset it belongs to. Out: a joint per solve vertex. The text is a JSON list of
//! joints, plain text with one joint per line, or a JSON object from vertex colours to joints. A
//! joint is a name or a number. Where the vertices or triangles around a solve vertex disagree,
//! most of them decide; triangles count by area.

use std::collections::{BTreeMap, HashMap};

use glam::Vec4;
use serde::Deserialize;

use super::recipe::hint;
use crate::math::{key_of, sort_by_keys};
use crate::model::{Asset, Skeleton};

/// Why labels are refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LabelsError {
    /// Broken JSON, or JSON of another shape.
    #[error(
        "the labels cannot be read ({0}); expected a list of joints, or an object from colours to joints"
    )]
    Unreadable(String),
    /// The model has no skeleton.
    #[error("the model has no skeleton that the labels could name joints of")]
    NoSkeleton,
    /// Neither one per vertex nor one per triangle.
    #[error(
        "there are {labels} labels; expected {vertices}, one per vertex, or {triangles}, one per triangle"
    )]
    Count {
        /// Number of labels.
        labels: usize,
        /// Number of render vertices.
        vertices: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// A name that no joint has.
    #[error("label {number} is '{name}', which is no joint; {hint}")]
    UnknownJoint {
        /// Number of the label, from 1.
        number: usize,
        /// The name.
        name: String,
        /// A similar name.
        hint: String,
    },
    /// A number that no joint has.
    #[error("label {number} is joint {joint}, but joints are numbered from 0 to {last}")]
    NoSuchJoint {
        /// Number of the label, from 1.
        number: usize,
        /// The number of the joint.
        joint: u64,
        /// The largest valid one.
        last: usize,
    },
    /// Colours for a model without any.
    #[error("the labels are colours, but the model has no vertex colours")]
    NoColors,
    /// A key that is no colour.
    #[error("'{0}' is no colour; write it as #rrggbb")]
    NotAColor(String),
    /// A vertex colour that is not among the labels.
    #[error("vertex {vertex} is {color}, and no label is near that colour")]
    UnlabelledColor {
        /// Index of the render vertex.
        vertex: usize,
        /// Its colour as `#rrggbb`.
        color: String,
    },
}

/// One joint.
#[derive(Deserialize)]
#[serde(untagged)]
enum Label {
    Number(u64),
    Name(String),
}

/// A whole file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Labels {
    List(Vec<Label>),
    Colors(BTreeMap<String, Label>),
}

/// Largest difference of a component of a vertex colour from that of a label, of 255. Larger: a
/// vertex between two regions takes whichever colour is nearer. Smaller: colours that were rounded
/// to bytes twice are unknown.
const COLOR_TOLERANCE: i32 = 8;

/// Reads the joint of every solve vertex of `asset`.
///
/// # Errors
/// What is wrong with the labels, and with which of them.
pub fn labels_from_text(text: &str, asset: &Asset) -> Result<Vec<u32>, LabelsError> {
    let skeleton = asset.skeleton.as_ref().ok_or(LabelsError::NoSkeleton)?;
    let labels = if text.trim_start().starts_with(['[', '{']) {
        serde_json::from_str(text).map_err(|error| LabelsError::Unreadable(error.to_string()))?
    } else {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Labels::List(lines.map(|line| Label::Name(line.to_owned())).collect())
    };
    let joints = Joints::of(skeleton);
    let of_list = |labels: Vec<Label>| -> Result<Vec<u32>, LabelsError> {
        labels.iter().enumerate().map(|(i, label)| joints.find(i + 1, label)).collect()
    };
    let mut votes = Votes::default();
    match labels {
        Labels::List(labels) if labels.len() == asset.render.positions.len() => {
            of_list(labels)?
                .iter()
                .enumerate()
                .for_each(|(vertex, &joint)| votes.add(asset, vertex, joint, 1.0));
        }
        Labels::List(labels) if labels.len() == asset.render.triangles.len() => {
            for (corners, joint) in asset.render.triangles.iter().zip(of_list(labels)?) {
                let [a, b, c] = corners.map(|v| asset.render.positions[v as usize].as_dvec3());
                // The smallest share keeps a vertex whose triangles are all degenerate.
                let area = (b - a).cross(c - a).length() + f64::MIN_POSITIVE;
                corners.iter().for_each(|&vertex| votes.add(asset, vertex as usize, joint, area));
            }
        }
        Labels::List(labels) => {
            let (vertices, triangles) = (asset.render.positions.len(), asset.render.triangles.len());
            return Err(LabelsError::Count { labels: labels.len(), vertices, triangles });
        }
        Labels::Colors(labels) => {
            for (vertex, joint) in of_colors(&labels, &joints, asset)?.into_iter().enumerate() {
                votes.add(asset, vertex, joint, 1.0);
            }
        }
    }
    Ok(votes.winners(asset.mesh.positions().len()))
}

/// The joint of every render vertex, by its colour.
fn of_colors(
    labels: &BTreeMap<String, Label>,
    joints: &Joints<'_>,
    asset: &Asset,
) -> Result<Vec<u32>, LabelsError> {
    if asset.render.colors.is_empty() {
        return Err(LabelsError::NoColors);
    }
    let mut known = Vec::new();
    for (number, (text, label)) in labels.iter().enumerate() {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let bits = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let bits = bits.ok_or_else(|| LabelsError::NotAColor(text.clone()))?;
        known.push((
            [bits >> 16, bits >> 8 & 255, bits & 255].map(|c| c as i32),
            joints.find(number + 1, label)?,
        ));
    }
    let joint = |(vertex, &color): (usize, &Vec4)| {
        let bytes = [color.x, color.y, color.z].map(srgb_byte);
        let distance = |other: &[i32; 3]| (0..3).map(|i| (bytes[i] - other[i]).abs()).max().unwrap_or(0);
        let nearest = known.iter().min_by_key(|(other, _)| distance(other));
        let [r, g, b] = bytes;
        nearest
            .filter(|(other, _)| distance(other) <= COLOR_TOLERANCE)
            .map(|&(_, joint)| joint)
            .ok_or_else(|| LabelsError::UnlabelledColor { vertex, color: format!("#{r:02x}{g:02x}{b:02x}") })
    };
    asset.render.colors.iter().enumerate().map(joint).collect()
}

/// A linear component as an sRGB byte.
fn srgb_byte(linear: f32) -> i32 {
    let c = linear.clamp(0.0, 1.0);
    let srgb = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (srgb * 255.0).round() as i32
}

/// The joints by name.
struct Joints<'a> {
    by_name: HashMap<&'a str, u32>,
    names: Vec<&'a str>,
}

impl<'a> Joints<'a> {
    fn of(skeleton: &'a Skeleton) -> Self {
        let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        // Of equal names the first joint counts.
        let by_name = names.iter().enumerate().rev().map(|(i, &name)| (name, i as u32)).collect();
        Self { by_name, names }
    }

    /// The joint of a label. A number in quotes, or on a line of its own, is a name if there is
    /// one.
    fn find(&self, number: usize, label: &Label) -> Result<u32, LabelsError> {
        let joint = match label {
            Label::Number(joint) => *joint,
            Label::Name(name) => match (self.by_name.get(name.as_str()), name.parse()) {
                (Some(&joint), _) => return Ok(joint),
                (None, Ok(joint)) => joint,
                (None, Err(_)) => {
                    let (name, hint) = (name.clone(), hint(name, &self.names));
                    return Err(LabelsError::UnknownJoint { number, name, hint });
                }
            },
        };
        let last = self.names.len().saturating_sub(1);
        if joint as usize <= last && !self.names.is_empty() {
            Ok(joint as u32)
        } else {
            Err(LabelsError::NoSuchJoint { number, joint, last })
        }
    }
}

/// Labels of solve vertices, with their weight.
#[derive(Default)]
struct Votes(Vec<(u32, u32, f64)>);

impl Votes {
    fn add(&mut self, asset: &Asset, render_vertex: usize, joint: u32, weight: f64) {
        let vertex = asset.solve_from_render[render_vertex];
        if vertex != Asset::NOT_SOLVED {
            self.0.push((vertex, joint, weight));
        }
    }

    /// The joint with the largest weight for each of `vertices`; of equals the first. A vertex
    /// without any has the first joint.
    fn winners(mut self, vertices: usize) -> Vec<u32> {
        sort_by_keys(&mut self.0, |&(vertex, joint, _)| key_of(vertex, joint));
        let mut best = vec![(0u32, 0.0f64); vertices];
        for same in self.0.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let weight = same.iter().map(|vote| vote.2).sum();
            if weight > best[same[0].0 as usize].1 {
                best[same[0].0 as usize] = (same[0].1, weight);
            }
        }
        best.into_iter().map(|(joint, _)| joint).collect()
    }
}
