//! The weights of a file, for characters whose weights cannot be computed.

use wasm_bindgen::prelude::*;

use super::Solver;
use super::js::{Result, thrown};
use super::rig_packet::RigPacket;
use super::solver::nothing_loaded;
use crate::model::Rig;

#[wasm_bindgen]
impl Solver {
    /// The character with the weights of its file, so that its clips can play; undefined if the file has
    /// none. Computed weights and the export stay as they are.
    #[wasm_bindgen(js_name = storedRig, unchecked_return_type = "RigPacket | undefined")]
    pub fn stored_rig(&self) -> Result<JsValue> {
        let asset = self.pipeline.as_ref().ok_or_else(nothing_loaded)?.asset();
        let stored = asset.skeleton.clone().zip(asset.stored_weights.clone());
        let Some((skeleton, weights)) = stored else { return Ok(JsValue::UNDEFINED) };
        let rig = Rig::from_render_weights(asset.clone(), skeleton, weights).map_err(thrown)?;
        RigPacket::of(&rig, None, None).to_js()
    }
}
