//! Builds a document for models without a source document: OBJ, PLY, STL, sample characters.

use glam::Vec4;
use serde_json::{Map, Value, json};

use super::super::editor::{Accessor, Editor, INDICES, Result, VERTICES, bytes_of};
use crate::model::{Alpha, Asset, Material, Part, Source};

const FLOAT: u32 = 5126;
const U16: u32 = 5123;
const U32: u32 = 5125;

/// A document with one node, one mesh with a primitive per part, and the materials.
pub(super) fn create(asset: &Asset) -> Result<(Editor, Source)> {
    let source = Source {
        json: json!({
            "asset": { "version": "2.0", "generator": concat!("Pliant ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "name": stem(&asset.name), "mesh": 0 }],
        })
        .to_string(),
        part_primitives: (0..asset.render.parts.len()).map(|primitive| [0, 0, primitive]).collect(),
        joint_nodes: vec![None; asset.skeleton.as_ref().map_or(0, |skeleton| skeleton.joints().len())],
        ..Source::default()
    };
    let mut editor = Editor::new(&source)?;
    let mut attributes: Vec<(u32, Map<String, Value>)> = Vec::new();
    let mut primitives = Vec::new();
    for part in &asset.render.parts {
        let known = attributes.iter().find(|(start, _)| *start == part.vertices.start);
        let shared = match known {
            Some((_, shared)) => shared.clone(),
            None => {
                let added = add_attributes(&mut editor, asset, part)?;
                attributes.push((part.vertices.start, added.clone()));
                added
            }
        };
        let mut primitive =
            json!({ "attributes": shared, "indices": add_indices(&mut editor, asset, part)? });
        if let Some(material) = part.material {
            primitive["material"] = material.into();
        }
        primitives.push(primitive);
    }
    editor.push("meshes", &json!({ "name": stem(&asset.name), "primitives": primitives }))?;
    add_materials(&mut editor, asset)?;
    Ok((editor, source))
}

/// "folder/fox.obj" → "fox".
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

fn add_attributes(editor: &mut Editor, asset: &Asset, part: &Part) -> Result<Map<String, Value>> {
    let range = part.vertices.start as usize..part.vertices.end as usize;
    let count = range.len();
    let mut attributes = Map::new();
    let mut add = |name: &str, shape, bytes: Vec<u8>, bounds: Option<(Vec<f32>, Vec<f32>)>| -> Result<()> {
        let (min, max) = bounds.unzip();
        let accessor = Accessor { component_type: FLOAT, normalized: false, count, shape, min, max };
        attributes.insert(name.to_owned(), editor.add_accessor(&accessor, &bytes, VERTICES)?.into());
        Ok(())
    };
    let positions = &asset.render.positions[range.clone()];
    let (low, high) = crate::model::bounds_of(positions);
    add("POSITION", "VEC3", bytes_of(positions), Some((low.to_array().to_vec(), high.to_array().to_vec())))?;
    add("NORMAL", "VEC3", bytes_of(&asset.render.normals[range.clone()]), None)?;
    if let Some(uvs) = asset.render.uvs.get(range.clone()) {
        add("TEXCOORD_0", "VEC2", bytes_of(uvs), None)?;
    }
    if let Some(colors) = asset.render.colors.get(range) {
        let colors: Vec<[f32; 4]> = colors.iter().map(Vec4::to_array).collect();
        add("COLOR_0", "VEC4", bytes_of(&colors), None)?;
    }
    Ok(attributes)
}

fn add_indices(editor: &mut Editor, asset: &Asset, part: &Part) -> Result<usize> {
    let triangles = &asset.render.triangles[part.triangles.start as usize..part.triangles.end as usize];
    let indices: Vec<u32> = triangles.iter().flatten().map(|&v| v - part.vertices.start).collect();
    // The largest value of the type means primitive restart in some graphics APIs and is not used.
    let small = part.vertices.len() <= usize::from(u16::MAX);
    let (component_type, bytes) = if small {
        (U16, bytes_of(&indices.iter().map(|&i| i as u16).collect::<Vec<_>>()))
    } else {
        (U32, bytes_of(&indices))
    };
    let accessor = Accessor {
        component_type,
        normalized: false,
        count: indices.len(),
        shape: "SCALAR",
        min: None,
        max: None,
    };
    editor.add_accessor(&accessor, &bytes, INDICES)
}

fn add_materials(editor: &mut Editor, asset: &Asset) -> Result<()> {
    for texture in &asset.textures {
        let view = editor.add_view(&texture.bytes, None)?;
        editor.push("images", &json!({ "bufferView": view, "mimeType": texture.mime }))?;
    }
    if !asset.textures.is_empty() {
        let textures: Vec<Value> =
            (0..asset.textures.len()).map(|image| json!({ "source": image })).collect();
        editor.set_root("textures", &textures)?;
    }
    if !asset.materials.is_empty() {
        let materials: Vec<Value> = asset.materials.iter().map(material).collect();
        editor.set_root("materials", &materials)?;
    }
    Ok(())
}

fn material(material: &Material) -> Value {
    let mut pbr = json!({
        "baseColorFactor": material.base_color.to_array(), "metallicFactor": 0.0, "roughnessFactor": 0.8
    });
    if let Some(texture) = material.texture {
        pbr["baseColorTexture"] = json!({ "index": texture });
    }
    let mut value = json!({ "name": material.name, "pbrMetallicRoughness": pbr });
    if material.double_sided {
        value["doubleSided"] = true.into();
    }
    match material.alpha {
        Alpha::Opaque => {}
        Alpha::Mask(cutoff) => {
            value["alphaMode"] = "MASK".into();
            value["alphaCutoff"] = cutoff.into();
        }
        Alpha::Blend => value["alphaMode"] = "BLEND".into(),
    }
    value
}
