//! Lists the parts of a document that have to be decoded.

use std::borrow::Cow;

use super::super::accessor::{Component, components};
use super::super::schema::{Document, MeshoptView};
use super::super::{Result, buffers, container, malformed, schema};
use super::draco::DracoPrimitive;
use super::{Compressed, draco, source_bytes};
use crate::io::{ErrorCode, File, Format, ReadError, limits, sniff};
use crate::report::Report;

/// A part of a file that has to be decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedPart<'a> {
    /// Identifies the part among all files that are opened together: file name and location.
    pub key: String,
    /// The compressed bytes.
    pub bytes: Cow<'a, [u8]>,
    /// How they are decoded.
    pub codec: Codec,
}

/// The codec of a part, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Codec {
    /// A buffer view of `EXT_meshopt_compression` or `KHR_meshopt_compression`.
    Meshopt {
        /// Number of elements.
        count: usize,
        /// Bytes per element.
        stride: usize,
        /// `ATTRIBUTES`, `TRIANGLES` or `INDICES`.
        mode: String,
        /// `NONE`, `OCTAHEDRAL`, `QUATERNION`, `EXPONENTIAL` or `COLOR`.
        filter: String,
    },
    /// A primitive of `KHR_draco_mesh_compression`.
    Draco {
        /// The attributes that are decoded.
        attributes: Vec<DracoAttribute>,
        /// Largest result that is accepted.
        limits: DecodeLimits,
    },
}

/// An attribute of a Draco mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DracoAttribute {
    /// Its id in the Draco mesh.
    pub unique_id: u32,
    /// The component type of its accessor.
    pub component_type: u32,
    /// The number of components of its accessor.
    pub components: usize,
}

/// Largest result of a decoder. Draco declares its counts only in the compressed data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Bytes of all attributes together.
    pub bytes: usize,
}

/// The parts of all glTF files among `files` that have to be decoded before these files are read.
/// Empty for files without compression. Files that cannot be parsed have no parts; reading them
/// gives the error.
pub fn compressed_parts(files: &[File]) -> Vec<CompressedPart<'static>> {
    let is_gltf =
        |file: &&File| matches!(sniff(&file.bytes), Some(Format::Glb | Format::Gltf | Format::Vrma));
    files.iter().filter(is_gltf).flat_map(|file| parts_of(file, files).unwrap_or_default()).collect()
}

fn parts_of(main: &File, files: &[File]) -> Result<Vec<CompressedPart<'static>>> {
    let container::Chunks { json, bin, .. } = container::split(&main.bytes)?;
    let document = schema::parse(&json)?;
    if !document.is_compressed() {
        return Ok(Vec::new());
    }
    let buffers = buffers::resolve(&document, bin, files, &mut Report::default())?;
    let bytes = files.iter().map(|file| file.bytes.len()).sum();
    let source = Compressed { name: &main.name, json: &json, document: &document, buffers: &buffers, bytes };
    let owned = |Part { part, .. }: Part<'_>| CompressedPart {
        bytes: Cow::Owned(part.bytes.into_owned()),
        key: part.key,
        codec: part.codec,
    };
    Ok(list(&source)?.into_iter().map(owned).collect())
}

/// A part, and what it is decoded into.
pub(super) struct Part<'a> {
    pub part: CompressedPart<'a>,
    pub target: Target,
    /// The buffer view that is replaced. For Draco, the one with the compressed bytes.
    pub view: usize,
    /// The location in the document.
    pub place: String,
}

/// What a part is decoded into.
pub(super) enum Target {
    /// The buffer view itself.
    View,
    /// The accessors of primitives, by mesh and primitive. All have the same compressed data.
    Primitives(Vec<[usize; 2]>),
}

impl Part<'_> {
    fn has_attributes(&self, wanted: &[DracoAttribute]) -> bool {
        matches!(&self.part.codec, Codec::Draco { attributes, .. } if attributes == wanted)
    }

    fn add_primitive(&mut self, primitive: [usize; 2]) {
        if let Target::Primitives(primitives) = &mut self.target {
            primitives.push(primitive);
        }
    }
}

/// The parts of a document, after checking that the results are not too large.
pub(super) fn list<'a>(source: &Compressed<'a>) -> Result<Vec<Part<'a>>> {
    let mut budget = Budget { used: 0, most: limits::decoded_budget(source.bytes) };
    let mut parts = meshopt_parts(source, &mut budget)?;
    parts.extend(draco_parts(source, &mut budget)?);
    Ok(parts)
}

