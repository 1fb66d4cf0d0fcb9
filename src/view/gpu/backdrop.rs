//! The background.

use three_d::{
    Context, EffectMaterialId, Light, Material, MaterialType, Program, RenderStates, RendererError, Viewer,
};

use super::convert::{View, vec3};
use super::geometry::{Screen, ids, painted_over};
use crate::view::theme::Palette;

/// Draws the background over everything.
pub(super) fn draw(context: &Context, view: &View, palette: &Palette) -> Result<(), RendererError> {
    three_d::render_with_material(context, view, Screen(context), Backdrop { palette }, &[])
}

struct Backdrop<'a> {
    palette: &'a Palette,
}

impl Material for Backdrop<'_> {
    fn fragment_shader_source(&self, _lights: &[&dyn Light]) -> String {
        include_str!("backdrop.frag").to_owned()
    }

    fn id(&self) -> EffectMaterialId {
        ids::BACKDROP
    }

    fn use_uniforms(&self, program: &Program, _viewer: &dyn Viewer, _lights: &[&dyn Light]) {
        program.use_uniform_if_required("skyColor", vec3(self.palette.sky));
        program.use_uniform_if_required("horizonColor", vec3(self.palette.horizon));
        program.use_uniform_if_required("floorColor", vec3(self.palette.floor));
    }

    fn render_states(&self) -> RenderStates {
        painted_over()
    }

    fn material_type(&self) -> MaterialType {
        MaterialType::Opaque
    }
}
