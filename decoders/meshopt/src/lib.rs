//! Decodes and encodes buffer views of `EXT_meshopt_compression` and `KHR_meshopt_compression`.
//!
//! [`decode`]: the bytes of a compressed view and the layout that the extension declares become the
//! bytes of the plain view. [`encode`] does the opposite. Source: appendices A (bitstream) and B
//! (filters) of the text of `KHR_meshopt_compression`, which contains that of
//! `EXT_meshopt_compression`. Cost: linear in the size of the plain view.
//!
//! All counts are checked against the bytes that are present before memory is allocated. The output
//! is at most 1024 times as large as the input.

mod attributes;
mod encode;
mod filters;
mod indices;
mod reader;
mod recent;
mod triangles;

pub use encode::{EncodeError, encode};

use std::fmt;

/// How a view is encoded: `mode` of the extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Elements of any kind, as differences from the previous element.
    Attributes,
    /// Indices of a triangle list.
    Triangles,
    /// Any other indices.
    Indices,
}

impl Mode {
    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "ATTRIBUTES" => Self::Attributes,
            "TRIANGLES" => Self::Triangles,
            "INDICES" => Self::Indices,
            _ => return None,
        })
    }

    /// The name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attributes => "ATTRIBUTES",
            Self::Triangles => "TRIANGLES",
            Self::Indices => "INDICES",
        }
    }
}

/// What is done with decoded elements: `filter` of the extension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// Elements stay as they are.
    #[default]
    None,
    /// Unit vectors in octahedral encoding become four signed normalised integers.
    Octahedral,
    /// Three components of unit quaternions become four signed normalised 16-bit integers.
    Quaternion,
    /// Exponents with mantissas become floats.
    Exponential,
    /// Luma, chrominance and alpha become four unsigned normalised integers.
    Color,
}

impl Filter {
    /// The filter of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "NONE" => Self::None,
            "OCTAHEDRAL" => Self::Octahedral,
            "QUATERNION" => Self::Quaternion,
            "EXPONENTIAL" => Self::Exponential,
            "COLOR" => Self::Color,
            _ => return None,
        })
    }
}

/// What the extension declares about a compressed view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of elements.
    pub count: usize,
    /// Bytes per element.
    pub stride: usize,
    /// The encoding.
    pub mode: Mode,
    /// The filter, for attributes only.
    pub filter: Filter,
}

/// Why a view could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The extension does not allow this combination of count, stride, mode and filter.
    Layout,
    /// The first byte is not that of a known version of the mode.
    Header,
    /// The data ends before all elements are decoded.
    Truncated,
    /// Data is left after all elements are decoded.
    Trailing,
    /// A value that the bitstream does not allow.
    Invalid,
}

impl DecodeError {
    /// What is wrong, as the end of a sentence.
    pub fn message(self) -> &'static str {
        match self {
            Self::Layout => "count, stride, mode and filter do not fit together",
            Self::Header => "the compressed data has an unknown header",
            Self::Truncated => "the compressed data ends too early",
            Self::Trailing => "the compressed data is longer than its elements",
            Self::Invalid => "the compressed data contains an invalid value",
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for DecodeError {}

type Result<T> = std::result::Result<T, DecodeError>;

/// Decodes a view into `count * stride` bytes.
///
/// # Errors
/// If the layout is not allowed, or if `bytes` is not a stream of exactly `count` elements.
pub fn decode(bytes: &[u8], layout: &Layout) -> Result<Vec<u8>> {
    if !layout.is_allowed() {
        return Err(DecodeError::Layout);
    }
    let &Layout { count, stride, mode, filter } = layout;
    match mode {
        Mode::Attributes => {
            let mut decoded = attributes::decode(bytes, count, stride)?;
            filters::apply(filter, &mut decoded, stride);
            Ok(decoded)
        }
        Mode::Triangles => triangles::decode(bytes, count, stride),
        Mode::Indices => indices::decode(bytes, count, stride),
    }
}

impl Layout {
    /// Whether both extensions allow the layout.
    fn is_allowed(&self) -> bool {
        let &Self { count, stride, mode, filter } = self;
        let is_allowed = match mode {
            Mode::Attributes => (4..=256).contains(&stride) && stride.is_multiple_of(4),
            Mode::Triangles => (stride == 2 || stride == 4) && count.is_multiple_of(3),
            Mode::Indices => stride == 2 || stride == 4,
        };
        let is_filter_allowed = match filter {
            Filter::None => true,
            Filter::Octahedral | Filter::Color => mode == Mode::Attributes && (stride == 4 || stride == 8),
            Filter::Quaternion => mode == Mode::Attributes && stride == 8,
            Filter::Exponential => mode == Mode::Attributes,
        };
        is_allowed && is_filter_allowed && count.checked_mul(stride).is_some()
    }
}
