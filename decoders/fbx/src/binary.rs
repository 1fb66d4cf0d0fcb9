//! Reads the node tree of a binary file.
//!
//! Layout: 23 bytes of magic (the last is 1 if numbers are big-endian), a version, then nodes. A
//! node has an end offset, a number of values, their size in bytes, and a name; from version 7500
//! on, the first three have 64 bits. A node with an end offset of zero ends a list.

use crate::array::{Array, BinaryArray, Element};
use crate::document::{Document, MAX_DEPTH, Node, Position, Value, decode_text};
use crate::error::{Error, Result};

/// The first bytes of a binary file.
pub(crate) const MAGIC: &[u8] = b"Kaydara FBX Binary  \0";

/// First version with 64-bit node headers.
const WIDE_VERSION: u32 = 7500;

/// Bytes of decompressed arrays that any file may have, however small it is. If larger, a small
/// file of zeros exhausts the memory of a phone.
const FREE_DECODED_BYTES: usize = 64 << 20;

/// Decompressed bytes per byte of file beyond [`FREE_DECODED_BYTES`]. Real files stay below 10.
const DECODED_PER_BYTE: usize = 32;

struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    is_big_endian: bool,
    is_wide: bool,
    decoded_bytes_left: usize,
}

/// Reads a binary file.
pub(crate) fn read(bytes: &[u8]) -> Result<Document<'_>> {
    let mut reader = Reader {
        bytes,
        position: MAGIC.len() + 2,
        is_big_endian: bytes.get(MAGIC.len() + 1) == Some(&1),
        is_wide: false,
        decoded_bytes_left: FREE_DECODED_BYTES.max(bytes.len().saturating_mul(DECODED_PER_BYTE)),
    };
    let version = reader.u32()?;
    reader.is_wide = version >= WIDE_VERSION;
    let mut nodes = Vec::new();
    while let Some(node) = reader.node(bytes.len(), 0)? {
        nodes.push(node);
    }
    Ok(Document { version, nodes, file_bytes: bytes.len() })
}

impl<'a> Reader<'a> {
    /// Reads a node that ends at `limit` or before. None at the end of a list.
    fn node(&mut self, limit: usize, depth: usize) -> Result<Option<Node<'a>>> {
        let start = self.position;
        let place = || format!("byte {start}");
        let end = self.offset()?;
        let value_count = self.offset()?;
        let values_size = self.offset()?;
        let name_size = usize::from(self.u8()?);
        let name = self.take(name_size)?;
        if end == 0 {
            return Ok(None);
        }
        if depth > MAX_DEPTH {
            return Err(Error::malformed(place(), format!("nodes are nested deeper than {MAX_DEPTH}")));
        }
        let values_end = self.position.checked_add(values_size);
        if end > self.bytes.len() {
            let what = format!("node {} ends at byte {end}, after the end of the file", decode_text(name));
            return Err(Error::truncated(place(), what));
        }
        let Some(values_end) =
            values_end.filter(|&at| at <= end && end <= limit && value_count <= values_size)
        else {
            return Err(Error::malformed(
                place(),
                format!("the sizes of node {} disagree", decode_text(name)),
            ));
        };
        let values = self.values(value_count, values_end)?;
        self.position = values_end;
        let mut children = Vec::new();
        while self.position < end {
            let Some(child) = self.node(end, depth + 1)? else { break };
            children.push(child);
        }
        self.position = end;
        Ok(Some(Node { name, values, children, position: Position::Byte(start) }))
    }

    fn values(&mut self, count: usize, end: usize) -> Result<Vec<Value<'a>>> {
        let mut values = Vec::new();
        for _ in 0..count {
            if self.position >= end {
                let place = format!("byte {}", self.position);
                return Err(Error::malformed(place, "a node has fewer values than it declares"));
            }
            values.push(self.value()?);
        }
        Ok(values)
    }

    fn value(&mut self) -> Result<Value<'a>> {
        let start = self.position;
        Ok(match self.u8()? {
            b'C' | b'B' | b'Z' => Value::Int(i64::from(self.u8()?)),
            b'Y' => Value::Int(i64::from(i16::from_le_bytes(self.number()?))),
            b'I' => Value::Int(i64::from(i32::from_le_bytes(self.number()?))),
            b'L' => Value::Int(i64::from_le_bytes(self.number()?)),
            b'F' => Value::Float(f64::from(f32::from_le_bytes(self.number()?))),
            b'D' => Value::Float(f64::from_le_bytes(self.number()?)),
            b'S' | b'R' => {
                let size = self.u32()? as usize;
                Value::Bytes(self.take(size)?)
            }
            code => match Element::from_code(code) {
                Some(element) => Value::Array(Array::Binary(self.array(element)?)),
                None => {
                    let what = format!("a value has the unknown type {code}");
                    return Err(Error::malformed(format!("byte {start}"), what));
                }
            },
        })
    }

    fn array(&mut self, element: Element) -> Result<BinaryArray<'a>> {
        let place = format!("byte {}", self.position);
        let count = self.u32()? as usize;
        let encoding = self.u32()?;
        let stored_size = self.u32()? as usize;
        let (is_deflated, is_big_endian) = (encoding == 1, self.is_big_endian);
        let mut array = BinaryArray { element, count, is_deflated, is_big_endian, bytes: &[] };
        match encoding {
            0 => array.bytes = self.take(array.decoded_size())?,
            1 => {
                array.bytes = self.take(stored_size)?;
                let Some(left) = self.decoded_bytes_left.checked_sub(array.decoded_size()) else {
                    let what =
                        format!("an array of {count} elements exceeds what a file of this size may hold");
                    return Err(Error::too_large(place, what));
                };
                self.decoded_bytes_left = left;
            }
            _ => {
                return Err(Error::malformed(place, format!("an array has the unknown encoding {encoding}")));
            }
        }
        Ok(array)
    }

    /// An offset or count of a node header.
    fn offset(&mut self) -> Result<usize> {
        if self.is_wide {
            Ok(usize::try_from(u64::from_le_bytes(self.number()?)).unwrap_or(usize::MAX))
        } else {
            self.u32().map(|value| value as usize)
        }
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?.first().copied().unwrap_or(0))
    }

    fn u32(&mut self) -> Result<u32> {
        self.number().map(u32::from_le_bytes)
    }

    /// The next `N` bytes in little-endian order.
    fn number<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes: [u8; N] = self.take(N)?.try_into().unwrap_or([0; N]);
        if self.is_big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.position.checked_add(count);
        let Some((end, bytes)) = end.and_then(|end| Some((end, self.bytes.get(self.position..end)?))) else {
            let left = self.bytes.len().saturating_sub(self.position);
            let what = format!("{count} bytes are declared, but only {left} follow");
            return Err(Error::truncated(format!("byte {}", self.position), what));
        };
        self.position = end;
        Ok(bytes)
    }
}
