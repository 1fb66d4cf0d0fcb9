//! Parses and checks the records of an OBJ file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use glam::{Vec2, Vec3, Vec4};

use super::{from_lower_left, warn};
use crate::io::build::{index, linear_color};
use crate::io::text::{self, Lines, malformed};
use crate::io::{ReadError, limits};
use crate::math::sort_by_keys;
use crate::report::Report;

/// Index of an absent uv or normal.
pub(super) const NONE: u32 = u32::MAX;

/// A corner of a face: indices from 0 into the three kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Corner {
    pub v: u32,
    pub vt: u32,
    pub vn: u32,
}

/// A face: its range of corners, its group, and its line.
#[derive(Clone, Debug)]
pub(super) struct Face {
    pub corners: Range<usize>,
    pub group: u32,
    line: usize,
}

/// What identifies a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Group {
    pub object: String,
    pub group: String,
    pub material: String,
}

/// All records that define the mesh.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub positions: Vec<Vec3>,
    /// One per position, or empty.
    pub colors: Vec<Vec4>,
    pub uvs: Vec<Vec2>,
    /// Of any length. Zero where the file has no valid number.
    pub normals: Vec<Vec3>,
    pub corners: Vec<Corner>,
    pub faces: Vec<Face>,
    /// In the order in which they first have a face.
    pub groups: Vec<Group>,
}

impl Records {
    /// The faces, group by group, each group in file order.
    pub(super) fn faces_by_group(&self) -> Vec<&Face> {
        let mut faces: Vec<&Face> = self.faces.iter().collect();
        sort_by_keys(&mut faces, |face| face.group.into());
        faces
    }

