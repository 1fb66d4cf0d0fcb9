//! Mode 1: triangle lists, most triangles as one byte that names a recent edge and vertex.

use super::writer::{push_varint, varint_length, zigzag};
use crate::recent::Recent;
use crate::triangles::{EXPLICIT, TAIL};

/// Edges and vertices up to this age have a code.
const AGES: u8 = 15;

/// Codes from here on are relative to the last explicit index, or explicit.
const FIRST_RELATIVE_CODE: u8 = 13;

/// The number of pairs in the table. The last two bytes of the tail are zero.
const TABLE: usize = 14;

/// Encodes a triangle list, with version 1. The result may begin each triangle with another corner.
pub(super) fn encode(indices: &[u32]) -> Vec<u8> {
    let mut encoder = Encoder::default();
    for triangle in indices.as_chunks::<3>().0 {
        encoder.add(*triangle);
    }
    encoder.finish()
}

/// The state between two triangles, and what is written so far.
#[derive(Default)]
struct Encoder {
    /// One byte per triangle.
    codes: Vec<u8>,
    /// Indices and pairs that have no code.
    data: Vec<u8>,
    /// Triangles that are stored as a pair of codes, in the table or in the data.
    pairs: Vec<Pair>,
    /// The index that code zero stands for.
    next: u32,
    /// The last index that was stored explicitly.
    last: u32,
    edges: Recent<[u32; 2]>,
    vertices: Recent<u32>,
}

/// A triangle whose first corner is new, and the codes of its other two, none of them explicit.
struct Pair {
    /// Where the code of the triangle is.
    code: usize,
    /// Where the pair has to be inserted into the data if it is not in the table.
    data: usize,
    codes: u8,
}

impl Encoder {
    fn add(&mut self, triangle: [u32; 3]) {
        let [a, b, c] = triangle;
        let rotations = [[a, b, c], [b, c, a], [c, a, b]];
        let on_edge = |[a, b, c]: [u32; 3]| {
            let edge = self.edges.age_of([a, b], AGES)?;
            let code = self.third_code(c);
            Some((code == EXPLICIT, edge, code, [a, b, c]))
        };
        if let Some((_, edge, code, triangle)) = rotations.into_iter().filter_map(on_edge).min() {
            self.push_on_edge(edge, code, triangle);
        } else if let Some(triangle) = rotations.into_iter().find(|&rotated| rotated == [0, 1, 2])
            && self.next != 0
        {
            // A pair of zeros in the data starts again with index zero.
            self.codes.push(0xfe);
            self.data.push(0);
            self.next = 3;
            self.remember(triangle, [0; 3]);
        } else {
            let coded = rotations.map(|rotated| (rotated, self.corner_codes(rotated)));
            let cheapest = coded.into_iter().min_by_key(|&(triangle, codes)| self.cost(triangle, codes));
            let (triangle, codes) = cheapest.unwrap_or((triangle, [EXPLICIT; 3]));
            self.push_codes(triangle, codes);
        }
    }

    /// The code of the third corner of a triangle on a recent edge.
    fn third_code(&self, corner: u32) -> u8 {
        if corner == self.next {
            return 0;
        }
        // Age zero has no code: the newest vertex is part of the newest edges.
        match self.vertices.age_of(corner, FIRST_RELATIVE_CODE) {
            Some(age @ 1..) => age,
            _ if corner == self.last.wrapping_sub(1) => FIRST_RELATIVE_CODE,
            _ if corner == self.last.wrapping_add(1) => FIRST_RELATIVE_CODE + 1,
            _ => EXPLICIT,
        }
    }

    fn push_on_edge(&mut self, edge: u8, code: u8, [a, b, c]: [u32; 3]) {
        self.codes.push(edge << 4 | code);
        match code {
            0 => self.next = self.next.wrapping_add(1),
            EXPLICIT => self.push_index(c),
            FIRST_RELATIVE_CODE.. => self.last = c,
            _ => {}
        }
        if code == 0 || code >= FIRST_RELATIVE_CODE {
            self.vertices.push(c);
        }
        self.edges.push([c, b]);
        self.edges.push([a, c]);
    }

