//! Errors of reading a file: what is wrong, where, and what to do.

use std::fmt;

/// The kind of error, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The content matches no known format.
    UnknownFormat,
    /// A known format or feature that Pliant does not read.
    Unsupported,
    /// The file ends before the data that its header or document declares.
    Truncated,
    /// Something in the file violates its format.
    Malformed,
    /// A count exceeds a limit, or exceeds what a file of this size can contain.
    TooLarge,
    /// The file refers to another file that is not among the files given.
    MissingFile,
    /// The file has no triangles.
    NoMesh,
    /// The file has no skeleton.
    NoSkeleton,
}

impl ErrorCode {
    /// The stable name of the code.
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

/// One sentence about a file, in three parts: location, problem, remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The kind of error.
    pub code: ErrorCode,
    /// Location: a line, a byte offset, or a path in the document. Empty if it is the file as a
    /// whole.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// What to do. Empty if there is no remedy but another file.
    pub hint: String,
}

impl ReadError {
    /// An error without a hint.
    pub fn new(code: ErrorCode, place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { code, place: place.into(), what: what.into(), hint: String::new() }
    }

    /// The same error with a remedy.
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
