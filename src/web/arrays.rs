//! Packets as JavaScript objects of typed arrays, copied out of our memory so that they can be handed over.

use js_sys::{Array, Float32Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, from_js, member, object, to_js};
use super::packet::{AssetPacket, SkeletonPacket, WeightsPacket};
use super::rig_packet::{BasePacket, RegionsPacket, RigPacket};

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
            ("storedWeights", self.stored_weights.as_ref().map_or(Ok(JsValue::NULL), WeightsPacket::to_js)?),
        ])
    }

    /// Encoded images stay with the page, which decodes them; here their number is enough.
    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        let stored = member(value, "storedWeights")?;
        let textures = Array::from(&member(value, "textures")?).length() as usize;
        Ok(Self {
            meta: from_js(member(value, "meta")?, "the model")?,
            positions: floats(value, "positions")?,
            normals: floats(value, "normals")?,
            uvs: floats(value, "uvs")?,
            colors: floats(value, "colors")?,
            triangles: whole(value, "triangles")?,
            solve_from_render: whole(value, "solveFromRender")?,
            textures: vec![Vec::new(); textures],
            skeleton: SkeletonPacket::from_js(&member(value, "skeleton")?)?,
            stored_weights: if stored.is_null() { None } else { Some(WeightsPacket::from_js(&stored)?) },
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

impl WeightsPacket {
    fn to_js(&self) -> Result<JsValue> {
        object([
            ("ends", Uint32Array::from(self.ends.as_slice()).into()),
            ("joints", Uint32Array::from(self.joints.as_slice()).into()),
            ("weights", Float32Array::from(self.weights.as_slice()).into()),
        ])
    }

    fn from_js(value: &JsValue) -> Result<Self> {
        let (ends, joints) = (whole(value, "ends")?, whole(value, "joints")?);
        Ok(Self { ends, joints, weights: floats(value, "weights")? })
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

    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        let base = member(value, "base")?;
        Ok(Self {
            token: member(value, "token")?.as_string().unwrap_or_default(),
            base: if base.is_null() { None } else { Some(BasePacket::from_js(&base)?) },
            weights: WeightsPacket::from_js(&member(value, "weights")?)?,
            overlapped: Uint8Array::from(member(value, "overlapped")?).to_vec(),
        })
    }
}

impl BasePacket {
    fn to_js(&self) -> Result<JsValue> {
        let regions = self.regions.as_ref().map_or(Ok(JsValue::NULL), RegionsPacket::to_js)?;
        object([("skeleton", to_js(&self.skeleton)?), ("regions", regions)])
    }

    fn from_js(value: &JsValue) -> Result<Self> {
        let regions = member(value, "regions")?;
        Ok(Self {
            skeleton: from_js(member(value, "skeleton")?, "the skeleton")?,
            regions: if regions.is_null() { None } else { Some(RegionsPacket::from_js(&regions)?) },
        })
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

    fn from_js(value: &JsValue) -> Result<Self> {
        Ok(Self {
            joints: whole(value, "joints")?,
            parents: whole(value, "parents")?,
            of_vertex: whole(value, "ofVertex")?,
            pairs: whole(value, "pairs")?,
            boundary_joints: whole(value, "boundaryJoints")?,
            loop_lengths: Float64Array::from(member(value, "loopLengths")?).to_vec(),
            curve_ends: whole(value, "curveEnds")?,
            point_ends: whole(value, "pointEnds")?,
            points: floats(value, "points")?,
            triangles: whole(value, "triangles")?,
        })
    }
}

fn whole(value: &JsValue, key: &str) -> Result<Vec<u32>> {
    Ok(Uint32Array::from(member(value, key)?).to_vec())
}

fn floats(value: &JsValue, key: &str) -> Result<Vec<f32>> {
    Ok(Float32Array::from(member(value, key)?).to_vec())
}
