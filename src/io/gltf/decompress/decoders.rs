//! Who decodes: linked crates natively, modules that were asked beforehand in the browser.

use std::collections::BTreeMap;

use super::DecodeError;
use super::parts::CompressedPart;
use crate::io::{ConvertedFbx, ErrorCode, File, ReadError, fbx};

/// Decodes parts of a document, and converts documents of another format.
pub trait Decoders {
    /// The decoded bytes. For meshopt, those of the plain buffer view. For Draco: the number of
    /// vertices and the number of indices, the indices, all of them as 32-bit little-endian
    /// integers, and then the values of each attribute in the order of the part, without padding.
    ///
    /// # Errors
    /// If there is no decoder, or if the compressed data is invalid.
    fn decode(&self, part: &CompressedPart<'_>) -> Result<Vec<u8>, DecodeError>;

    /// The GLB of an FBX file. `files` may contain its textures.
    ///
    /// # Errors
    /// If there is no converter, or if the file cannot be read.
    fn convert_fbx(&self, main: &File, files: &[File]) -> Result<ConvertedFbx, ReadError>;
}

/// Decoders that are part of the program. The browser does not have them.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkedDecoders;

#[cfg(not(target_arch = "wasm32"))]
impl Decoders for LinkedDecoders {
    fn decode(&self, part: &CompressedPart<'_>) -> Result<Vec<u8>, DecodeError> {
        use super::parts::Codec;
        match &part.codec {
            Codec::Meshopt { count, stride, mode, filter } => {
                let invalid = |error: pliant_meshopt::DecodeError| DecodeError::Invalid(error.to_string());
                let modes = pliant_meshopt::Mode::from_name(mode)
                    .zip(pliant_meshopt::Filter::from_name(filter))
                    .ok_or_else(|| invalid(pliant_meshopt::DecodeError::Layout))?;
                let layout =
                    pliant_meshopt::Layout { count: *count, stride: *stride, mode: modes.0, filter: modes.1 };
                pliant_meshopt::decode(&part.bytes, &layout).map_err(invalid)
            }
            Codec::Draco { attributes, limits } => {
                let wanted: Vec<pliant_draco::Attribute> = attributes
                    .iter()
                    .map(|attribute| pliant_draco::Attribute {
                        unique_id: attribute.unique_id,
                        component_type: attribute.component_type,
                        components: attribute.components,
                    })
                    .collect();
                let limits = pliant_draco::Limits {
                    vertices: limits.vertices,
                    triangles: limits.triangles,
                    bytes: limits.bytes,
                };
                let decoded = pliant_draco::decode(&part.bytes, &wanted, &limits);
                decoded.map(|decoded| decoded.to_bytes()).map_err(DecodeError::Invalid)
            }
        }
    }

    fn convert_fbx(&self, main: &File, files: &[File]) -> Result<ConvertedFbx, ReadError> {
        fbx::convert(main, files)
    }
}

/// Parts that were decoded before reading, by their keys. In the browser the decoders are modules
/// of their own, which are loaded when [`compressed_parts`](super::compressed_parts) lists a part.
#[derive(Clone, Debug, Default)]
pub struct PrefetchedDecoders {
    decoded: BTreeMap<String, Result<Vec<u8>, String>>,
    converted: BTreeMap<String, Result<ConvertedFbx, String>>,
}

impl PrefetchedDecoders {
    /// Adds the result for the part with this key: its bytes, or what the decoder reported.
    pub fn insert(&mut self, key: String, decoded: Result<Vec<u8>, String>) {
        self.decoded.insert(key, decoded);
    }

    /// Adds the GLB of the FBX file with this name, or what the converter reported: four parts that
    /// are separated by tabs.
    pub fn insert_fbx(&mut self, name: String, converted: Result<ConvertedFbx, String>) {
        self.converted.insert(name, converted);
    }
}

impl Decoders for PrefetchedDecoders {
    fn decode(&self, part: &CompressedPart<'_>) -> Result<Vec<u8>, DecodeError> {
        let decoded = self.decoded.get(&part.key).ok_or(DecodeError::Unavailable)?;
        decoded.clone().map_err(DecodeError::Invalid)
    }

    fn convert_fbx(&self, main: &File, _: &[File]) -> Result<ConvertedFbx, ReadError> {
        let converted = self.converted.get(&main.name).ok_or_else(no_converter)?;
        converted.clone().map_err(|error| fbx::error_from(&error))
    }
}

/// No decoder at all: compressed files are rejected.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnavailableDecoders;

impl Decoders for UnavailableDecoders {
    fn decode(&self, _: &CompressedPart<'_>) -> Result<Vec<u8>, DecodeError> {
        Err(DecodeError::Unavailable)
    }

    fn convert_fbx(&self, _: &File, _: &[File]) -> Result<ConvertedFbx, ReadError> {
        Err(no_converter())
    }
}

fn no_converter() -> ReadError {
    ReadError::new(ErrorCode::Unsupported, "", "it is an FBX file, and there is no converter for it")
        .hint("convert it to GLB, for example in Blender")
}
