//! Converts a document: nodes, meshes with what deforms them, materials and animations.

use std::collections::BTreeMap;

use glam::{DMat4, DVec3};

use crate::Sibling;
use crate::animation;
use crate::bind_pose::BindPose;
use crate::blend_shapes::{self, Channel};
use crate::compensation;
use crate::document::Document;
use crate::error::{Error, ErrorKind, Result, Warnings};
use crate::glb::Glb;
use crate::json::Json;
use crate::material;
use crate::mesh::{self, Mesh};
use crate::nodes::{Node, Nodes};
use crate::objects::Objects;
use crate::sampling::SampleBudget;
use crate::settings::Settings;
use crate::skin;
use crate::texture::Textures;
use crate::write_animation::AnimationWriter;
use crate::write_mesh::{DeformedMesh, topmost_joint, write_skin};

/// Largest number of vertices written, as a multiple of the budget of one mesh. Instances with
/// different geometric transforms are copies.
const MAX_COPIES: usize = 4;

/// What identifies a mesh in the glTF file: geometry, geometric transform, materials.
type MeshKey = (usize, [u64; 16], Vec<Option<usize>>);

/// A mesh that was written.
#[derive(Clone)]
struct Written {
    mesh: Option<usize>,
    skin: Option<usize>,
    /// Index into the list of channels.
    channels: usize,
}

struct Converter<'d> {
    document: &'d Document<'d>,
    objects: &'d Objects<'d>,
    nodes: &'d Nodes,
    settings: &'d Settings,
    bind_pose: BindPose,
    textures: Textures<'d>,
    materials: BTreeMap<(usize, Option<usize>), Option<usize>>,
    written: BTreeMap<MeshKey, Written>,
    channels: Vec<Vec<Channel>>,
    vertices_left: usize,
    min: DVec3,
    max: DVec3,
    glb: Glb,
}

