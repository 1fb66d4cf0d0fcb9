//! Reads Stanford PLY files: text, binary little-endian and binary big-endian.
//!
//! Input: the bytes. Output: an [`Asset`] of one part whose render vertices are the rows of
//! `vertex`, in order, used or not. Cost: one pass. Elements and properties may come in any order
//! and of any type; unknown ones are skipped. Positions, normals, colours (as sRGB), one set of
//! texture coordinates per vertex (flipped to glTF's origin), polygons and triangle strips are
//! read.
//!
//! Counts are compared with the bytes that follow before memory is allocated for them.

mod body;
mod header;

use glam::{Vec2, Vec3, Vec4};

use super::build::{self, MeshData};
use super::polygon::Triangulator;
use super::text::checked_coordinate;
use super::{ErrorCode, File, ReadError, limits};
use crate::model::Asset;
use crate::report::{Report, Warning};
use body::{Body, Location, as_count};
use header::{Element, Kind, Property};

/// Reads a PLY file.
///
/// # Errors
/// A header that declares more than follows, an index or coordinate out of range, with its
/// location; no faces.
pub(super) fn read(file: &File, report: &mut Report) -> Result<Asset, ReadError> {
    let bytes = super::text::without_bom(&file.bytes).trim_ascii_start();
    let header = header::read(bytes)?;
    let mut body = Body::new(bytes, &header);
    let mut vertices = Vertices::default();
    let mut faces = Faces::default();
    for element in &header.elements {
        body.check(element)?;
        match element.name.as_str() {
            "vertex" if vertices.positions.is_empty() => {
                limits::check_budget("header", "vertices", element.rows, limits::vertex_budget(bytes.len()))?;
                vertices = read_vertices(&mut body, element)?;
            }
            "face" => read_faces(&mut body, element, &mut faces)?,
            "tristrips" => read_strips(&mut body, element, &mut faces)?,
            _ => body.skip_all(element)?,
        }
    }
    if faces.has_corner_uvs && vertices.uvs.is_empty() {
        warn(report, "texture coordinates per face corner are not supported and were skipped".into());
    }
    let triangles = triangulate(&faces, &vertices.positions, bytes.len(), report)?;
    let name = build::stem(file).to_owned();
    build::build(MeshData {
        parts: vec![build::skinned_part(
            name.clone(),
            0..vertices.positions.len(),
            0..triangles.len(),
            None,
        )?],
        name,
        positions: vertices.positions,
        normals: vertices.normals,
        uvs: vertices.uvs,
        colors: vertices.colors,
        triangles,
        materials: Vec::new(),
    })
}

fn warn(report: &mut Report, what: String) {
    report.warn(Warning::File { place: "PLY".into(), what });
}

#[derive(Default)]
struct Vertices {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
    colors: Vec<Vec4>,
}

/// Number of vertex columns: three of the position, three of the normal, two of the uv, four of the
/// colour.
const COLUMNS: usize = 12;

/// The column of a property, by its name.
fn column(property: &Property) -> Option<usize> {
    if property.length.is_some() {
        return None;
    }
    Some(match property.name.as_str() {
        "x" => 0,
        "y" => 1,
        "z" => 2,
        "nx" | "normal_x" => 3,
        "ny" | "normal_y" => 4,
        "nz" | "normal_z" => 5,
        "s" | "u" | "texture_s" | "texture_u" => 6,
        "t" | "v" | "texture_t" | "texture_v" => 7,
        "red" | "r" | "diffuse_red" => 8,
        "green" | "g" | "diffuse_green" => 9,
        "blue" | "b" | "diffuse_blue" => 10,
        "alpha" | "a" | "diffuse_alpha" => 11,
        _ => return None,
    })
}

fn read_vertices(body: &mut Body<'_>, element: &Element) -> Result<Vertices, ReadError> {
    let columns: Vec<Option<usize>> = element.properties.iter().map(column).collect();
    let has = |wanted: std::ops::Range<usize>| wanted.into_iter().all(|c| columns.contains(&Some(c)));
    if element.rows > 0 && !has(0..3) {
        return Err(ReadError::new(ErrorCode::Malformed, "header", "the vertices have no x, y and z"));
    }
    let (has_normals, has_uvs, has_colors) = (has(3..6), has(6..8), has(8..11));
    let mut vertices = Vertices::default();
    vertices.positions.reserve_exact(element.rows);
    for _ in 0..element.rows {
        let location = body.location();
        let mut row = [0.0f64; COLUMNS];
        if let Some(alpha) = row.last_mut() {
            *alpha = 1.0;
        }
        for (property, column) in element.properties.iter().zip(&columns) {
            let Some(slot) = column.and_then(|column| row.get_mut(column)) else {
                body.skip(property)?;
                continue;
            };
            let number = body.number(property.kind)?;
            *slot =
                if column.is_some_and(|c| c >= 8) { number / property.kind.full_intensity() } else { number };
        }
        let [x, y, z, nx, ny, nz, u, v, r, g, b, a] = row;
        vertices.positions.push(Vec3::new(
            checked_coordinate(x, location)?,
            checked_coordinate(y, location)?,
            checked_coordinate(z, location)?,
        ));
        let vector = [nx, ny, nz, u, v, r, g, b, a].map(|n| n as f32);
        let [nx, ny, nz, u, v, r, g, b, a] = vector;
        let normal = Vec3::new(nx, ny, nz);
        let uv = Vec2::new(u, 1.0 - v);
        let color = Vec4::new(r, g, b, a);
        vertices.normals.extend(has_normals.then(|| if normal.is_finite() { normal } else { Vec3::ZERO }));
        vertices.uvs.extend(has_uvs.then(|| if uv.is_finite() { uv } else { Vec2::ZERO }));
        let color = if color.is_finite() { build::linear_color(color) } else { Vec4::ONE };
        vertices.colors.extend(has_colors.then_some(color));
    }
    Ok(vertices)
}

