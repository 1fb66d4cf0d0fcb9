//! What all our geometries have in common.

use three_d::{Context, DepthTest, Geometry, GeometryId, Program, RenderStates, Viewer, WriteMask};

/// The parts of three-d's `Geometry` that are the same for all of ours: they are never culled, and
/// are drawn through `three_d::render_with_material`, which reports errors. For types with a
/// `context()`.
macro_rules! drawn_by_us {
    () => {
        fn render_with_material(
            &self,
            material: &dyn three_d::Material,
            viewer: &dyn three_d::Viewer,
            lights: &[&dyn three_d::Light],
        ) {
            // Only three-d's own render calls come here, and those have no way to report either.
            let _ = three_d::render_with_material(self.context(), viewer, self, material, lights);
        }

        fn render_with_effect(
            &self,
            effect: &dyn three_d::Effect,
            viewer: &dyn three_d::Viewer,
            lights: &[&dyn three_d::Light],
            color: Option<three_d::ColorTexture<'_>>,
            depth: Option<three_d::DepthTexture<'_>>,
        ) {
            let _ = three_d::render_with_effect(self.context(), viewer, self, effect, lights, color, depth);
        }

        fn aabb(&self) -> three_d::AxisAlignedBoundingBox {
            three_d::AxisAlignedBoundingBox::INFINITE
        }
    };
}
pub(super) use drawn_by_us;

/// Numbers of our shaders, in the range three-d leaves to its users.
pub(super) mod ids {
    use three_d::{EffectMaterialId, GeometryId};

    /// The first of eight: see `skinned.rs`.
    pub(in super::super) const SKINNED: u16 = 0x0100;
    pub(in super::super) const SCREEN: GeometryId = GeometryId(0x0110);
    pub(in super::super) const GROUND: GeometryId = GeometryId(0x0111);
    pub(in super::super) const SKETCH: GeometryId = GeometryId(0x0112);

    pub(in super::super) const SKIN: EffectMaterialId = EffectMaterialId(0x0100);
    pub(in super::super) const SHADOW: EffectMaterialId = EffectMaterialId(0x0101);
    pub(in super::super) const BLUR: EffectMaterialId = EffectMaterialId(0x0102);
    pub(in super::super) const BACKDROP: EffectMaterialId = EffectMaterialId(0x0103);
    pub(in super::super) const GROUND_LINES: EffectMaterialId = EffectMaterialId(0x0104);
    pub(in super::super) const FLAT: EffectMaterialId = EffectMaterialId(0x0105);
    pub(in super::super) const NORMALS: EffectMaterialId = EffectMaterialId(0x0106);
    pub(in super::super) const OPENNESS: EffectMaterialId = EffectMaterialId(0x0107);
    pub(in super::super) const SKIN_FIELD: EffectMaterialId = EffectMaterialId(0x0108);
}

/// For what is painted over everything, without depth.
pub(super) fn painted_over() -> RenderStates {
    RenderStates { write_mask: WriteMask::COLOR, depth_test: DepthTest::Always, ..RenderStates::default() }
}

/// One triangle over the whole viewport.
pub(super) struct Screen<'a>(pub(super) &'a Context);

impl Screen<'_> {
    fn context(&self) -> &Context {
        self.0
    }
}

impl Geometry for Screen<'_> {
    fn draw(&self, viewer: &dyn Viewer, program: &Program, states: RenderStates) {
        program.draw_arrays(states, viewer.viewport(), 3);
    }

    fn vertex_shader_source(&self) -> String {
        include_str!("screen.vert").to_owned()
    }

    fn id(&self) -> GeometryId {
        ids::SCREEN
    }

    drawn_by_us!();
}
