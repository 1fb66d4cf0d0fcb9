//! The numbers of a PLY body, one after the other, whatever way they are stored.

use super::header::{Element, Encoding, Header, Kind, Property};
use crate::io::text::{self, shown};
use crate::io::{ErrorCode, ReadError, limits};

/// Where something stands in the file; words only when somebody asks.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Line(usize),
    Byte(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// The numbers that are left to read.
pub(super) struct Body<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    encoding: Encoding,
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self { bytes, at: header.body, line: header.lines + 1, encoding: header.encoding }
    }

    /// Where the next number stands.
    pub(super) fn place(&mut self) -> Place {
        match self.encoding {
            Encoding::Ascii => {
                self.skip_space();
                Place::Line(self.line)
            }
            Encoding::Little | Encoding::Big => Place::Byte(self.at),
        }
    }

    fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Refuses an element with more rows than can follow.
    pub(super) fn check(&mut self, element: &Element) -> Result<(), ReadError> {
        let what = format!("rows of \"{}\"", element.name);
        limits::claim(self.place(), &what, element.rows, self.least(element), self.left_with_end())
    }

    fn least(&self, element: &Element) -> usize {
        element.least_row_bytes(self.encoding)
    }

    /// What is left, counting the space that may be missing after the last word of a text.
    fn left_with_end(&self) -> usize {
        match self.encoding {
            Encoding::Ascii => self.left().saturating_add(1),
            Encoding::Little | Encoding::Big => self.left(),
        }
    }

    /// The next number.
    pub(super) fn number(&mut self, kind: Kind) -> Result<f64, ReadError> {
        match self.encoding {
            Encoding::Ascii => self.word(),
            Encoding::Little => self.binary(kind, false),
            Encoding::Big => self.binary(kind, true),
        }
    }

    /// The length of the list that comes next; that many numbers do follow.
    pub(super) fn list_length(&mut self, length: Kind, of: Kind) -> Result<usize, ReadError> {
        let place = self.place();
        let claimed = self.number(length)?;
        let Some(count) = whole(claimed) else {
            let what = format!("a list cannot have {claimed} entries");
            return Err(ReadError::new(ErrorCode::Malformed, place.to_string(), what));
        };
        let least = if self.encoding == Encoding::Ascii { 2 } else { of.size() };
        limits::claim(place, "list entries", count, least, self.left_with_end())?;
        Ok(count)
    }

    /// Passes over one property.
    pub(super) fn skip(&mut self, property: &Property) -> Result<(), ReadError> {
        let Some(length) = property.length else {
            return self.number(property.kind).map(drop);
        };
        for _ in 0..self.list_length(length, property.kind)? {
            self.number(property.kind)?;
        }
        Ok(())
    }

    /// Passes over all rows of an element.
    pub(super) fn skip_all(&mut self, element: &Element) -> Result<(), ReadError> {
        // Rows without properties take no bytes, so a header may promise any number of them.
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

    fn binary(&mut self, kind: Kind, is_big: bool) -> Result<f64, ReadError> {
        let mut raw = [0u8; 8];
        let size = kind.size();
        let (Some(from), Some(to)) =
            (self.bytes.get(self.at..self.at.saturating_add(size)), raw.get_mut(..size))
        else {
            return Err(self.ended());
        };
        to.copy_from_slice(from);
        if is_big {
            to.reverse();
        }
        self.at += size;
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
        while let Some(&byte) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            let before = self.at.checked_sub(1).and_then(|i| self.bytes.get(i));
            // CR LF is one line end.
            self.line += usize::from(byte == b'\r' || (byte == b'\n' && before != Some(&b'\r')));
            self.at += 1;
        }
    }

    fn word(&mut self) -> Result<f64, ReadError> {
        self.skip_space();
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        if word.is_empty() {
            return Err(self.ended());
        }
        let Some(number) = text::parse(word) else {
            let what = format!("\"{}\" is not a number", shown(word));
            return Err(ReadError::new(ErrorCode::Malformed, self.place().to_string(), what));
        };
        self.at += length;
        Ok(number)
    }

    fn ended(&mut self) -> ReadError {
        let what = "the file ends before all the rows its header promises";
        ReadError::new(ErrorCode::Truncated, self.place().to_string(), what).hint(limits::CUT_SHORT)
    }
}

/// A number that counts something.
pub(super) fn whole(number: f64) -> Option<usize> {
    (number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX))
        .then_some(number as u64)
        .and_then(|n| usize::try_from(n).ok())
}
