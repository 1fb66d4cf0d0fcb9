//! Packets as JavaScript objects of typed arrays, copied out of our memory so that they can be handed over.

use std::sync::Arc;

use js_sys::{Array, Float32Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, from_js, member, object, to_js};
use super::packet::{AssetPacket, SkeletonPacket};
use super::rig_packet::{BasePacket, RigPacket};
use crate::view::{Curves, Partition};

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
            ("token", self.token.as_str().into()),
            ("base", self.base.as_ref().map_or(Ok(JsValue::NULL), BasePacket::to_js)?),
            ("ends", Uint32Array::from(self.ends.as_slice()).into()),
            ("joints", Uint32Array::from(self.joints.as_slice()).into()),
            ("weights", Float32Array::from(self.weights.as_slice()).into()),
            ("overlapped", Uint8Array::from(self.overlapped.as_slice()).into()),
        ])
    }

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
    fn to_js(&self) -> Result<JsValue> {
        let partition = match &self.partition {
            Some(partition) => partition_to_js(partition)?,
            None => JsValue::NULL,
        };
        object([("skeleton", to_js(&self.skeleton)?), ("partition", partition)])
    }

    fn from_js(value: &JsValue) -> Result<Self> {
        let partition = member(value, "partition")?;
        Ok(Self {
            skeleton: from_js(member(value, "skeleton")?, "the skeleton")?,
            partition: if partition.is_null() { None } else { Some(Arc::new(partition_of_js(&partition)?)) },
        })
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
