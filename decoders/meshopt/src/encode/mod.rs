//! Encodes buffer views without a filter, so that decoding gives the same bytes.
//!
//! Input: the bytes of a plain view and the layout that the extension will declare. Output: the
//! bytes of the compressed view, in the versions that `EXT_meshopt_compression` allows. Source:
//! appendix A of its text. Cost: linear in the size of the input.
//!
//! Triangles may begin with another corner after decoding. Their order and their orientation stay.

mod attributes;
mod indices;
mod triangles;
mod writer;

use std::fmt;

use super::{Filter, Layout, Mode};

/// Why a view could not be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The extension does not allow this layout, it has a filter, or it is not that of the bytes.
    Layout,
    /// Two consecutive indices differ by 2³⁰ or more, which mode `INDICES` cannot store.
    Index,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Layout => "count, stride, mode and filter do not fit the data",
            Self::Index => "the difference of two indices is too large",
        })
    }
}

impl std::error::Error for EncodeError {}

/// Encodes a view of `count * stride` bytes.
///
/// # Errors
/// If the layout is not allowed or has a filter, or if an index cannot be stored.
pub fn encode(bytes: &[u8], layout: &Layout) -> Result<Vec<u8>, EncodeError> {
    let &Layout { count, stride, mode, filter } = layout;
    if !layout.is_allowed() || filter != Filter::None || bytes.len() != count * stride {
        return Err(EncodeError::Layout);
    }
    match mode {
        Mode::Attributes => Ok(attributes::encode(bytes, stride)),
        Mode::Triangles => Ok(triangles::encode(&writer::indices(bytes, stride))),
        Mode::Indices => indices::encode(&writer::indices(bytes, stride)),
    }
}
