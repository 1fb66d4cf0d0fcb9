//! Converts materials to the metallic-roughness model of glTF.

use glam::DVec3;

use crate::error::Warnings;
use crate::glb::Glb;
use crate::json::Json;
use crate::objects::Objects;
use crate::properties::Properties;
use crate::texture::{self, Textures};

/// Names of the base colour: classic, 3ds Max physical, Stingray and Arnold.
const BASE_COLORS: [&str; 5] = [
    "3dsMax|Parameters|base_color",
    "3dsMax|main|basecolor",
    "Maya|base_color",
    "Maya|baseColor",
    "DiffuseColor",
];
const BASE_TEXTURES: [&str; 7] = [
    "DiffuseColor",
    "3dsMax|Parameters|base_color_map",
    "3dsMax|main|base_color_map",
    "Maya|TEX_color_map",
    "Maya|baseColor",
    "Maya|DiffuseTexture",
    "Diffuse",
];
const NORMAL_TEXTURES: [&str; 5] = [
    "NormalMap",
    "Maya|TEX_normal_map",
    "Maya|normalCamera",
    "3dsMax|Parameters|bump_map",
    "3dsMax|main|norm_map",
];
const EMISSIVE_TEXTURES: [&str; 4] =
    ["EmissiveColor", "Maya|TEX_emissive_map", "Maya|emissionColor", "3dsMax|Parameters|emit_color_map"];
const OPACITY_TEXTURES: [&str; 4] = ["TransparentColor", "TransparencyFactor", "Opacity", "Maya|opacity"];
/// Textures that glTF wants in the channels of one image, which is not made.
const SURFACE_TEXTURES: [&str; 6] = [
    "3dsMax|Parameters|roughness_map",
    "3dsMax|Parameters|metalness_map",
    "Maya|TEX_roughness_map",
    "Maya|TEX_metallic_map",
    "Maya|specularRoughness",
    "Maya|metalness",
];
const ROUGHNESS: [&str; 4] =
    ["3dsMax|Parameters|roughness", "3dsMax|main|roughness", "Maya|roughness", "Maya|specularRoughness"];
const METALNESS: [&str; 4] =
    ["3dsMax|Parameters|metalness", "3dsMax|main|metalness", "Maya|metallic", "Maya|metalness"];

/// Roughness of materials that declare neither roughness nor shininess.
const DEFAULT_ROUGHNESS: f64 = 0.8;

/// The texture objects of a material.
struct Slots {
    base: Option<usize>,
    normal: Option<usize>,
    emissive: Option<usize>,
    opacity: Option<usize>,
}

impl Slots {
    /// Finds them. `model_texture` is the texture of the model in version 6.
    fn find(
        objects: &Objects<'_>,
        material: usize,
        model_texture: Option<usize>,
        warnings: &mut Warnings,
    ) -> Self {
        let find = |names: &[&str]| find_texture(objects, material, names);
        let normal = find(&NORMAL_TEXTURES);
        Self {
            base: find(&BASE_TEXTURES).or(model_texture),
            normal: normal.or_else(|| bump_that_is_normal(objects, material, warnings)),
            emissive: find(&EMISSIVE_TEXTURES),
            opacity: find(&OPACITY_TEXTURES),
        }
    }

    /// Whether opacity is the alpha of the colour texture, the only place that glTF has for it.
    fn has_alpha(&self, objects: &Objects<'_>) -> bool {
        self.opacity.is_some() && self.base.is_some() && shares_file(objects, self.opacity, self.base)
    }
}

/// Writes a material. `model_texture` is the texture of the model in version 6.
pub(crate) fn write(
    objects: &Objects<'_>,
    material: usize,
    model_texture: Option<usize>,
    textures: &mut Textures<'_>,
    glb: &mut Glb,
    warnings: &mut Warnings,
) -> Option<usize> {
    let object = objects.get(material)?;
    let properties = &object.properties;
    let slots = Slots::find(objects, material, model_texture, warnings);
    let mut reference = |texture: Option<usize>| textures.reference(objects, texture?, glb, warnings);
    let base = reference(slots.base);
    let (normal, emissive) = (reference(slots.normal), reference(slots.emissive));
    let has_alpha = slots.has_alpha(objects) && base.is_some();
    let alpha = opacity_factor(properties);
    let emission = if emissive.is_some() { DVec3::ONE } else { emissive_color(properties) };
    let mut json = Json::Object(vec![
        ("name", Json::text(&object.name)),
        ("pbrMetallicRoughness", surface(properties, alpha, base)),
    ]);
    if emission != DVec3::ZERO {
        json.push("emissiveFactor", Json::numbers(emission.to_array()));
    }
    for (name, texture) in [("normalTexture", normal), ("emissiveTexture", emissive)] {
        texture.into_iter().for_each(|texture| json.push(name, texture));
    }
    if alpha < 1.0 || has_alpha {
        json.push("alphaMode", Json::text("BLEND"));
        json.push("doubleSided", Json::Bool(true));
    }
    warn_of_unused_textures(objects, material, slots.opacity.is_some() && !has_alpha, warnings);
    glb.materials.push(json);
    Some(glb.materials.len() - 1)
}

