//! Why a file could not be read: what, where, and what to do.

use std::fmt;

/// The kind of trouble, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The content is none of the formats known here.
    UnknownFormat,
    /// A known format or feature that is not read here.
    Unsupported,
    /// The file ends before what it promises.
    Truncated,
    /// Something in the file contradicts its format.
    Malformed,
    /// More than is allowed, or more than the file can really hold.
    TooLarge,
    /// The file refers to another one that was not given.
    MissingFile,
    /// There are no triangles in it.
    NoMesh,
    /// There is no skeleton in it.
    NoSkeleton,
}

impl ErrorCode {
    /// A stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownFormat => "unknown_format",
            Self::Unsupported => "unsupported",
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::MissingFile => "missing_file",
            Self::NoMesh => "no_mesh",
            Self::NoSkeleton => "no_skeleton",
        }
    }
}

/// One clear sentence about a file, in three parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The kind.
    pub code: ErrorCode,
    /// Where: a line, a byte, or a path into the document. Empty when it is the file as a whole.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it. Empty when nothing helps but another file.
    pub hint: String,
}

impl ReadError {
    /// An error without a hint.
    pub fn new(code: ErrorCode, place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { code, place: place.into(), what: what.into(), hint: String::new() }
    }

    /// The same with what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.what)?;
        if !self.hint.is_empty() {
            write!(f, "; {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}
