//! Encoded images and their media types.

use super::accessor::view_bytes;
use super::schema::Image;
use super::{Loaded, data_uri};
use crate::model::Texture;

/// The image of a document; none if its bytes are missing. `external` are those of separate files.
pub(super) fn read(loaded: &Loaded, index: usize, external: &[(usize, Texture)]) -> Option<Texture> {
    let image = loaded.document.images.get(index)?;
    if let Some((_, texture)) = external.iter().find(|(image, _)| *image == index) {
        return Some(texture.clone());
    }
    let bytes = match (image.buffer_view, &image.uri) {
        (Some(view), _) => view_bytes(&loaded.document, &loaded.buffers, view, "images").ok()?.to_vec(),
        (None, Some(uri)) => data_uri::decode(uri)?.1,
        (None, None) => return None,
    };
    Some(texture(index, image, bytes))
}

/// The image with this index, encoded as `bytes`.
pub(super) fn texture(index: usize, image: &Image, bytes: Vec<u8>) -> Texture {
    let name = image.name.as_ref().filter(|name| !name.is_empty());
    let place = name.map_or_else(|| format!("images[{index}]"), |name| format!("images[{index}] \"{name}\""));
    let declared = || image.mime_type.clone().unwrap_or_else(|| "image/jpeg".to_owned());
    let mime = media_type(&bytes).map_or_else(declared, str::to_owned);
    Texture { place, mime, bytes, fallback: None }
}

/// The media type by the first bytes. Files often declare another one, or none.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => "image/avif",
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, b'\r', b'\n', 0x1a, b'\n', ..] => "image/ktx2",
        _ => return None,
    })
}
