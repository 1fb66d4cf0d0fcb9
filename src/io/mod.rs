//! Bytes ⇄ model: one file per format. No disk, no network.
//!
//! In: the bytes of a file and of those given with it. Out: an [`Asset`], or a skeleton alone. The format
//! is told by content, never by name. Every count, offset and size is checked before it is used: a file
//! that lies about its size is refused, not allocated for.

mod error;
pub mod gltf;
mod limits;
mod sniff;

pub use error::{ErrorCode, ReadError};
pub use sniff::{Format, sniff};

use crate::model::{Clip, Skeleton};

/// A file as it was given: its name (for messages and for references between files) and its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// As given, possibly with folders.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// A skeleton read without (or apart from) a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SkeletonFile {
    /// The joints.
    pub skeleton: Skeleton,
    /// Its motions, if the file has any.
    pub clips: Vec<Clip>,
}

/// Reads a model.
///
/// # Errors
/// What is wrong.
pub fn read_model(
    files: &[File],
    report: &mut crate::report::Report,
) -> Result<crate::model::Asset, ReadError> {
    gltf::read_model(&files[0], &files[1..], report)
}
/// Reads a skeleton.
///
/// # Errors
/// What is wrong.
pub fn read_skeleton(files: &[File], report: &mut crate::report::Report) -> Result<SkeletonFile, ReadError> {
    gltf::read_skeleton(&files[0], &files[1..], report)
}
