//! Points of the skin that an alpha mask leaves out.

use std::sync::Arc;

use glam::Vec2;

use super::textures::Image;
use crate::model::{Alpha, Asset};
use crate::operators::bvh::Hit;

/// Whether the material leaves out the point of a hit. An image that is not decoded yet leaves out
/// nothing.
pub(super) fn is_cut_out(asset: &Asset, images: &[Option<Arc<Image>>], hit: &Hit) -> bool {
    let render = &asset.render;
    let triangle = hit.triangle as u32;
    let part = render.parts.iter().find(|part| part.triangles.contains(&triangle));
    let material = part.and_then(|part| asset.materials.get(part.material?));
    let Some((material, cutoff)) = material.and_then(|material| match material.alpha {
        Alpha::Mask(cutoff) => Some((material, cutoff)),
        Alpha::Opaque | Alpha::Blend => None,
    }) else {
        return false;
    };
    let corners = render.triangles[hit.triangle].map(|corner| corner as usize);
    let shares = corners.into_iter().zip(hit.barycentric.to_array());
    let uv: Vec2 =
        shares.clone().map(|(i, share)| share * render.uvs.get(i).copied().unwrap_or_default()).sum();
    let tint: f32 = shares.map(|(i, share)| share * render.colors.get(i).map_or(1.0, |color| color.w)).sum();
    let image = material.texture.and_then(|texture| images.get(texture)?.as_deref());
    image.map_or(1.0, |image| alpha_at(image, uv)) * tint * material.base_color.w < cutoff
}

/// The alpha of the texel at texture coordinates, which repeat.
fn alpha_at(image: &Image, uv: Vec2) -> f32 {
    let texel = |share: f32, count: u32| ((share.rem_euclid(1.0) * count as f32) as u32).min(count - 1);
    let (x, y) = (texel(uv.x, image.width), texel(uv.y, image.height));
    f32::from(image.pixels[(y * image.width + x) as usize][3]) / 255.0
}
