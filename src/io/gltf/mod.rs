//! Reads and writes glTF 2.0.
//!
//! Input: a GLB, or a `.gltf` with the files it refers to. Output: an [`Asset`] that contains the
//! source document. [`write_glb`] writes the same document with a skin added.
//!
//! The `gltf` crate is not used. Its version 1.4.1 cannot read accessors without a buffer view,
//! adds offsets in 32 bits on wasm, and panics on some invalid files. Export needs the unchanged
//! JSON text as well.

mod accessor;
mod animation;
mod buffers;
mod container;
mod data_uri;
mod decompress;
mod editor;
mod graph;
mod humanoid;
mod image;
mod material;
mod primitive;
mod schema;
mod skin;
mod targets;
mod texture;
mod topology;
mod uvs;
mod write;

#[cfg(not(target_arch = "wasm32"))]
pub use decompress::LinkedDecoders;
pub use decompress::{
    Codec, CompressedPart, DecodeError, DecodeLimits, Decoders, DracoAttribute, PrefetchedDecoders,
    UnavailableDecoders, compressed_parts,
};
#[cfg(not(target_arch = "wasm32"))]
pub use pliant_glb::{CompressError, compress};
pub use write::{ExportOptions, WeightFormat, WriteError, write_glb};

use pliant_glb::json;

use super::{ErrorCode, File, ReadError, SkeletonFile, build, limits};
use crate::model::{Asset, GlbFrame, Skeleton, Source, SourceSkin};
use crate::report::{Report, Warning};
use decompress::{Compressed, Plain};
use graph::Graph;
use humanoid::Humanoid;
use schema::Document;

type Result<T> = std::result::Result<T, ReadError>;

/// A parsed document with the bytes it refers to.
struct Loaded {
    document: Document,
    json: String,
    buffers: Vec<Vec<u8>>,
    graph: Graph,
    humanoid: Humanoid,
    /// The rest of the GLB around the first buffer.
    glb_frame: Option<GlbFrame>,
    /// Size of all files together, from which the budgets are computed.
    bytes: usize,
}

/// The relative paths of the files that a `.gltf` refers to, so that a caller can load them. Empty
/// for a self-contained GLB and for other formats.
pub fn referenced_files(bytes: &[u8]) -> Vec<String> {
    let document = container::split(bytes).and_then(|chunks| schema::parse(&chunks.json));
    let Ok(document) = document else { return Vec::new() };
    let buffers = document.buffers.iter().filter_map(|buffer| buffer.uri.as_deref());
    let images = document.images.iter().filter_map(|image| image.uri.as_deref());
    let files = buffers.chain(images).filter(|uri| !uri.starts_with("data:") && !uri.contains("://"));
    files.filter_map(|uri| String::from_utf8(data_uri::percent_decoded(uri)).ok()).collect()
}

/// Reads the model in `main`. Its buffers and images may be among `files`.
///
/// # Errors
/// What is wrong, where in the document, and what to do.
pub(super) fn read_model(
    main: &File,
    files: &[File],
    decoders: &dyn Decoders,
    report: &mut Report,
) -> Result<Asset> {
    let loaded = load(main, files, decoders, report)?;
    let nodes = &loaded.document.nodes;
    let has_joints = nodes.iter().any(|node| node.mesh.is_none() && node.camera.is_none());
    if has_joints && nodes.iter().all(|node| node.mesh.is_none()) {
        return Err(super::skeleton_only(main));
    }
    let mut builder = primitive::Builder::new(&loaded, report);
    let skins = skin::read_skins(&loaded, builder.report)?;
    builder.add_scene(&skins)?;
    let primitive::Built { mesh: render, stored_weights, unweighted, part_sources } =
        builder.finish(&skins)?;
    let materials = material::read(&loaded, files, report);
    let targets = targets::read(&loaded, &render, &part_sources, report);
    let clips = animation::read_clips(&loaded, &skins, &targets.of_parts, report);

    let (mesh, solve_from_render) = primitive::solve_mesh(&render);
    build::check_not_degenerate(&mesh)?;
    Ok(Asset {
        name: main.name.clone(),
        mesh,
        render,
        solve_from_render,
        skeleton: (!skins.joints.is_empty())
            .then(|| to_read_error(Skeleton::new(skins.joints.clone())))
            .transpose()?,
        stored_weights,
        unweighted,
        clips,
        morph_targets: targets.targets,
        materials: materials.materials,
        textures: materials.textures,
        vrm: loaded.humanoid.vrm,
        source: Some(Source {
            images: materials.external_images,
            part_primitives: part_sources,
            joint_nodes: skins.nodes.iter().map(|&node| Some(node)).collect(),
            skins: skins.skins.iter().map(skin::Skin::to_source).collect::<Vec<SourceSkin>>(),
            json: loaded.json,
            buffers: loaded.buffers,
            joints_moved: false,
            glb_frame: loaded.glb_frame,
        }),
    })
}

