//! The scene on the GPU. Everything here can be dropped and made again from [`Scene`].
//!
//! A picture is layers drawn over each other: backdrop, character, ground, what is seen through,
//! and the overlay. A new layer is a file with a `draw` and a line in [`ViewPass::draw`]. Two views
//! draw those layers twice, each into its side of the divider, and one overlay over both.

mod backdrop;
pub(super) mod context;
mod convert;
mod feedback;
mod geometry;
mod ground;
mod occlusion;
mod overlay_meshes;
mod shadow;
mod skin_material;
mod skinned;
mod view_pass;
mod warmup_placeholder;

use glam::Vec3;
use three_d::{
    ClearState, Context, RenderTarget, RenderTargetMultisample, RendererError, ScissorBox, Viewport, f24,
};
use web_sys::WebGl2RenderingContext;

use self::convert::View;
use self::ground::Place;
use self::occlusion::Occlusion;
use self::overlay_meshes::{GpuOverlayMesh, Stacking};
use self::skin_material::Images;
use self::view_pass::{Brush, NOWHERE, ViewPass};
use super::ViewerError;
use super::camera::ViewTransform;
use super::changes::{Changes, VIEWS, ViewChanges};
use super::overlay::Overlay;
use super::posed_character::PosedCharacter;
use super::scene::Scene;
use super::views::{ShownView, View as SceneView};

/// Samples per pixel of pictures taken off the screen.
const SAMPLES: u32 = 4;

/// The divider of such pictures, in CSS pixels. On the screen the page draws it.
const DIVIDER: f32 = 2.0;

/// Everything on the GPU.
pub(super) struct Gpu {
    context: Context,
    /// Drawn while the scene has no character.
    placeholder: PosedCharacter,
    /// By view; the second exists while it is drawn.
    passes: [Option<ViewPass>; VIEWS],
    images: Images,
    occlusion: Occlusion,
    bones: GpuOverlayMesh,
    handles: GpuOverlayMesh,
}

/// Draws into a part of a picture with cleared depth.
type Paint<'a> = dyn Fn(ScissorBox, &dyn Fn() -> Result<(), RendererError>) -> Result<(), RendererError> + 'a;

impl Gpu {
    /// On a context that is not lost.
    pub(super) fn new(webgl2: &WebGl2RenderingContext) -> Result<Self, ViewerError> {
        let context = context::three_d_of(webgl2)?;
        Ok(Self {
            placeholder: warmup_placeholder::character(),
            passes: [Some(ViewPass::new(&context)), None],
            images: Images::new(&context),
            occlusion: Occlusion::new(&context),
            bones: GpuOverlayMesh::new(&context),
            handles: GpuOverlayMesh::new(&context),
            context,
        })
    }

    /// Copies to the GPU what changed.
    pub(super) fn sync(&mut self, scene: &Scene, changes: &Changes) -> Result<(), ViewerError> {
        let [first, others @ ..] = &mut self.passes;
        let first = first.get_or_insert_with(|| ViewPass::new(&self.context));
        if changes.shared.mesh {
            match scene.character() {
                Some(character) => first.set_character(character, Place::of(character)),
                None => first.set_character(&self.placeholder, NOWHERE),
            }
            // The other passes share its vertices.
            others.fill_with(|| None);
        }
        if changes.shared.textures {
            let materials = scene.character().map_or(&[][..], |character| &character.asset().materials);
            self.images.set_images(&self.context, materials, scene.images());
        }
        let mut view = SceneView::default();
        view.set_skinning(scene.view(0).skinning());
        let placeholder = ShownView { character: &self.placeholder, view: &view, index: 0 };
        first.sync(
            scene,
            scene.shown(0).unwrap_or(placeholder),
            &changes.shared,
            &changes.views[0],
            &self.images,
        )?;
        for (index, pass) in (1..).zip(others) {
            match (scene.shown(index), &mut *pass) {
                (None, _) => *pass = None,
                (Some(shown), Some(pass)) => {
                    pass.sync(scene, shown, &changes.shared, &changes.views[index], &self.images)?;
                }
                (Some(shown), None) => {
                    let pass = pass.insert(ViewPass::beside(first));
                    pass.sync(scene, shown, &changes.shared, &ViewChanges::ALL, &self.images)?;
                }
            }
        }
        Ok(())
    }

