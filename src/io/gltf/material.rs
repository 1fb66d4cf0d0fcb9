//! Reads base colours and their images; the viewer uses no other material properties.

use glam::Vec4;

use super::accessor::view_bytes;
use super::schema::{Image, Material as SourceMaterial};
use super::{Loaded, buffers, data_uri, warn};
use crate::io::File;
use crate::model::{Alpha, Material, Texture};
use crate::report::Report;

/// The materials and images of a document.
pub(super) struct Materials {
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    /// Images that are separate files, by image index.
    pub external_images: Vec<(usize, Texture)>,
}

pub(super) fn read(loaded: &Loaded, others: &[File], report: &mut Report) -> Materials {
    let document = &loaded.document;
    let mut materials =
        Materials { materials: Vec::new(), textures: Vec::new(), external_images: Vec::new() };
    let mut texture_of_image: Vec<Option<usize>> = vec![None; document.images.len()];
    for (index, image) in document.images.iter().enumerate() {
        if let Some(file) = image.uri.as_deref().and_then(|uri| buffers::file_for(uri, others)) {
            materials
                .external_images
                .push((index, Texture { mime: mime_of(image, &file.bytes), bytes: file.bytes.clone() }));
        }
    }
    for material in &document.materials {
        let image = material
            .pbr_metallic_roughness
            .base_color_texture
            .as_ref()
            .and_then(|texture| document.textures.get(texture.index)?.source)
            .filter(|&image| image < document.images.len());
        let texture = image.and_then(|image| {
            if texture_of_image[image].is_none() {
                let decoded = image_bytes(loaded, image, &materials.external_images);
                if decoded.is_none() {
                    warn(
                        report,
                        format!("images[{image}]"),
                        "its bytes are missing; the material is drawn without a texture",
                    );
                }
                texture_of_image[image] = decoded.map(|texture| {
                    materials.textures.push(texture);
                    materials.textures.len() - 1
                });
            }
            texture_of_image[image]
        });
        materials.materials.push(material_of(material, texture, materials.materials.len()));
    }
    materials
}

fn material_of(material: &SourceMaterial, texture: Option<usize>, index: usize) -> Material {
    Material {
        name: material.name.clone().unwrap_or_else(|| format!("material {index}")),
        base_color: material.pbr_metallic_roughness.base_color_factor.map_or(Vec4::ONE, Vec4::from_array),
        texture,
        double_sided: material.double_sided,
        alpha: match material.alpha_mode.as_deref() {
            Some("MASK") => Alpha::Mask(material.alpha_cutoff.unwrap_or(0.5)),
            Some("BLEND") => Alpha::Blend,
            _ => Alpha::Opaque,
        },
    }
}

fn image_bytes(loaded: &Loaded, index: usize, external_images: &[(usize, Texture)]) -> Option<Texture> {
    let image = &loaded.document.images[index];
    if let Some((_, texture)) = external_images.iter().find(|(image, _)| *image == index) {
        return Some(texture.clone());
    }
    let bytes = match (image.buffer_view, &image.uri) {
        (Some(view), _) => view_bytes(&loaded.document, &loaded.buffers, view, "images").ok()?.to_vec(),
        (None, Some(uri)) => data_uri::decode(uri)?.1,
        (None, None) => return None,
    };
    Some(Texture { mime: mime_of(image, &bytes), bytes })
}

/// The media type: as declared, else by the first bytes of the image.
fn mime_of(image: &Image, bytes: &[u8]) -> String {
    let sniffed = match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [b'R', b'I', b'F', b'F', ..] => "image/webp",
        _ => "image/jpeg",
    };
    image.mime_type.clone().unwrap_or_else(|| sniffed.to_owned())
}
