//! How the character looks: its materials, or a field over it, in the light of a studio.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use three_d::{
    Blend, Context, CpuTexture, Cull, DepthTest, EffectMaterialId, Interpolation, Light, Material,
    MaterialType, Mipmap, Program, RenderStates, Texture2D, TextureData, Viewer, Viewport, Wrapping,
    WriteMask,
};

use super::convert::{vec3, vec4};
use super::geometry::ids;
use super::occlusion::Occlusion;
use crate::math::unit_or;
use crate::model::{self, Alpha, Asset, Filter, Sampler, Wrap};
use crate::view::camera::ViewTransform;
use crate::view::colors::ColorMap;
use crate::view::field::{Field, UNKNOWN};
use crate::view::textures::Image;

/// What a character without colours of its own is made of: a warm clay, linear.
const CLAY: Vec4 = Vec4::new(0.62, 0.515, 0.435, 1.0);

/// Blended fragments with this much alpha hide what lies behind them, as skin exported with an
/// alpha channel should. Less: such skin shows its inside. More: glass becomes solid.
const AS_GOOD_AS_SOLID: f32 = 0.97;

/// Largest ratio of anisotropic filtering. More: slower without a GPU. Less: skin that is seen at a
/// grazing angle is blurred.
const ANISOTROPY: u32 = 4;

/// Textures that are no images of the character.
const PLAIN: Sampler =
    Sampler { wrap: [Wrap::ClampToEdge; 2], mag: Filter::Linear, min: Filter::Linear, mipmap: None };

/// One part's material.
#[derive(Clone, Debug)]
pub(super) struct Look {
    base_color: Vec4,
    texture: Option<(usize, Sampler)>,
    is_double_sided: bool,
    alpha: Alpha,
    is_unlit: bool,
    has_vertex_colors: bool,
}

impl Look {
    /// The look of every part of an asset.
    pub(super) fn of_parts(asset: &Asset) -> Vec<Self> {
        let has_vertex_colors = !asset.render.colors.is_empty();
        let parts = asset.render.parts.iter();
        let materials = parts.map(|part| part.material.and_then(|index| asset.materials.get(index)));
        materials.map(|material| Self::new(material, has_vertex_colors)).collect()
    }

    fn new(material: Option<&model::Material>, has_vertex_colors: bool) -> Self {
        let Some(material) = material else {
            let base_color = if has_vertex_colors { Vec4::ONE } else { CLAY };
            // Files without materials often have no side either.
            let (texture, is_double_sided, alpha, is_unlit) = (None, true, Alpha::Opaque, false);
            return Self { base_color, texture, is_double_sided, alpha, is_unlit, has_vertex_colors };
        };
        let says_nothing =
            material.base_color == Vec4::ONE && material.texture.is_none() && !has_vertex_colors;
        Self {
            base_color: if says_nothing { CLAY } else { material.base_color },
            texture: sampled(material),
            is_double_sided: material.double_sided,
            alpha: material.alpha,
            is_unlit: material.unlit,
            has_vertex_colors,
        }
    }

    /// The faces that are not drawn.
    pub(super) fn cull(&self) -> Cull {
        if self.is_double_sided { Cull::None } else { Cull::Back }
    }

    /// Whether its image decides where it is drawn.
    pub(super) fn has_cutouts(&self) -> bool {
        self.alpha != Alpha::Opaque && self.texture.is_some()
    }

    /// Whether some of it is seen through.
    pub(super) fn is_blended(&self) -> bool {
        self.alpha == Alpha::Blend
    }
}

/// A fragment shader with what `base_color.frag` defines.
pub(super) fn with_base_color(shader: &str) -> String {
    format!("{}{shader}", include_str!("base_color.frag"))
}

/// Which fragments are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Those that hide what lies behind them.
    Solid,
    /// Those that are mixed with it.
    Clear,
}

/// The images that materials name, and what stands in for those that are missing.
pub(super) struct Images {
    /// By image and sampler.
    textures: Vec<((usize, Sampler), Texture2D)>,
    white: Texture2D,
    /// One for each of [`ColorMap::ALL`].
    maps: [Texture2D; ColorMap::ALL.len()],
}

