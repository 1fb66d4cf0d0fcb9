//! Baked morph targets as JavaScript objects of typed arrays: out of the viewer module and into the
//! solver module.

use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use super::js::Result;
#[cfg(feature = "solver")]
use super::js::member;
#[cfg(feature = "viewer")]
use super::js::object;
use super::morphs_packet::MorphsPacket;

impl MorphsPacket {
    #[cfg(feature = "viewer")]
    pub(super) fn to_js(&self) -> Result<JsValue> {
        object([
            ("clip", self.clip.as_str().into()),
            ("times", Float32Array::from(self.times.as_slice()).into()),
            ("displacements", Float32Array::from(self.displacements.as_slice()).into()),
        ])
    }

    #[cfg(feature = "solver")]
    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        Ok(Self {
            clip: member(value, "clip")?.as_string().unwrap_or_default(),
            times: Float32Array::from(member(value, "times")?).to_vec(),
            displacements: Float32Array::from(member(value, "displacements")?).to_vec(),
        })
    }
}
