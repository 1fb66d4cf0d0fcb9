//! Reads FBX files and writes them as binary glTF 2.0.
//!
//! Input: the bytes of an FBX file, binary or text, of version 3 to 7, and the files beside it
//! that may be its textures. Output: the bytes of a GLB file in metres with Y up, and a list of
//! what was irregular. The same input gives the same bytes. Nothing in a file makes the reader
//! panic.
//!
//! The path of the data: `binary` or `ascii` → `document` (node tree) → `objects` (table and
//! connections; `legacy` before version 6) → `nodes`, `mesh`, `skin`, `blend_shapes`, `animation` →
//! `glb`.

mod animation;
mod array;
mod ascii;
mod base64;
mod binary;
mod bind_pose;
mod blend_shapes;
mod channels;
mod compensation;
mod convert;
mod curves;
mod document;
mod error;
mod glb;
mod json;
mod keys;
mod layer;
mod legacy;
mod material;
mod mesh;
mod nodes;
mod objects;
mod properties;
mod reduce;
mod sampling;
mod settings;
mod skin;
mod sort;
mod texture;
mod transform;
mod vertices;
mod write_animation;
mod write_mesh;

pub use error::{Error, ErrorKind, Warning};

use error::Warnings;

/// A file beside the FBX file, which may hold a texture.
#[derive(Clone, Copy, Debug)]
pub struct Sibling<'a> {
    /// Its name, with or without folders.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// A converted file.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The bytes of a GLB file.
    pub glb: Vec<u8>,
    /// What was irregular, and what was done about it.
    pub warnings: Vec<Warning>,
}

/// Number of bytes in which a text file must name its format.
const SNIFFED_BYTES: usize = 4096;

/// Oldest version that is read.
const OLDEST_VERSION: u32 = 3000;

/// Whether the bytes look like an FBX file.
pub fn is_fbx(bytes: &[u8]) -> bool {
    bytes.starts_with(binary::MAGIC) || is_text_fbx(bytes)
}

fn is_text_fbx(bytes: &[u8]) -> bool {
    let head = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    let contains = |word: &[u8]| head.windows(word.len()).any(|window| window == word);
    head.trim_ascii_start().starts_with(b"; FBX") || contains(b"FBXHeaderExtension:")
}

/// Converts an FBX file to binary glTF.
///
/// # Errors
/// Content that is not FBX, a version before 3.0, a file that ends early or contradicts itself, one
/// that exceeds the limits for its size, or one with neither meshes nor joints.
pub fn to_glb(bytes: &[u8], siblings: &[Sibling<'_>]) -> Result<Converted, Error> {
    let document = if bytes.starts_with(binary::MAGIC) {
        binary::read(bytes)?
    } else if is_text_fbx(bytes) {
        ascii::read(bytes)?
    } else {
        let error = Error::new(ErrorKind::UnknownFormat, "", "the file is not FBX");
        return Err(error.hint("open a file that ends in .fbx"));
    };
    if document.version < OLDEST_VERSION {
        let what = format!("FBX version {} is not read", f64::from(document.version) / 1000.0);
        let error = Error::new(ErrorKind::Unsupported, "", what);
        return Err(error.hint("convert the file to FBX 2013 or newer with Autodesk's FBX Converter"));
    }
    let mut warnings = Warnings::default();
    let glb = convert::convert(&document, siblings, &mut warnings)?;
    Ok(Converted { glb, warnings: warnings.into_list() })
}
