//! Reads the numbers of a PLY body in sequence, in any encoding.

use super::header::{Element, Encoding, Header, Kind, Property};
use crate::io::text::{self, for_message};
use crate::io::{ErrorCode, ReadError, limits};

/// A location in the file, formatted only when an error needs it.
#[derive(Clone, Copy)]
pub(super) enum Location {
    Line(usize),
    Byte(usize),
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// The unread part of the body.
pub(super) struct Body<'a> {
    bytes: &'a [u8],
    offset: usize,
    line: usize,
    encoding: Encoding,
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self { bytes, offset: header.body, line: header.lines + 1, encoding: header.encoding }
    }

    /// The location of the next number.
    pub(super) fn location(&mut self) -> Location {
        match self.encoding {
            Encoding::Ascii => {
                self.skip_space();
                Location::Line(self.line)
            }
            Encoding::Little | Encoding::Big => Location::Byte(self.offset),
        }
    }

    fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.offset)
    }

    /// Checks that the remaining bytes can contain all rows of an element.
    pub(super) fn check(&mut self, element: &Element) -> Result<(), ReadError> {
        let what = format!("rows of \"{}\"", element.name);
        limits::check_remaining(
            self.location(),
            &what,
            element.rows,
            self.min_row_bytes(element),
            self.remaining_with_separator(),
        )
    }

    fn min_row_bytes(&self, element: &Element) -> usize {
        element.min_row_bytes(self.encoding)
    }

    /// The remaining bytes. In a text file the white space after the last word may be missing, so
    /// it is added.
    fn remaining_with_separator(&self) -> usize {
        match self.encoding {
            Encoding::Ascii => self.remaining().saturating_add(1),
            Encoding::Little | Encoding::Big => self.remaining(),
        }
    }

    /// Reads the next number.
    pub(super) fn number(&mut self, kind: Kind) -> Result<f64, ReadError> {
        match self.encoding {
            Encoding::Ascii => self.text_number(),
            Encoding::Little => self.binary_number(kind, false),
            Encoding::Big => self.binary_number(kind, true),
        }
    }

    /// Reads the length of a list, and checks that as many numbers can follow.
    pub(super) fn list_length(&mut self, length: Kind, of: Kind) -> Result<usize, ReadError> {
        let location = self.location();
        let claimed = self.number(length)?;
        let Some(count) = as_count(claimed) else {
            let what = format!("a list cannot have {claimed} entries");
            return Err(ReadError::new(ErrorCode::Malformed, location.to_string(), what));
        };
        let min_bytes = if self.encoding == Encoding::Ascii { 2 } else { of.size() };
        limits::check_remaining(location, "list entries", count, min_bytes, self.remaining_with_separator())?;
        Ok(count)
    }

    /// Skips one property.
    pub(super) fn skip(&mut self, property: &Property) -> Result<(), ReadError> {
        let Some(length) = property.length else {
            return self.number(property.kind).map(drop);
        };
        for _ in 0..self.list_length(length, property.kind)? {
            self.number(property.kind)?;
        }
        Ok(())
    }

    /// Skips all rows of an element.
    pub(super) fn skip_all(&mut self, element: &Element) -> Result<(), ReadError> {
        // Rows without properties take no bytes, so a header may declare any number of them.
        if element.properties.is_empty() {
            return Ok(());
        }
        for _ in 0..element.rows {
            for property in &element.properties {
                self.skip(property)?;
            }
        }
        Ok(())
    }

    fn binary_number(&mut self, kind: Kind, is_big: bool) -> Result<f64, ReadError> {
        let mut raw = [0u8; 8];
        let size = kind.size();
        let (Some(from), Some(to)) =
            (self.bytes.get(self.offset..self.offset.saturating_add(size)), raw.get_mut(..size))
        else {
            return Err(self.truncated());
        };
        to.copy_from_slice(from);
        if is_big {
            to.reverse();
        }
        self.offset += size;
        let [a, b, c, d, ..] = raw;
        Ok(match kind {
            Kind::I8 => f64::from(i8::from_le_bytes([a])),
            Kind::U8 => f64::from(a),
            Kind::I16 => f64::from(i16::from_le_bytes([a, b])),
            Kind::U16 => f64::from(u16::from_le_bytes([a, b])),
            Kind::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Kind::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Kind::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Kind::F64 => f64::from_le_bytes(raw),
        })
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.bytes.get(self.offset).filter(|b| b.is_ascii_whitespace()) {
            let before = self.offset.checked_sub(1).and_then(|i| self.bytes.get(i));
            // CR LF is one line end.
            self.line += usize::from(byte == b'\r' || (byte == b'\n' && before != Some(&b'\r')));
            self.offset += 1;
        }
    }

    fn text_number(&mut self) -> Result<f64, ReadError> {
        self.skip_space();
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        if word.is_empty() {
            return Err(self.truncated());
        }
        let Some(number) = text::parse(word) else {
            let what = format!("\"{}\" is not a number", for_message(word));
            return Err(ReadError::new(ErrorCode::Malformed, self.location().to_string(), what));
        };
        self.offset += length;
        Ok(number)
    }

    fn truncated(&mut self) -> ReadError {
        let what = "the file ends before all rows that its header declares";
        ReadError::new(ErrorCode::Truncated, self.location().to_string(), what).hint(limits::TRUNCATED_HINT)
    }
}

/// The number as a count, if it is a non-negative integer.
pub(super) fn as_count(number: f64) -> Option<usize> {
    (number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX))
        .then_some(number as u64)
        .and_then(|n| usize::try_from(n).ok())
}
