//! Reads Wavefront OBJ files.
//!
//! Input: a text file. Output: an [`Asset`] with one part for every combination of object, group
//! and material, in the order in which they first have a face. Faces of one part that are apart in
//! the file are brought together. Cost: linear, plus one sort of the corners.
//!
//! **Vertex order.** A render vertex is a distinct (position, uv, normal) triple. Within a part,
//! the first triple of each `v` record is ordered by that record, and further triples (seams)
//! follow at the end, ordered by their records. So in a file of one part, render vertex *i* is the
//! *i*-th `v` record. The order depends on the faces only, never on coordinates, so example poses
//! of one topology agree. Records that no face uses are kept, in the part of the used record before
//! them, so that tables per `v` record still match; a warning counts them.
//!
//! Polygons are triangulated by [`polygon`](super::polygon). Texture coordinates are flipped to
//! glTF's origin (upper left), and vertex colours are converted from sRGB to linear. Unusable
//! normals are replaced by computed ones. Materials keep their names; the MTL file is not read.
//! Lines, points and free-form curves are skipped with a warning.
//!
//! The crate `tobj` is not used: it does not report line numbers, does not reject indices and
//! numbers out of range, and turns every polygon into a fan.

mod parse;
mod split;

use glam::{Vec2, Vec3};

use super::build::{self, MeshData};
use super::polygon::Triangulator;
use super::{File, ReadError, limits};
use crate::model::{Asset, Part};
use crate::report::{Report, Warning};
use parse::{Corner, Group, Records};
use split::Split;

/// Reads an OBJ file.
///
/// # Errors
/// A malformed number or index, with its line; no faces.
pub(super) fn read(file: &File, report: &mut Report) -> Result<Asset, ReadError> {
    let records = parse::parse(&file.bytes, report)?;
    limits::check_budget("", "vertices", records.positions.len(), limits::vertex_budget(file.bytes.len()))?;
    let split = split::split(&records)?;
    if split.unused > 0 {
        warn(
            report,
            format!(
                "{} vertices belong to no face; they were kept so that the vertex order does not change",
                split.unused
            ),
        );
    }
    let (triangles, triangle_ends) = triangulate(&records, &split, file.bytes.len(), report)?;
    let (parts, materials) = parts(&records.groups, &split, &triangle_ends, build::stem(file))?;
    build::build(MeshData {
        name: build::stem(file).to_owned(),
        positions: per_vertex(&split, |corner| records.positions.get(corner.v as usize).copied()),
        normals: if records.normals.is_empty() {
            Vec::new()
        } else {
            per_vertex(&split, |corner| records.normals.get(corner.vn as usize).copied())
        },
        uvs: if records.uvs.is_empty() {
            Vec::new()
        } else {
            per_vertex(&split, |corner| records.uvs.get(corner.vt as usize).copied())
        },
        colors: if records.colors.is_empty() {
            Vec::new()
        } else {
            per_vertex(&split, |corner| records.colors.get(corner.v as usize).copied())
        },
        triangles,
        parts,
        materials,
    })
}

/// One value per render vertex; [`Default`] if the corner has none.
fn per_vertex<T: Default>(split: &Split, of: impl Fn(&Corner) -> Option<T>) -> Vec<T> {
    split.vertices.iter().map(|corner| of(corner).unwrap_or_default()).collect()
}

fn warn(report: &mut Report, what: String) {
    report.warn(Warning::File { place: "OBJ".into(), what });
}

/// The triangles, part by part, and the end of each part's range of triangles.
fn triangulate(
    records: &Records,
    split: &Split,
    file_bytes: usize,
    report: &mut Report,
) -> Result<(Vec<[u32; 3]>, Vec<usize>), ReadError> {
    let budget = limits::triangle_budget(file_bytes);
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut ends = vec![0; records.groups.len()];
    let mut triangulator = Triangulator::default();
    let mut collapsed = 0usize;
    let (mut ring, mut points, mut local) = (Vec::<u32>::new(), Vec::<Vec3>::new(), Vec::<[u32; 3]>::new());
    for face in records.faces_by_group() {
        ring.clear();
        points.clear();
        local.clear();
        let corners = records.corners.get(face.corners.clone()).unwrap_or_default();
        let vertices = split.vertex_of_corner.get(face.corners.clone()).unwrap_or_default();
        let last = corners.last().map(|corner| corner.v);
        let before = last.into_iter().chain(corners.iter().map(|corner| corner.v));
        for ((corner, &vertex), before) in corners.iter().zip(vertices).zip(before) {
            if corner.v != before {
                ring.push(vertex);
                points.push(records.positions.get(corner.v as usize).copied().unwrap_or_default());
            }
        }
        if ring.len() < 3 {
            collapsed += 1;
            continue;
        }
        triangulator.triangulate(&points, &mut local);
        let vertex = |corner: u32| ring.get(corner as usize).copied().unwrap_or(0);
        triangles.extend(local.iter().map(|corners| corners.map(vertex)));
        limits::check_budget("", "triangles", triangles.len(), budget)?;
        ends.get_mut(face.group as usize).into_iter().for_each(|end| *end = triangles.len());
    }
    triangulator.warn("OBJ", collapsed, report);
    Ok((triangles, ends))
}

/// The parts, and the names of the materials they use.
fn parts(
    groups: &[Group],
    split: &Split,
    triangle_ends: &[usize],
    stem: &str,
) -> Result<(Vec<Part>, Vec<String>), ReadError> {
    let mut parts = Vec::with_capacity(groups.len());
    let mut materials: Vec<String> = Vec::new();
    let (mut first_vertex, mut first_triangle) = (0, 0);
    for (group, (&vertices, &triangles)) in groups.iter().zip(split.vertex_ends.iter().zip(triangle_ends)) {
        // A part whose faces are all degenerate has no triangles and so no end of its own.
        let triangles = triangles.max(first_triangle);
        let material = (!group.material.is_empty()).then(|| {
            materials.iter().position(|name| *name == group.material).unwrap_or_else(|| {
                materials.push(group.material.clone());
                materials.len() - 1
            })
        });
        let name = group.name(groups, stem);
        parts.push(build::skinned_part(name, first_vertex..vertices, first_triangle..triangles, material)?);
        (first_vertex, first_triangle) = (vertices, triangles);
    }
    Ok((parts, materials))
}

impl Group {
    /// Object and group, with the material in parentheses if several parts share them.
    fn name(&self, groups: &[Group], stem: &str) -> String {
        let base = match (self.object.as_str(), self.group.as_str()) {
            ("", group) => group.to_owned(),
            (object, "") => object.to_owned(),
            (object, group) if object == group => object.to_owned(),
            (object, group) => format!("{object} {group}"),
        };
        let same_base = |other: &&Group| other.object == self.object && other.group == self.group;
        let shared = groups.iter().filter(same_base).take(2).count() > 1;
        match (base.as_str(), self.material.as_str()) {
            ("", "") => stem.to_owned(),
            ("", material) => material.to_owned(),
            (base, material) if shared && !material.is_empty() => format!("{base} ({material})"),
            _ => base,
        }
    }
}

/// Moves the origin of texture coordinates from the lower left to the upper left.
fn from_lower_left(uv: Vec2) -> Vec2 {
    Vec2::new(uv.x, 1.0 - uv.y)
}