impl Images {
    /// None yet.
    pub(super) fn new(context: &Context) -> Self {
        let white = texture(context, 1, 1, vec![[255; 4]], PLAIN);
        let maps = ColorMap::ALL.map(|map| map_texture(context, map));
        Self { textures: Vec::new(), white, maps }
    }

    /// Takes all images anew. An image that materials sample in several ways becomes several
    /// textures.
    pub(super) fn set_images(
        &mut self,
        context: &Context,
        materials: &[model::Material],
        images: &[Option<Arc<Image>>],
    ) {
        self.textures.clear();
        for key in materials.iter().filter_map(sampled) {
            let image = images.get(key.0).and_then(Option::as_deref);
            if let Some(image) = image.filter(|_| self.find(key).is_none()) {
                let Image { width, height, pixels } = image;
                self.textures.push((key, texture(context, *width, *height, pixels.clone(), key.1)));
            }
        }
    }

    /// Sets what `base_color.frag` reads.
    pub(super) fn use_base_color(&self, program: &Program, look: &Look, pass: Pass) {
        let (lowest, highest) = match (look.alpha, pass) {
            (Alpha::Opaque, _) => (-1.0, 2.0),
            (Alpha::Mask(cutoff), _) => (cutoff, 2.0),
            (Alpha::Blend, Pass::Solid) => (AS_GOOD_AS_SOLID, 2.0),
            (Alpha::Blend, Pass::Clear) => (1.0 / 255.0, AS_GOOD_AS_SOLID),
        };
        program.use_uniform_if_required("baseColor", vec4(look.base_color));
        program.use_uniform_if_required("alphaRange", three_d::Vec2::new(lowest, highest));
        program.use_uniform_if_required("isOpaque", flag(look.alpha == Alpha::Opaque));
        program.use_uniform_if_required("hasVertexColors", flag(look.has_vertex_colors));
        if program.requires_uniform("baseTexture") {
            program.use_texture("baseTexture", self.of(look));
        }
    }

    fn of(&self, look: &Look) -> &Texture2D {
        look.texture.and_then(|key| self.find(key)).unwrap_or(&self.white)
    }

    fn find(&self, key: (usize, Sampler)) -> Option<&Texture2D> {
        self.textures.iter().find(|(known, _)| *known == key).map(|(_, texture)| texture)
    }
}

/// The image of a material and how it is sampled.
fn sampled(material: &model::Material) -> Option<(usize, Sampler)> {
    material.texture.map(|texture| (texture, material.sampler))
}

/// A truth value as shaders read it.
fn flag(is: bool) -> f32 {
    if is { 1.0 } else { 0.0 }
}

fn map_texture(context: &Context, map: ColorMap) -> Texture2D {
    let byte = |c: f32| (c * 255.0).round() as u8;
    let texel = |c: Vec3| [byte(c.x), byte(c.y), byte(c.z), 255];
    texture(context, 256, 1, map.ramp(256).into_iter().map(texel).collect(), PLAIN)
}

fn texture(context: &Context, width: u32, height: u32, pixels: Vec<[u8; 4]>, sampler: Sampler) -> Texture2D {
    let interpolation = |filter| match filter {
        Filter::Nearest => Interpolation::Nearest,
        Filter::Linear => Interpolation::Linear,
    };
    let [wrap_s, wrap_t] = sampler.wrap.map(|wrap| match wrap {
        Wrap::Repeat => Wrapping::Repeat,
        Wrap::MirroredRepeat => Wrapping::MirroredRepeat,
        Wrap::ClampToEdge => Wrapping::ClampToEdge,
    });
    let mipmap =
        |filter| Mipmap { max_ratio: ANISOTROPY, filter: interpolation(filter), ..Mipmap::default() };
    let cpu = CpuTexture {
        data: TextureData::RgbaU8(pixels),
        width,
        height,
        min_filter: interpolation(sampler.min),
        mag_filter: interpolation(sampler.mag),
        mipmap: sampler.mipmap.map(mipmap),
        wrap_s,
        wrap_t,
        ..CpuTexture::default()
    };
    Texture2D::new(context, &cpu)
}

