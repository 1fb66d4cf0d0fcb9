//! Makes an [`Asset`] of what a mesh file without a scene says (OBJ, PLY, STL).
//!
//! In: [`Draft`]. Out: an asset with a welded solve mesh, a unit normal for every render vertex, and no
//! source document. Cost: linear in vertices and triangles.

use std::ops::Range;

use glam::{DAffine3, Vec2, Vec3, Vec4};

use super::{ErrorCode, File, ReadError};
use crate::math;
use crate::model::{Alpha, Asset, Attachment, Material, Mesh, Part, RenderMesh};
use crate::operators::{vertex_normals, weld};

/// What a mesh file says.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// For people.
    pub name: String,
    /// One per vertex.
    pub positions: Vec<Vec3>,
    /// One per vertex, of any length, or none at all; zero where the file gives no usable one.
    pub normals: Vec<Vec3>,
    /// One per vertex, or none at all; the origin is the picture's upper left corner, as in glTF.
    pub uvs: Vec<Vec2>,
    /// One linear RGBA colour per vertex, or none at all.
    pub colors: Vec<Vec4>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// They cover vertices and triangles without gaps.
    pub parts: Vec<Part>,
    /// Names of materials; the formats here say no more, or say it in another file.
    pub materials: Vec<String>,
}

/// A part that follows the skeleton by weights and stands in the file as it stands in the scene.
pub(super) fn part(
    name: impl Into<String>,
    vertices: Range<usize>,
    triangles: Range<usize>,
    material: Option<usize>,
) -> Result<Part, ReadError> {
    Ok(Part {
        name: name.into(),
        vertices: index(vertices.start)?..index(vertices.end)?,
        triangles: index(triangles.start)?..index(triangles.end)?,
        material,
        attachment: Attachment::Skinned { skin: None },
        rest_from_primitive: DAffine3::IDENTITY,
    })
}

/// `n` as a vertex or triangle index.
pub(super) fn index(n: usize) -> Result<u32, ReadError> {
    u32::try_from(n).ok().filter(|&n| n < Asset::NOT_SOLVED).ok_or_else(|| {
        ReadError::new(ErrorCode::TooLarge, "", format!("{n} elements are more than can be numbered"))
    })
}

/// Checks the draft, welds it, and fills in what is missing.
///
/// # Errors
/// [`ErrorCode::NoMesh`] without triangles; [`ErrorCode::Malformed`] where an index or position is unusable.
pub(super) fn build(draft: Draft) -> Result<Asset, ReadError> {
    if draft.triangles.is_empty() {
        let error = ReadError::new(ErrorCode::NoMesh, "", "there are no triangles in this file");
        return Err(error.hint("export the surface as a mesh, not as points, curves or lines"));
    }
    let mesh = Mesh::new(draft.positions, draft.triangles)
        .map_err(|error| ReadError::new(ErrorCode::Malformed, "", error.to_string()))?;
    let welded = weld(mesh.positions(), mesh.triangles());
    refuse_flat(&welded.mesh)?;
    let smooth = vertex_normals(&welded.mesh);
    let normals = welded.solve_from_render.iter().enumerate().map(|(vertex, &solve)| {
        let given = draft.normals.get(vertex).copied().unwrap_or_default();
        let computed = smooth.get(solve as usize).copied().unwrap_or(Vec3::Y);
        math::unit_or(given, computed)
    });
    let render = RenderMesh {
        normals: normals.collect(),
        positions: mesh.positions().to_vec(),
        uvs: draft.uvs,
        colors: draft.colors,
        triangles: mesh.triangles().to_vec(),
        parts: draft.parts,
    };
    Ok(Asset {
        name: draft.name,
        mesh: welded.mesh,
        render,
        solve_from_render: welded.solve_from_render,
        materials: draft.materials.into_iter().map(plain_material).collect(),
        ..Asset::default()
    })
}

/// A mesh all of whose triangles fell together in welding has nothing to bind.
///
/// # Errors
/// [`ErrorCode::NoMesh`].
pub(super) fn refuse_flat(welded: &Mesh) -> Result<(), ReadError> {
    if !welded.triangles().is_empty() {
        return Ok(());
    }
    let error = ReadError::new(ErrorCode::NoMesh, "", "all triangles of this file have collapsed");
    Err(error.hint("export it again at a larger scale or with more digits"))
}

/// White, and seen from both sides: these formats know no back faces.
fn plain_material(name: String) -> Material {
    Material { name, base_color: Vec4::ONE, texture: None, double_sided: true, alpha: Alpha::Opaque }
}

/// A file's name without folders and extension.
pub(super) fn stem(file: &File) -> &str {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A colour as tools store it (sRGB, 0 to 1) as linear RGBA. Alpha is linear already.
pub(super) fn linear_color(srgb: Vec4) -> Vec4 {
    let to_linear = |c: f32| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    let c = srgb.clamp(Vec4::ZERO, Vec4::ONE);
    Vec4::new(to_linear(c.x), to_linear(c.y), to_linear(c.z), c.w)
}