    /// The codes of three corners. The first is new or explicit.
    fn corner_codes(&self, triangle: [u32; 3]) -> [u8; 3] {
        let mut next = self.next;
        let mut is_first = true;
        triangle.map(|corner| {
            let age = if is_first { None } else { self.vertices.age_of(corner, AGES - 1) };
            is_first = false;
            if corner == next {
                next = next.wrapping_add(1);
                return 0;
            }
            age.map_or(EXPLICIT, |age| age + 1)
        })
    }

    /// The bytes that three corners take in the data, if their pair is not in the table. None if
    /// the codes have another meaning.
    fn cost(&self, triangle: [u32; 3], codes: [u8; 3]) -> usize {
        if codes == [EXPLICIT, 0, 0] {
            return usize::MAX;
        }
        let mut last = self.last;
        let mut bytes = 1;
        for (corner, _) in triangle.into_iter().zip(codes).filter(|&(_, code)| code == EXPLICIT) {
            bytes += varint_length(zigzag(corner.wrapping_sub(last)));
            last = corner;
        }
        bytes
    }

    fn push_codes(&mut self, triangle: [u32; 3], codes: [u8; 3]) {
        let [first, second, third] = codes;
        let pair = second << 4 | third;
        if codes.contains(&EXPLICIT) {
            self.codes.push(if first == EXPLICIT { 0xff } else { 0xfe });
            self.data.push(pair);
        } else {
            self.pairs.push(Pair { code: self.codes.len(), data: self.data.len(), codes: pair });
            self.codes.push(0);
        }
        for (corner, code) in triangle.into_iter().zip(codes) {
            match code {
                0 => self.next = self.next.wrapping_add(1),
                EXPLICIT => self.push_index(corner),
                _ => {}
            }
        }
        self.remember(triangle, codes);
    }

    /// Adds an index to the data, as the difference from the last one.
    fn push_index(&mut self, index: u32) {
        push_varint(&mut self.data, zigzag(index.wrapping_sub(self.last)));
        self.last = index;
    }

    /// Adds a triangle that is not on a recent edge to the queues.
    fn remember(&mut self, triangle: [u32; 3], codes: [u8; 3]) {
        for (corner, code) in triangle.into_iter().zip(codes) {
            if code == 0 || code == EXPLICIT {
                self.vertices.push(corner);
            }
        }
        let [a, b, c] = triangle;
        [[b, a], [c, b], [a, c]].into_iter().for_each(|edge| self.edges.push(edge));
    }

    /// Puts the most frequent pairs into the table and all others into the data.
    fn finish(mut self) -> Vec<u8> {
        let table = table(&self.pairs);
        let mut output = Vec::with_capacity(1 + self.codes.len() + self.data.len() + TAIL);
        let mut data = Vec::with_capacity(self.data.len());
        let mut copied = 0;
        for pair in &self.pairs {
            self.codes[pair.code] = match table.iter().position(|&codes| codes == pair.codes) {
                Some(entry) => 0xf0 | entry as u8,
                None => {
                    data.extend_from_slice(&self.data[copied..pair.data]);
                    copied = pair.data;
                    data.push(pair.codes);
                    0xfe
                }
            };
        }
        data.extend_from_slice(&self.data[copied..]);
        output.push(0xe1);
        output.extend_from_slice(&self.codes);
        output.extend_from_slice(&data);
        output.extend_from_slice(&table);
        output.resize(output.len() + TAIL - TABLE, 0);
        output
    }
}

/// The most frequent pairs. The first is that of three new corners, which has another meaning in
/// the data.
fn table(pairs: &[Pair]) -> [u8; TABLE] {
    let mut counts = [0usize; 256];
    pairs.iter().for_each(|pair| counts[usize::from(pair.codes)] += 1);
    let mut table = [0; TABLE];
    for entry in &mut table[1..] {
        let frequent = (1..=u8::MAX).rev().max_by_key(|&codes| counts[usize::from(codes)]).unwrap_or(0);
        if counts[usize::from(frequent)] > 0 {
            *entry = frequent;
            counts[usize::from(frequent)] = 0;
        }
    }
    table
}
