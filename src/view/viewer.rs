//! The canvas: a [`Scene`], a graphics card to draw it, and what happens when that goes away.

use glam::{Vec2, Vec3};
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext};

use super::changes::SharedChanges;
use super::gpu::{Gpu, context::webgl2_of};
use super::scene::Scene;
use super::textures::Image;

/// What can go wrong with drawing.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// The browser has no WebGL2, or no graphics card to spare.
    #[error("this browser offers no WebGL2; try another one, or turn hardware acceleration on")]
    NoWebGl2,
    /// The graphics card went away; it may come back.
    #[error("the graphics card is gone for now")]
    ContextLost,
    /// A size that cannot be drawn.
    #[error("a picture of {width} × {height} pixels cannot be drawn")]
    BadSize {
        /// In device pixels.
        width: u32,
        /// In device pixels.
        height: u32,
    },
    /// A shader or a call failed; a bug of ours or of the driver.
    #[error("the graphics card refused to draw: {0}")]
    Graphics(String),
}

impl From<three_d::CoreError> for ViewerError {
    fn from(error: three_d::CoreError) -> Self {
        Self::Graphics(error.to_string())
    }
}

impl From<three_d::RendererError> for ViewerError {
    fn from(error: three_d::RendererError) -> Self {
        Self::Graphics(error.to_string())
    }
}

/// What a call of [`Viewer::frame`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Something changed and was drawn.
    pub drew: bool,
    /// Something still moves: ask for another frame.
    pub again: bool,
}

/// Draws a [`Scene`] on a canvas.
pub struct Viewer {
    scene: Scene,
    canvas: HtmlCanvasElement,
    webgl2: WebGl2RenderingContext,
    /// None while the context is lost.
    gpu: Option<Gpu>,
    /// In device pixels.
    buffer: (u32, u32),
}

/// The largest picture that is asked of a graphics card; every WebGL2 has textures this large.
const LARGEST: u32 = 8192;

impl Viewer {
    /// On a canvas that has no context of another kind.
    ///
    /// # Errors
    /// When there is no WebGL2, or a shader does not compile.
    pub fn new(canvas: HtmlCanvasElement) -> Result<Self, ViewerError> {
        let webgl2 = webgl2_of(&canvas)?;
        let gpu = Some(Gpu::new(&webgl2)?);
        let mut scene = Scene::default();
        scene.change_all();
        Ok(Self { scene, canvas, webgl2, gpu, buffer: (0, 0) })
    }

    /// The canvas's size in CSS pixels and how many device pixels make one. Takes effect with the next
    /// frame, so that the canvas is never shown empty.
    pub fn resize(&mut self, css_width: f32, css_height: f32, device_pixel_ratio: f32) {
        let pixels = |css: f32| (css * device_pixel_ratio).round().clamp(0.0, LARGEST as f32) as u32;
        self.buffer = (pixels(css_width), pixels(css_height));
        self.scene.resize(Vec2::new(css_width, css_height));
    }

    /// The decoded pixels of one of the asset's textures: RGBA, four bytes each, row by row from the top;
    /// whether there is such a texture and the pixels are as many as they should be.
    pub fn set_texture(&mut self, index: usize, width: u32, height: u32, pixels: &[u8]) -> bool {
        let (pixels, rest) = pixels.as_chunks::<4>();
        rest.is_empty() && self.scene.set_texture(index, Image { width, height, pixels: pixels.to_vec() })
    }

    /// Draws if anything changed.
    ///
    /// # Errors
    /// When a shader or a call fails. A lost context is no error: nothing is drawn until it comes back.
    pub fn frame(&mut self, now_ms: f64) -> Result<Drawn, ViewerError> {
        let (width, height) = self.buffer;
        if self.webgl2.is_context_lost() || width == 0 || height == 0 {
            return Ok(Drawn::default());
        }
        let Some(gpu) = &mut self.gpu else { return Ok(Drawn::default()) };
        self.scene.advance(now_ms);
        let is_ready = self.scene.advance_post_skinning();
        let changes = self.scene.take_changes();
        if changes.shared.picture {
            if (self.canvas.width(), self.canvas.height()) != (width, height) {
                self.canvas.set_width(width);
                self.canvas.set_height(height);
            }
            gpu.sync(&self.scene, &changes)?;
            gpu.draw(&self.scene, width, height)?;
        } else {
            self.scene.prepare_handle_solver();
        }
        Ok(Drawn {
            drew: changes.shared.picture,
            again: !is_ready || self.scene.wants_frame() || self.scene.wants_handle_solver(),
        })
    }

    /// The graphics card went away: everything on it is gone.
    pub fn on_context_lost(&mut self) {
        self.gpu = None;
    }

    /// The graphics card came back: everything is brought onto it again with the next frame.
    ///
    /// # Errors
    /// When it went away again in the meantime.
    pub fn on_context_restored(&mut self) -> Result<(), ViewerError> {
        self.webgl2 = webgl2_of(&self.canvas)?;
        self.gpu = Some(Gpu::new(&self.webgl2)?);
        self.scene.change_all();
        Ok(())
    }

    /// Whether the context is there.
    pub fn is_ready(&self) -> bool {
        self.gpu.is_some() && !self.webgl2.is_context_lost()
    }

    /// The picture at any size: RGBA, row by row from the top.
    ///
    /// # Errors
    /// When the context is lost, the size is zero or too large, or a call fails.
    pub fn to_pixels(&mut self, width: u32, height: u32) -> Result<Vec<[u8; 4]>, ViewerError> {
        if !(1..=LARGEST).contains(&width) || !(1..=LARGEST).contains(&height) {
            return Err(ViewerError::BadSize { width, height });
        }
        self.scene.apply_post_skinning();
        let changes = self.scene.take_changes();
        let gpu = self.gpu.as_mut().filter(|_| !self.webgl2.is_context_lost());
        let Some(gpu) = gpu else { return Err(ViewerError::ContextLost) };
        gpu.sync(&self.scene, &changes)?;
        // What was brought over is, but the canvas still shows the old picture.
        self.scene.change(SharedChanges::default());
        let canvas = Vec2::new(width as f32, height as f32);
        // As many CSS pixels high as the canvas, so that lines are as thick against the figure as there.
        let css = canvas * (self.scene.viewpoint.canvas.y.max(1.0) / canvas.y);
        let eye = self.scene.viewpoint.orbit.camera().view_transform(css, self.scene.reach());
        gpu.picture(&self.scene, &eye, width, height)
    }

    /// Where the graphics card puts every render vertex, read back by transform feedback. For tests.
    ///
    /// # Errors
    /// When the context is lost or a call fails.
    pub fn read_skinned_vertices(&self, view: usize) -> Result<Vec<Vec3>, ViewerError> {
        let gpu = self.gpu.as_ref().filter(|_| !self.webgl2.is_context_lost());
        gpu.ok_or(ViewerError::ContextLost)?.skinned_positions(&self.scene, view)
    }

    /// What is drawn.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What is drawn, to change it.
    pub fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}
