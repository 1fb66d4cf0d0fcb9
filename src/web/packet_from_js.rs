//! Packets from JavaScript objects of typed arrays, for the viewer module.

use js_sys::{Array, Float32Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, from_js, member};
use super::packet::{AssetPacket, SkeletonPacket, WeightsPacket};
use super::rig_packet::{BasePacket, RegionsPacket, RigPacket};

impl AssetPacket {
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
            morph_targets: whole(value, "morphTargets")?,
            textures: vec![Vec::new(); textures],
            skeleton: SkeletonPacket::from_js(&member(value, "skeleton")?)?,
            stored_weights: if stored.is_null() { None } else { Some(WeightsPacket::from_js(&stored)?) },
        })
    }
}

impl SkeletonPacket {
    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        let meta = from_js(member(value, "meta")?, "the skeleton")?;
        Ok(Self { meta, keys: Float64Array::from(member(value, "keys")?).to_vec() })
    }
}

impl WeightsPacket {
    fn from_js(value: &JsValue) -> Result<Self> {
        let (ends, joints) = (whole(value, "ends")?, whole(value, "joints")?);
        Ok(Self { ends, joints, weights: floats(value, "weights")? })
    }
}

impl RigPacket {
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
    fn from_js(value: &JsValue) -> Result<Self> {
        let regions = member(value, "regions")?;
        Ok(Self {
            skeleton: from_js(member(value, "skeleton")?, "the skeleton")?,
            regions: if regions.is_null() { None } else { Some(RegionsPacket::from_js(&regions)?) },
        })
    }
}

impl RegionsPacket {
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
