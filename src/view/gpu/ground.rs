//! The ground: a grid that fades with distance, and the shadow on it.

use glam::Vec3;
use three_d::{
    Blend, Context, DepthTest, EffectMaterialId, Geometry, GeometryId, Light, Material, MaterialType,
    Program, RenderStates, RendererError, Viewer, WriteMask,
};

use super::convert::{View, vec3};
use super::geometry::{drawn_by_us, ids};
use super::shadow::Shadow;
use crate::view::posed_character::PosedCharacter;
use crate::view::scene::GROUND_REACH;
use crate::view::theme::Palette;

/// Where the ground is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// Below the figure's middle, at its feet.
    pub(super) center: Vec3,
    /// The figure's size.
    pub(super) size: f32,
}

impl Place {
    /// Below a figure at rest.
    pub(super) fn of(character: &PosedCharacter) -> Self {
        let (low, high) = character.rest_bounds();
        let middle = low.midpoint(high);
        let size = character.size();
        Self { center: Vec3::new(middle.x, character.ground(), middle.z), size }
    }

    /// A power of ten, so that a line's distance to the next means something; three to thirty of them
    /// make up the figure's size.
    fn spacing(&self) -> f32 {
        10.0_f32.powf((self.size / 3.0).log10().floor())
    }
}

/// Draws the ground over what is behind it.
pub(super) fn draw(
    context: &Context,
    view: &View,
    place: &Place,
    shadow: &Shadow,
    palette: &Palette,
) -> Result<(), RendererError> {
    let ground = Ground { context, place };
    three_d::render_with_material(context, view, ground, Lines { place, shadow, palette }, &[])
}

struct Ground<'a> {
    context: &'a Context,
    place: &'a Place,
}

impl Ground<'_> {
    fn context(&self) -> &Context {
        self.context
    }
}

impl Geometry for Ground<'_> {
    fn draw(&self, viewer: &dyn Viewer, program: &Program, states: RenderStates) {
        program.use_uniform_if_required("viewProjection", viewer.projection() * viewer.view());
        program.use_uniform_if_required("center", vec3(self.place.center));
        program.use_uniform_if_required("halfSize", self.place.size * GROUND_REACH * 0.7);
        program.draw_arrays(states, viewer.viewport(), 6);
    }

    fn vertex_shader_source(&self) -> String {
        include_str!("ground.vert").to_owned()
    }

    fn id(&self) -> GeometryId {
        ids::GROUND
    }

    drawn_by_us!();
}

struct Lines<'a> {
    place: &'a Place,
    shadow: &'a Shadow,
    palette: &'a Palette,
}

impl Material for Lines<'_> {
    fn fragment_shader_source(&self, _lights: &[&dyn Light]) -> String {
        include_str!("ground.frag").to_owned()
    }

    fn id(&self) -> EffectMaterialId {
        ids::GROUND_LINES
    }

    fn use_uniforms(&self, program: &Program, viewer: &dyn Viewer, _lights: &[&dyn Light]) {
        program.use_uniform_if_required("eyePosition", viewer.position());
        program.use_uniform_if_required("spacing", self.place.spacing());
        program.use_uniform_if_required("gridColor", vec3(self.palette.grid));
        program.use_uniform_if_required("gridStrength", self.palette.grid_strength);
        program.use_uniform_if_required("shadowStrength", self.palette.shadow_strength);
        program.use_uniform_if_required("shadowHalfSize", Shadow::half_size(self.place));
        if program.requires_uniform("shadowTexture") {
            program.use_texture("shadowTexture", self.shadow.texture());
        }
    }

    fn render_states(&self) -> RenderStates {
        RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::LessOrEqual,
            blend: Blend::TRANSPARENCY,
            ..RenderStates::default()
        }
    }

    fn material_type(&self) -> MaterialType {
        MaterialType::Transparent
    }
}
