//! Decoded images of the textures of a character.

use std::sync::Arc;

use super::changes::SharedChanges;
use super::scene::Scene;

/// A decoded image.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// sRGB and straight alpha, row by row from the top.
    pub pixels: Vec<[u8; 4]>,
}

/// Decoded images by texture of the asset; none until they arrive.
#[derive(Clone, Debug, Default)]
pub(super) struct Textures {
    images: Vec<Option<Arc<Image>>>,
}

impl Textures {
    /// Drops all images; another asset has `count` textures.
    pub(super) fn reset(&mut self, count: usize) {
        self.images = vec![None; count];
    }
}

impl Scene {
    /// Sets the decoded image of a texture; whether there is such a texture and the image is complete.
    pub fn set_texture(&mut self, index: usize, image: Image) -> bool {
        let is_complete = image.pixels.len() == image.width as usize * image.height as usize;
        is_complete && image.width > 0 && self.set_image(index, Arc::new(image))
    }

    /// Sets an image that was shown before; whether there is such a texture.
    pub fn set_image(&mut self, index: usize, image: Arc<Image>) -> bool {
        let found = self.textures.images.get_mut(index).map(|slot| *slot = Some(image)).is_some();
        self.change(SharedChanges { textures: found, ..SharedChanges::default() });
        found
    }

    /// Decoded images by texture.
    pub fn images(&self) -> &[Option<Arc<Image>>] {
        &self.textures.images
    }
}
