//! Draws [`OverlayMesh`]es: bones, dots and rings.

use three_d::{
    Blend, Context, Cull, DepthTest, EffectMaterialId, Geometry, GeometryId, Light, Material, MaterialType,
    Program, RenderStates, RendererError, VertexBuffer, Viewer, WriteMask,
};

use super::convert::View;
use super::geometry::{drawn_by_us, ids};
use crate::view::overlay_mesh::OverlayMesh;

/// An overlay mesh on the GPU.
pub(super) struct GpuOverlayMesh {
    context: Context,
    positions: VertexBuffer<[f32; 3]>,
    colors: VertexBuffer<[f32; 4]>,
    corners: u32,
}

/// How overlay meshes hide each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stacking {
    /// By depth.
    Solid,
    /// By the order of drawing.
    Flat,
    /// Hidden by what lies before them, but hiding nothing.
    OnSkin,
}

impl GpuOverlayMesh {
    /// Empty.
    pub(super) fn new(context: &Context) -> Self {
        let (positions, colors) = (VertexBuffer::new(context), VertexBuffer::new(context));
        Self { context: context.clone(), positions, colors, corners: 0 }
    }

    /// Replaces the triangles.
    pub(super) fn fill(&mut self, sketch: &OverlayMesh) {
        self.corners = sketch.positions.len() as u32;
        if self.corners > 0 {
            self.positions.fill(bytemuck::cast_slice(&sketch.positions));
            self.colors.fill(bytemuck::cast_slice(&sketch.colors));
        }
    }

    /// Draws it.
    pub(super) fn draw(&self, view: &View, stacking: Stacking) -> Result<(), RendererError> {
        if self.corners == 0 {
            return Ok(());
        }
        three_d::render_with_material(&self.context, view, self, Flat(stacking), &[])
    }

    fn context(&self) -> &Context {
        &self.context
    }
}

impl Geometry for GpuOverlayMesh {
    fn draw(&self, viewer: &dyn Viewer, program: &Program, states: RenderStates) {
        program.use_uniform_if_required("viewProjection", viewer.projection() * viewer.view());
        program.use_vertex_attribute("position", &self.positions);
        program.use_vertex_attribute("color", &self.colors);
        program.draw_arrays(states, viewer.viewport(), self.corners);
    }

    fn vertex_shader_source(&self) -> String {
        include_str!("sketch.vert").to_owned()
    }

    fn id(&self) -> GeometryId {
        ids::SKETCH
    }

    drawn_by_us!();
}

struct Flat(Stacking);

impl Material for Flat {
    fn fragment_shader_source(&self, _lights: &[&dyn Light]) -> String {
        include_str!("sketch.frag").to_owned()
    }

    fn id(&self) -> EffectMaterialId {
        ids::FLAT
    }

    fn use_uniforms(&self, _program: &Program, _viewer: &dyn Viewer, _lights: &[&dyn Light]) {}

    fn render_states(&self) -> RenderStates {
        let states = RenderStates { blend: Blend::TRANSPARENCY, ..RenderStates::default() };
        match self.0 {
            Stacking::Solid => RenderStates { depth_test: DepthTest::Less, cull: Cull::Back, ..states },
            Stacking::OnSkin => {
                RenderStates { depth_test: DepthTest::Less, write_mask: WriteMask::COLOR, ..states }
            }
            Stacking::Flat => {
                RenderStates { depth_test: DepthTest::Always, write_mask: WriteMask::COLOR, ..states }
            }
        }
    }

    fn material_type(&self) -> MaterialType {
        MaterialType::Transparent
    }
}
