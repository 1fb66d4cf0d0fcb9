//! Tells a file's format by its content, never by its name.
//!
//! In: the bytes. Out: the format, or none. Cost: a look at the start of the file; JSON is skimmed for
//! its top-level keys. A byte order mark and either kind of line end are tolerated.
//!
//! Two formats have no mark of their own. Binary STL is told by its arithmetic: the triangle count at
//! byte 80 must account for the file's length. That is tried before ASCII STL's "solid", since many
//! exporters begin a binary header with that word; in a text file the same four bytes are letters and
//! promise more triangles than any file holds. OBJ is told by its first records.

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};

use super::foreign::Foreign;
use super::text::{self, Lines};

/// The formats known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// glTF in one binary file.
    Glb,
    /// glTF as JSON.
    Gltf,
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY, text or binary.
    Ply,
    /// STL, binary.
    StlBinary,
    /// STL as text.
    StlAscii,
    /// A skeleton in trivial graph format.
    Tgf,
    /// A skeleton as JSON: `{"bones": […]}`.
    SkeletonJson,
    /// Recognised, but not read here.
    Foreign(Foreign),
}

impl Format {
    /// Whether such a file has a mesh.
    pub fn is_model(self) -> bool {
        matches!(self, Self::Glb | Self::Gltf | Self::Obj | Self::Ply | Self::StlBinary | Self::StlAscii)
    }

    /// Whether such a file holds a skeleton and nothing else.
    pub fn is_skeleton(self) -> bool {
        matches!(self, Self::Tgf | Self::SkeletonJson)
    }
}

/// The format of `bytes`, if it is a known one.
pub fn sniff(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"glTF") {
        return Some(Format::Glb);
    }
    let start = text::without_bom(bytes).trim_ascii_start();
    if let Some(foreign) = Foreign::recognise(start) {
        return Some(Format::Foreign(foreign));
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
        // A text without a single zero byte; a binary file cut short has them in its header.
        let is_text = !start.iter().take(STL_HEADER + 4).any(|&b| b == 0);
        return Some(if is_text { Format::StlAscii } else { Format::StlBinary });
    }
    sniff_records(bytes)
}

/// The length of a binary STL's header, in front of the triangle count.
pub(super) const STL_HEADER: usize = 80;

/// The bytes of a triangle in a binary STL.
pub(super) const STL_TRIANGLE: usize = 50;

/// What may follow the last triangle of a binary STL. Larger: other binary files pass for one. Smaller:
/// exporters that append a note are refused.
const STL_TRAILER: usize = 1024;

/// The triangle count of a binary STL, as it claims.
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

/// OBJ, its materials, or TGF, by the first lines that are not comments.
fn sniff_records(bytes: &[u8]) -> Option<Format> {
    let mut names = 0;
    for (_, line) in Lines::new(bytes) {
        let mut tokens = text::tokens(line);
        let Some(keyword) = tokens.next().filter(|word| !word.starts_with(b"#")) else { continue };
        match keyword {
            b"v" | b"vn" | b"vt" | b"f" | b"l" | b"p" => {
                let is_number =
                    tokens.next().is_some_and(|t| text::parse::<f32>(t).is_some() || is_corner(t));
                return (is_number || text::ends_with_backslash(line)).then_some(Format::Obj);
            }
            // Only the first numbers tell an OBJ from a text that happens to begin with a letter.
            b"o" | b"g" | b"s" | b"usemtl" | b"mtllib" => names += 1,
            _ if names > 0 => {}
            b"newmtl" => return Some(Format::Foreign(Foreign::Mtl)),
            _ => return is_tgf_point(line).then_some(Format::Tgf),
        }
    }
    (names > 0).then_some(Format::Obj)
}

/// Whether a word is a corner of a face: `1/2/3`.
fn is_corner(token: &[u8]) -> bool {
    token.contains(&b'/') && token.iter().all(|b| b.is_ascii_digit() || matches!(b, b'/' | b'-'))
}

/// Whether a line reads `id x y z`.
fn is_tgf_point(line: &[u8]) -> bool {
    let mut tokens = text::tokens(line);
    let id = tokens.next().is_some_and(|id| id.iter().all(u8::is_ascii_digit));
    id && tokens.take(3).filter(|token| text::parse::<f32>(token).is_some()).count() == 3
}

fn sniff_json(start: &[u8]) -> Format {
    let mut guess = None;
    let mut json = serde_json::Deserializer::from_slice(start);
    // An error here (a cut file, or having seen enough) leaves what the keys before it told.
    let _ = TopLevelKeys(&mut guess).deserialize(&mut json);
    guess.unwrap_or(Format::Foreign(Foreign::Json))
}

/// Skims an object's keys until one tells the format.
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
                    // Likely, but a later key may know better.
                    self.0.get_or_insert(Format::Gltf);
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            }
            return Err(A::Error::custom("seen enough"));
        }
        Ok(())
    }
}
