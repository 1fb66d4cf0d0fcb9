//! How open the character's surface is to the light around it, so that creases are darker.
//!
//! In: the character as the camera sees it. Out: a small picture, 1 where open, 0 where closed.
//! Cost: the character once more without colours, and a few samples for each of its pixels, at no
//! more than [`WIDEST`] pixels across.

use three_d::{
    ClearState, Context, DepthTest, DepthTexture2D, EffectMaterialId, Interpolation, Light, Material,
    MaterialType, Program, RenderStates, RenderTarget, RendererError, Texture2D, Viewer, Viewport, Wrapping,
    f24,
};

use super::convert::{View, vec3};
use super::geometry::{Screen, ids, painted_over};
use super::skin_material::{Images, Look, Pass, with_base_color};
use super::skinned::Part;
use crate::view::camera::ViewTransform;

/// Creases are soft, so more pixels than this only cost time; with fewer, thin limbs lose theirs.
const WIDEST: f32 = 720.0;

/// How far a crease reaches, as a share of the character's size.
const REACH: f32 = 0.045;

/// Pictures of the character's depth, normals and openness.
pub(super) struct Occlusion {
    depth: DepthTexture2D,
    normals: Texture2D,
    openness: Texture2D,
}

impl Occlusion {
    /// Not drawn yet.
    pub(super) fn new(context: &Context) -> Self {
        Self::with_size(context, 1, 1)
    }

    fn with_size(context: &Context, width: u32, height: u32) -> Self {
        let clamp = Wrapping::ClampToEdge;
        let picture = |filter: Interpolation| {
            Texture2D::new_empty::<[u8; 4]>(context, width, height, filter, filter, None, clamp, clamp)
        };
        Self {
            depth: DepthTexture2D::new::<f24>(context, width, height, clamp, clamp),
            normals: picture(Interpolation::Nearest),
            openness: picture(Interpolation::Linear),
        }
    }

    /// Draws it for all `parts` of a character of this size, each with its look.
    pub(super) fn draw<'a>(
        &mut self,
        context: &Context,
        view: &View,
        size: f32,
        images: &Images,
        parts: impl Iterator<Item = (Part<'a>, &'a Look)>,
    ) -> Result<(), RendererError> {
        // ViewPass as many pixels as the canvas has CSS pixels, whatever the screen's density.
        let shrunk = (view.viewport.width as f32 / (0.5 * view.eye.canvas.x).min(WIDEST)).max(1.0);
        let pixels = |full: u32| ((full as f32 / shrunk) as u32).max(1);
        let (width, height) = (pixels(view.viewport.width), pixels(view.viewport.height));
        if (self.depth.width(), self.depth.height()) != (width, height) {
            *self = Self::with_size(context, width, height);
        }
        let view = View { viewport: Viewport::new_at_origo(width, height), ..*view };
        RenderTarget::new(self.normals.as_color_target(None), self.depth.as_depth_target())
            .clear(ClearState::color_and_depth(0.0, 0.0, 0.0, 0.0, 1.0))
            .write(|| {
                parts.into_iter().try_for_each(|(part, look)| {
                    let normals = Normals { eye: &view.eye, images, look };
                    three_d::render_with_material(context, view, part, &normals, &[])
                })
            })?;
        let openness = Openness { occlusion: self, eye: &view.eye, reach: REACH * size };
        self.openness
            .as_color_target(None)
            .write(|| three_d::render_with_material(context, view, Screen(context), openness, &[]))?;
        Ok(())
    }

    /// 1 where the surface is open, 0 where it is closed.
    pub(super) fn openness(&self) -> &Texture2D {
        &self.openness
    }
}

struct Normals<'a> {
    eye: &'a ViewTransform,
    images: &'a Images,
    look: &'a Look,
}

impl Material for Normals<'_> {
    fn fragment_shader_source(&self, _lights: &[&dyn Light]) -> String {
        with_base_color(include_str!("normal.frag"))
    }

    fn id(&self) -> EffectMaterialId {
        ids::NORMALS
    }

    fn use_uniforms(&self, program: &Program, _viewer: &dyn Viewer, _lights: &[&dyn Light]) {
        self.images.use_base_color(program, self.look, Pass::Solid);
        program.use_uniform_if_required("eyeRight", vec3(self.eye.right()));
        program.use_uniform_if_required("eyeUp", vec3(self.eye.up()));
        program.use_uniform_if_required("eyeForward", vec3(self.eye.forward()));
    }

    fn render_states(&self) -> RenderStates {
        RenderStates { depth_test: DepthTest::Less, cull: self.look.cull(), ..RenderStates::default() }
    }

    fn material_type(&self) -> MaterialType {
        MaterialType::Opaque
    }
}

struct Openness<'a> {
    occlusion: &'a Occlusion,
    eye: &'a ViewTransform,
    reach: f32,
}

impl Material for Openness<'_> {
    fn fragment_shader_source(&self, _lights: &[&dyn Light]) -> String {
        include_str!("occlusion.frag").to_owned()
    }

    fn id(&self) -> EffectMaterialId {
        ids::OPENNESS
    }

    fn use_uniforms(&self, program: &Program, _viewer: &dyn Viewer, _lights: &[&dyn Light]) {
        let projection = &self.eye.projection;
        let slope = three_d::Vec2::new(1.0 / projection.x_axis.x, 1.0 / projection.y_axis.y);
        program.use_uniform_if_required("slope", slope);
        program.use_uniform_if_required("nearFar", three_d::Vec2::new(self.eye.near, self.eye.far));
        program.use_uniform_if_required("reach", self.reach);
        if program.requires_uniform("depthTexture") {
            program.use_depth_texture("depthTexture", &self.occlusion.depth);
        }
        if program.requires_uniform("normalTexture") {
            program.use_texture("normalTexture", &self.occlusion.normals);
        }
    }

    fn render_states(&self) -> RenderStates {
        painted_over()
    }

    fn material_type(&self) -> MaterialType {
        MaterialType::Opaque
    }
}
