//! Packets as JavaScript objects of typed arrays, for the solver module.
//!
//! The arrays are copied out of WebAssembly memory, so that the worker can transfer them to the
//! page.

use js_sys::{Array, Float32Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, object, to_js};
use super::packet::{AssetPacket, SkeletonPacket, WeightsPacket};
use super::rig_packet::{BasePacket, RegionsPacket, RigPacket};

impl AssetPacket {
    pub(super) fn to_js(&self) -> Result<JsValue> {
        let textures: Array = self.textures.iter().map(|bytes| Uint8Array::from(bytes.as_slice())).collect();
        object([
            ("meta", to_js(&self.meta)?),
            ("images", to_js(self.images())?),
            ("positions", Float32Array::from(self.positions.as_slice()).into()),
            ("normals", Float32Array::from(self.normals.as_slice()).into()),
            ("uvs", Float32Array::from(self.uvs.as_slice()).into()),
            ("colors", Float32Array::from(self.colors.as_slice()).into()),
            ("triangles", Uint32Array::from(self.triangles.as_slice()).into()),
            ("solveFromRender", Uint32Array::from(self.solve_from_render.as_slice()).into()),
            ("morphTargets", Uint32Array::from(self.morph_targets.as_slice()).into()),
            ("textures", textures.into()),
            ("skeleton", self.skeleton.to_js()?),
            ("storedWeights", self.stored_weights.as_ref().map_or(Ok(JsValue::NULL), WeightsPacket::to_js)?),
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
            ("weights", self.weights.to_js()?),
            ("overlapped", Uint8Array::from(self.overlapped.as_slice()).into()),
        ])
    }
}

impl WeightsPacket {
    fn to_js(&self) -> Result<JsValue> {
        object([
            ("ends", Uint32Array::from(self.ends.as_slice()).into()),
            ("joints", Uint32Array::from(self.joints.as_slice()).into()),
            ("weights", Float32Array::from(self.weights.as_slice()).into()),
        ])
    }
}

impl BasePacket {
    fn to_js(&self) -> Result<JsValue> {
        let regions = self.regions.as_ref().map_or(Ok(JsValue::NULL), RegionsPacket::to_js)?;
        object([("skeleton", to_js(&self.skeleton)?), ("regions", regions)])
    }
}

impl RegionsPacket {
    fn to_js(&self) -> Result<JsValue> {
        let whole = |numbers: &[u32]| JsValue::from(Uint32Array::from(numbers));
        object([
            ("joints", whole(&self.joints)),
            ("parents", whole(&self.parents)),
            ("ofVertex", whole(&self.of_vertex)),
            ("pairs", whole(&self.pairs)),
            ("boundaryJoints", whole(&self.boundary_joints)),
            ("loopLengths", Float64Array::from(self.loop_lengths.as_slice()).into()),
            ("curveEnds", whole(&self.curve_ends)),
            ("pointEnds", whole(&self.point_ends)),
            ("points", Float32Array::from(self.points.as_slice()).into()),
            ("triangles", whole(&self.triangles)),
        ])
    }
}
