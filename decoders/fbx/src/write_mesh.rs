//! Writes meshes, with skin weights and blend shapes, and skins.

use glam::{DMat4, DVec3};

use crate::blend_shapes::{Channel, Shape};
use crate::glb::{FloatRole, Glb};
use crate::json::Json;
use crate::mesh::{Mesh, Primitive};
use crate::nodes::Nodes;
use crate::settings::Settings;
use crate::skin::Skin;
use crate::sort::sort_by_key;

/// A mesh and what deforms it.
pub(crate) struct DeformedMesh<'m> {
    pub name: &'m str,
    pub mesh: &'m Mesh,
    pub skin: Option<&'m Skin>,
    /// The joint of vertices without weights.
    pub fallback_joint: u16,
    pub channels: &'m [Channel],
    /// Maps displacements of the geometry to those of the node.
    pub geometric: DMat4,
    /// The glTF material of each material of the node.
    pub materials: &'m [Option<usize>],
}

impl DeformedMesh<'_> {
    /// Writes the mesh and returns its index. None if it has no triangles.
    pub(crate) fn write(&self, settings: &Settings, glb: &mut Glb) -> Option<usize> {
        let primitives = self.mesh.primitives.iter().filter(|primitive| !primitive.triangles.is_empty());
        let primitives: Vec<Json> =
            primitives.map(|primitive| self.write_primitive(primitive, settings, glb)).collect();
        if primitives.is_empty() {
            return None;
        }
        let mut json =
            Json::Object(vec![("name", Json::text(self.name)), ("primitives", Json::List(primitives))]);
        if !self.channels.is_empty() {
            let mut weights = Vec::new();
            self.channels.iter().for_each(|channel| channel.shape_weights(channel.weight, &mut weights));
            let names = self.shapes().map(|shape| Json::text(&shape.name)).collect();
            json.push("weights", Json::numbers(weights.into_iter().map(f64::from)));
            json.push("extras", Json::Object(vec![("targetNames", Json::List(names))]));
        }
        glb.meshes.push(json);
        Some(glb.meshes.len() - 1)
    }

    fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.channels.iter().flat_map(|channel| &channel.shapes)
    }

    fn write_primitive(&self, primitive: &Primitive, settings: &Settings, glb: &mut Glb) -> Json {
        let point = |&index: &u32| self.mesh.control_points.get(index as usize).copied().unwrap_or_default();
        let positions: Vec<[f32; 3]> =
            primitive.control_points.iter().map(point).map(|p| to_f32(settings.position(p))).collect();
        let positions = glb.add_floats(&positions, FloatRole::Positions);
        let mut attributes = Json::Object(vec![("POSITION", Json::Int(positions))]);
        if !primitive.normals.is_empty() {
            let unit =
                |normal: DVec3| if normal == DVec3::ZERO { DVec3::Y } else { settings.direction(normal) };
            let normals: Vec<[f32; 3]> =
                primitive.normals.iter().map(|&normal| to_f32(unit(normal))).collect();
            attributes.push("NORMAL", Json::Int(glb.add_floats(&normals, FloatRole::Attribute)));
        }
        for (name, uvs) in UV_NAMES.iter().zip(&primitive.uvs) {
            let uvs: Vec<[f32; 2]> = uvs.iter().map(|&[u, v]| [u, 1.0 - v]).collect();
            attributes.push(name, Json::Int(glb.add_floats(&uvs, FloatRole::Attribute)));
        }
        if !primitive.colors.is_empty() {
            attributes.push("COLOR_0", Json::Int(glb.add_floats(&primitive.colors, FloatRole::Attribute)));
        }
        if let Some(skin) = self.skin {
            self.write_weights(skin, primitive, &mut attributes, glb);
        }
        let flip = |&[a, b, c]: &[u32; 3]| if settings.is_mirrored() { [a, c, b] } else { [a, b, c] };
        let triangles: Vec<[u32; 3]> = primitive.triangles.iter().map(flip).collect();
        let indices = glb.add_indices(&triangles, primitive.control_points.len());
        let mut json = Json::Object(vec![("attributes", attributes), ("indices", Json::Int(indices))]);
        if let Some(&Some(material)) = self.materials.get(primitive.material) {
            json.push("material", Json::Int(material));
        }
        if !self.channels.is_empty() {
            let targets = self.shapes().map(|shape| self.write_target(shape, primitive, settings, glb));
            let targets = targets.collect();
            json.push("targets", Json::List(targets));
        }
        json
    }

    /// Writes joints and weights, four per attribute, as many attributes as the fullest vertex
    /// needs.
    fn write_weights(&self, skin: &Skin, primitive: &Primitive, attributes: &mut Json, glb: &mut Glb) {
        let fallback = [(self.fallback_joint, 1.0)];
        let row = |&point: &u32| match skin.weights.get(point as usize) {
            Some(row) if !row.is_empty() => row.as_slice(),
            _ => &fallback,
        };
        let rows: Vec<&[(u16, f32)]> = primitive.control_points.iter().map(row).collect();
        let largest = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        for (set, (joints_name, weights_name)) in WEIGHT_NAMES.iter().enumerate().take(largest.div_ceil(4)) {
            let at = |row: &[(u16, f32)], i: usize| row.get(4 * set + i).copied().unwrap_or_default();
            let joints: Vec<[u16; 4]> =
                rows.iter().map(|row| std::array::from_fn(|i| at(row, i).0)).collect();
            let weights: Vec<[f32; 4]> =
                rows.iter().map(|row| std::array::from_fn(|i| at(row, i).1)).collect();
            attributes.push(joints_name, Json::Int(glb.add_joints(&joints)));
            attributes.push(weights_name, Json::Int(glb.add_floats(&weights, FloatRole::Attribute)));
        }
    }

    /// Writes the displacements of a shape.
    fn write_target(&self, shape: &Shape, primitive: &Primitive, settings: &Settings, glb: &mut Glb) -> Json {
        let points = &primitive.control_points;
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        for &(point, offset, normal) in &shape.offsets {
            // The vertices of a control point follow each other.
            let first = points.partition_point(|&other| other < point);
            let count = points.iter().skip(first).take_while(|&&other| other == point).count();
            let offset = to_f32(settings.position(self.geometric.transform_vector3(offset)));
            let normal = to_f32(settings.direction(self.geometric.transform_vector3(normal)));
            positions.extend((first..first + count).map(|vertex| (vertex as u32, offset)));
            normals.extend((first..first + count).map(|vertex| (vertex as u32, normal)));
        }
        sort_unique(&mut positions);
        sort_unique(&mut normals);
        let mut json = Json::Object(vec![("POSITION", Json::Int(glb.add_offsets(points.len(), &positions)))]);
        let any_normals = self.shapes().any(|shape| shape.has_normals) && !primitive.normals.is_empty();
        if any_normals {
            json.push("NORMAL", Json::Int(glb.add_offsets(points.len(), &normals)));
        }
        json
    }
}