/// Reads only the skeleton: from the skins of the file, or from its nodes if it has no skin.
///
/// # Errors
/// What is wrong, where in the document, and what to do.
pub(super) fn read_skeleton(
    main: &File,
    files: &[File],
    decoders: &dyn Decoders,
    report: &mut Report,
) -> Result<SkeletonFile> {
    let loaded = load(main, files, decoders, report)?;
    let mut skins = skin::read_skins(&loaded, report)?;
    if skins.joints.is_empty() {
        skins = skin::from_nodes(&loaded, report);
    }
    if skins.joints.is_empty() {
        let error = ReadError::new(
            ErrorCode::NoSkeleton,
            "",
            "the file has no skin and no nodes that can be used as joints",
        );
        return Err(error.hint("export the armature together with the mesh"));
    }
    let clips = animation::read_clips(&loaded, &skins, &[], report);
    Ok(SkeletonFile { skeleton: to_read_error(Skeleton::new(skins.joints))?, clips })
}

fn to_read_error(skeleton: std::result::Result<Skeleton, crate::model::SkeletonError>) -> Result<Skeleton> {
    skeleton.map_err(|error| ReadError::new(ErrorCode::Malformed, "skins", error.to_string()))
}

fn load(main: &File, files: &[File], decoders: &dyn Decoders, report: &mut Report) -> Result<Loaded> {
    let container::Chunks { json, bin, bin_range } = container::split(&main.bytes)?;
    let document: Document = schema::parse(&json)?;
    let has_payload = bin.is_some() && document.buffers.first().is_some_and(|buffer| buffer.uri.is_none());
    let buffers = buffers::resolve(&document, bin, files, report)?;
    let bytes = files.iter().map(|file| file.bytes.len()).sum();
    if !document.is_compressed() {
        let graph = Graph::new(&document)?;
        let glb_frame = has_payload.then(|| GlbFrame {
            before: main.bytes[..bin_range.start].to_vec(),
            after: main.bytes[bin_range.end..].to_vec(),
        });
        let humanoid = Humanoid::new(&json, &document, report);
        return Ok(Loaded { document, json, buffers, graph, humanoid, glb_frame, bytes });
    }
    let source = Compressed { name: &main.name, json: &json, document: &document, buffers: &buffers, bytes };
    let Plain { json, buffer } = decompress::decompress(&source, decoders, report)?;
    let document: Document = schema::parse(&json)?;
    let graph = Graph::new(&document)?;
    let bytes = limits::decompressed_size(bytes, buffer.len());
    let humanoid = Humanoid::new(&json, &document, report);
    Ok(Loaded { document, json, buffers: vec![buffer], graph, humanoid, glb_frame: None, bytes })
}

fn warn(report: &mut Report, place: impl Into<String>, what: impl Into<String>) {
    report.warn(Warning::File { place: place.into(), what: what.into() });
}

fn malformed(place: impl Into<String>, what: impl Into<String>) -> ReadError {
    ReadError::new(ErrorCode::Malformed, place, what)
}
