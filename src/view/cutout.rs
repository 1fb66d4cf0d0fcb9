//! Points of the skin that an alpha mask leaves out.

use std::sync::Arc;

use glam::Vec2;

use super::textures::Image;
use crate::model::{Alpha, Asset, Wrap};
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
    image.map_or(1.0, |image| alpha_at(image, material.sampler.wrap, uv)) * tint * material.base_color.w
        < cutoff
}

/// The alpha of the texel at texture coordinates.
fn alpha_at(image: &Image, wrap: [Wrap; 2], uv: Vec2) -> f32 {
    let texel = |share: f32, count: u32| ((share * count as f32) as u32).min(count - 1);
    let x = texel(wrap[0].inside(uv.x), image.width);
    let y = texel(wrap[1].inside(uv.y), image.height);
    f32::from(image.pixels[(y * image.width + x) as usize][3]) / 255.0
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, Vec3, Vec4};

    use super::*;
    use crate::model::{Attachment, Material, Part, RenderMesh, Sampler};

    /// A triangle whose image is transparent in its left half.
    fn masked(alpha: Alpha) -> (Asset, Arc<Image>) {
        let part = Part {
            name: String::new(),
            vertices: 0..3,
            triangles: 0..1,
            material: Some(0),
            attachment: Attachment::Skinned { skin: None },
            rest_from_primitive: DAffine3::IDENTITY,
        };
        let material = Material {
            name: String::new(),
            base_color: Vec4::ONE,
            texture: Some(0),
            sampler: Sampler::default(),
            double_sided: true,
            alpha,
            unlit: false,
        };
        let render = RenderMesh {
            uvs: vec![Vec2::ZERO, Vec2::X, Vec2::Y],
            triangles: vec![[0, 1, 2]],
            parts: vec![part],
            ..RenderMesh::default()
        };
        let asset = Asset { render, materials: vec![material], ..Asset::default() };
        (asset, Arc::new(Image { width: 2, height: 1, pixels: vec![[255, 255, 255, 0], [255; 4]] }))
    }

    fn hit_at(u: f32) -> Hit {
        Hit { along: 1.0, triangle: 0, barycentric: Vec3::new(0.8 - u, u, 0.2), leaves: false }
    }

    #[test]
    fn a_mask_leaves_out_what_its_image_does() {
        let (asset, image) = masked(Alpha::Mask(0.5));
        let images = [Some(image)];
        assert!(is_cut_out(&asset, &images, &hit_at(0.25)));
        assert!(!is_cut_out(&asset, &images, &hit_at(0.75)));
        assert!(!is_cut_out(&asset, &[None], &hit_at(0.25)), "the image has not arrived yet");
    }

    #[test]
    fn a_mask_uses_the_alpha_of_the_material_and_of_vertices() {
        let (mut asset, image) = masked(Alpha::Mask(0.5));
        let images = [Some(image)];
        asset.materials[0].base_color.w = 0.4;
        assert!(is_cut_out(&asset, &images, &hit_at(0.75)));
        asset.materials[0].base_color.w = 1.0;
        asset.render.colors = vec![Vec4::new(1.0, 1.0, 1.0, 0.4); 3];
        assert!(is_cut_out(&asset, &images, &hit_at(0.75)));
    }

    #[test]
    fn a_mask_outside_of_its_image_goes_on_as_the_sampler_says() {
        let (mut asset, image) = masked(Alpha::Mask(0.5));
        asset.render.uvs = vec![Vec2::ZERO, Vec2::new(4.0, 0.0), Vec2::Y];
        let images = [Some(image)];
        // At 1.4 and 1.8 images to the right.
        for (wrap, expected) in [
            (Wrap::Repeat, [true, false]),
            (Wrap::MirroredRepeat, [false, true]),
            (Wrap::ClampToEdge, [false, false]),
        ] {
            asset.materials[0].sampler.wrap[0] = wrap;
            assert_eq!([0.35, 0.45].map(|u| is_cut_out(&asset, &images, &hit_at(u))), expected);
        }
    }

    #[test]
    fn other_materials_leave_out_nothing() {
        for alpha in [Alpha::Opaque, Alpha::Blend] {
            let (asset, image) = masked(alpha);
            assert!(!is_cut_out(&asset, &[Some(image)], &hit_at(0.25)));
        }
    }
}