/// What is the same for all parts of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Studio {
    key: Vec3,
    fill: Vec3,
    rim: Vec3,
    /// 0 for materials, 1 for numbers, 2 for categories, 3 for bands over categories.
    mode: i32,
    map: ColorMap,
    ground: f32,
    size: f32,
}

impl Studio {
    /// Lights that turn with the camera, so that form shows from everywhere.
    pub(super) fn new(eye: &ViewTransform, field: Option<&Field>, ground: f32, size: f32) -> Self {
        let right = eye.right();
        let backward = unit_or(right.cross(Vec3::Y), -eye.forward());
        let towards =
            |aside: f32, up: f32, back: f32| unit_or(right * aside + Vec3::Y * up + backward * back, Vec3::Y);
        let mode = match field {
            None => 0,
            Some(Field::Scalar { .. }) => 1,
            Some(Field::Categorical(_)) => 2,
            Some(Field::Banded { .. }) => 3,
        };
        let map = match field {
            Some(&Field::Scalar { map, .. }) => map,
            _ => ColorMap::default(),
        };
        Self {
            key: towards(-0.72, 0.72, 0.42),
            fill: towards(0.85, 0.10, 0.55),
            rim: towards(0.45, 0.50, -0.85),
            mode,
            map,
            ground,
            size,
        }
    }

    /// Materials and fields have shaders of their own, so that the one for materials is soon
    /// compiled.
    fn shows_field(&self) -> bool {
        self.mode != 0
    }
}

/// The material of one part in one pass.
pub(super) struct SkinMaterial<'a> {
    pub(super) look: &'a Look,
    pub(super) images: &'a Images,
    pub(super) studio: &'a Studio,
    pub(super) pass: Pass,
    pub(super) occlusion: &'a Occlusion,
}

impl Material for SkinMaterial<'_> {
    fn fragment_shader_source(&self, _lights: &[&dyn Light]) -> String {
        let field = if self.studio.shows_field() { "#define FIELD\n" } else { "" };
        with_base_color(&format!("{field}{}", include_str!("skin.frag")))
    }

    fn id(&self) -> EffectMaterialId {
        if self.studio.shows_field() { ids::SKIN_FIELD } else { ids::SKIN }
    }

    fn use_uniforms(&self, program: &Program, viewer: &dyn Viewer, _lights: &[&dyn Light]) {
        let (look, studio) = (self.look, self.studio);
        self.images.use_base_color(program, look, self.pass);
        program.use_uniform_if_required("isUnlit", flag(look.is_unlit));
        program.use_uniform_if_required("eyePosition", viewer.position());
        program.use_uniform_if_required("keyDirection", vec3(studio.key));
        program.use_uniform_if_required("fillDirection", vec3(studio.fill));
        program.use_uniform_if_required("rimDirection", vec3(studio.rim));
        program.use_uniform_if_required("unknownColor", vec3(UNKNOWN));
        program.use_uniform_if_required("mode", studio.mode);
        program.use_uniform_if_required("groundHeight", studio.ground);
        program.use_uniform_if_required("size", studio.size);
        let Viewport { width, height, .. } = viewer.viewport();
        let pixel = three_d::Vec2::new(1.0 / width as f32, 1.0 / height as f32);
        program.use_uniform_if_required("pixelSize", pixel);
        if program.requires_uniform("opennessTexture") {
            program.use_texture("opennessTexture", self.occlusion.openness());
        }
        if program.requires_uniform("mapTexture") {
            program.use_texture("mapTexture", &self.images.maps[studio.map as usize]);
        }
    }

    fn render_states(&self) -> RenderStates {
        let is_clear = self.pass == Pass::Clear;
        RenderStates {
            cull: self.look.cull(),
            depth_test: DepthTest::LessOrEqual,
            write_mask: if is_clear { WriteMask::COLOR } else { WriteMask::COLOR_AND_DEPTH },
            blend: if is_clear { Blend::TRANSPARENCY } else { Blend::Disabled },
        }
    }

    fn material_type(&self) -> MaterialType {
        if self.pass == Pass::Clear { MaterialType::Transparent } else { MaterialType::Opaque }
    }
}
