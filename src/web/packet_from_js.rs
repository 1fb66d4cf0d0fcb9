//! Packets from JavaScript objects of typed arrays, for the viewer module.

use std::sync::Arc;

use js_sys::{Array, Float32Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, from_js, member};
use super::packet::{AssetPacket, SkeletonPacket};
use super::rig_packet::{BasePacket, RigPacket};
use crate::view::{Curves, Partition};

impl AssetPacket {
    /// Encoded images stay with the page, which decodes them; here their number is enough.
    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
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
        })
    }
}

impl SkeletonPacket {
    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        let meta = from_js(member(value, "meta")?, "the skeleton")?;
        Ok(Self { meta, keys: Float64Array::from(member(value, "keys")?).to_vec() })
    }
}

impl RigPacket {
    pub(super) fn from_js(value: &JsValue) -> Result<Self> {
        let base = member(value, "base")?;
        Ok(Self {
            token: member(value, "token")?.as_string().unwrap_or_default(),
            base: if base.is_null() { None } else { Some(BasePacket::from_js(&base)?) },
            ends: whole(value, "ends")?,
            joints: whole(value, "joints")?,
            weights: floats(value, "weights")?,
            overlapped: Uint8Array::from(member(value, "overlapped")?).to_vec(),
        })
    }
}

impl BasePacket {
    fn from_js(value: &JsValue) -> Result<Self> {
        let partition = member(value, "partition")?;
        Ok(Self {
            skeleton: from_js(member(value, "skeleton")?, "the skeleton")?,
            partition: if partition.is_null() { None } else { Some(Arc::new(partition_of_js(&partition)?)) },
        })
    }
}

fn partition_of_js(value: &JsValue) -> Result<Partition> {
    Ok(Partition {
        joints: whole(value, "joints")?,
        margins: floats(value, "margins")?,
        borders: whole(value, "borders")?.as_chunks().0.to_vec(),
        curves: Curves {
            corners: whole(value, "corners")?.as_chunks().0.to_vec(),
            shares: floats(value, "shares")?.as_chunks().0.to_vec(),
            ends: whole(value, "curveEnds")?,
        },
    })
}

fn whole(value: &JsValue, key: &str) -> Result<Vec<u32>> {
    Ok(Uint32Array::from(member(value, key)?).to_vec())
}

fn floats(value: &JsValue, key: &str) -> Result<Vec<f32>> {
    Ok(Float32Array::from(member(value, key)?).to_vec())
}
