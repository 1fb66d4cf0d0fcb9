//! Packets as JavaScript objects of typed arrays, copied out of our memory so that they can be handed over.

use js_sys::{Array, Float32Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, from_js, member, object, to_js};
use super::packet::{AssetPacket, RigPacket, SkeletonPacket};

impl AssetPacket {
    pub(super) fn to_js(&self) -> Result<JsValue> {
        let textures: Array = self.textures.iter().map(|bytes| Uint8Array::from(bytes.as_slice())).collect();
        object([
            ("meta", to_js(&self.meta)?),
            ("mimes", to_js(self.mimes())?),
            ("positions", Float32Array::from(self.positions.as_slice()).into()),
            ("normals", Float32Array::from(self.normals.as_slice()).into()),
            ("uvs", Float32Array::from(self.uvs.as_slice()).into()),
            ("colors", Float32Array::from(self.colors.as_slice()).into()),
            ("triangles", Uint32Array::from(self.triangles.as_slice()).into()),
            ("textures", textures.into()),
            ("skeleton", self.skeleton.to_js()?),
        ])
    }

    /// Encoded images stay with the page, which decodes them; here their number is enough.
    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        let textures = Array::from(&member(value, "textures")?).length() as usize;
        Ok(Self {
            meta: from_js(member(value, "meta")?, "the model")?,
            positions: floats(value, "positions")?,
            normals: floats(value, "normals")?,
            uvs: floats(value, "uvs")?,
            colors: floats(value, "colors")?,
            triangles: Uint32Array::from(member(value, "triangles")?).to_vec(),
            textures: vec![Vec::new(); textures],
            skeleton: SkeletonPacket::from_js(&member(value, "skeleton")?)?,
        })
    }
}

impl SkeletonPacket {
    pub(super) fn to_js(&self) -> Result<JsValue> {
        let keys = Float64Array::from(self.keys.as_slice());
        object([("meta", to_js(&self.meta)?), ("keys", keys.into())])
    }

    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        let meta = from_js(member(value, "meta")?, "the skeleton")?;
        Ok(Self { meta, keys: Float64Array::from(member(value, "keys")?).to_vec() })
    }
}

impl RigPacket {
    pub(super) fn to_js(&self) -> Result<JsValue> {
        object([
            ("skeleton", to_js(&self.skeleton)?),
            ("ends", Uint32Array::from(self.ends.as_slice()).into()),
            ("joints", Uint32Array::from(self.joints.as_slice()).into()),
            ("weights", Float32Array::from(self.weights.as_slice()).into()),
        ])
    }

    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        Ok(Self {
            skeleton: from_js(member(value, "skeleton")?, "the skeleton")?,
            ends: Uint32Array::from(member(value, "ends")?).to_vec(),
            joints: Uint32Array::from(member(value, "joints")?).to_vec(),
            weights: floats(value, "weights")?,
        })
    }
}

fn floats(value: &JsValue, key: &str) -> Result<Vec<f32>> {
    Ok(Float32Array::from(member(value, key)?).to_vec())
}
