//! Parses the header of a PLY file: the elements of the body, their order and encoding.

use crate::io::text::{self, Lines, for_message, malformed};
use crate::io::{ErrorCode, ReadError, limits};

/// How the body is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Little,
    Big,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes in a binary body.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value of full intensity of a colour: the largest integer, or 1 for floating-point types.
    pub(super) fn full_intensity(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32_767.0,
            Self::U16 => 65_535.0,
            Self::I32 => f64::from(i32::MAX),
            Self::U32 => f64::from(u32::MAX),
            Self::F32 | Self::F64 => 1.0,
        }
    }
}

/// One number, or one list of numbers, in every row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Property {
    pub name: String,
    /// The type of the length of a list; `None` for a single number.
    pub length: Option<Kind>,
    pub kind: Kind,
}

/// A table of rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    pub name: String,
    pub rows: usize,
    pub properties: Vec<Property>,
}

impl Element {
    /// The fewest bytes that a row can take.
    pub(super) fn min_row_bytes(&self, encoding: Encoding) -> usize {
        let least = |property: &Property| match encoding {
            // A digit and a space.
            Encoding::Ascii => 2,
            Encoding::Little | Encoding::Big => property.length.unwrap_or(property.kind).size(),
        };
        self.properties.iter().map(least).sum()
    }
}

/// The whole header.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// Byte offset of the body.
    pub body: usize,
    /// Number of lines before the body.
    pub lines: usize,
}

/// Parses the header of `bytes`.
pub(super) fn read(bytes: &[u8]) -> Result<Header, ReadError> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    for (number, line) in Lines::new(bytes) {
        let words: Vec<&[u8]> = text::tokens(line).collect();
        match words.as_slice() {
            [] | [b"ply" | b"comment" | b"obj_info", ..] => {}
            [b"format", name, ..] => encoding = Some(encoding_named(name, number)?),
            [b"element", name, rows, ..] => elements.push(Element {
                name: String::from_utf8_lossy(name).into_owned(),
                rows: rows_of(rows, number)?,
                properties: Vec::new(),
            }),
            [b"property", definition @ ..] => {
                let Some(element) = elements.last_mut() else {
                    return Err(malformed(number, "a property comes before the first element"));
                };
                element.properties.push(property(definition, number)?);
            }
            [b"end_header", ..] => {
                let Some(encoding) = encoding else {
                    return Err(malformed(number, "the header has no format line"));
                };
                let body = body_start(bytes, line);
                return Ok(Header { encoding, elements, body, lines: number });
            }
            [other, ..] => {
                return Err(malformed(
                    number,
                    format!("\"{}\" is not a keyword of a PLY header", for_message(other)),
                ));
            }
        }
    }
    Err(ReadError::new(ErrorCode::Truncated, "header", "the header has no end_header line")
        .hint(limits::TRUNCATED_HINT))
}

fn encoding_named(name: &[u8], line: usize) -> Result<Encoding, ReadError> {
    match name {
        b"ascii" => Ok(Encoding::Ascii),
        b"binary_little_endian" => Ok(Encoding::Little),
        b"binary_big_endian" => Ok(Encoding::Big),
        _ => Err(malformed(line, format!("\"{}\" is not a format of PLY", for_message(name)))),
    }
}

fn rows_of(token: &[u8], line: usize) -> Result<usize, ReadError> {
    text::parse(token)
        .ok_or_else(|| malformed(line, format!("\"{}\" is not a number of rows", for_message(token))))
}

fn property(words: &[&[u8]], line: usize) -> Result<Property, ReadError> {
    let kind = |name: &[u8]| {
        Kind::from_name(name)
            .ok_or_else(|| malformed(line, format!("\"{}\" is not a type of PLY", for_message(name))))
    };
    let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    match words {
        [b"list", length, of, called, ..] => {
            let length = kind(length)?;
            if matches!(length, Kind::F32 | Kind::F64) {
                return Err(malformed(line, "the length of a list must have an integer type"));
            }
            Ok(Property { name: name(called), length: Some(length), kind: kind(of)? })
        }
        [of, called, ..] => Ok(Property { name: name(called), length: None, kind: kind(of)? }),
        _ => Err(malformed(line, "a property needs a type and a name")),
    }
}

/// The byte offset after the line end that follows `last`, which is a slice of `bytes`. In a file
/// with CR LF line ends a binary body may begin with LF, so the line end is the one that the header
/// uses.
fn body_start(bytes: &[u8], last: &[u8]) -> usize {
    // The offset of a sub-slice without unsafe code: both are slices of the same buffer.
    let end = (last.as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize).saturating_add(last.len());
    let rest = bytes.get(end..).unwrap_or_default();
    let first_end = bytes.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(0);
    let uses_crlf = bytes.get(first_end..).is_some_and(|from| from.starts_with(b"\r\n"));
    let length = if uses_crlf && rest.starts_with(b"\r\n") { 2 } else { 1 };
    end.saturating_add(length).min(bytes.len())
}
