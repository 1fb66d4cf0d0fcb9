//! Texture coordinates as the base colour texture of a material uses them.
//!
//! Input: the set of coordinates and the `KHR_texture_transform` of the texture. Output:
//! transformed coordinates, so that the viewer needs no transforms. The document stays as it is.

use glam::{Affine2, Vec2};

use super::schema::{Attributes, Document, TextureTransform};

/// Which texture coordinates a primitive uses, and their transform.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Uvs {
    /// The accessor.
    pub accessor: Option<usize>,
    texture_from_uv: Affine2,
}

impl Uvs {
    /// Those of a primitive with a material.
    pub fn of(document: &Document, attributes: &Attributes, material: Option<usize>) -> Self {
        let texture = material
            .and_then(|material| document.materials.get(material))
            .and_then(|material| material.pbr_metallic_roughness.base_color_texture.as_ref());
        let transform = texture.and_then(|texture| texture.extensions.transform);
        let set = texture.map_or(0, |texture| texture.tex_coord);
        let set = transform.and_then(|transform| transform.tex_coord).unwrap_or(set);
        let texture_from_uv = transform.as_ref().map_or(Affine2::IDENTITY, texture_from_uv);
        let is_usable = texture_from_uv.is_finite();
        Self {
            accessor: attributes.uv(set).or_else(|| attributes.uv(0)),
            texture_from_uv: if is_usable { texture_from_uv } else { Affine2::IDENTITY },
        }
    }

    /// The coordinates in the texture.
    pub fn transform(&self, uv: Vec2) -> Vec2 {
        // Coordinates without a transform keep their bits.
        if self.texture_from_uv == Affine2::IDENTITY { uv } else { self.texture_from_uv.transform_point2(uv) }
    }

    /// The bits of the transform, to compare it.
    pub fn bits(&self) -> [u32; 6] {
        self.texture_from_uv.to_cols_array().map(f32::to_bits)
    }
}

/// Translation after rotation after scale. The v axis points down, so the rotation is negative.
fn texture_from_uv(transform: &TextureTransform) -> Affine2 {
    let scale = Vec2::from_array(transform.scale.unwrap_or([1.0; 2]));
    let offset = Vec2::from_array(transform.offset);
    Affine2::from_scale_angle_translation(scale, -transform.rotation, offset)
}
