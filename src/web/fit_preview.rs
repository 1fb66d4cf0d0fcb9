//! JavaScript calls of [`Viewer`] for example poses: vertices at a time of a clip, and a preview of
//! how weights reproduce an example.

use std::sync::Arc;

use glam::Vec3;
use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use super::Viewer;
use crate::operators::normals_of;
use crate::pipeline::solved;
use crate::view::{ColorMap, Deformed, Field, FitPreview};

#[wasm_bindgen]
impl Viewer {
    /// Where every render vertex would be at a time of a motion, as it would be drawn; undefined
    /// when there is no such motion.
    #[wasm_bindgen(js_name = verticesAt)]
    pub fn vertices_at(&mut self, clip: &str, seconds: f32) -> Option<Float32Array> {
        let pose = self.view.pose().cloned();
        if !self.set_clip_time(clip, seconds) {
            return None;
        }
        let vertices = self.posed_vertices();
        pose.map(|pose| self.view.set_pose(pose));
        Some(vertices)
    }

    /// Shows vertices instead of the posed skin while the colours show the fit: where they are, and
    /// how far each is from where it should be; `most` is the far end of the colours. Whether they
    /// are this character's.
    #[wasm_bindgen(js_name = setFit)]
    #[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
    pub fn set_fit(&mut self, positions: Vec<f32>, errors: Vec<f32>, most: f32) -> bool {
        let Some(asset) = &self.asset else { return false };
        let positions: Vec<Vec3> = positions.as_chunks::<3>().0.iter().map(|&p| p.into()).collect();
        if positions.len() != asset.render.positions.len() {
            return false;
        }
        // Of the welded mesh, so that seams do not show.
        let normals = normals_of(&solved(asset, &positions), asset.mesh.triangles());
        let normal = |(&solve, &own): (&u32, &Vec3)| normals.get(solve as usize).copied().unwrap_or(own);
        let normals = asset.solve_from_render.iter().zip(&asset.render.normals).map(normal).collect();
        let colored = |values| Field::Scalar { values, range: (0.0, most), map: ColorMap::Sequential };
        let field = (!errors.is_empty()).then(|| colored(errors));
        self.view
            .set_fit_preview(Some(FitPreview { shape: Arc::new(Deformed { positions, normals }), field }))
    }

    /// The posed skin again.
    #[wasm_bindgen(js_name = clearFit)]
    pub fn clear_fit(&mut self) {
        self.view.set_fit_preview(None);
    }
}
