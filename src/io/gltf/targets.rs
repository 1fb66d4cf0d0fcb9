//! Reads the morph targets of a document.
//!
//! Input: the parts of the render mesh with their primitives. Output: sparse displacements of
//! render vertices, one target per node and number. Cost: one pass over the vertices of a part per
//! target. Targets beyond the limits stay in the document, with a warning.

use std::ops::Range;

use glam::Vec3;
use serde_json::Value;

use super::{Loaded, Result, malformed, warn};
use crate::io::limits;
use crate::model::{MorphDisplacement, MorphTarget, MorphTargets, Part, RenderMesh};
use crate::report::Report;

/// The morph targets of a document, and where those of each node are.
pub(super) struct Targets {
    pub targets: MorphTargets,
    /// Node, and range of its targets. Targets beyond the limits count.
    pub of_nodes: Vec<(usize, Range<usize>)>,
}

/// Reads the morph targets of all parts; `sources` has node, mesh and primitive of each. A target
/// that cannot be read is empty, with a warning.
pub(super) fn read(
    loaded: &Loaded,
    render: &RenderMesh,
    sources: &[[usize; 3]],
    report: &mut Report,
) -> Targets {
    let mut read = Targets { targets: MorphTargets::default(), of_nodes: Vec::new() };
    let mut visited = 0;
    let mut json: Option<Value> = None;
    let mut first_part = 0;
    // The parts of a node are consecutive.
    for group in sources.chunk_by(|a, b| a[0] == b[0]) {
        let parts = &render.parts[first_part..first_part + group.len()];
        first_part += group.len();
        let [node, mesh, _] = group[0];
        let primitives = &loaded.document.meshes[mesh].primitives;
        let count = primitives.iter().map(|primitive| primitive.targets.len()).max().unwrap_or(0);
        if count == 0 {
            continue;
        }
        // Read as values, because few files have weights, and their types would need more code.
        let json = json.get_or_insert_with(|| serde_json::from_str(&loaded.json).unwrap_or_default());
        let of_node = &json["nodes"][node]["weights"];
        let defaults = if of_node.is_null() { &json["meshes"][mesh]["weights"] } else { of_node };
        let targets = &mut read.targets;
        read.of_nodes.push((node, targets.targets.len()..targets.targets.len() + count));
        let vertices: usize = parts.iter().map(|part| part.vertices.len()).sum();
        for number in 0..count {
            visited += vertices;
            if targets.targets.len() >= limits::MAX_MORPH_TARGETS
                || visited > limits::MAX_MORPH_VISITS
                || targets.displacements.len() + vertices > limits::MAX_MORPH_DISPLACEMENTS
            {
                let what = format!("only the first {} morph targets are shown", targets.targets.len());
                warn(report, format!("nodes[{node}]"), what);
                return read;
            }
            for (index, (part, &[_, mesh, primitive])) in parts.iter().zip(group).enumerate() {
                // Parts that share vertices share their displacements.
                if parts[..index].iter().any(|other| other.vertices == part.vertices) {
                    continue;
                }
                let place = format!("meshes[{mesh}].primitives[{primitive}].targets[{number}]");
                let target = &loaded.document.meshes[mesh].primitives[primitive].targets;
                let Some(target) = target.get(number) else { continue };
                let before = targets.displacements.len();
                let normals = &render.normals[part.vertices.start as usize..];
                let accessors = [target.position, target.normal];
                if let Err(error) = add(&mut targets.displacements, loaded, part, normals, accessors, &place)
                {
                    targets.displacements.truncate(before);
                    warn(report, place, format!("this morph target was skipped: {error}"));
                }
            }
            let weight = defaults[number].as_f64().unwrap_or(0.0) as f32;
            targets.targets.push(MorphTarget {
                default_weight: if weight.is_finite() { weight } else { 0.0 },
                number: number as u32,
                end: targets.displacements.len() as u32,
            });
        }
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
