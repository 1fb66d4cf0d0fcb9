//! Compresses a GLB with `EXT_meshopt_compression`.
//!
//! Input: a GLB with one buffer. Output: the same document, in which buffer views of accessors that
//! get smaller are compressed. Cost: linear in the size of the file.
//!
//! Accessors have the same values after decoding, bit for bit. Indices of triangle lists are the
//! exception: a triangle may begin with another of its corners. Images, sparse accessors and views
//! that no accessor uses stay as they are, and so does the text of everything but buffers and
//! buffer views. Bytes that no view contains are dropped.

mod layouts;
mod pack;
mod usage;

use std::fmt;

use pliant_meshopt::Layout;
use serde::Serialize;

use crate::json::Object;
use crate::{container, json};
use pack::Packed;
use usage::View;

/// The extension that is written.
const EXTENSION: &str = "EXT_meshopt_compression";

/// Extensions of files that are compressed already.
const COMPRESSED: [&str; 2] = [EXTENSION, "KHR_meshopt_compression"];

/// About how many bytes the extension of a view takes in the JSON.
const EXTENSION_TEXT: usize = 144;

/// Why a file could not be compressed.
#[derive(Debug)]
pub enum CompressError {
    /// It is not a GLB.
    Container,
    /// A buffer view reaches beyond the binary chunk.
    Range,
    /// The document is not valid.
    Document(serde_json::Error),
}

impl fmt::Display for CompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Container => f.write_str("it is not a GLB"),
            Self::Range => f.write_str("a buffer view reaches beyond the binary chunk"),
            Self::Document(error) => write!(f, "its document is not valid: {error}"),
        }
    }
}

impl std::error::Error for CompressError {}

impl From<serde_json::Error> for CompressError {
    fn from(error: serde_json::Error) -> Self {
        Self::Document(error)
    }
}

/// A compressed buffer view.
struct Compressed {
    bytes: Vec<u8>,
    layout: Layout,
}

/// Compresses a GLB. `None` if that would not make it smaller: it is compressed already, it has
/// other buffers than its binary chunk, or it contains too little.
///
/// # Errors
/// If the file is not a valid GLB.
pub fn compress(glb: &[u8]) -> Result<Option<Vec<u8>>, CompressError> {
    let (text, bin) = container::split(glb).ok_or(CompressError::Container)?;
    let mut root = Object::parse(text)?;
    let extensions: Vec<String> = root.get("extensionsUsed").unwrap_or_default();
    let mut buffers: Vec<Object> = root.get("buffers").unwrap_or_default();
    let is_single = matches!(&buffers[..], [only] if !only.keys().any(|key| key == "uri"));
    if !is_single || extensions.iter().any(|name| COMPRESSED.contains(&name.as_str())) {
        return Ok(None);
    }
    let mut items: Vec<Object> = root.get("bufferViews").unwrap_or_default();
    let views = usage::views(&root, &items);
    let ranges = pack::disjoint_ranges(&views);
    let mut compressed: Vec<Option<Compressed>> = Vec::new();
    compressed.resize_with(views.len(), || None);
    for range in &ranges {
        let bytes = bin.get(range.start..range.end).ok_or(CompressError::Range)?;
        // Views that share bytes would have to be stored once each.
        if let [only] = range.views[..] {
            compressed[only] = smallest(bytes, &views[only]);
        }
    }
    if compressed.iter().all(Option::is_none) {
        return Ok(None);
    }
    let packed = pack::pack(bin, &views, &ranges, &compressed);
    for ((item, view), offset) in items.iter_mut().zip(&compressed).zip(&packed.offsets) {
        place(item, view.as_ref(), *offset)?;
    }
    edit_buffers(&mut buffers, &packed)?;
    root.set("buffers", &buffers)?;
    root.set("bufferViews", &items)?;
    add_extension(&mut root)?;
    let output = container::join(json::raw(&root)?.get().to_owned(), &packed.bytes);
    Ok((output.len() < glb.len()).then_some(output))
}

/// The smallest encoding of a view, if it is smaller than its bytes.
fn smallest(bytes: &[u8], view: &View) -> Option<Compressed> {
    let encodings = layouts::of(view).into_iter().filter_map(|layout| {
        let mut padded = bytes.to_vec();
        padded.resize(layout.count * layout.stride, 0);
        Some(Compressed { bytes: pliant_meshopt::encode(&padded, &layout).ok()?, layout })
    });
    let smallest = encodings.min_by_key(|encoding| encoding.bytes.len())?;
    (smallest.bytes.len() + EXTENSION_TEXT < bytes.len()).then_some(smallest)
}

/// Where the compressed bytes of a view are, and how they are encoded.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Extension {
    buffer: usize,
    byte_offset: usize,
    byte_length: usize,
    byte_stride: usize,
    mode: &'static str,
    count: usize,
}

/// Moves a view to where its bytes are now.
fn place(item: &mut Object, view: Option<&Compressed>, offset: pack::Offset) -> serde_json::Result<()> {
    item.set("byteOffset", &offset.decoded)?;
    let Some(Compressed { bytes, layout }) = view else { return Ok(()) };
    item.set("buffer", &1)?;
    item.set("byteLength", &(layout.count * layout.stride))?;
    let extension = Extension {
        buffer: 0,
        byte_offset: offset.stored,
        byte_length: bytes.len(),
        byte_stride: layout.stride,
        mode: layout.mode.name(),
        count: layout.count,
    };
    let mut extensions: Object = item.get("extensions").unwrap_or_default();
    extensions.set(EXTENSION, &extension)?;
    item.set("extensions", &extensions)
}

/// Sets the length of the binary chunk, and adds a buffer without content, in which the decoded
/// views are.
fn edit_buffers(buffers: &mut Vec<Object>, packed: &Packed) -> serde_json::Result<()> {
    for buffer in &mut *buffers {
        buffer.set("byteLength", &packed.bytes.len())?;
    }
    let mut fallback = Object::default();
    fallback.set("byteLength", &packed.decoded)?;
    let (mut extensions, mut extension) = (Object::default(), Object::default());
    extension.set("fallback", &true)?;
    extensions.set(EXTENSION, &extension)?;
    fallback.set("extensions", &extensions)?;
    buffers.push(fallback);
    Ok(())
}

/// Adds the extension to those that a reader must know.
fn add_extension(root: &mut Object) -> serde_json::Result<()> {
    for list in ["extensionsUsed", "extensionsRequired"] {
        let mut names: Vec<String> = root.get(list).unwrap_or_default();
        names.push(EXTENSION.to_owned());
        root.set(list, &names)?;
    }
    Ok(())
}
