//! The scene on the graphics card. Everything here can be thrown away and made again from [`Scene`].
//!
//! A picture is layers drawn over each other: backdrop, character, ground, what is seen through, and the
//! overlay. A new layer is a file with a `draw` and a line in [`ViewPass::draw`]. A divided picture draws those
//! layers twice, each time into its own side of the divider, and one overlay over both.

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

use std::borrow::Cow;

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
use super::field::Show;
use super::overlay::Overlay;
use super::posed_character::PosedCharacter;
use super::scene::{Changes, Scene};
use super::split::Shown;

/// Samples per pixel of pictures taken off the screen.
const SAMPLES: u32 = 4;

/// The divider of such pictures, in CSS pixels. On the screen the page draws it.
const DIVIDER: f32 = 2.0;

/// Everything the graphics card holds.
pub(super) struct Gpu {
    context: Context,
    /// Drawn while the scene has no figure.
    nobody: PosedCharacter,
    /// All of the picture, or what is left of the divider.
    left: ViewPass,
    /// While the picture is divided.
    right: Option<ViewPass>,
    images: Images,
    occlusion: Occlusion,
    bones: GpuOverlayMesh,
    handles: GpuOverlayMesh,
}

/// Draws into a part of a picture over nothing, as far as depth goes.
type Paint<'a> = dyn Fn(ScissorBox, &dyn Fn() -> Result<(), RendererError>) -> Result<(), RendererError> + 'a;

impl Gpu {
    /// On a context that is not lost.
    pub(super) fn new(webgl2: &WebGl2RenderingContext) -> Result<Self, ViewerError> {
        let context = context::three_d_of(webgl2)?;
        Ok(Self {
            nobody: warmup_placeholder::character(),
            left: ViewPass::new(&context),
            right: None,
            images: Images::new(&context),
            occlusion: Occlusion::new(&context),
            bones: GpuOverlayMesh::new(&context),
            handles: GpuOverlayMesh::new(&context),
            context,
        })
    }

    /// Brings over what changed.
    pub(super) fn sync(&mut self, scene: &Scene, changes: &Changes) -> Result<(), ViewerError> {
        if changes.mesh {
            match scene.character() {
                Some(character) => self.left.set_character(character, Place::of(character)),
                None => self.left.set_character(&self.nobody, NOWHERE),
            }
            // It shares the vertices of the one before.
            self.right = None;
        }
        if changes.textures {
            let images = scene.images().iter().map(|image| image.as_deref());
            self.images.set_images(&self.context, images);
        }
        let nobody = || Shown {
            character: Cow::Borrowed(&self.nobody),
            show: Show::default(),
            skinning: scene.skinning(),
            is_right: false,
        };
        self.left.sync(scene, &scene.shown().unwrap_or_else(nobody), changes)?;
        self.sync_right(scene, changes)?;
        Ok(())
    }

    fn sync_right(&mut self, scene: &Scene, changes: &Changes) -> Result<(), RendererError> {
        let Some(compared) = scene.compared() else {
            self.right = None;
            return Ok(());
        };
        match &mut self.right {
            Some(right) => right.sync(scene, &compared, &changes.of_compared()),
            none => none.insert(ViewPass::beside(&self.left)).sync(scene, &compared, &Changes::ALL),
        }
    }

    /// Draws onto the canvas, `width` by `height` device pixels.
    pub(super) fn draw(&mut self, scene: &Scene, width: u32, height: u32) -> Result<(), ViewerError> {
        let target = RenderTarget::screen(&self.context, width, height);
        self.paint(scene, &scene.eye(), width, height, &|area, render| {
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
        let Self { left, right, images, occlusion, .. } = self;
        let [left_area, right_area] = areas(scene.divider(), width, height);
        for (half, area) in [(Some(left), left_area), (right.as_mut(), right_area)] {
            let Some(half) = half.filter(|_| area.width > 0) else { continue };
            // For all of the picture, so that creases beside the divider are as they would be without it.
            half.prepare(scene, &view, occlusion)?;
            let brush = Brush { scene, view: &view, images, occlusion };
            paint(area, &|| half.draw(&brush))?;
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

    /// Where the graphics card puts the vertices: the vertex shader run once more, read back.
    pub(super) fn skinned_positions(&self, scene: &Scene) -> Result<Vec<Vec3>, ViewerError> {
        let Some(character) = scene.character() else { return Ok(Vec::new()) };
        feedback::skinned_positions(&self.context, character, scene.skinning()).map_err(ViewerError::Graphics)
    }
}

/// What lies left and right of the divider; all of it is left without one.
fn areas(divider: Option<f32>, width: u32, height: u32) -> [ScissorBox; 2] {
    let left = divider.map_or(width, |share| cut(share, width));
    let area = |from: u32, to: u32| ScissorBox { x: from as i32, y: 0, width: to - from, height };
    [area(0, left), area(left, width)]
}

/// The first column of pixels right of the divider.
fn cut(divider: f32, width: u32) -> u32 {
    (divider * width as f32).round() as u32
}
