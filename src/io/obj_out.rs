//! Wavefront OBJ out: a mesh as it stands, for any program that reads text.
//!
//! In: a render mesh, posed or not. Out: the file's text. Vertices keep their order, so line *i* of `v` is
//! render vertex *i*; every part is a group (`g`) with white space in its name turned to `_`. Numbers have
//! as few digits as lead back to the same `f32`, and the same mesh always gives the same bytes. Texture
//! coordinates are turned back to OBJ's origin. Cost: linear.

use std::fmt::Write;

use crate::model::RenderMesh;

/// Writes `mesh`; [`read_model`](super::read_model) gives the same vertices, triangles and parts back.
pub fn write_obj(mesh: &RenderMesh) -> String {
    let mut text = String::from("# Pliant\n");
    for p in &mesh.positions {
        put(&mut text, format_args!("v {} {} {}\n", p.x, p.y, p.z));
    }
    for uv in &mesh.uvs {
        put(&mut text, format_args!("vt {} {}\n", uv.x, 1.0 - uv.y));
    }
    for n in &mesh.normals {
        put(&mut text, format_args!("vn {} {} {}\n", n.x, n.y, n.z));
    }
    for (i, part) in mesh.parts.iter().enumerate() {
        put(&mut text, format_args!("g {}\n", group_name(&part.name, i)));
        let range = part.triangles.start as usize..part.triangles.end as usize;
        for triangle in mesh.triangles.get(range).unwrap_or_default() {
            text.push('f');
            for &vertex in triangle {
                // Vertices count from 1; uv and normal have the number of their vertex.
                let n = u64::from(vertex) + 1;
                match (mesh.uvs.is_empty(), mesh.normals.is_empty()) {
                    (false, false) => put(&mut text, format_args!(" {n}/{n}/{n}")),
                    (true, false) => put(&mut text, format_args!(" {n}//{n}")),
                    (false, true) => put(&mut text, format_args!(" {n}/{n}")),
                    (true, true) => put(&mut text, format_args!(" {n}")),
                }
            }
            text.push('\n');
        }
    }
    text
}

/// Writing to a string cannot fail.
fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(what);
}

fn group_name(name: &str, part: usize) -> String {
    if name.trim().is_empty() {
        return format!("part_{part}");
    }
    name.trim().chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}