/// Converts a document to the bytes of a GLB file.
pub(crate) fn convert(
    document: &Document<'_>,
    siblings: &[Sibling<'_>],
    warnings: &mut Warnings,
) -> Result<Vec<u8>> {
    let objects = Objects::read(document, warnings)?;
    let settings = Settings::read(document, &objects, warnings);
    let mut nodes = Nodes::read(&objects, warnings);
    if nodes.list.is_empty() {
        let error = Error::new(ErrorKind::NoMesh, "", "the file has neither meshes nor joints");
        return Err(error.hint("export the character with its mesh and its skeleton"));
    }
    let clips = animation::read(document, &objects)?;
    compensation::compensate_shear(&mut nodes, &clips, settings.frame_rate, warnings);
    warn_of_other_geometry(&objects, warnings);
    let mut converter = Converter {
        document,
        objects: &objects,
        nodes: &nodes,
        settings: &settings,
        bind_pose: BindPose::read(&objects, &nodes)?,
        textures: Textures::new(siblings),
        materials: BTreeMap::new(),
        written: BTreeMap::new(),
        channels: Vec::new(),
        vertices_left: mesh::point_budget(document.file_bytes).saturating_mul(MAX_COPIES),
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
        glb: Glb::default(),
    };
    let mut morphs = Vec::new();
    for (index, node) in nodes.list.iter().enumerate() {
        let written = converter.write_mesh_of(node, index, warnings)?;
        if let Some(written) = written.as_ref().filter(|written| written.mesh.is_some()) {
            morphs.push((index, written.channels));
        }
        converter.write_node(index, node, written);
    }
    converter.write_compensators();
    let Converter { channels, min, max, mut glb, .. } = converter;
    let morphs: Vec<(usize, &[Channel])> = morphs
        .into_iter()
        .filter_map(|(node, list)| Some((node, channels.get(list)?.as_slice())))
        .filter(|(_, channels)| !channels.is_empty())
        .collect();
    let extent = (max - min).max_element().max(0.0);
    let extent = if extent.is_finite() && extent > 0.0 { extent } else { 1.0 };
    let writer = AnimationWriter { nodes: &nodes, settings: &settings, morphs: &morphs, extent };
    let mut budget = SampleBudget::FULL;
    for clip in &clips {
        writer.write(clip, &mut budget, &mut glb, warnings);
    }
    glb.finish()
}

impl Converter<'_> {
    fn write_node(&mut self, index: usize, node: &Node, written: Option<Written>) {
        let local = self.nodes.rest_in_gltf(self.settings, node);
        let mut json = Json::Object(vec![("name", Json::text(&node.name))]);
        if local.translation != DVec3::ZERO {
            json.push("translation", Json::numbers(local.translation.as_vec3().to_array().map(f64::from)));
        }
        if local.rotation != glam::DQuat::IDENTITY {
            json.push("rotation", Json::numbers(local.rotation.normalize().to_array()));
        }
        if local.scale != DVec3::ONE {
            json.push("scale", Json::numbers(local.scale.to_array()));
        }
        if !node.children.is_empty() {
            json.push("children", Json::ints(self.nodes.gltf_children(node)));
        }
        if let Some(mesh) = written.as_ref().and_then(|written| written.mesh) {
            json.push("mesh", Json::Int(mesh));
            if let Some(skin) = written.and_then(|written| written.skin) {
                json.push("skin", Json::Int(skin));
            }
        }
        if node.parent.is_none() {
            self.glb.scene_nodes.push(index);
        }
        self.glb.nodes.push(json);
    }

    /// Writes the nodes that cancel the scale of their parents.
    fn write_compensators(&mut self) {
        for node in self.nodes.compensated.iter().filter_map(|&node| self.nodes.get(node)) {
            self.glb.nodes.push(Json::Object(vec![
                ("name", Json::text(format!("{} without scale", node.name))),
                ("scale", Json::numbers(node.scale_state.compensation().to_array())),
                ("children", Json::ints(self.nodes.compensated_children(node))),
            ]));
        }
    }

    /// Writes the mesh of a node, unless another node has written the same.
    fn write_mesh_of(
        &mut self,
        node: &Node,
        index: usize,
        warnings: &mut Warnings,
    ) -> Result<Option<Written>> {
        let Some(owner) = geometry_of(self.objects, node.object) else { return Ok(None) };
        let materials = self.materials_of(node.object, warnings);
        let key = (owner, node.transform.geometric.to_cols_array().map(f64::to_bits), materials);
        if let Some(written) = self.written.get(&key) {
            return Ok(Some(written.clone()));
        }
        let written = self.write_mesh(node, index, owner, &key.2, warnings)?;
        if let Some(written) = &written {
            self.written.insert(key, written.clone());
        }
        Ok(written)
    }

    fn write_mesh(
        &mut self,
        node: &Node,
        index: usize,
        owner: usize,
        materials: &[Option<usize>],
        warnings: &mut Warnings,
    ) -> Result<Option<Written>> {
        let Some(object) = self.objects.get(owner) else { return Ok(None) };
        let name = if object.name.is_empty() { &node.name } else { &object.name };
        let place = format!("mesh \"{name}\"");
        let mesh = Mesh::read(object.node, &place, self.document, warnings)?;
        let Some(mut mesh) = mesh.filter(Mesh::has_triangles) else { return Ok(None) };
        if node.transform.geometric != DMat4::IDENTITY {
            mesh.apply(&node.transform.geometric);
        }
        self.spend_vertices(&mesh, &place)?;
        self.grow_bounds(&mesh, node);
        let points = mesh.control_points.len();
        let skin = skin::read(self.objects, self.nodes, owner, index, &self.bind_pose, points, warnings)?;
        let channels = blend_shapes::read(self.objects, owner, self.document.file_bytes, warnings)?;
        let deformed = DeformedMesh {
            name,
            mesh: &mesh,
            skin: skin.as_ref(),
            fallback_joint: skin.as_ref().map_or(0, |skin| topmost_joint(skin, self.nodes)),
            channels: &channels,
            geometric: node.transform.geometric,
            materials,
        };
        let mesh = deformed.write(self.settings, &mut self.glb);
        let skin = skin.map(|skin| write_skin(&skin, self.settings, &mut self.glb));
        self.channels.push(channels);
        Ok(Some(Written { mesh, skin, channels: self.channels.len() - 1 }))
    }

    fn spend_vertices(&mut self, mesh: &Mesh, place: &str) -> Result<()> {
        let count = mesh.primitives.iter().map(|primitive| primitive.control_points.len()).sum();
        let left = self.vertices_left.checked_sub(count);
        self.vertices_left =
            left.ok_or_else(|| Error::too_large(place, "the copies of meshes are too many"))?;
        Ok(())
    }

    /// Grows the bounds of the model at rest, in metres.
    fn grow_bounds(&mut self, mesh: &Mesh, node: &Node) {
        let scale = node.global.to_scale_rotation_translation().0.abs().max_element();
        let scale = if scale.is_finite() { scale } else { 1.0 };
        for point in &mesh.control_points {
            let point = *point * self.settings.unit * scale;
            self.min = self.min.min(point);
            self.max = self.max.max(point);
        }
    }

    /// The glTF materials of a model, in the order of its connections.
    fn materials_of(&mut self, model: usize, warnings: &mut Warnings) -> Vec<Option<usize>> {
        let is_class =
            |index: usize, class: &[u8]| self.objects.get(index).is_some_and(|it| it.class == class);
        let links = self.objects.sources(model);
        let model_texture = links.iter().map(|link| link.object).find(|&index| is_class(index, b"Texture"));
        let materials = links.iter().map(|link| link.object).filter(|&index| is_class(index, b"Material"));
        let materials: Vec<usize> = materials.collect();
        materials.into_iter().map(|material| self.material(material, model_texture, warnings)).collect()
    }

    fn material(
        &mut self,
        material: usize,
        texture: Option<usize>,
        warnings: &mut Warnings,
    ) -> Option<usize> {
        if let Some(known) = self.materials.get(&(material, texture)) {
            return *known;
        }
        let (textures, glb) = (&mut self.textures, &mut self.glb);
        let index = material::write(self.objects, material, texture, textures, glb, warnings);
        self.materials.insert((material, texture), index);
        index
    }
}

/// The object that holds the polygons of a model: a geometry, or before version 7 the model itself.
fn geometry_of(objects: &Objects<'_>, model: usize) -> Option<usize> {
    let object = objects.get(model)?;
    if object.node.child("PolygonVertexIndex").is_some() {
        return Some(model);
    }
    objects.sources_of_kind(model, "Geometry", "Mesh").first().copied()
}

/// Warns once of surfaces that are not polygons.
fn warn_of_other_geometry(objects: &Objects<'_>, warnings: &mut Warnings) {
    let is_other = |kind: &[u8]| kind != b"Mesh" && kind != b"Shape";
    let count = objects.of_class("Geometry").filter(|(_, object)| is_other(object.kind)).count();
    if count > 0 {
        let what = format!(
            "{count} geometries are curves or NURBS surfaces, which are not read; convert them to polygons"
        );
        warnings.add("geometry", what);
    }
}
