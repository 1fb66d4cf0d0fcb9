//! JavaScript calls of [`Viewer`] for example poses: vertices at a time of a clip, and a preview of
//! how weights reproduce an example.

use glam::Vec3;
use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use super::Viewer;
use crate::view::FitPreview;

#[wasm_bindgen]
impl Viewer {
    /// Positions of all render vertices at a time of a clip, as drawn. Undefined if there is no such
    /// clip.
    #[wasm_bindgen(js_name = verticesAt)]
    pub fn vertices_at(&mut self, clip: &str, seconds: f32) -> Option<Float32Array> {
        let pose = self.inner.scene().pose_state();
        if !self.set_clip_time(clip, seconds) {
            return None;
        }
        let vertices = self.posed_vertices(0);
        pose.map(|pose| self.inner.scene_mut().set_pose_state(pose));
        vertices
    }

    /// Shows vertices instead of the posed skin while the colours show the fit: their positions and
    /// their distances from the example. `most` is the far end of the colours. Returns whether there
    /// is one position per render vertex.
    #[wasm_bindgen(js_name = setFit)]
    #[expect(clippy::needless_pass_by_value, reason = "values from JavaScript are passed by value")]
    pub fn set_fit(&mut self, positions: Vec<f32>, errors: Vec<f32>, most: f32) -> bool {
        let Some(asset) = &self.asset else { return false };
        let positions: Vec<Vec3> = positions.as_chunks::<3>().0.iter().map(|&p| p.into()).collect();
        let preview = FitPreview::new(asset, positions, errors, most);
        preview.is_some_and(|preview| self.inner.scene_mut().set_fit_preview(Some(preview)))
    }

    /// Shows the posed skin again.
    #[wasm_bindgen(js_name = clearFit)]
    pub fn clear_fit(&mut self) {
        self.inner.scene_mut().set_fit_preview(None);
    }
}
