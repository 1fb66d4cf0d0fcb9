//! Tells a file's format by its content.

/// The formats known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// glTF in one binary file.
    Glb,
    /// glTF as JSON.
    Gltf,
}

/// The format of `bytes`, if it is a known one.
pub fn sniff(bytes: &[u8]) -> Option<Format> {
    bytes.starts_with(b"glTF").then_some(Format::Glb)
}
