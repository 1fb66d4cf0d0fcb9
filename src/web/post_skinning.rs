//! Volume preservation and contacts: options, the painted map, and statistics of the pose.

use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use super::Viewer;
use super::js::{Result, from_js, to_js};
use crate::deform::PostSkinningOptions;
use crate::quality::{VolumeMeasurement, VolumeStats};
use crate::view::{Correction, CorrectionParts};

#[wasm_bindgen]
impl Viewer {
    /// What is corrected after skinning in a view.
    #[wasm_bindgen(js_name = setPostSkinning)]
    pub fn set_post_skinning(
        &mut self,
        view: usize,
        #[wasm_bindgen(unchecked_param_type = "PostSkinningOptions")] options: JsValue,
    ) -> Result<()> {
        let options = self.with_raw_names(from_js(options, "the correction")?);
        self.inner.scene_mut().view_mut(view).set_post_skinning(options);
        Ok(())
    }

    /// Sets the painted factor of the correction map, one per render vertex; none removes it.
    /// Returns whether the count fits this mesh.
    #[wasm_bindgen(js_name = setPainted)]
    pub fn set_painted(&mut self, painted: Option<Vec<f32>>) -> bool {
        self.inner.scene_mut().set_painted(painted.unwrap_or_default())
    }

    /// The same as it is now; none when nothing was painted.
    #[must_use]
    pub fn painted(&self) -> Option<Float32Array> {
        let painted = self.inner.scene().painted();
        (!painted.is_empty()).then(|| Float32Array::from(painted))
    }

    /// Counts up whenever vertices may have moved.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn moves(&self) -> u32 {
        self.inner.scene().moves()
    }

    /// Volumes of a view in the pose; undefined while none are preserved.
    #[wasm_bindgen(js_name = volumeStats, unchecked_return_type = "VolumeStats | undefined")]
    pub fn volume_stats(&mut self, view: usize) -> Result<JsValue> {
        let Some(layer) = self.inner.scene_mut().correction(view) else { return Ok(JsValue::UNDEFINED) };
        to_js(&figures(layer, &self.names))
    }

    /// The same at a time of a motion; the picture stays as it is.
    #[wasm_bindgen(js_name = volumeStatsAt, unchecked_return_type = "VolumeStats | undefined")]
    pub fn volume_stats_at(&mut self, view: usize, clip: &str, seconds: f32) -> Result<JsValue> {
        let Some(clip) = self.motion(clip) else { return Ok(JsValue::UNDEFINED) };
        let found = self.inner.scene_mut().correction_at(view, &clip, seconds);
        let Some(layer) = found else { return Ok(JsValue::UNDEFINED) };
        to_js(&figures(layer, &self.names))
    }

    /// Which render vertices belong to self-intersections in a view.
    #[wasm_bindgen(js_name = setFolded)]
    pub fn set_folded(&mut self, view: usize, vertices: Vec<u32>) {
        let count = self.asset.as_ref().map_or(0, |asset| asset.render.positions.len());
        let mut folded = vec![false; count];
        for vertex in vertices {
            folded.get_mut(vertex as usize).into_iter().for_each(|folded| *folded = true);
        }
        self.inner.scene_mut().view_mut(view).set_folded(folded);
    }

    /// Where every render vertex of a view is in the pose, computed on the CPU; three numbers each.
    /// Undefined for a view that is not drawn.
    #[wasm_bindgen(js_name = posedVertices)]
    pub fn posed_vertices(&mut self, view: usize) -> Option<Float32Array> {
        self.inner.scene_mut().apply_post_skinning();
        let shown = self.inner.scene().shown(view)?;
        Some(Float32Array::from(bytemuck::cast_slice(&shown.posed_positions())))
    }
}

impl Viewer {
    /// Joints by the names the file gives them, which need not be unique.
    fn with_raw_names(&self, mut options: PostSkinningOptions) -> PostSkinningOptions {
        let skeleton = self.asset.as_ref().and_then(|asset| asset.skeleton.as_ref());
        if let Some((volume, skeleton)) = options.volume.as_mut().zip(skeleton) {
            for name in &mut volume.excluded {
                if let Some(joint) = self.index(name) {
                    name.clone_from(&skeleton.joints()[joint].name);
                }
            }
        }
        options
    }
}

fn figures(layer: &mut Correction, names: &[String]) -> VolumeStats {
    let CorrectionParts { mesh, segments, solved, interface_flux, missing, report } = layer.parts();
    let interface_flux = &interface_flux;
    let measured = VolumeMeasurement { mesh, segments, solved, interface_flux, missing, report };
    VolumeStats::of(&measured, names)
}
