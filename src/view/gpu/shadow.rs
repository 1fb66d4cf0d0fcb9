//! The contact shadow: the character from below, darker near the ground, blurred.
//!
//! Cost: the character once more and two passes over [`SIDE`]² pixels, and only when the character
//! moved.

use glam::{Mat4, Vec2, Vec4};
use three_d::{
    Blend, BlendEquationType, BlendMultiplierType, ClearState, Context, EffectMaterialId, Interpolation,
    Light, Material, MaterialType, Program, RenderStates, RendererError, Texture2D, Viewer, Viewport,
    Wrapping,
};

use super::convert::View;
use super::geometry::{Screen, ids, painted_over};
use super::ground::Place;
use super::skin_material::{Images, Look, Pass, with_base_color};
use super::skinned::Part;
use crate::view::camera::ViewTransform;

/// The shadow's side in pixels. More: slower to blur. Fewer: toes merge with the ground.
const SIDE: u32 = 160;

/// The shadow reaches this far from the character's middle, as a share of its size.
const REACH: f32 = 0.85;

/// A picture of the character's shadow: red where it is wide, green where it touches.
pub(super) struct Shadow {
    drawn: Texture2D,
    blurred: Texture2D,
}

impl Shadow {
    /// Not drawn yet.
    pub(super) fn new(context: &Context) -> Self {
        let [drawn, blurred] = [0, 1].map(|_| {
            let (linear, clamp) = (Interpolation::Linear, Wrapping::ClampToEdge);
            Texture2D::new_empty::<[u8; 4]>(context, SIDE, SIDE, linear, linear, None, clamp, clamp)
        });
        Self { drawn, blurred }
    }

    /// ViewPass the side of the square it covers.
    pub(super) fn half_size(place: &Place) -> f32 {
        place.size * REACH
    }

    /// The last one drawn.
    pub(super) fn texture(&self) -> &Texture2D {
        &self.drawn
    }

    /// Draws it anew for all `parts` of a character, each with its look.
    pub(super) fn draw<'a>(
        &self,
        context: &Context,
        place: &Place,
        images: &Images,
        mut parts: impl Iterator<Item = (Part<'a>, &'a Look)>,
    ) -> Result<(), RendererError> {
        let from_below = from_below(place);
        self.drawn.as_color_target(None).clear(ClearState::color(0.0, 0.0, 0.0, 1.0)).write(|| {
            parts.try_for_each(|(part, look)| {
                let nearness = Nearness { place, images, look };
                three_d::render_with_material(context, from_below, part, nearness, &[])
            })
        })?;
        let texel = 1.0 / SIDE as f32;
        let blur = |from: &Texture2D, to: &Texture2D, step: Vec2| -> Result<(), RendererError> {
            let blur = Blur { source: from, step };
            to.as_color_target(None)
                .write(|| three_d::render_with_material(context, from_below, Screen(context), blur, &[]))?;
            Ok(())
        };
        blur(&self.drawn, &self.blurred, Vec2::X * texel)?;
        blur(&self.blurred, &self.drawn, Vec2::Y * texel)
    }
}

/// x and z of the ground fill the picture; height is dropped.
fn from_below(place: &Place) -> View {
    let scale = 1.0 / Shadow::half_size(place);
    let projection = Mat4::from_rows(
        Vec4::new(scale, 0.0, 0.0, -place.center.x * scale),
        Vec4::new(0.0, 0.0, scale, -place.center.z * scale),
        Vec4::ZERO,
        Vec4::W,
    );
    let canvas = Vec2::splat(SIDE as f32);
    let eye = ViewTransform {
        position: place.center,
        view: Mat4::IDENTITY,
        projection,
        canvas,
        near: 0.0,
        far: 1.0,
    };
    View { eye, viewport: Viewport::new_at_origo(SIDE, SIDE) }
}

struct Nearness<'a> {
    place: &'a Place,
    images: &'a Images,
    look: &'a Look,
}

impl Material for Nearness<'_> {
    fn fragment_shader_source(&self, _lights: &[&dyn Light]) -> String {
        with_base_color(include_str!("shadow.frag"))
    }

    fn id(&self) -> EffectMaterialId {
        ids::SHADOW
    }

    fn use_uniforms(&self, program: &Program, _viewer: &dyn Viewer, _lights: &[&dyn Light]) {
        self.images.use_base_color(program, self.look, Pass::Solid);
        program.use_uniform_if_required("groundHeight", self.place.center.y);
        program.use_uniform_if_required("size", self.place.size);
    }

    fn render_states(&self) -> RenderStates {
        let one = BlendMultiplierType::One;
        // The nearest to the ground wins, without a depth buffer.
        let darkest = Blend::Enabled {
            source_rgb_multiplier: one,
            source_alpha_multiplier: one,
            destination_rgb_multiplier: one,
            destination_alpha_multiplier: one,
            rgb_equation: BlendEquationType::Max,
            alpha_equation: BlendEquationType::Max,
        };
        RenderStates { blend: darkest, ..painted_over() }
    }

    fn material_type(&self) -> MaterialType {
        MaterialType::Opaque
    }
}

struct Blur<'a> {
    source: &'a Texture2D,
    step: Vec2,
}

impl Material for Blur<'_> {
    fn fragment_shader_source(&self, _lights: &[&dyn Light]) -> String {
        include_str!("blur.frag").to_owned()
    }

    fn id(&self) -> EffectMaterialId {
        ids::BLUR
    }

    fn use_uniforms(&self, program: &Program, _viewer: &dyn Viewer, _lights: &[&dyn Light]) {
        program.use_uniform_if_required("step_", three_d::Vec2::new(self.step.x, self.step.y));
        if program.requires_uniform("source") {
            program.use_texture("source", self.source);
        }
    }

    fn render_states(&self) -> RenderStates {
        painted_over()
    }

    fn material_type(&self) -> MaterialType {
        MaterialType::Opaque
    }
}
