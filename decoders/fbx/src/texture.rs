//! Finds the images of textures, embedded or among the sibling files.

use std::collections::BTreeMap;

use crate::Sibling;
use crate::base64;
use crate::error::Warnings;
use crate::glb::Glb;
use crate::json::Json;
use crate::objects::Objects;
use crate::properties::Properties;

/// First bytes of the image formats that glTF allows.
const FORMATS: [(&[u8], &str); 2] = [(b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg")];

/// `REPEAT` and `CLAMP_TO_EDGE` of glTF.
const REPEAT: usize = 10497;
const CLAMP: usize = 33071;

/// Adds the textures that materials refer to.
pub(crate) struct Textures<'t> {
    siblings: &'t [Sibling<'t>],
    /// The glTF texture of each texture object. None if it has no image that can be shown.
    known: BTreeMap<usize, Option<usize>>,
    /// The glTF image of each source, by lower-case file name.
    images: BTreeMap<String, Option<usize>>,
}

impl<'t> Textures<'t> {
    pub(crate) fn new(siblings: &'t [Sibling<'t>]) -> Self {
        Self { siblings, known: BTreeMap::new(), images: BTreeMap::new() }
    }

    /// A texture reference to an object, with its UV transform.
    pub(crate) fn reference(
        &mut self,
        objects: &Objects<'_>,
        texture: usize,
        glb: &mut Glb,
        warnings: &mut Warnings,
    ) -> Option<Json> {
        let index = match self.known.get(&texture) {
            Some(known) => *known,
            None => {
                let index = self.add(objects, texture, glb, warnings);
                self.known.insert(texture, index);
                index
            }
        }?;
        let mut reference = Json::Object(vec![("index", Json::Int(index))]);
        if objects.get(texture).is_some_and(|object| is_rotated(&object.properties)) {
            let name = file_name(objects, texture).unwrap_or_default();
            warnings.add(format!("texture \"{name}\""), "it is rotated on the surface, which is not shown");
        }
        if let Some(transform) = objects.get(texture).and_then(|object| uv_transform(&object.properties)) {
            if !glb.extensions_used.contains(&"KHR_texture_transform") {
                glb.extensions_used.push("KHR_texture_transform");
            }
            reference.push("extensions", Json::Object(vec![("KHR_texture_transform", transform)]));
        }
        Some(reference)
    }

    fn add(
        &mut self,
        objects: &Objects<'_>,
        texture: usize,
        glb: &mut Glb,
        warnings: &mut Warnings,
    ) -> Option<usize> {
        let name = file_name(objects, texture)?;
        let key = name.to_ascii_lowercase();
        let image = match self.images.get(&key) {
            Some(image) => *image,
            None => {
                let image = self.add_image(objects, texture, &name, glb, warnings);
                self.images.insert(key, image);
                image
            }
        }?;
        let mut texture_json = vec![("source", Json::Int(image))];
        texture_json.extend(sampler(objects, texture, glb).map(|sampler| ("sampler", Json::Int(sampler))));
        glb.textures.push(Json::Object(texture_json));
        Some(glb.textures.len() - 1)
    }

    fn add_image(
        &self,
        objects: &Objects<'_>,
        texture: usize,
        name: &str,
        glb: &mut Glb,
        warnings: &mut Warnings,
    ) -> Option<usize> {
        let place = format!("texture \"{name}\"");
        let embedded = embedded_image(objects, texture);
        let sibling = || self.siblings.iter().find(|file| base_name(file.name).eq_ignore_ascii_case(name));
        let Some(bytes) = embedded.as_deref().or_else(|| sibling().map(|file| file.bytes)) else {
            warnings.add(place, "the file is missing; add it to the files to open");
            return None;
        };
        let Some((_, media_type)) = FORMATS.iter().find(|(magic, _)| bytes.starts_with(magic)) else {
            let extension = name.rsplit_once('.').map_or("unknown", |(_, extension)| extension);
            warnings.add(place, format!("images of the format {extension} are not shown; use PNG or JPEG"));
            return None;
        };
        let view = glb.add_view(bytes, None);
        glb.images.push(Json::Object(vec![
            ("name", Json::text(name)),
            ("mimeType", Json::text(*media_type)),
            ("bufferView", Json::Int(view)),
        ]));
        Some(glb.images.len() - 1)
    }
}

/// The file name of a texture, without folders.
pub(crate) fn file_name(objects: &Objects<'_>, texture: usize) -> Option<String> {
    let videos = objects.sources_of_class(texture, "Video");
    let names = ["RelativeFilename", "FileName", "Filename"];
    let object_names = std::iter::once(texture).chain(videos).filter_map(|index| {
        let node = objects.get(index)?.node;
        names.iter().filter_map(|name| node.child_text(name)).find(|name| !base_name(name).is_empty())
    });
    let mut object_names = object_names;
    let name = object_names.next().map(|name| base_name(&name).to_owned());
    name.or_else(|| objects.get(texture).map(|object| object.name.clone()))
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The image stored in the file. Text files store it as base64.
fn embedded_image(objects: &Objects<'_>, texture: usize) -> Option<Vec<u8>> {
    let videos = objects.sources_of_class(texture, "Video");
    videos.into_iter().filter_map(|video| objects.get(video)?.node.child("Content")).find_map(|content| {
        let parts = (0..content.values.len()).filter_map(|index| content.bytes(index));
        let bytes = parts.collect::<Vec<_>>().concat();
        let is_image = |bytes: &[u8]| FORMATS.iter().any(|(magic, _)| bytes.starts_with(magic));
        let decoded = if is_image(&bytes) { bytes } else { base64::decode(&bytes).unwrap_or(bytes) };
        (!decoded.is_empty()).then_some(decoded)
    })
}

/// The sampler of a texture that does not repeat.
fn sampler(objects: &Objects<'_>, texture: usize, glb: &mut Glb) -> Option<usize> {
    let properties = &objects.get(texture)?.properties;
    let wrap = |name| if properties.int(name) == Some(1) { CLAMP } else { REPEAT };
    let (u, v) = (wrap("WrapModeU"), wrap("WrapModeV"));
    if (u, v) == (REPEAT, REPEAT) {
        return None;
    }
    glb.samplers.push(Json::Object(vec![("wrapS", Json::Int(u)), ("wrapT", Json::Int(v))]));
    Some(glb.samplers.len() - 1)
}

/// Whether texture coordinates are rotated.
fn is_rotated(properties: &Properties<'_>) -> bool {
    properties.vec3("Rotation").is_some_and(|rotation| rotation != glam::DVec3::ZERO)
}

/// The UV transform of a texture, unless it is the identity. V points up in FBX and down in glTF.
fn uv_transform(properties: &Properties<'_>) -> Option<Json> {
    let translation = properties.vec3("Translation").unwrap_or_default();
    let scale = properties.vec3("Scaling").unwrap_or(glam::DVec3::ONE);
    let is_trivial = translation.truncate() == glam::DVec2::ZERO && scale.truncate() == glam::DVec2::ONE;
    if is_trivial {
        return None;
    }
    let offset = [translation.x, 1.0 - scale.y - translation.y];
    Some(Json::Object(vec![("offset", Json::numbers(offset)), ("scale", Json::numbers([scale.x, scale.y]))]))
}