/// Names of the attributes of texture coordinates.
const UV_NAMES: [&str; crate::mesh::MAX_UV_SETS] = ["TEXCOORD_0", "TEXCOORD_1", "TEXCOORD_2", "TEXCOORD_3"];

/// Names of the attributes of four weights each.
const WEIGHT_NAMES: [(&str, &str); crate::skin::MAX_INFLUENCES / 4] = [
    ("JOINTS_0", "WEIGHTS_0"),
    ("JOINTS_1", "WEIGHTS_1"),
    ("JOINTS_2", "WEIGHTS_2"),
    ("JOINTS_3", "WEIGHTS_3"),
];

/// Sorts by index. Of several displacements of a vertex, the first counts. Zeros are left out.
fn sort_unique(list: &mut Vec<(u32, [f32; 3])>) {
    if !list.is_sorted_by_key(|&(index, _)| index) {
        sort_by_key(list, |&(index, _)| index.into());
    }
    list.dedup_by_key(|(index, _)| *index);
    list.retain(|(_, value)| *value != [0.0; 3]);
}

fn to_f32(vector: DVec3) -> [f32; 3] {
    vector.as_vec3().to_array()
}

/// Writes a skin and returns its index.
pub(crate) fn write_skin(skin: &Skin, settings: &Settings, glb: &mut Glb) -> usize {
    let matrix = |matrix: &DMat4| settings.bind_matrix(*matrix).to_cols_array().map(|value| value as f32);
    let matrices: Vec<[f32; 16]> = skin.inverse_binds.iter().map(matrix).collect();
    let accessor = glb.add_matrices(&matrices);
    glb.skins.push(Json::Object(vec![
        ("inverseBindMatrices", Json::Int(accessor)),
        ("joints", Json::ints(skin.joints.iter().copied())),
    ]));
    glb.skins.len() - 1
}

/// The joint of a skin that is nearest to the roots, for vertices without weights.
pub(crate) fn topmost_joint(skin: &Skin, nodes: &Nodes) -> u16 {
    let depth = |joint: usize| {
        std::iter::successors(Some(joint), |&node| nodes.get(node).and_then(|node| node.parent)).count()
    };
    let best = skin.joints.iter().enumerate().min_by_key(|(_, joint)| depth(**joint));
    best.and_then(|(index, _)| u16::try_from(index).ok()).unwrap_or(0)
}
