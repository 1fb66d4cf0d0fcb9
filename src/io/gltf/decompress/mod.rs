//! Replaces compressed parts of a document by plain buffer views and accessors.
//!
//! Input: a document with `KHR_draco_mesh_compression`, `EXT_meshopt_compression` or
//! `KHR_meshopt_compression`, its buffers, and [`Decoders`]. Output: the JSON of a document without
//! these extensions, and its only buffer. Reading, export and clips see only the plain document.
//! Cost: one pass over the decoded bytes.
//!
//! A part that is also stored plainly (a fallback) is not decoded. Compressed bytes are dropped.
//! Limits are checked before decoding.

mod bounds;
mod decoders;
mod draco;
mod draco_mesh;
mod pack;
mod parts;

#[cfg(not(target_arch = "wasm32"))]
pub use decoders::LinkedDecoders;
pub use decoders::{Decoders, PrefetchedDecoders, UnavailableDecoders};
pub use parts::{Codec, CompressedPart, DecodeLimits, DracoAttribute, compressed_parts};

use super::accessor::view_bytes;
use super::editor::Editor;
use super::json::Object;
use super::schema::Document;
use super::{Result, malformed, warn};
use crate::io::{ErrorCode, ReadError};
use crate::report::Report;
use parts::{Part, Target};

/// The extensions that are removed.
const EXTENSIONS: [&str; 3] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// A document without compression.
pub(super) struct Plain {
    pub json: String,
    pub buffer: Vec<u8>,
}

/// What is decompressed: a parsed document and the bytes that it refers to.
pub(super) struct Compressed<'a> {
    /// The name of the file, for the keys of its parts.
    pub name: &'a str,
    pub json: &'a str,
    pub document: &'a Document,
    pub buffers: &'a [Vec<u8>],
    /// Size of all files together.
    pub bytes: usize,
}

/// Decodes all parts of a document.
///
/// # Errors
/// If a part cannot be decoded or is too large, with its location.
pub(super) fn decompress(
    source: &Compressed<'_>,
    decoders: &dyn Decoders,
    report: &mut Report,
) -> Result<Plain> {
    let parts = parts::list(source)?;
    let mut is_plain = vec![true; source.document.buffer_views.len()];
    parts.iter().for_each(|part| is_plain[part.view] = false);
    let packed = pack::pack(source.document, source.buffers, |view| is_plain[view])?;
    let mut editor = Editor::open(source.json, packed.bytes).map_err(unreadable)?;
    for (view, offset) in packed.offsets {
        place_view(&mut editor, view, offset, None).map_err(unreadable)?;
    }
    let mut primitives = draco::Primitives::of(source)?;
    let accessors = bounds::AccessorsOfViews::of(source.document);
    for Part { part, target, view, place } in &parts {
        let decoded = decoders.decode(part).map_err(|error| error.at(place))?;
        match target {
            Target::View => {
                let offset = editor.append(&decoded);
                place_view(&mut editor, *view, offset, Some(decoded.len())).map_err(unreadable)?;
                let has_filter = matches!(&part.codec, Codec::Meshopt { filter, .. } if filter != "NONE");
                if has_filter {
                    accessors.update_bounds(&mut editor, *view, &decoded).map_err(unreadable)?;
                }
            }
            Target::Primitives(targets) => {
                primitives.replace(&mut editor, part, &decoded, targets, place)?;
            }
        }
    }
    primitives.write(&mut editor).map_err(unreadable)?;
    remove_extensions(&mut editor, report).map_err(unreadable)?;
    let (json, buffer) = editor.into_document().map_err(unreadable)?;
    Ok(Plain { json, buffer })
}

/// Moves a buffer view to an offset in the only buffer, and sets its length if it is given.
fn place_view(
    editor: &mut Editor,
    view: usize,
    offset: usize,
    length: Option<usize>,
) -> serde_json::Result<()> {
    editor.edit("bufferViews", view, |object| {
        object.set("buffer", &0)?;
        object.set("byteOffset", &offset)?;
        if let Some(length) = length {
            object.set("byteLength", &length)?;
        }
        remove_from(object)
    })
}

/// Removes the extensions from a member `extensions`.
fn remove_from(object: &mut Object) -> serde_json::Result<()> {
    let Some(mut extensions) = object.get::<Object>("extensions") else { return Ok(()) };
    EXTENSIONS.iter().for_each(|name| extensions.remove(name));
    if extensions.keys().next().is_none() {
        object.remove("extensions");
        return Ok(());
    }
    object.set("extensions", &extensions)
}

/// Removes the extensions from buffers and from the lists of extensions.
fn remove_extensions(editor: &mut Editor, report: &mut Report) -> serde_json::Result<()> {
    editor.edit("buffers", 0, remove_from)?;
    for list in ["extensionsUsed", "extensionsRequired"] {
        let Some(mut names) = editor.root_member::<Vec<String>>(list) else { continue };
        let is_compression = |name: &String| EXTENSIONS.contains(&name.as_str());
        for name in names.iter().filter(|name| is_compression(name)) {
            let what = "the file was decompressed; its export is compressed only on request";
            warn(report, name.as_str(), what);
        }
        names.retain(|name| !is_compression(name));
        if names.is_empty() {
            editor.remove_root(list);
        } else {
            editor.set_root(list, &names)?;
        }
    }
    Ok(())
}

/// The document was parsed before, so this happens only if a member has an unexpected type.
#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
fn unreadable(error: serde_json::Error) -> ReadError {
    malformed("the document", format!("it cannot be decompressed: {error}"))
}

/// The bytes of a buffer view that is not compressed itself.
fn source_bytes<'a>(source: &Compressed<'a>, view: usize, place: &str) -> Result<&'a [u8]> {
    view_bytes(source.document, source.buffers, view, place)
}

/// Why a part could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// There is no decoder, or it was not asked beforehand.
    Unavailable,
    /// The compressed data is invalid. The text is the end of a sentence.
    Invalid(String),
}

impl DecodeError {
    fn at(self, place: &str) -> ReadError {
        match self {
            Self::Unavailable => {
                let what = "it is compressed, and there is no decoder for it";
                ReadError::new(ErrorCode::Unsupported, place, what).hint(
                    "save the model again without compression, for example in Blender, or with \
                     `gltf-transform copy in.glb out.glb`",
                )
            }
            Self::Invalid(what) => malformed(place, what).hint("download or export the file again"),
        }
    }
}
