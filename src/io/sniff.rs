//! Recognises the format of a file by its content, never by its name.
//!
//! Input: the bytes. Output: the format, or `None`. Cost: only the start of the file is read; JSON
//! is scanned for its top-level keys, that of a GLB for one word. A byte order mark and both kinds
//! of line ends are accepted.
//!
//! Two formats have no signature. Binary STL is recognised by arithmetic: the triangle count at
//! byte 80 must match the length of the file. This test precedes that for "solid" of text STL,
//! because many exporters begin a binary header with that word. In a text file the same four bytes
//! are letters, which as a number exceed the triangles of any file. OBJ is recognised by its first
//! records.

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};

use super::format::{Format, UnsupportedFormat};
use super::text::{self, Lines};

/// The format of `bytes`, if it is known.
pub fn sniff(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"glTF") {
        return Some(if is_vrma(bytes) { Format::Vrma } else { Format::Glb });
    }
    let start = text::without_bom(bytes).trim_ascii_start();
    if let Some(format) = Format::by_signature(start) {
        return Some(format);
    }
    if start.starts_with(b"{") {
        return Some(sniff_json(start));
    }
    if start.strip_prefix(b"ply").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace)) {
        return Some(Format::Ply);
    }
    if is_stl_binary(bytes) {
        return Some(Format::StlBinary);
    }
    if is_solid(start) {
        // A text has no zero byte; a truncated binary file has some in its header.
        let is_text = !start.iter().take(STL_HEADER + 4).any(|&b| b == 0);
        return Some(if is_text { Format::StlAscii } else { Format::StlBinary });
    }
    sniff_records(bytes)
}

/// Whether the JSON of a GLB names the extension of VRM animations and has no meshes.
fn is_vrma(glb: &[u8]) -> bool {
    let length = glb.get(12..16).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes);
    let json = glb.get(20..).unwrap_or_default();
    let json = json.get(..length as usize).unwrap_or(json);
    text::contains(json, b"\"VRMC_vrm_animation\"") && !text::contains(json, b"\"meshes\"")
}

/// Bytes of the header of a binary STL, before the triangle count.
pub(super) const STL_HEADER: usize = 80;

/// Bytes per triangle in a binary STL.
pub(super) const STL_TRIANGLE: usize = 50;

/// Most bytes that may follow the last triangle of a binary STL. If larger, other binary files are
/// taken for STL. If smaller, files of exporters that append a note are rejected.
const STL_TRAILER: usize = 1024;

/// The triangle count that a binary STL declares.
pub(super) fn stl_count(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(STL_HEADER..STL_HEADER + 4)?;
    let count = u32::from_le_bytes(count.try_into().ok()?);
    usize::try_from(count).ok()
}

fn is_stl_binary(bytes: &[u8]) -> bool {
    let Some(count) = stl_count(bytes) else { return false };
    let Some(expected) = count.checked_mul(STL_TRIANGLE).and_then(|n| n.checked_add(STL_HEADER + 4)) else {
        return false;
    };
    let trailer = if count == 0 { 0 } else { STL_TRAILER };
    bytes.len().checked_sub(expected).is_some_and(|rest| rest <= trailer)
}

fn is_solid(start: &[u8]) -> bool {
    let word = start.get(..5).unwrap_or_default();
    word.eq_ignore_ascii_case(b"solid") && start.get(5).is_none_or(|b| b.is_ascii_whitespace() || *b == 0)
}

/// Recognises OBJ, MTL and TGF by the first lines that are not comments.
fn sniff_records(bytes: &[u8]) -> Option<Format> {
    let mut group_records = 0;
    for (_, line) in Lines::new(bytes) {
        let mut tokens = text::tokens(line);
        let Some(keyword) = tokens.next().filter(|word| !word.starts_with(b"#")) else { continue };
        match keyword {
            b"v" | b"vn" | b"vt" | b"f" | b"l" | b"p" => {
                let is_number =
                    tokens.next().is_some_and(|t| text::parse::<f32>(t).is_some() || is_corner(t));
                return (is_number || text::ends_with_backslash(line)).then_some(Format::Obj);
            }
            // These also occur in prose; only a record with numbers proves an OBJ.
            b"o" | b"g" | b"s" | b"usemtl" | b"mtllib" => group_records += 1,
            _ if group_records > 0 => {}
            b"newmtl" => return Some(Format::Unsupported(UnsupportedFormat::Mtl)),
            _ => return is_tgf_point(line).then_some(Format::Tgf),
        }
    }
    (group_records > 0).then_some(Format::Obj)
}

/// Whether a token is a corner of a face: `1/2/3`.
fn is_corner(token: &[u8]) -> bool {
    token.contains(&b'/') && token.iter().all(|b| b.is_ascii_digit() || matches!(b, b'/' | b'-'))
}

/// Whether a line has the form `id x y z`.
fn is_tgf_point(line: &[u8]) -> bool {
    let mut tokens = text::tokens(line);
    let id = tokens.next().is_some_and(|id| id.iter().all(u8::is_ascii_digit));
    id && tokens.take(3).filter(|token| text::parse::<f32>(token).is_some()).count() == 3
}

fn sniff_json(start: &[u8]) -> Format {
    let mut guess = None;
    // Invalid text ends the scan as an error does. (Reading from text only, here and elsewhere,
    // makes the module of the browser smaller.)
    let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let mut json = serde_json::Deserializer::from_str(text);
    // After an error (a truncated file, or a decisive key) the keys before it have set `guess`.
    let _ = TopLevelKeys(&mut guess).deserialize(&mut json);
    guess.unwrap_or(Format::Unsupported(UnsupportedFormat::Json))
}

/// Scans the keys of an object until one identifies the format.
struct TopLevelKeys<'a>(&'a mut Option<Format>);

impl<'de> DeserializeSeed<'de> for TopLevelKeys<'_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TopLevelKeys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "asset" | "accessors" | "bufferViews" | "buffers" => *self.0 = Some(Format::Gltf),
                "bones" => *self.0 = Some(Format::SkeletonJson),
                "meshes" | "nodes" | "scenes" | "scene" | "skins" | "materials" => {
                    // Probably glTF, but a later key may decide otherwise.
                    self.0.get_or_insert(Format::Gltf);
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            }
            return Err(A::Error::custom("format found"));
        }
        Ok(())
    }
}
