//! Reads base colours and their images; the viewer uses no other material properties.

use glam::Vec4;

use super::schema::Material as SourceMaterial;
use super::texture::Textures;
use super::{Loaded, buffers, image};
use crate::io::File;
use crate::model::{Alpha, Material, Sampler, Texture};
use crate::report::Report;

/// The materials and images of a document.
pub(super) struct Materials {
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    /// Images that are separate files, by image index.
    pub external_images: Vec<(usize, Texture)>,
}

pub(super) fn read(loaded: &Loaded, others: &[File], report: &mut Report) -> Materials {
    let external_images = external_images(loaded, others);
    let mut textures = Textures::new(loaded, &external_images);
    let mut materials = Vec::with_capacity(loaded.document.materials.len());
    for material in &loaded.document.materials {
        let reference = material.pbr_metallic_roughness.base_color_texture.as_ref();
        let texture = reference.and_then(|reference| textures.read(reference.index, report));
        let sampler = reference.map_or_else(Sampler::default, |reference| textures.sampler(reference.index));
        materials.push(material_of(material, texture, sampler, materials.len()));
    }
    Materials { materials, textures: textures.finish(), external_images }
}

fn external_images(loaded: &Loaded, others: &[File]) -> Vec<(usize, Texture)> {
    let images = loaded.document.images.iter().enumerate();
    let found = images.filter_map(|(index, source)| {
        let file = buffers::file_for(source.uri.as_deref()?, others)?;
        Some((index, image::texture(index, source, file.bytes.clone())))
    });
    found.collect()
}

fn material_of(
    material: &SourceMaterial,
    texture: Option<usize>,
    sampler: Sampler,
    index: usize,
) -> Material {
    Material {
        name: material.name.clone().unwrap_or_else(|| format!("material {index}")),
        base_color: material.pbr_metallic_roughness.base_color_factor.map_or(Vec4::ONE, Vec4::from_array),
        texture,
        sampler,
        double_sided: material.double_sided,
        alpha: match material.alpha_mode.as_deref() {
            Some("MASK") => Alpha::Mask(material.alpha_cutoff.unwrap_or(0.5)),
            Some("BLEND") => Alpha::Blend,
            _ => Alpha::Opaque,
        },
        unlit: material.extensions.unlit.is_some(),
    }
}
