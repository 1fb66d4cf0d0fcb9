//! Reads the morph targets of a document.
//!
//! Input: the parts of the render mesh with their primitives. Output: sparse displacements of
//! render vertices, one target per part and number. Cost: one pass over the vertices of a part per
//! target. Targets beyond the limits stay in the document, with a warning.

use std::ops::Range;

use glam::Vec3;
use serde_json::Value;

use super::{Loaded, Result, malformed, warn};
use crate::io::limits;
use crate::model::{MorphDisplacement, MorphTarget, MorphTargets, Part, RenderMesh};
use crate::report::Report;

/// The morph targets of a document, and where those of each part are.
#[derive(Default)]
pub(super) struct Targets {
    pub targets: MorphTargets,
    /// Node, and range of the targets of one of its parts.
    pub of_parts: Vec<(usize, Range<usize>)>,
}

/// Reads the morph targets of all parts; `sources` has node, mesh and primitive of each. A target
/// that cannot be read is empty, with a warning.
pub(super) fn read(
    loaded: &Loaded,
    render: &RenderMesh,
    sources: &[[usize; 3]],
    report: &mut Report,
) -> Targets {
    let mut read = Targets::default();
    let Targets { targets: MorphTargets { targets, displacements }, of_parts } = &mut read;
    let (mut visits, mut end) = (0, 0);
    // Weights are read as values, because few files have them, and types need more code.
    let mut json: Option<Value> = None;
    for (part, &[node, mesh, primitive]) in render.parts.iter().zip(sources) {
        let stored = &loaded.document.meshes[mesh].primitives[primitive].targets;
        // Parts that share vertices share their targets.
        if stored.is_empty() || part.vertices.start < end {
            continue;
        }
        end = part.vertices.end;
        let json = json.get_or_insert_with(|| serde_json::from_str(&loaded.json).unwrap_or_default());
        let mut weights = &json["nodes"][node]["weights"];
        if weights.is_null() {
            weights = &json["meshes"][mesh]["weights"];
        }
        let first = targets.len();
        for (number, target) in stored.iter().enumerate() {
            let place = format!("meshes[{mesh}].primitives[{primitive}].targets[{number}]");
            visits += part.vertices.len() + limits::VISITS_PER_MORPH_TARGET;
            if visits > limits::MAX_MORPH_VISITS
                || displacements.len() + part.vertices.len() > limits::MAX_MORPH_DISPLACEMENTS
            {
                let what = format!("only the first {} morph targets are shown", targets.len());
                warn(report, place, what);
                return read;
            }
            let before = displacements.len();
            let normals = &render.normals[part.vertices.start as usize..];
            let accessors = [target.position, target.normal];
            if let Err(error) = add(displacements, loaded, part, normals, accessors, &place) {
                displacements.truncate(before);
                warn(report, place, format!("this morph target was skipped: {error}"));
            }
            targets.push(MorphTarget {
                default_weight: weights[number].as_f64().unwrap_or(0.0).clamp(-1e6, 1e6) as f32,
                number: number as u32,
                end: displacements.len() as u32,
            });
        }
        of_parts.push((node, first..targets.len()));
    }
    read
}

/// Adds the displacements of one target of one part. `normals` are the rest normals of its
/// vertices.
fn add(
    displacements: &mut Vec<MorphDisplacement>,
    loaded: &Loaded,
    part: &Part,
    normals: &[Vec3],
    accessors: [Option<usize>; 2],
    place: &str,
) -> Result<()> {
    let mut read = [Vec::new(), Vec::new()];
    for (values, accessor) in read.iter_mut().zip(accessors) {
        let Some(accessor) = accessor else { continue };
        *values = loaded.floats::<3>(accessor, place)?;
        if values.len() != part.vertices.len() {
            let what = format!("{} displacements for {} vertices", values.len(), part.vertices.len());
            return Err(malformed(place, what));
        }
    }
    let matrix = part.rest_from_primitive.matrix3;
    let (rest_from_normal, normal_from_rest) = (matrix.inverse().transpose(), matrix.transpose());
    for (vertex, rest_normal) in part.vertices.clone().zip(normals) {
        let at = (vertex - part.vertices.start) as usize;
        let [position, normal] =
            [&read[0], &read[1]].map(|of| of.get(at).copied().map_or(Vec3::ZERO, Vec3::from_array));
        if position == Vec3::ZERO && normal == Vec3::ZERO {
            continue;
        }
        let position = (matrix * position.as_dvec3()).as_vec3();
        if !position.is_finite() || position.abs().max_element() > limits::MAX_COORDINATE {
            return Err(malformed(place, "a displacement is not finite or too large"));
        }
        // The rest normal is the stored one, transformed and normalised. Its displacement is
        // divided by the same length.
        let length = 1.0 / (normal_from_rest * rest_normal.as_dvec3()).length();
        let normal = (rest_from_normal * normal.as_dvec3() / length).as_vec3();
        let normal = if normal.is_finite() { normal } else { Vec3::ZERO };
        displacements.push(MorphDisplacement { vertex, position, normal });
    }
    Ok(())
}
