//! Lines, words and numbers of text formats, straight from bytes.
//!
//! In: bytes, of which only names need be UTF-8. Out: lines with their numbers (from 1), tokens, checked
//! numbers. Line ends may be LF, CR LF or CR. Cost: one pass, no copies.

use std::fmt::Display;

use super::limits::FARTHEST;
use super::{ErrorCode, ReadError};

/// `bytes` without UTF-8's byte order mark.
pub(super) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// The lines of a text with their numbers, counted from 1.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: without_bom(bytes), number: 0 }
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

/// The words of a line.
pub(super) fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty())
}

/// What follows the first word, for names; bytes that are not UTF-8 are replaced.
pub(super) fn rest_of(line: &[u8]) -> String {
    let line = line.trim_ascii();
    let keyword = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    String::from_utf8_lossy(line.get(keyword..).unwrap_or_default().trim_ascii()).into_owned()
}

/// Whether a line goes on in the next one.
pub(super) fn ends_with_backslash(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"\\")
}

/// A word as something that can be parsed.
pub(super) fn parse<T: std::str::FromStr>(token: &[u8]) -> Option<T> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// "line 12".
pub(super) fn at_line(line: usize) -> String {
    format!("line {line}")
}

/// A malformed line.
pub(super) fn malformed(line: usize, what: impl Into<String>) -> ReadError {
    ReadError::new(ErrorCode::Malformed, at_line(line), what)
}

/// A coordinate out of `token`: a finite number of usable size.
///
/// # Errors
/// Names the line and what stands there instead.
pub(super) fn coordinate(token: Option<&[u8]>, line: usize) -> Result<f32, ReadError> {
    let Some(token) = token else {
        return Err(malformed(line, "a coordinate is missing"));
    };
    let Some(number) = parse::<f32>(token) else {
        let error = malformed(line, format!("\"{}\" is not a number", shown(token)));
        let comma = token.contains(&b',');
        return Err(if comma { error.hint("write decimal points, not commas") } else { error });
    };
    usable(f64::from(number), format_args!("line {line}"))
}

/// A coordinate that is finite and not absurdly far out.
///
/// # Errors
/// Names the place otherwise.
pub(super) fn usable(number: f64, place: impl Display) -> Result<f32, ReadError> {
    let malformed = |what: String| ReadError::new(ErrorCode::Malformed, place.to_string(), what);
    if !number.is_finite() {
        return Err(
            malformed("a coordinate is not a finite number".into()).hint("repair or remove the vertex")
        );
    }
    if number.abs() > f64::from(FARTHEST) {
        let error = malformed(format!("the coordinate {number:e} is too far out to compute with"));
        return Err(error.hint("scale the model down"));
    }
    Ok(number as f32)
}

/// A word for a message, cut to a readable length.
pub(super) fn shown(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(token.get(..LONGEST).unwrap_or(token));
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}