    /// Draws onto the canvas, `width` by `height` device pixels.
    pub(super) fn draw(&mut self, scene: &Scene, width: u32, height: u32) -> Result<(), ViewerError> {
        let target = RenderTarget::screen(&self.context, width, height);
        self.paint(scene, &scene.view_transform(), width, height, &|area, render| {
            target.clear_partially(area, ClearState::depth(1.0)).write_partially(area, render).map(|_| ())
        })
    }

    /// Draws off the screen: RGBA, row by row from the top.
    pub(super) fn picture(
        &mut self,
        scene: &Scene,
        eye: &ViewTransform,
        width: u32,
        height: u32,
    ) -> Result<Vec<[u8; 4]>, ViewerError> {
        let target = RenderTargetMultisample::<[u8; 4], f24>::new(&self.context, width, height, SAMPLES);
        self.paint(scene, eye, width, height, &|area, render| {
            target.clear_partially(area, ClearState::depth(1.0)).write_partially(area, render).map(|_| ())
        })?;
        if let Some(share) = scene.divider() {
            let wide = (DIVIDER * height as f32 / eye.canvas.y).round().max(1.0) as u32;
            let x = cut(share, width) as i32 - wide as i32 / 2;
            let line = ScissorBox { x, y: 0, width: wide, height };
            target.clear_partially(line, ClearState::color(1.0, 1.0, 1.0, 1.0));
        }
        Ok(target.resolve_color().as_color_target(None).read())
    }

    fn paint(
        &mut self,
        scene: &Scene,
        eye: &ViewTransform,
        width: u32,
        height: u32,
        paint: &Paint<'_>,
    ) -> Result<(), ViewerError> {
        let view = View { eye: *eye, viewport: Viewport::new_at_origo(width, height) };
        let Self { passes, images, occlusion, .. } = self;
        for (pass, area) in passes.iter_mut().zip(areas(scene.divider(), width, height)) {
            let Some(pass) = pass.as_mut().filter(|_| area.width > 0) else { continue };
            // For all of the picture, so that occlusion beside the divider is as it would be
            // without it.
            pass.prepare(scene, &view, images, occlusion)?;
            let brush = Brush { scene, view: &view, images, occlusion };
            paint(area, &|| pass.draw(&brush))?;
        }
        let overlay = if scene.character().is_some() {
            Overlay::new(scene, eye)
        } else {
            warmup_placeholder::overlay()
        };
        if overlay != Overlay::default() {
            self.bones.fill(&overlay.solid);
            self.handles.fill(&overlay.flat);
            paint(ScissorBox::new_at_origo(width, height), &|| self.draw_overlay(&view))?;
        }
        Ok(())
    }

    fn draw_overlay(&self, view: &View) -> Result<(), RendererError> {
        self.bones.draw(view, Stacking::Solid)?;
        self.handles.draw(view, Stacking::Flat)
    }

    /// The vertices of a view as the vertex shader computes them, read back.
    pub(super) fn skinned_positions(&self, scene: &Scene, view: usize) -> Result<Vec<Vec3>, ViewerError> {
        let Some(shown) = scene.shown(view) else { return Ok(Vec::new()) };
        feedback::skinned_positions(&self.context, shown).map_err(ViewerError::Graphics)
    }
}

/// The rectangles of the views: the first is before the divider, or everything without one.
fn areas(divider: Option<f32>, width: u32, height: u32) -> [ScissorBox; VIEWS] {
    let at = divider.map_or(width, |share| cut(share, width));
    let area = |from: u32, to: u32| ScissorBox { x: from as i32, y: 0, width: to - from, height };
    [area(0, at), area(at, width)]
}

/// The first column of pixels after the divider.
fn cut(divider: f32, width: u32) -> u32 {
    (divider * width as f32).round() as u32
}
