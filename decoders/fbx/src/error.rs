//! Errors and warnings of reading a file: where, what is wrong, and what to do.

use std::fmt;

/// The kind of error, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The content is not FBX.
    UnknownFormat,
    /// FBX of a kind that is not read.
    Unsupported,
    /// The file ends before the data that it declares.
    Truncated,
    /// Something in the file violates its format.
    Malformed,
    /// A count exceeds a limit, or exceeds what a file of this size can contain.
    TooLarge,
    /// The file has neither triangles nor a skeleton.
    NoMesh,
}

impl ErrorKind {
    /// A stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownFormat => "unknown_format",
            Self::Unsupported => "unsupported",
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::NoMesh => "no_mesh",
        }
    }
}

/// One sentence about a file, in three parts: location, problem, remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// Location: a byte offset, a line, or an object. Empty if it is the file as a whole.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// What to do. Empty if there is no remedy but another file.
    pub hint: String,
}

/// The result of reading a part of a file.
pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { kind, place: place.into(), what: what.into(), hint: String::new() }
    }

    pub(crate) fn truncated(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Truncated, place, what)
            .hint("the file was probably cut short: copy, download or export it again")
    }

    pub(crate) fn malformed(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, place, what)
            .hint("export the file again, as binary FBX 2013 or newer")
    }

    pub(crate) fn too_large(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(ErrorKind::TooLarge, place, what).hint("simplify the model or split it")
    }

    /// The same error with a remedy.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for Error {
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

impl std::error::Error for Error {}

/// One irregularity of a file that was read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The object it is about, for example `mesh "Body"`.
    pub place: String,
    /// What was found and what was done.
    pub what: String,
}

/// Largest number of warnings. If larger, a damaged file of a million objects takes a million
/// lines. If smaller, the list of missing textures of a large scene is cut.
const MAX_WARNINGS: usize = 200;

/// Collects warnings, each once.
#[derive(Default)]
pub(crate) struct Warnings {
    list: Vec<Warning>,
}

impl Warnings {
    pub(crate) fn add(&mut self, place: impl Into<String>, what: impl Into<String>) {
        let warning = Warning { place: place.into(), what: what.into() };
        if self.list.len() < MAX_WARNINGS && !self.list.contains(&warning) {
            self.list.push(warning);
        }
    }

    pub(crate) fn into_list(self) -> Vec<Warning> {
        self.list
    }
}
