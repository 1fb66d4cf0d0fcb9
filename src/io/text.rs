//! Lines, tokens and numbers of text formats, parsed directly from bytes.
//!
//! Input: bytes, of which only names need be UTF-8. Output: lines with their numbers (from 1),
//! tokens, and checked numbers. Line ends may be LF, CR LF or CR. Cost: one pass, no copies.

use std::fmt::Display;

use super::limits::MAX_COORDINATE;
use super::{ErrorCode, ReadError};

/// `bytes` without the UTF-8 byte order mark.
pub(super) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Iterator over the lines of a text with their numbers, counted from 1.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: without_bom(bytes), number: 0 }
    }

    /// The number of bytes after the current line.
    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.strip_prefix(b"\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
        self.number += 1;
        Some((self.number, line))
    }
}

/// The tokens of a line, separated by white space.
pub(super) fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty())
}

/// The text after the first token, for names. Bytes that are not UTF-8 are replaced.
pub(super) fn after_keyword(line: &[u8]) -> String {
    let line = line.trim_ascii();
    let keyword = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    String::from_utf8_lossy(line.get(keyword..).unwrap_or_default().trim_ascii()).into_owned()
}

/// Whether the line continues on the next one.
pub(super) fn ends_with_backslash(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"\\")
}

/// Parses a token.
pub(super) fn parse<T: std::str::FromStr>(token: &[u8]) -> Option<T> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// Whether `word` occurs in `bytes`.
pub(super) fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|at| at == word)
}

/// The location "line 12".
pub(super) fn at_line(line: usize) -> String {
    format!("line {line}")
}

/// The error for a malformed line.
pub(super) fn malformed(line: usize, what: impl Into<String>) -> ReadError {
    ReadError::new(ErrorCode::Malformed, at_line(line), what)
}

/// Parses a coordinate: a finite number in the accepted range.
///
/// # Errors
/// Names the line and the token.
pub(super) fn coordinate(token: Option<&[u8]>, line: usize) -> Result<f32, ReadError> {
    let Some(token) = token else {
        return Err(malformed(line, "a coordinate is missing"));
    };
    let Some(number) = parse::<f32>(token) else {
        let error = malformed(line, format!("\"{}\" is not a number", for_message(token)));
        let comma = token.contains(&b',');
        return Err(if comma { error.hint("use decimal points, not commas") } else { error });
    };
    checked_coordinate(f64::from(number), format_args!("line {line}"))
}

/// Checks that a coordinate is finite and in the accepted range.
///
/// # Errors
/// Names the location.
pub(super) fn checked_coordinate(number: f64, place: impl Display) -> Result<f32, ReadError> {
    let malformed = |what: String| ReadError::new(ErrorCode::Malformed, place.to_string(), what);
    if !number.is_finite() {
        return Err(
            malformed("a coordinate is not a finite number".into()).hint("repair or remove the vertex")
        );
    }
    if number.abs() > f64::from(MAX_COORDINATE) {
        let error = malformed(format!("the coordinate {number:e} is too large"));
        return Err(error.hint("scale the model down"));
    }
    Ok(number as f32)
}

/// A token for a message: cut to a readable length, control characters replaced.
pub(super) fn for_message(token: &[u8]) -> String {
    const MAX_LENGTH: usize = 40;
    let text = String::from_utf8_lossy(token.get(..MAX_LENGTH).unwrap_or(token));
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}
