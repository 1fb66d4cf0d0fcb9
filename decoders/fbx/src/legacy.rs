//! Objects of versions before 6.
//!
//! There is neither a table of objects nor a list of connections: models are nodes of the document
//! and hold their geometry, materials, textures, the links to their bones and the names of their
//! children. Here they become the objects and connections of later versions.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, Node};
use crate::error::{Result, Warnings};
use crate::objects::{Object, Objects, decode_name};
use crate::properties::Properties;

/// The first version with a table of objects.
const TABLE_VERSION: u32 = 6000;

/// Nodes of a model that may move or turn it in a way that is not read.
const PIVOTS: [&str; 5] =
    ["TranslationOffset", "RotationPivot", "PreRotation", "PostRotation", "ScalingPivot"];

/// Whether a version has models in place of a table of objects.
pub(crate) fn is_legacy(version: u32) -> bool {
    version < TABLE_VERSION
}

/// Adds all objects of a document, and connects them.
pub(crate) fn read<'d>(
    document: &'d Document<'d>,
    objects: &mut Objects<'d>,
    warnings: &mut Warnings,
) -> Result<()> {
    let rest = rest_values(document);
    let videos = document.node("Media").and_then(|media| media.child("Video"));
    for node in videos.map_or(&[][..], |videos| &videos.children) {
        objects.add_named(object(node, b"Video", b"", None), node);
    }
    let mut models = Vec::new();
    for node in document.nodes.iter().filter(|node| node.name == b"Model") {
        let rest = node.bytes(0).and_then(|name| rest.get(name)).copied();
        let kind = node.child("Type").and_then(|kind| kind.bytes(0)).unwrap_or_default();
        models.push((objects.add_named(object(node, b"Model", kind, rest), node), node));
    }
    for &(model, node) in &models {
        connect_children(objects, model, node);
        add_materials(objects, model, node)?;
        add_skin(objects, model, node);
        if has_pivots(node) {
            let name = objects.get(model).map_or("", |object| object.name.as_str());
            let what = "its pivots are of a version before 6.0 and are not read";
            warnings.add(format!("model \"{name}\""), what);
        }
    }
    let is_other =
        |node: &Node<'_>| node.child("NurbVersion").is_some() || node.child("PatchVersion").is_some();
    if models.iter().any(|(_, node)| is_other(node)) {
        warnings.add("geometry", "NURBS surfaces and patches are not read; convert them to polygons");
    }
    Ok(())
}

fn object<'d>(
    node: &'d Node<'d>,
    class: &'static [u8],
    kind: &'d [u8],
    rest: Option<&'d Node<'d>>,
) -> Object<'d> {
    let name = node.bytes(0).map(decode_name).unwrap_or_default();
    Object { name, class, kind, node, properties: Properties::of_children(node, rest) }
}

/// The models of the current take by full name. Their channels hold the transforms at rest.
fn rest_values<'d>(document: &'d Document<'d>) -> BTreeMap<&'d [u8], &'d Node<'d>> {
    let Some(takes) = document.node("Takes") else { return BTreeMap::new() };
    let current = takes.child("Current").and_then(|node| node.bytes(0));
    let is_current = |take: &&Node<'_>| take.bytes(0) == current;
    let mut all = takes.children_named("Take");
    let take = takes.children_named("Take").find(is_current).or_else(|| all.next());
    let models = take.into_iter().flat_map(|take| take.children_named("Model"));
    models.filter_map(|model| Some((model.bytes(0)?, model))).collect()
}

fn connect_children<'d>(objects: &mut Objects<'d>, model: usize, node: &'d Node<'d>) {
    let Some(children) = node.child("Children") else { return };
    for index in 0..children.values.len() {
        if let Some(child) = children.bytes(index).and_then(|name| objects.find_named(name)) {
            objects.connect(child, model, &[]);
        }
    }
}

/// Adds the materials and textures of a model.
fn add_materials<'d>(objects: &mut Objects<'d>, model: usize, node: &'d Node<'d>) -> Result<()> {
    let mut parts = |name: &'static str| -> Vec<usize> {
        let nodes = node.children_named(name);
        nodes.map(|node| objects.push(object(node, name.as_bytes(), b"", None))).collect()
    };
    let (materials, textures) = (parts("Material"), parts("Texture"));
    for &material in &materials {
        objects.connect(material, model, &[]);
    }
    for &texture in &textures {
        let media = objects.get(texture).and_then(|object| object.node.child("Media")?.bytes(0));
        if let Some(video) = media.and_then(|name| objects.find_named(name)) {
            objects.connect(video, texture, &[]);
        }
    }
    let Some(texture_ids) = node.child("TextureId") else {
        textures.iter().for_each(|&texture| objects.connect(texture, model, &[]));
        return Ok(());
    };
    for (material, texture) in texture_of_materials(&node.child_ints("Materials")?, &texture_ids.ints()?) {
        if let (Some(&material), Some(&texture)) = (materials.get(material), textures.get(texture)) {
            objects.connect(texture, material, b"DiffuseColor");
        }
    }
    Ok(())
}

/// The texture of each material: both have a number per polygon, or one for all.
fn texture_of_materials(materials: &[i64], textures: &[i64]) -> Vec<(usize, usize)> {
    let of_polygon = |list: &[i64], polygon: usize| {
        let number = if list.len() == 1 { list.first() } else { list.get(polygon) };
        usize::try_from(number.copied().unwrap_or(0)).ok()
    };
    let mut seen = BTreeSet::new();
    let polygons = 0..materials.len().max(textures.len());
    let pair = |polygon| Some((of_polygon(materials, polygon)?, of_polygon(textures, polygon)?));
    polygons.filter_map(pair).filter(|&(material, _)| seen.insert(material)).collect()
}

/// Adds a skin with a cluster per link.
fn add_skin<'d>(objects: &mut Objects<'d>, model: usize, node: &'d Node<'d>) {
    let mut skin = None;
    for link in node.children_named("Link") {
        let skin = *skin.get_or_insert_with(|| {
            let skin = objects.push(object(node, b"Deformer", b"Skin", None));
            objects.connect(skin, model, &[]);
            skin
        });
        let cluster = objects.push(object(link, b"Deformer", b"Cluster", None));
        objects.connect(cluster, skin, &[]);
        if let Some(bone) = link.bytes(0).and_then(|name| objects.find_named(name)) {
            objects.connect(bone, cluster, &[]);
        }
    }
}

/// Whether a model has pivots other than its origin.
fn has_pivots(node: &Node<'_>) -> bool {
    let Some(pivots) = node.child("Pivots") else { return false };
    let packages = pivots.children_named("Package").chain(std::iter::once(pivots));
    let is_zero =
        |node: &Node<'_>| (0..node.values.len()).all(|index| node.float(index).unwrap_or(0.0) == 0.0);
    packages.flat_map(|package| PIVOTS.map(|name| package.child(name))).flatten().any(|node| !is_zero(node))
}