/// Colour, metalness and roughness. A texture replaces the colour.
fn surface(properties: &Properties<'_>, alpha: f64, texture: Option<Json>) -> Json {
    let color = if texture.is_some() { DVec3::ONE } else { base_color(properties) };
    let metalness = first_float(properties, &METALNESS).unwrap_or(0.0).clamp(0.0, 1.0);
    let mut surface = Json::Object(vec![
        ("baseColorFactor", Json::numbers([color.x, color.y, color.z, alpha])),
        ("metallicFactor", Json::Number(metalness)),
        ("roughnessFactor", Json::Number(roughness(properties))),
    ]);
    texture.into_iter().for_each(|texture| surface.push("baseColorTexture", texture));
    surface
}

fn warn_of_unused_textures(
    objects: &Objects<'_>,
    material: usize,
    has_other_opacity: bool,
    warnings: &mut Warnings,
) {
    let name = objects.get(material).map_or("", |object| object.name.as_str());
    let place = format!("material \"{name}\"");
    if find_texture(objects, material, &SURFACE_TEXTURES).is_some() {
        warnings.add(&place, "its roughness and metalness textures are not shown");
    }
    if has_other_opacity {
        let what = "its opacity texture is not shown, because it is not the alpha of the colour texture";
        warnings.add(&place, what);
    }
}

/// The texture connected to one of the properties. Of a layered texture, the first layer.
fn find_texture(objects: &Objects<'_>, material: usize, names: &[&str]) -> Option<usize> {
    let links = objects.sources(material);
    let is_named = |name: &str| links.iter().find(|link| link.property == name.as_bytes());
    let object = names.iter().find_map(|name| is_named(name))?.object;
    match objects.get(object)?.class {
        b"Texture" => Some(object),
        b"LayeredTexture" => objects.sources_of_class(object, "Texture").first().copied(),
        _ => None,
    }
}

/// A bump texture whose name says that it is a normal map. Others have no place in glTF.
fn bump_that_is_normal(objects: &Objects<'_>, material: usize, warnings: &mut Warnings) -> Option<usize> {
    let texture = find_texture(objects, material, &["Bump"])?;
    let name = texture::file_name(objects, texture)?.to_ascii_lowercase();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    if stem.contains("norm") || stem.contains("nrm") || stem.ends_with("_n") {
        return Some(texture);
    }
    warnings.add(format!("texture \"{name}\""), "glTF has no bump textures; it is not shown");
    None
}

fn shares_file(objects: &Objects<'_>, a: Option<usize>, b: Option<usize>) -> bool {
    a == b || a.and_then(|a| texture::file_name(objects, a)) == b.and_then(|b| texture::file_name(objects, b))
}

fn first_float(properties: &Properties<'_>, names: &[&str]) -> Option<f64> {
    names.iter().find_map(|name| properties.float(name))
}

fn base_color(properties: &Properties<'_>) -> DVec3 {
    let color = BASE_COLORS.iter().find_map(|name| properties.vec3(name).map(|color| (*name, color)));
    let (name, color) = color.unwrap_or(("", DVec3::splat(0.8)));
    let is_classic = name == "DiffuseColor";
    let factor = if is_classic { properties.float("DiffuseFactor").unwrap_or(1.0) } else { 1.0 };
    let color = (color * factor).clamp(DVec3::ZERO, DVec3::ONE);
    if is_classic { linear(color) } else { color }
}

fn emissive_color(properties: &Properties<'_>) -> DVec3 {
    let color = properties.vec3("EmissiveColor").or_else(|| properties.vec3("Emissive")).unwrap_or_default();
    let factor = properties.float("EmissiveFactor").unwrap_or(1.0);
    linear((color * factor).clamp(DVec3::ZERO, DVec3::ONE))
}

/// A colour of the interface (sRGB) in linear space.
fn linear(color: DVec3) -> DVec3 {
    let channel =
        |value: f64| if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
    DVec3::new(channel(color.x), channel(color.y), channel(color.z))
}

/// Opacity. Many exporters write a transparency of 1 for opaque materials, which is ignored.
fn opacity_factor(properties: &Properties<'_>) -> f64 {
    if properties.has("Opacity") {
        return properties.float("Opacity").unwrap_or(1.0).clamp(0.0, 1.0);
    }
    let color = properties.vec3("TransparentColor").map_or(1.0, |color| color.element_sum() / 3.0);
    let transparency = color * properties.float("TransparencyFactor").unwrap_or(0.0);
    if transparency >= 1.0 { 1.0 } else { 1.0 - transparency.max(0.0) }
}

/// Roughness, if need be from the Phong exponent as Blender maps it.
fn roughness(properties: &Properties<'_>) -> f64 {
    if let Some(roughness) = first_float(properties, &ROUGHNESS) {
        return roughness.clamp(0.0, 1.0);
    }
    let exponent = properties.float("ShininessExponent").or_else(|| properties.float("Shininess"));
    exponent.map_or(DEFAULT_ROUGHNESS, |exponent| (1.0 - exponent.max(0.0).sqrt() / 10.0).clamp(0.0, 1.0))
}
