//! Chooses the image of each texture.

use super::{Loaded, image, warn};
use crate::model::Texture;
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
        let found = source.images().find_map(|image| self.image(image));
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

    /// All images that were read.
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
