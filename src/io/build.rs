//! Builds an [`Asset`] from a mesh file that has no scene (OBJ, PLY, STL).
//!
//! Input: [`MeshData`]. Output: an asset with a welded solve mesh, a unit normal for every render
//! vertex, and no source document. Cost: linear in vertices and triangles.

use std::ops::Range;

use glam::{DAffine3, Vec2, Vec3, Vec4};

use super::{ErrorCode, File, ReadError};
use crate::math;
use crate::model::{Alpha, Asset, Attachment, Material, Mesh, Part, RenderMesh, Sampler};
use crate::operators::{vertex_normals, weld};

/// The content of a mesh file.
#[derive(Debug, Default)]
pub(super) struct MeshData {
    /// Display name of the asset.
    pub name: String,
    /// One per vertex.
    pub positions: Vec<Vec3>,
    /// One per vertex, of any length, or empty. Zero where the file has no usable normal.
    pub normals: Vec<Vec3>,
    /// One per vertex, or empty. The origin is the upper left corner of the image, as in glTF.
    pub uvs: Vec<Vec2>,
    /// One linear RGBA colour per vertex, or empty.
    pub colors: Vec<Vec4>,
    /// Three vertex indices each.
    pub triangles: Vec<[u32; 3]>,
    /// Their ranges cover all vertices and triangles without gaps.
    pub parts: Vec<Part>,
    /// Names of the materials. These formats store nothing else about them, or store it in another
    /// file.
    pub materials: Vec<String>,
}

/// A skinned part whose coordinates are in rest space already.
pub(super) fn skinned_part(
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
        ReadError::new(ErrorCode::TooLarge, "", format!("{n} elements exceed the range of 32-bit indices"))
    })
}

/// Checks the data, welds the vertices, and computes missing normals.
///
/// # Errors
/// [`ErrorCode::NoMesh`] if there are no triangles; [`ErrorCode::Malformed`] if an index or a
/// position is not usable.
pub(super) fn build(data: MeshData) -> Result<Asset, ReadError> {
    if data.triangles.is_empty() {
        let error = ReadError::new(ErrorCode::NoMesh, "", "the file contains no triangles");
        return Err(error.hint("export the surface as a mesh, not as points, curves or lines"));
    }
    let mesh = Mesh::new(data.positions, data.triangles)
        .map_err(|error| ReadError::new(ErrorCode::Malformed, "", error.to_string()))?;
    let welded = weld(mesh.positions(), mesh.triangles());
    check_not_degenerate(&welded.mesh)?;
    let smooth = vertex_normals(&welded.mesh);
    let normals = welded.solve_from_render.iter().enumerate().map(|(vertex, &solve)| {
        let given = data.normals.get(vertex).copied().unwrap_or_default();
        let computed = smooth.get(solve as usize).copied().unwrap_or(Vec3::Y);
        math::unit_or(given, computed)
    });
    let render = RenderMesh {
        normals: normals.collect(),
        positions: mesh.positions().to_vec(),
        uvs: data.uvs,
        colors: data.colors,
        triangles: mesh.triangles().to_vec(),
        parts: data.parts,
    };
    Ok(Asset {
        name: data.name,
        mesh: welded.mesh,
        render,
        solve_from_render: welded.solve_from_render,
        materials: data.materials.into_iter().map(plain_material).collect(),
        ..Asset::default()
    })
}

/// Rejects a mesh whose triangles have all become degenerate by welding.
///
/// # Errors
/// [`ErrorCode::NoMesh`].
pub(super) fn check_not_degenerate(welded: &Mesh) -> Result<(), ReadError> {
    if !welded.triangles().is_empty() {
        return Ok(());
    }
    let error = ReadError::new(ErrorCode::NoMesh, "", "all triangles of the file are degenerate");
    Err(error.hint("export it again at a larger scale or with more digits"))
}

/// A white, double-sided material. These formats have no back-face culling.
fn plain_material(name: String) -> Material {
    Material {
        name,
        base_color: Vec4::ONE,
        texture: None,
        sampler: Sampler::default(),
        double_sided: true,
        alpha: Alpha::Opaque,
        unlit: false,
    }
}

/// The name of a file without folders and extension.
pub(super) fn stem(file: &File) -> &str {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Converts an sRGB colour (components from 0 to 1) to linear RGBA. Alpha is linear already.
pub(super) fn linear_color(srgb: Vec4) -> Vec4 {
    let to_linear = |c: f32| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    let c = srgb.clamp(Vec4::ZERO, Vec4::ONE);
    Vec4::new(to_linear(c.x), to_linear(c.y), to_linear(c.z), c.w)
}
