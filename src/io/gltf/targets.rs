//! Reads the morph targets of a document.
//!
//! Input: an asset with its source document. Output: the positions of all render vertices for each
//! target. Cost: one pass per target.

use glam::Vec3;

use super::graph::Graph;
use super::humanoid::Humanoid;
use super::{Loaded, Result, malformed, schema};
use crate::model::Asset;

/// The number of morph targets of a file. Zero if it is not glTF.
pub fn morph_count(asset: &Asset) -> usize {
    let Some(source) = &asset.source else { return 0 };
    let Ok(document) = schema::parse(&source.json) else { return 0 };
    let primitives = source.part_primitives.iter().filter_map(|&[_, mesh, primitive]| {
        document.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(primitive))
    });
    primitives.map(|primitive| primitive.targets.len()).max().unwrap_or_default()
}

/// The positions of all render vertices with one morph target at weight 1 and the others at 0, for
/// each target in file order. Empty for files without targets. Parts with fewer targets keep their
/// rest positions.
///
/// # Errors
/// If a target cannot be read, with its location.
pub fn morph_shapes(asset: &Asset) -> Result<Vec<Vec<Vec3>>> {
    let Some(source) = &asset.source else { return Ok(Vec::new()) };
    let document = schema::parse(&source.json)?;
    let graph = Graph::new(&document)?;
    let bytes = source.buffers.iter().map(Vec::len).sum();
    let loaded = Loaded {
        document,
        json: String::new(),
        buffers: source.buffers.clone(),
        graph,
        humanoid: Humanoid::default(),
        glb_frame: None,
        bytes,
    };
    let mut shapes: Vec<Vec<Vec3>> = Vec::new();
    for (part, &[_, mesh, primitive]) in asset.render.parts.iter().zip(&source.part_primitives) {
        let of_mesh = loaded.document.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(primitive));
        let targets = of_mesh.map(|primitive| primitive.targets.as_slice()).unwrap_or_default();
        for (number, target) in targets.iter().enumerate() {
            if shapes.len() <= number {
                shapes.push(asset.render.positions.clone());
            }
            let Some(position) = target.position else { continue };
            let place = format!("meshes[{mesh}].primitives[{primitive}].targets[{number}].POSITION");
            let displacements = loaded.floats::<3>(position, &place)?;
            let (start, end) = (part.vertices.start as usize, part.vertices.end as usize);
            if displacements.len() != end - start {
                let what = format!("{} displacements for {} vertices", displacements.len(), end - start);
                return Err(malformed(place, what));
            }
            for (vertex, displacement) in shapes[number][start..end].iter_mut().zip(displacements) {
                let displacement = Vec3::from_array(displacement).as_dvec3();
                *vertex += part.rest_from_primitive.transform_vector3(displacement).as_vec3();
            }
        }
    }
    Ok(shapes)
}
