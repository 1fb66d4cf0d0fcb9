//! Bytes ⇄ model: one file per format. No disk, no network.
//!
//! In: the bytes of a file and of those given with it. Out: an [`Asset`], or a skeleton alone. The format
//! is told by content, never by name. Every count, offset and size is checked before it is used: a file
//! that lies about its size is refused, not allocated for.

mod error;
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
