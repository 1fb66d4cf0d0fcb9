//! GLB files without the meaning of their content: chunks, JSON that keeps its text, and
//! compression with `EXT_meshopt_compression`.
//!
//! This is a crate of its own, so that the module that compresses exports in the browser contains
//! nothing else of the library.

mod compress;
mod container;
pub mod json;

pub use compress::{CompressError, compress};
pub use container::{join, split};
