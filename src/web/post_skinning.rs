//! Volume and folds as plain calls: what is wanted, the painted map, the brush, and figures about the pose.

use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use super::Viewer;
use super::js::{Result, from_js, to_js};
use super::volume_stats::VolumeStats;
use crate::deform::{self, Posed, PostSkinningOptions, Rest, Scratch, Skin};
use crate::view::{Brush, Correction, Shown, Skinning};

#[wasm_bindgen]
impl Viewer {
    /// What is done to the flesh after skinning.
    #[wasm_bindgen(js_name = setPostSkinning)]
    pub fn set_post_skinning(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PostSkinningOptions")] options: JsValue,
    ) -> Result<()> {
        let options = self.with_raw_names(from_js(options, "the flesh")?);
        self.view.set_post_skinning(options);
        Ok(())
    }

    /// The same for the right half; null for the same as in the left one.
    #[wasm_bindgen(js_name = setComparedPostSkinning)]
    pub fn set_compared_post_skinning(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "PostSkinningOptions | null")] options: JsValue,
    ) -> Result<()> {
        let options: Option<PostSkinningOptions> = from_js(options, "the flesh")?;
        let options = options.map(|options| self.with_raw_names(options));
        self.view.set_compared_post_skinning(options);
        Ok(())
    }

    /// A factor per render vertex for how much flesh gives; whether it is for this mesh. None for a map without paint.
    #[wasm_bindgen(js_name = setPainted)]
    pub fn set_painted(&mut self, painted: Option<Vec<f32>>) -> bool {
        self.view.set_painted(painted.unwrap_or_default())
    }

    /// The same as it is now; none when nothing was painted.
    #[must_use]
    pub fn painted(&self) -> Option<Float32Array> {
        let painted = self.view.painted();
        (!painted.is_empty()).then(|| Float32Array::from(painted))
    }

    /// Begins painting with this brush, or changes it; null ends painting.
    #[wasm_bindgen(js_name = setBrush)]
    pub fn set_brush(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Brush | null")] brush: JsValue,
    ) -> Result<()> {
        let brush: Option<Brush> = from_js(brush, "the brush")?;
        self.view.set_brush(brush);
        Ok(())
    }

    /// Counts up whenever anything moves: other figures, other folds.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn moves(&self) -> u32 {
        self.view.moves()
    }

    /// Volumes in the pose; undefined while none are kept.
    #[wasm_bindgen(js_name = volumeStats, unchecked_return_type = "VolumeStats | undefined")]
    pub fn volume_stats(&mut self) -> Result<JsValue> {
        let Some(layer) = self.view.correction() else { return Ok(JsValue::UNDEFINED) };
        to_js(&figures(layer, &self.names))
    }

    /// The same at a time of a motion; the picture stays as it is.
    #[wasm_bindgen(js_name = volumeStatsAt, unchecked_return_type = "VolumeStats | undefined")]
    pub fn volume_stats_at(&mut self, clip: &str, seconds: f32) -> Result<JsValue> {
        let Some((asset, index)) = self.motion(clip) else { return Ok(JsValue::UNDEFINED) };
        let found = self.view.correction_at(&asset.clips[index], seconds);
        let Some(layer) = found else { return Ok(JsValue::UNDEFINED) };
        to_js(&figures(layer, &self.names))
    }

    /// Which render vertices lie in folds, left or right of the divider.
    #[wasm_bindgen(js_name = setFolded)]
    pub fn set_folded(&mut self, vertices: Vec<u32>, is_right: bool) {
        let count = self.asset.as_ref().map_or(0, |asset| asset.render.positions.len());
        let mut folded = vec![false; count];
        for vertex in vertices {
            folded.get_mut(vertex as usize).into_iter().for_each(|folded| *folded = true);
        }
        self.view.set_folded(is_right, folded);
    }

    /// Where every render vertex is in the pose, computed here; three numbers each.
    #[wasm_bindgen(js_name = posedVertices)]
    pub fn posed_vertices(&mut self) -> Float32Array {
        self.view.apply_post_skinning();
        self.view.shown().map_or_else(|| Float32Array::new_with_length(0), |shown| vertices_of(&shown))
    }

    /// The same right of the divider; undefined when the picture is whole.
    #[wasm_bindgen(js_name = comparedVertices)]
    pub fn compared_vertices(&mut self) -> Option<Float32Array> {
        self.view.apply_post_skinning();
        self.view.compared().map(|shown| vertices_of(&shown))
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
    VolumeStats::of(layer.parts(), names)
}

fn vertices_of(Shown { character, skinning, .. }: &Shown<'_>) -> Float32Array {
    if let Some(deformed) = character.deformed() {
        return Float32Array::from(bytemuck::cast_slice(&deformed.positions));
    }
    let rest = Rest { positions: &character.asset().render.positions, normals: &[] };
    let mut positions = rest.positions.to_vec();
    if let Some(((rig, skeleton), pose)) = character.rig().zip(character.skeleton()).zip(character.pose()) {
        let skin = Skin::of_rig(rig);
        let posed = Posed { positions: &mut positions, normals: &mut [] };
        let deformer = match skinning {
            Skinning::Linear => deform::Deformer::Linear,
            Skinning::DualQuaternion => deform::Deformer::DualQuaternion,
        };
        deform::deform(
            deformer,
            &skin,
            &pose.skinning_matrices(skeleton),
            rest,
            posed,
            &mut Scratch::default(),
        );
    }
    Float32Array::from(bytemuck::cast_slice(&positions))
}