/// Bytes that the declared counts amount to.
struct Budget {
    used: usize,
    most: usize,
}

impl Budget {
    fn add(&mut self, place: &str, count: usize, size: usize) -> Result<()> {
        self.used = self.used.saturating_add(count.saturating_mul(size));
        limits::check_budget(place, "decompressed bytes", self.used, self.most)
    }
}

fn meshopt_parts<'a>(source: &Compressed<'a>, budget: &mut Budget) -> Result<Vec<Part<'a>>> {
    let mut parts = Vec::new();
    for (index, view) in source.document.buffer_views.iter().enumerate() {
        let Some(meshopt) = &view.extensions.meshopt else { continue };
        let place = format!("bufferViews[{index}]");
        if source_bytes(source, index, &place).is_ok() {
            continue; // stored plainly as well
        }
        let bytes = meshopt_bytes(source, meshopt, &place)?;
        budget.add(&place, meshopt.count, meshopt.byte_stride)?;
        let codec = Codec::Meshopt {
            count: meshopt.count,
            stride: meshopt.byte_stride,
            mode: meshopt.mode.clone(),
            filter: meshopt.filter.clone().unwrap_or_else(|| "NONE".into()),
        };
        let part = CompressedPart { key: key(source, &place), bytes: bytes.into(), codec };
        parts.push(Part { part, target: Target::View, view: index, place });
    }
    Ok(parts)
}

fn meshopt_bytes<'a>(source: &Compressed<'a>, meshopt: &MeshoptView, place: &str) -> Result<&'a [u8]> {
    let &MeshoptView { buffer, byte_offset, byte_length, .. } = meshopt;
    let range = byte_offset.checked_add(byte_length).map(|end| byte_offset..end);
    let bytes = source.buffers.get(buffer).zip(range).and_then(|(bytes, range)| bytes.get(range));
    bytes.ok_or_else(|| {
        let what = format!("its {byte_length} compressed bytes reach beyond buffer {buffer}");
        ReadError::new(ErrorCode::Truncated, place, what).hint("download or export the file again")
    })
}

fn draco_parts<'a>(source: &Compressed<'a>, budget: &mut Budget) -> Result<Vec<Part<'a>>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    let mut parts_of_view: Vec<Vec<usize>> = vec![Vec::new(); source.document.buffer_views.len()];
    for ([mesh, primitive], draco) in draco::Primitives::of(source)?.compressed() {
        let place = format!("meshes[{mesh}].primitives[{primitive}]");
        if draco.is_stored_plainly(source.document) {
            continue;
        }
        let view = draco.view()?;
        let attributes = wanted(source.document, draco, &place)?;
        let bytes = source_bytes(source, view, &place)?;
        let of_view = &mut parts_of_view[view];
        let same = of_view.iter().find(|&&part| parts[part].has_attributes(&attributes));
        if let Some(&same) = same {
            parts[same].add_primitive([mesh, primitive]);
            continue;
        }
        of_view.push(parts.len());
        for (_, accessor) in draco.accessors() {
            let accessor = &source.document.accessors[accessor];
            budget.add(&place, accessor.count, 4 * components(&accessor.shape).unwrap_or(1))?;
        }
        let limits = DecodeLimits {
            vertices: limits::decoded_vertex_budget(source.bytes),
            triangles: 2 * limits::decoded_vertex_budget(source.bytes),
            bytes: budget.most,
        };
        let codec = Codec::Draco { attributes, limits };
        let part = CompressedPart { key: key(source, &place), bytes: bytes.into(), codec };
        parts.push(Part { part, target: Target::Primitives(vec![[mesh, primitive]]), view, place });
    }
    Ok(parts)
}

/// The attributes of a primitive that are in its Draco mesh.
fn wanted(document: &Document, draco: &DracoPrimitive, place: &str) -> Result<Vec<DracoAttribute>> {
    let attribute = |(unique_id, accessor): (u32, usize)| {
        let accessor = document.accessors.get(accessor);
        let accessor = accessor
            .ok_or_else(|| malformed(place, "an attribute refers to an accessor that does not exist"))?;
        Component::new(accessor.component_type, place)?;
        let components = components(&accessor.shape).ok_or_else(|| {
            malformed(place, format!("attributes of type {} are not supported", accessor.shape))
        })?;
        Ok(DracoAttribute { unique_id, component_type: accessor.component_type, components })
    };
    draco.accessors().map(attribute).collect()
}

fn key(source: &Compressed<'_>, place: &str) -> String {
    format!("{}: {place}", source.name)
}
