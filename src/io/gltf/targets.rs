//! The shapes a document stores beside its meshes: morph targets.
//!
//! In: an asset that keeps its document. Out: the positions of all render vertices, once for each target. Cost: one pass per target.

use glam::Vec3;

use super::graph::Graph;
use super::{Loaded, Result, malformed, schema};
use crate::model::Asset;

/// How many morph targets a file has; none for what came from another kind of file.
pub fn morph_count(asset: &Asset) -> usize {
    let Some(source) = &asset.source else { return 0 };
    let Ok(document) = schema::parse(&source.json) else { return 0 };
    let primitives = source.part_places.iter().filter_map(|&[_, mesh, primitive]| {
        document.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(primitive))
    });
    primitives.map(|primitive| primitive.targets.len()).max().unwrap_or_default()
}

/// Where every render vertex is when one morph target counts wholly and no other, for each of them in the order of the file; none for
/// files without any. Parts with fewer targets than others stay as they are in the rest.
///
/// # Errors
/// When a target cannot be read, and where it is.
pub fn morph_shapes(asset: &Asset) -> Result<Vec<Vec<Vec3>>> {
    let Some(source) = &asset.source else { return Ok(Vec::new()) };
    let document = schema::parse(&source.json)?;
    let graph = Graph::new(&document)?;
    let bytes = source.buffers.iter().map(Vec::len).sum();
    let loaded = Loaded { document, json: String::new(), buffers: source.buffers.clone(), graph, bytes };
    let mut shapes: Vec<Vec<Vec3>> = Vec::new();
    for (part, &[_, mesh, primitive]) in asset.render.parts.iter().zip(&source.part_places) {
        let of_mesh = loaded.document.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(primitive));
        let targets = of_mesh.map(|primitive| primitive.targets.as_slice()).unwrap_or_default();
        for (number, target) in targets.iter().enumerate() {
            if shapes.len() <= number {
                shapes.push(asset.render.positions.clone());
            }
            let Some(position) = target.position else { continue };
            let place = format!("meshes[{mesh}].primitives[{primitive}].targets[{number}].POSITION");
            let moves = loaded.floats::<3>(position, &place)?;
            let (start, end) = (part.vertices.start as usize, part.vertices.end as usize);
            if moves.len() != end - start {
                let what = format!("{} displacements for {} vertices", moves.len(), end - start);
                return Err(malformed(place, what));
            }
            for (vertex, by) in shapes[number][start..end].iter_mut().zip(moves) {
                let by = Vec3::from_array(by).as_dvec3();
                *vertex += part.rest_from_primitive.transform_vector3(by).as_vec3();
            }
        }
    }
    Ok(shapes)
}
