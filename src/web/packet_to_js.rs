//! Packets as JavaScript objects of typed arrays, for the solver module.
//!
//! The arrays are copied out of WebAssembly memory, so that the worker can transfer them to the
//! page.

use js_sys::{Array, Float32Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, to_js};
use super::packet::{AssetPacket, SkeletonPacket};
use super::rig_packet::{BasePacket, RigPacket};
use crate::view::Partition;

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
            ("solveFromRender", Uint32Array::from(self.solve_from_render.as_slice()).into()),
            ("textures", textures.into()),
            ("skeleton", self.skeleton.to_js()?),
        ])
    }
}

impl SkeletonPacket {
    pub(super) fn to_js(&self) -> Result<JsValue> {
        let keys = Float64Array::from(self.keys.as_slice());
        object([("meta", to_js(&self.meta)?), ("keys", keys.into())])
    }
}

impl RigPacket {
    pub(super) fn to_js(&self) -> Result<JsValue> {
        object([
            ("token", self.token.as_str().into()),
            ("base", self.base.as_ref().map_or(Ok(JsValue::NULL), BasePacket::to_js)?),
            ("ends", Uint32Array::from(self.ends.as_slice()).into()),
            ("joints", Uint32Array::from(self.joints.as_slice()).into()),
            ("weights", Float32Array::from(self.weights.as_slice()).into()),
            ("overlapped", Uint8Array::from(self.overlapped.as_slice()).into()),
        ])
    }
}

impl BasePacket {
    fn to_js(&self) -> Result<JsValue> {
        let partition = match &self.partition {
            Some(partition) => partition_to_js(partition)?,
            None => JsValue::NULL,
        };
        object([("skeleton", to_js(&self.skeleton)?), ("partition", partition)])
    }
}

fn partition_to_js(Partition { joints, margins, borders, curves }: &Partition) -> Result<JsValue> {
    object([
        ("joints", Uint32Array::from(joints.as_slice()).into()),
        ("margins", Float32Array::from(margins.as_slice()).into()),
        ("borders", Uint32Array::from(borders.as_flattened()).into()),
        ("corners", Uint32Array::from(curves.corners.as_flattened()).into()),
        ("shares", Float32Array::from(curves.shares.as_flattened()).into()),
        ("curveEnds", Uint32Array::from(curves.ends.as_slice()).into()),
    ])
}

/// A plain object of these members.
pub(super) fn object<const N: usize>(members: [(&str, JsValue); N]) -> Result<JsValue> {
    let object = Object::new();
    for (key, value) in members {
        Reflect::set(&object, &key.into(), &value)?;
    }
    Ok(object.into())
}