/// Polygons and the triangles of strips. Their indices are not checked yet.
#[derive(Default)]
struct Faces {
    corners: Vec<u32>,
    /// End of each polygon's range of corners.
    ends: Vec<usize>,
    has_corner_uvs: bool,
}

fn is_index_list(property: &Property) -> bool {
    property.length.is_some() && matches!(property.name.as_str(), "vertex_indices" | "vertex_index")
}

fn read_faces(body: &mut Body<'_>, element: &Element, faces: &mut Faces) -> Result<(), ReadError> {
    if !element.properties.iter().any(is_index_list) {
        return body.skip_all(element);
    }
    faces.has_corner_uvs |= element.properties.iter().any(|p| p.name == "texcoord");
    for _ in 0..element.rows {
        for property in &element.properties {
            let Some(length) = property.length.filter(|_| is_index_list(property)) else {
                body.skip(property)?;
                continue;
            };
            for _ in 0..body.list_length(length, property.kind)? {
                let corner = read_index(body, property.kind)?;
                faces.corners.push(corner);
            }
            faces.ends.push(faces.corners.len());
        }
    }
    Ok(())
}

fn read_index(body: &mut Body<'_>, kind: Kind) -> Result<u32, ReadError> {
    let location = body.location();
    let number = body.number(kind)?;
    vertex_index(number, location)
}

fn vertex_index(number: f64, location: Location) -> Result<u32, ReadError> {
    as_count(number).and_then(|n| u32::try_from(n).ok()).ok_or_else(|| {
        let what = format!("{number} is not a vertex index");
        ReadError::new(ErrorCode::Malformed, location.to_string(), what)
    })
}

/// Reads triangle strips: every three consecutive vertices form a triangle, every other one with
/// reversed orientation. −1 restarts the strip.
fn read_strips(body: &mut Body<'_>, element: &Element, faces: &mut Faces) -> Result<(), ReadError> {
    for _ in 0..element.rows {
        for property in &element.properties {
            let Some(length) = property.length.filter(|_| is_index_list(property)) else {
                body.skip(property)?;
                continue;
            };
            let mut last: [Option<u32>; 2] = [None; 2];
            let mut is_odd = false;
            for _ in 0..body.list_length(length, property.kind)? {
                let location = body.location();
                let number = body.number(property.kind)?;
                if number == -1.0 {
                    (last, is_odd) = ([None; 2], false);
                    continue;
                }
                let c = vertex_index(number, location)?;
                if let [Some(a), Some(b)] = last {
                    faces.corners.extend(if is_odd { [b, a, c] } else { [a, b, c] });
                    faces.ends.push(faces.corners.len());
                    is_odd = !is_odd;
                }
                last = [last[1], Some(c)];
            }
        }
    }
    Ok(())
}

fn triangulate(
    faces: &Faces,
    positions: &[Vec3],
    file_bytes: usize,
    report: &mut Report,
) -> Result<Vec<[u32; 3]>, ReadError> {
    let budget = limits::triangle_budget(file_bytes);
    let mut triangulator = Triangulator::default();
    let (mut triangles, mut collapsed, mut start) = (Vec::new(), 0usize, 0);
    let (mut ring, mut points, mut local) = (Vec::new(), Vec::new(), Vec::new());
    for (face, &end) in faces.ends.iter().enumerate() {
        let corners = faces.corners.get(start..end).unwrap_or_default();
        start = end;
        ring.clear();
        points.clear();
        local.clear();
        let before = corners.last().into_iter().chain(corners);
        for (&corner, before) in corners.iter().zip(before) {
            let Some(&point) = positions.get(corner as usize) else {
                let there = positions.len();
                let what = format!("the face uses vertex {corner}, but there are only {there}, from 0");
                return Err(ReadError::new(ErrorCode::Malformed, format!("face {face}"), what));
            };
            if corner != *before {
                ring.push(corner);
                points.push(point);
            }
        }
        if ring.len() < 3 {
            collapsed += 1;
            continue;
        }
        triangulator.triangulate(&points, &mut local);
        let vertex = |corner: u32| ring.get(corner as usize).copied().unwrap_or(0);
        triangles.extend(local.iter().map(|corners: &[u32; 3]| corners.map(vertex)));
        limits::check_budget("", "triangles", triangles.len(), budget)?;
    }
    triangulator.warn("PLY", collapsed, report);
    Ok(triangles)
}
