//! Writes Wavefront OBJ files.
//!
//! Input: a render mesh in any pose. Output: the text of the file. Vertices keep their order: the
//! *i*-th `v` record is render vertex *i*. Every part is a group (`g`), with white space in its
//! name replaced by `_`. Numbers have the fewest digits that parse to the same `f32`, and the same
//! mesh always gives the same bytes. Texture coordinates are flipped to OBJ's origin (lower left).
//! Cost: linear.

use std::fmt::Write;

use crate::model::RenderMesh;

/// Writes `mesh`. [`read_model`](super::read_model) reads the same vertices, triangles and parts.
pub fn write_obj(mesh: &RenderMesh) -> String {
    let mut text = String::from("# Pliant\n");
    for p in &mesh.positions {
        append(&mut text, format_args!("v {} {} {}\n", p.x, p.y, p.z));
    }
    for uv in &mesh.uvs {
        append(&mut text, format_args!("vt {} {}\n", uv.x, 1.0 - uv.y));
    }
    for n in &mesh.normals {
        append(&mut text, format_args!("vn {} {} {}\n", n.x, n.y, n.z));
    }
    for (i, part) in mesh.parts.iter().enumerate() {
        append(&mut text, format_args!("g {}\n", group_name(&part.name, i)));
        let range = part.triangles.start as usize..part.triangles.end as usize;
        for triangle in mesh.triangles.get(range).unwrap_or_default() {
            text.push('f');
            for &vertex in triangle {
                // Indices start at 1. The uv and the normal of a vertex have the index of the
                // vertex.
                let n = u64::from(vertex) + 1;
                match (mesh.uvs.is_empty(), mesh.normals.is_empty()) {
                    (false, false) => append(&mut text, format_args!(" {n}/{n}/{n}")),
                    (true, false) => append(&mut text, format_args!(" {n}//{n}")),
                    (false, true) => append(&mut text, format_args!(" {n}/{n}")),
                    (true, true) => append(&mut text, format_args!(" {n}")),
                }
            }
            text.push('\n');
        }
    }
    text
}

/// Appends formatted text. Writing to a string cannot fail.
fn append(text: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(what);
}

fn group_name(name: &str, part: usize) -> String {
    if name.trim().is_empty() {
        return format!("part_{part}");
    }
    name.trim().chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}
