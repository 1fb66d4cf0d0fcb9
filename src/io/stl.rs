//! Reads STL files, binary and text.
//!
//! Input: the bytes. Output: an [`Asset`] with one part per solid. STL repeats the corners of every
//! triangle; corners at equal positions become one render vertex, in the order of first appearance.
//! Facet normals, attributes and colours are ignored; smooth normals are computed. Several `solid`
//! blocks of the same name are separate parts. Cost: one pass and one weld.

use glam::Vec3;

use super::build::{self, MeshData};
use super::sniff::{STL_HEADER, STL_TRIANGLE, stl_count};
use super::text::{self, Lines, checked_coordinate, malformed};
use super::{ErrorCode, File, ReadError, limits};
use crate::model::Asset;
use crate::report::{Report, Warning};

/// The corners of the triangles of a solid, three per triangle.
#[derive(Default)]
struct Solid {
    name: String,
    corners: Vec<Vec3>,
}

/// Reads a binary STL file.
///
/// # Errors
/// Fewer bytes than the triangle count requires, a coordinate that is not finite, or no triangles.
pub(super) fn read_binary(file: &File) -> Result<Asset, ReadError> {
    let count = stl_count(&file.bytes).ok_or_else(|| {
        ReadError::new(ErrorCode::Truncated, "", "the file ends within its header")
            .hint(limits::TRUNCATED_HINT)
    })?;
    let body = file.bytes.get(STL_HEADER + 4..).unwrap_or_default();
    limits::check_remaining("byte 80", "triangles", count, STL_TRIANGLE, body.len())?;
    let mut corners = Vec::with_capacity(count.saturating_mul(3));
    for (triangle, record) in body.chunks_exact(STL_TRIANGLE).take(count).enumerate() {
        // The first twelve bytes are the facet normal.
        for corner in record.get(12..48).unwrap_or_default().chunks_exact(12) {
            let mut numbers =
                corner.chunks_exact(4).map(|b| b.try_into().map_or(f32::NAN, f32::from_le_bytes));
            let mut next = || {
                let number = numbers.next().unwrap_or(f32::NAN);
                checked_coordinate(f64::from(number), format_args!("triangle {triangle}"))
            };
            corners.push(Vec3::new(next()?, next()?, next()?));
        }
    }
    assemble(file, vec![Solid { name: build::stem(file).to_owned(), corners }])
}

/// Reads a text STL file.
///
/// # Errors
/// A facet without exactly three corners or a coordinate that is not a number, with its line; no
/// triangles.
pub(super) fn read_ascii(file: &File, report: &mut Report) -> Result<Asset, ReadError> {
    let mut solids: Vec<Solid> = Vec::new();
    let mut facet: Vec<Vec3> = Vec::new();
    let (mut in_solid, mut in_facet) = (false, false);
    for (number, line) in Lines::new(&file.bytes) {
        let mut tokens = text::tokens(line);
        let Some(keyword) = tokens.next() else { continue };
        match keyword.to_ascii_lowercase().as_slice() {
            b"solid" => {
                solids.push(Solid { name: text::after_keyword(line), corners: Vec::new() });
                in_solid = true;
            }
            b"endsolid" => in_solid = false,
            b"facet" => in_facet = true,
            b"vertex" => {
                let mut next = || text::coordinate(tokens.next(), number);
                facet.push(Vec3::new(next()?, next()?, next()?));
            }
            b"endfacet" => {
                let (Some(solid), 3) = (solids.last_mut(), facet.len()) else {
                    return Err(malformed(number, format!("a facet has {} corners, not 3", facet.len())));
                };
                solid.corners.append(&mut facet);
                in_facet = false;
            }
            b"outer" | b"endloop" | b"color" => {}
            _ => {
                return Err(malformed(
                    number,
                    format!("\"{}\" is not a keyword of STL", text::for_message(keyword)),
                ));
            }
        }
    }
    if in_facet || !facet.is_empty() {
        let error = ReadError::new(ErrorCode::Truncated, "", "the file ends within a facet");
        return Err(error.hint(limits::TRUNCATED_HINT));
    }
    if in_solid {
        let what = "the file ends without \"endsolid\"; the triangles before its end were read".into();
        report.warn(Warning::File { place: "STL".into(), what });
    }
    solids.retain(|solid| !solid.corners.is_empty());
    merge_surplus(&mut solids);
    assemble(file, solids)
}

/// Merges solids beyond the largest number of parts into the last one allowed.
fn merge_surplus(solids: &mut Vec<Solid>) {
    let surplus = solids.split_off(solids.len().min(limits::MAX_PARTS));
    if let Some(last) = solids.last_mut() {
        surplus.into_iter().for_each(|mut solid| last.corners.append(&mut solid.corners));
    }
}

fn assemble(file: &File, solids: Vec<Solid>) -> Result<Asset, ReadError> {
    let stem = build::stem(file);
    let mut data = MeshData { name: stem.to_owned(), ..MeshData::default() };
    for Solid { name, corners } in solids {
        let (first_vertex, first_triangle) = (data.positions.len(), data.triangles.len());
        let offset = build::index(first_vertex)?;
        build::index(first_vertex.saturating_add(corners.len()))?;
        let soup: Vec<[u32; 3]> =
            (0u32..).step_by(3).take(corners.len() / 3).map(|i| [i, i + 1, i + 2]).collect();
        let welded = crate::operators::weld(&corners, &soup).mesh;
        data.positions.extend_from_slice(welded.positions());
        data.triangles.extend(welded.triangles().iter().map(|t| t.map(|v| v + offset)));
        let name = if name.is_empty() { stem.to_owned() } else { name };
        let vertices = first_vertex..data.positions.len();
        data.parts.push(build::skinned_part(name, vertices, first_triangle..data.triangles.len(), None)?);
    }
    build::build(data)
}
