//! Chooses the image of each texture, and how it is sampled.

use serde_json::Value;

use super::schema::{Texture as TextureSource, TextureSampler};
use super::{Loaded, image, warn};
use crate::model::{Filter, Sampler, Texture, Wrap};
use crate::report::Report;

/// The images that materials use, each read once.
pub(super) struct Textures<'a> {
    loaded: &'a Loaded,
    /// Images that are separate files, by image index.
    external_images: &'a [(usize, Texture)],
    images: Vec<Texture>,
    /// Index into `images` by image of the document. None if its bytes are missing.
    of_image: Vec<Option<Option<usize>>>,
    /// The same by texture of the document.
    of_texture: Vec<Option<Option<usize>>>,
}

impl<'a> Textures<'a> {
    pub fn new(loaded: &'a Loaded, external_images: &'a [(usize, Texture)]) -> Self {
        Self {
            loaded,
            external_images,
            images: Vec::new(),
            of_image: vec![None; loaded.document.images.len()],
            of_texture: vec![None; loaded.document.textures.len()],
        }
    }

    /// The index of the image that a texture shows. A texture without one gives a warning.
    pub fn read(&mut self, texture: usize, report: &mut Report) -> Option<usize> {
        let Some(source) = self.loaded.document.textures.get(texture) else {
            warn(report, format!("textures[{texture}]"), "it does not exist; the plain colour is shown");
            return None;
        };
        if let Some(known) = self.of_texture[texture] {
            return known;
        }
        let all: Vec<usize> = source.images().filter_map(|image| self.image(image)).collect();
        for pair in all.windows(2) {
            self.images[pair[0]].fallback.get_or_insert(pair[1]);
        }
        let found = all.first().copied();
        if found.is_none() {
            let what = match source.images().next() {
                Some(image) => format!("the bytes of images[{image}] are missing; the plain colour is shown"),
                None => "it has no image of a known format; the plain colour is shown".to_owned(),
            };
            warn(report, format!("textures[{texture}]"), what);
        }
        self.of_texture[texture] = Some(found);
        found
    }

    /// How a texture is sampled.
    pub fn sampler(&self, texture: usize) -> Sampler {
        let document = &self.loaded.document;
        let index = document.textures.get(texture).and_then(TextureSource::sampler);
        index.and_then(|index| document.samplers.get(index)).map_or_else(Sampler::default, sampler_of)
    }

    /// All images that were read. Those of materials may have others as fallbacks.
    pub fn finish(self) -> Vec<Texture> {
        self.images
    }

    fn image(&mut self, index: usize) -> Option<usize> {
        let known = self.of_image.get(index)?;
        if let Some(known) = known {
            return *known;
        }
        let found = image::read(self.loaded, index, self.external_images).map(|image| {
            self.images.push(image);
            self.images.len() - 1
        });
        self.of_image[index] = Some(found);
        found
    }
}

/// Unknown constants give the default.
fn sampler_of(source: &TextureSampler) -> Sampler {
    let wrap = |constant: &Value| match constant.as_u64() {
        Some(33071) => Wrap::ClampToEdge,
        Some(33648) => Wrap::MirroredRepeat,
        _ => Wrap::Repeat,
    };
    let (min, mipmap) = match source.min_filter.as_u64() {
        Some(9728) => (Filter::Nearest, None),
        Some(9729) => (Filter::Linear, None),
        Some(9984) => (Filter::Nearest, Some(Filter::Nearest)),
        Some(9985) => (Filter::Linear, Some(Filter::Nearest)),
        Some(9986) => (Filter::Nearest, Some(Filter::Linear)),
        _ => (Filter::Linear, Some(Filter::Linear)),
    };
    Sampler {
        wrap: [wrap(&source.wrap_s), wrap(&source.wrap_t)],
        mag: if source.mag_filter.as_u64() == Some(9728) { Filter::Nearest } else { Filter::Linear },
        min,
        mipmap,
    }
}
