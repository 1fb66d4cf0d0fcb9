//! Mode 1: triangle lists, most triangles as one byte that names a recent edge and vertex.

use super::reader::{Reader, push_index, split, unzigzag};
use super::recent::Recent;
use super::{DecodeError, Result};

/// The table of pairs of vertices at the end of the stream.
pub(crate) const TAIL: usize = 16;

/// A code that stands for an index in the data instead of a recent vertex.
pub(crate) const EXPLICIT: u8 = 15;

/// Decodes a list of `count` indices.
pub(crate) fn decode(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>> {
    let (header, body, table) = split(bytes, TAIL)?;
    let first_relative_code = match header {
        0xe1 => 13,
        // Version 0 has no codes for the neighbours of the last index.
        0xe0 => EXPLICIT,
        _ => return Err(DecodeError::Header),
    };
    let triangles = count / 3;
    let (codes, data) = body.split_at_checked(triangles).ok_or(DecodeError::Truncated)?;
    let mut decoder = Decoder {
        data: Reader::new(data),
        first_relative_code,
        next: 0,
        last: 0,
        edges: Recent::default(),
        vertices: Recent::default(),
    };
    let mut output = Vec::with_capacity(count * stride);
    for &code in codes {
        let triangle = match code {
            0xfe | 0xff => decoder.explicit(code == 0xff)?,
            0xf0..=0xfd => decoder.of_codes(0, table_entry(table, code & 15)?)?,
            _ => decoder.on_edge(code >> 4, code & 15)?,
        };
        triangle.iter().for_each(|&index| push_index(&mut output, index, stride));
    }
    decoder.data.finish()?;
    Ok(output)
}

/// A pair of codes in the table. None of its entries may contain an explicit index.
fn table_entry(table: &[u8], index: u8) -> Result<u8> {
    let pair = table[usize::from(index)];
    let has_explicit = pair >> 4 == EXPLICIT || pair & 15 == EXPLICIT;
    if has_explicit { Err(DecodeError::Invalid) } else { Ok(pair) }
}

/// The state between two triangles.
struct Decoder<'a> {
    data: Reader<'a>,
    /// Codes from here on are relative to `last`, or explicit.
    first_relative_code: u8,
    /// One more than the largest index so far.
    next: u32,
    /// The last index that was stored explicitly.
    last: u32,
    edges: Recent<[u32; 2]>,
    vertices: Recent<u32>,
}

impl Decoder<'_> {
    /// A triangle on a recent edge.
    fn on_edge(&mut self, edge: u8, code: u8) -> Result<[u32; 3]> {
        let [a, b] = recent(&self.edges, edge)?;
        let c = match code {
            0 => self.new_vertex(),
            code if code < self.first_relative_code => recent(&self.vertices, code)?,
            EXPLICIT => self.explicit_vertex()?,
            code => {
                self.last = if code == 13 { self.last.wrapping_sub(1) } else { self.last.wrapping_add(1) };
                self.vertices.push(self.last);
                self.last
            }
        };
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Ok([a, b, c])
    }

    /// A triangle whose pair of codes is in the data.
    fn explicit(&mut self, is_first_explicit: bool) -> Result<[u32; 3]> {
        let pair = self.data.byte()?;
        if pair == 0 {
            self.next = 0;
        }
        self.of_codes(if is_first_explicit { EXPLICIT } else { 0 }, pair)
    }

    /// A triangle of three vertices, given by one code each.
    fn of_codes(&mut self, first: u8, pair: u8) -> Result<[u32; 3]> {
        let codes = [first, pair >> 4, pair & 15];
        // Recent vertices are those before this triangle.
        let mut triangle = [0; 3];
        for (corner, &code) in triangle.iter_mut().zip(&codes) {
            *corner = match code {
                0 => {
                    self.next = self.next.wrapping_add(1);
                    self.next.wrapping_sub(1)
                }
                EXPLICIT => self.read_index()?,
                code => recent(&self.vertices, code - 1)?,
            };
        }
        for (&corner, &code) in triangle.iter().zip(&codes) {
            if code == 0 || code == EXPLICIT {
                self.vertices.push(corner);
            }
        }
        let [a, b, c] = triangle;
        [[b, a], [c, b], [a, c]].into_iter().for_each(|edge| self.edges.push(edge));
        Ok(triangle)
    }

    fn new_vertex(&mut self) -> u32 {
        let index = self.next;
        self.next = self.next.wrapping_add(1);
        self.vertices.push(index);
        index
    }

    fn explicit_vertex(&mut self) -> Result<u32> {
        let index = self.read_index()?;
        self.vertices.push(index);
        Ok(index)
    }

    /// An index in the data, stored as the difference from the last one.
    fn read_index(&mut self) -> Result<u32> {
        self.last = self.last.wrapping_add(unzigzag(self.data.varint()?));
        Ok(self.last)
    }
}

/// An item that the stream names by its age.
fn recent<T: Copy + PartialEq>(items: &Recent<T>, age: u8) -> Result<T> {
    items.get(age).ok_or(DecodeError::Invalid)
}
