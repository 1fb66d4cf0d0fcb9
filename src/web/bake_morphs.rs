//! `bakeMorphs`: the correction of clips as morph targets, for the worker. The solver module has
//! no code for corrections, so the worker calls an instance of the viewer module of its own.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::baking::Bake;
use super::js::{Result, from_js, thrown};
use super::packet::AssetPacket;
use super::rig_packet::RigPacket;

/// Morph targets of a character that `bakeInputs` of the solver module returned, one set per clip.
/// `painted` is the painted factor of the correction map, one per render vertex.
#[wasm_bindgen(js_name = bakeMorphs, unchecked_return_type = "MorphsPacket[]")]
#[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
pub fn bake_morphs(
    #[wasm_bindgen(unchecked_param_type = "AssetPacket")] asset: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "RigPacket")] rig: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Bake")] bake: JsValue,
    painted: Option<Vec<f32>>,
) -> Result<Array> {
    let bake: Bake = from_js(bake, "what to bake")?;
    let (asset, rig) = (AssetPacket::from_js(asset)?, RigPacket::from_js(rig)?);
    let morphs = bake.run_packets(asset, rig, painted.as_deref().unwrap_or_default()).map_err(thrown)?;
    morphs.iter().map(|packet| packet.to_js()).collect()
}