    /// Checks that every corner refers to existing records. Records may follow the face.
    fn check(&self) -> Result<(), ReadError> {
        for face in &self.faces {
            for corner in self.corners.get(face.corners.clone()).unwrap_or_default() {
                let references = [
                    ("vertex", corner.v, self.positions.len()),
                    ("texture coordinate", corner.vt, self.uvs.len()),
                    ("normal", corner.vn, self.normals.len()),
                ];
                for (what, index, count) in references {
                    if index != NONE && index as usize >= count {
                        let number = u64::from(index) + 1;
                        return Err(malformed(
                            face.line,
                            format!("the face uses {what} {number}, but there are only {count}"),
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Counts an irregularity and remembers its first line.
#[derive(Default)]
struct Occurrences {
    count: usize,
    first_line: usize,
}

impl Occurrences {
    fn add(&mut self, line: usize) {
        if self.count == 0 {
            self.first_line = line;
        }
        self.count += 1;
    }

    fn warn(&self, report: &mut Report, what: &str) {
        if self.count > 0 {
            warn(report, format!("{} {what} (first on line {})", self.count, self.first_line));
        }
    }
}

/// Reads all records of `bytes`.
pub(super) fn parse(bytes: &[u8], report: &mut Report) -> Result<Records, ReadError> {
    let mut parser = Parser::default();
    let mut lines = Lines::new(bytes);
    while let Some((number, line)) = lines.next() {
        let line = with_continuations(line, &mut lines);
        parser.record(number, &line)?;
    }
    parser.records.check()?;
    parser.lines.warn(report, "lines and points are not surfaces and were skipped");
    parser.curves.warn(report, "free-form curve and surface records are not supported and were skipped");
    parser.short.warn(report, "faces with fewer than three corners were skipped");
    parser.normals.warn(report, "normals are not numbers; they were computed instead");
    parser.uvs.warn(report, "texture coordinates are not numbers; they were set to zero");
    parser.unknown.warn(report, "records of unknown kinds were skipped");
    parser.merged.warn(
        report,
        "faces belong to groups beyond the largest number of parts and were merged into the last part",
    );
    parser
        .libraries
        .warn(report, "material libraries (MTL) are not read; only the names of materials are kept");
    Ok(parser.records)
}

/// A line joined with the lines that continue it after a backslash at its end. Comments are not
/// continued: a backslash there usually ends a folder name.
fn with_continuations<'a>(line: &'a [u8], lines: &mut Lines<'a>) -> Cow<'a, [u8]> {
    let mut whole = Cow::Borrowed(line);
    while text::ends_with_backslash(&whole) && !line.trim_ascii_start().starts_with(b"#") {
        let Some((_, next)) = lines.next() else { break };
        let joined = whole.to_mut();
        joined.truncate(joined.trim_ascii_end().len().saturating_sub(1));
        joined.push(b' ');
        joined.extend_from_slice(next);
    }
    whole
}

#[derive(Default)]
struct Parser {
    records: Records,
    /// The group of the next faces.
    group: Group,
    /// The index of `group`, if it has a face already.
    current_index: Option<u32>,
    group_indices: HashMap<Group, u32>,
    lines: Occurrences,
    curves: Occurrences,
    short: Occurrences,
    normals: Occurrences,
    uvs: Occurrences,
    unknown: Occurrences,
    merged: Occurrences,
    libraries: Occurrences,
}

impl Parser {
    fn record(&mut self, number: usize, line: &[u8]) -> Result<(), ReadError> {
        let mut tokens = text::tokens(line);
        let Some(keyword) = tokens.next() else { return Ok(()) };
        match keyword {
            b"v" => self.position(number, tokens)?,
            b"vt" => self.uv(number, tokens),
            b"vn" => self.normal(number, tokens),
            b"f" | b"fo" => self.face(number, tokens)?,
            b"o" => self.set_group(|group| group.object = text::after_keyword(line)),
            b"g" => self.set_group(|group| group.group = text::after_keyword(line)),
            b"usemtl" => self.set_group(|group| group.material = text::after_keyword(line)),
            b"mtllib" => self.libraries.add(number),
            b"l" | b"p" => self.lines.add(number),
            b"curv" | b"curv2" | b"surf" | b"vp" | b"cstype" | b"deg" => self.curves.add(number),
            b"s" | b"mg" | b"lod" | b"usemap" | b"maplib" | b"bevel" | b"c_interp" | b"d_interp"
            | b"shadow_obj" | b"trace_obj" | b"parm" | b"trim" | b"hole" | b"scrv" | b"sp" | b"end"
            | b"con" | b"bmat" | b"step" | b"ctech" | b"stech" | b"call" | b"csh" => {}
            [b'#', ..] => {}
            _ => self.unknown.add(number),
        }
        Ok(())
    }

    /// `v x y z`, followed by a weight (`w`) or a colour (`r g b` or `r g b a`).
    fn position<'a>(
        &mut self,
        line: usize,
        mut tokens: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), ReadError> {
        let mut next = || text::coordinate(tokens.next(), line);
        self.records.positions.push(Vec3::new(next()?, next()?, next()?));
        let mut more = [0.0f32; 4];
        let given =
            more.iter_mut().zip(tokens).map(|(slot, token)| *slot = number_or_nan(Some(token))).count();
        let [r, g, b, a] = more;
        let color = Vec4::new(r, g, b, if given == 4 { a } else { 1.0 });
        if given >= 3 && color.is_finite() {
            // Records before the first coloured one are white.
            self.records.colors.resize(self.records.positions.len().saturating_sub(1), Vec4::ONE);
            self.records.colors.push(linear_color(color));
        } else if !self.records.colors.is_empty() {
            self.records.colors.push(Vec4::ONE);
        }
        Ok(())
    }

    fn uv<'a>(&mut self, line: usize, mut tokens: impl Iterator<Item = &'a [u8]>) {
        let u = number_or_nan(tokens.next());
        let v = tokens.next().map_or(0.0, |token| number_or_nan(Some(token)));
        let mut uv = from_lower_left(Vec2::new(u, v));
        if !uv.is_finite() {
            self.uvs.add(line);
            uv = Vec2::ZERO;
        }
        self.records.uvs.push(uv);
    }

    fn normal<'a>(&mut self, line: usize, mut tokens: impl Iterator<Item = &'a [u8]>) {
        let mut next = || number_or_nan(tokens.next());
        let mut normal = Vec3::new(next(), next(), next());
        if !normal.is_finite() {
            self.normals.add(line);
            normal = Vec3::ZERO;
        }
        self.records.normals.push(normal);
    }

    fn face<'a>(&mut self, line: usize, tokens: impl Iterator<Item = &'a [u8]>) -> Result<(), ReadError> {
        let first = self.records.corners.len();
        for token in tokens.take_while(|token| !token.starts_with(b"#")) {
            let corner = self.corner(line, token)?;
            self.records.corners.push(corner);
        }
        let end = self.records.corners.len();
        if end - first < 3 {
            self.records.corners.truncate(first);
            self.short.add(line);
            return Ok(());
        }
        let group = self.group_index(line)?;
        self.records.faces.push(Face { corners: first..end, group, line });
        Ok(())
    }

    /// Parses `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&self, line: usize, token: &[u8]) -> Result<Corner, ReadError> {
        let mut fields = token.split(|&b| b == b'/');
        let mut next = |what: &str, count: usize| match fields.next() {
            None | Some(b"") => Ok(NONE),
            Some(field) => resolve(field, count).ok_or_else(|| {
                let field = text::for_message(field);
                let wrong = match field.as_str() {
                    "0" => format!("the face uses {what} 0, but indices start at 1"),
                    _ => format!("the face uses {what} \"{field}\", but there are {count} up to this line"),
                };
                malformed(line, wrong)
            }),
        };
        let v = next("vertex", self.records.positions.len())?;
        let vt = next("texture coordinate", self.records.uvs.len())?;
        let vn = next("normal", self.records.normals.len())?;
        if v == NONE {
            return Err(malformed(
                line,
                format!("the corner \"{}\" has no vertex index", text::for_message(token)),
            ));
        }
        Ok(Corner { v, vt, vn })
    }

    fn set_group(&mut self, change: impl FnOnce(&mut Group)) {
        change(&mut self.group);
        self.current_index = None;
    }

    fn group_index(&mut self, line: usize) -> Result<u32, ReadError> {
        if let Some(number) = self.current_index {
            return Ok(number);
        }
        let number = match self.group_indices.get(&self.group) {
            Some(&number) => number,
            None if self.records.groups.len() >= limits::MAX_PARTS => {
                self.merged.add(line);
                index(limits::MAX_PARTS - 1)?
            }
            None => {
                let number = index(self.records.groups.len())?;
                self.records.groups.push(self.group.clone());
                self.group_indices.insert(self.group.clone(), number);
                number
            }
        };
        self.current_index = Some(number);
        Ok(number)
    }
}

/// The index from 0 of a record. Files count from 1, or backwards from the newest record.
fn resolve(field: &[u8], count: usize) -> Option<u32> {
    let number: i64 = text::parse(field)?;
    let from_zero = match number {
        0 => return None,
        1.. => number - 1,
        _ => i64::try_from(count).ok()?.checked_add(number).filter(|&n| n >= 0)?,
    };
    u32::try_from(from_zero).ok().filter(|&n| n != NONE)
}

/// The number, or NaN, which the caller handles.
fn number_or_nan(token: Option<&[u8]>) -> f32 {
    token.and_then(text::parse).unwrap_or(f32::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::ErrorCode;

    #[test]
    fn indices_count_from_one_or_backwards() {
        assert_eq!(resolve(b"1", 0), Some(0));
        assert_eq!(resolve(b"-1", 3), Some(2));
        assert_eq!(resolve(b"-4", 3), None);
        assert_eq!(resolve(b"0", 3), None);
        assert_eq!(resolve(b"4294967296", 3), None);
        assert_eq!(resolve(b"99999999999999999999", 3), None);
    }

    #[test]
    fn a_bad_corner_is_malformed() {
        let error = parse(b"v 0 0 0\nf 1 1 x\n", &mut Report::default()).unwrap_err();
        assert_eq!((error.code, error.place.as_str()), (ErrorCode::Malformed, "line 2"));
    }
}
