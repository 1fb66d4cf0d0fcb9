//! Arrays of numbers, decoded on demand.

use miniz_oxide::inflate;

use crate::error::{Error, Result};

/// An array as it is in the file.
#[derive(Clone, Debug)]
pub(crate) enum Array<'a> {
    Binary(BinaryArray<'a>),
    /// Numbers separated by commas.
    Text {
        /// Number of elements, counted.
        count: usize,
        bytes: &'a [u8],
    },
}

/// An array of a binary file.
#[derive(Clone, Debug)]
pub(crate) struct BinaryArray<'a> {
    pub element: Element,
    pub count: usize,
    pub is_deflated: bool,
    pub is_big_endian: bool,
    pub bytes: &'a [u8],
}

/// The type of the elements of a binary array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Byte,
    I32,
    I64,
    F32,
    F64,
}

impl Element {
    /// The type of a code letter.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            b'b' | b'c' => Self::Byte,
            b'i' => Self::I32,
            b'l' => Self::I64,
            b'f' => Self::F32,
            b'd' => Self::F64,
            _ => return None,
        })
    }

    /// Bytes per element.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }
}

/// A number of either kind.
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn to_int(&self) -> i64 {
        match self {
            Self::Int(value) => *value,
            Self::Float(value) => *value as i64,
        }
    }

    fn to_float(&self) -> f64 {
        match self {
            Self::Int(value) => *value as f64,
            Self::Float(value) => *value,
        }
    }
}

impl Array<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Binary(array) => array.count,
            Self::Text { count, .. } => *count,
        }
    }

    pub(crate) fn floats(&self) -> Result<Vec<f64>> {
        self.map(|number| number.to_float())
    }

    pub(crate) fn ints(&self) -> Result<Vec<i64>> {
        self.map(|number| number.to_int())
    }

    /// Floats that text files store as the integers of their bits.
    pub(crate) fn floats_from_bits(&self) -> Result<Vec<f64>> {
        self.map(|number| match number {
            Number::Int(bits) => f64::from(f32::from_bits(bits as u32)),
            Number::Float(value) => value,
        })
    }

    fn map<T>(&self, convert: impl Fn(Number) -> T) -> Result<Vec<T>> {
        match self {
            Self::Binary(array) => array.map(convert),
            Self::Text { bytes, .. } => Ok(text_numbers(bytes).map(convert).collect()),
        }
    }
}

impl BinaryArray<'_> {
    /// Size of the decoded array, in bytes.
    pub(crate) fn decoded_size(&self) -> usize {
        self.count.saturating_mul(self.element.size())
    }

    fn map<T>(&self, convert: impl Fn(Number) -> T) -> Result<Vec<T>> {
        let inflated;
        let bytes = if self.is_deflated {
            inflated = self.inflate()?;
            inflated.as_slice()
        } else {
            self.bytes
        };
        Ok(bytes.chunks_exact(self.element.size()).map(|chunk| convert(self.number(chunk))).collect())
    }

    fn inflate(&self) -> Result<Vec<u8>> {
        let size = self.decoded_size();
        let bytes = inflate::decompress_to_vec_zlib_with_limit(self.bytes, size)
            .map_err(|_| Error::malformed("", "a compressed array is damaged or larger than declared"))?;
        if bytes.len() == size {
            Ok(bytes)
        } else {
            let what = format!("an array declares {size} bytes, but {} were compressed", bytes.len());
            Err(Error::malformed("", what))
        }
    }

    fn number(&self, chunk: &[u8]) -> Number {
        match self.element {
            Element::Byte => Number::Int(chunk.first().map_or(0, |&byte| i64::from(byte))),
            Element::I32 => Number::Int(i64::from(i32::from_le_bytes(self.ordered(chunk)))),
            Element::I64 => Number::Int(i64::from_le_bytes(self.ordered(chunk))),
            Element::F32 => Number::Float(f64::from(f32::from_le_bytes(self.ordered(chunk)))),
            Element::F64 => Number::Float(f64::from_le_bytes(self.ordered(chunk))),
        }
    }

    fn ordered<const N: usize>(&self, chunk: &[u8]) -> [u8; N] {
        let mut bytes: [u8; N] = chunk.try_into().unwrap_or([0; N]);
        if self.is_big_endian {
            bytes.reverse();
        }
        bytes
    }
}

fn text_numbers(bytes: &[u8]) -> impl Iterator<Item = Number> {
    bytes.split(|&byte| byte == b',').map(|word| {
        let word = std::str::from_utf8(word.trim_ascii()).unwrap_or_default();
        word.parse().map_or_else(|_| Number::Float(word.parse().unwrap_or(f64::NAN)), Number::Int)
    })
}
