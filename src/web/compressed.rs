//! Compressed parts of files: what the worker has to decode before it loads them.

use js_sys::{Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, member, object};
use super::solver::{Solver, files_of};
use crate::io::gltf::{self, Codec, CompressedPart, PrefetchedDecoders};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A decoded part of a file: its bytes, or what the decoder reported. */
export type DecodedPart = { key: string; bytes: Uint8Array } | { key: string; error: string };
/** A part of a file that a decoder module has to decode. The members are its arguments, in order. */
export type CompressedPart =
  | { codec: "meshopt"; key: string; bytes: Uint8Array;
      count: number; stride: number; mode: string; filter: string }
  | { codec: "draco"; key: string; bytes: Uint8Array; attributes: Uint32Array; limits: Uint32Array };
"#;

#[wasm_bindgen]
impl Solver {
    /// The parts that have to be decoded before these files are read. The results belong into the
    /// member `decoded` of any of the files.
    #[wasm_bindgen(js_name = compressedParts, unchecked_return_type = "CompressedPart[]")]
    pub fn compressed_parts(
        #[wasm_bindgen(unchecked_param_type = "NamedFiles")] files: &JsValue,
    ) -> Result<Array> {
        gltf::compressed_parts(&files_of(files)?).iter().map(part_to_js).collect()
    }
}

/// The parts of files that JavaScript has decoded.
pub(super) fn decoded_in(files: &JsValue) -> Result<PrefetchedDecoders> {
    let mut decoders = PrefetchedDecoders::default();
    for file in Array::from(files).iter() {
        let decoded = member(&file, "decoded")?;
        if decoded.is_falsy() {
            continue;
        }
        for part in Array::from(&decoded).iter() {
            let key = member(&part, "key")?.as_string().unwrap_or_default();
            let result = match member(&part, "error")?.as_string() {
                Some(error) => Err(error),
                None => Ok(Uint8Array::from(member(&part, "bytes")?).to_vec()),
            };
            decoders.insert(key, result);
        }
    }
    Ok(decoders)
}

fn part_to_js(part: &CompressedPart<'_>) -> Result<JsValue> {
    let key = ("key", part.key.as_str().into());
    let bytes = ("bytes", Uint8Array::from(&*part.bytes).into());
    match &part.codec {
        Codec::Meshopt { count, stride, mode, filter } => object([
            ("codec", "meshopt".into()),
            key,
            bytes,
            ("count", (*count).into()),
            ("stride", (*stride).into()),
            ("mode", mode.as_str().into()),
            ("filter", filter.as_str().into()),
        ]),
        Codec::Draco { attributes, limits } => {
            let attributes: Vec<u32> = attributes
                .iter()
                .flat_map(|a| [a.unique_id, a.component_type, a.components as u32])
                .collect();
            let limits = [limits.vertices, limits.triangles, limits.bytes];
            let limits = limits.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
            object([
                ("codec", "draco".into()),
                key,
                bytes,
                ("attributes", Uint32Array::from(&attributes[..]).into()),
                ("limits", Uint32Array::from(&limits[..]).into()),
            ])
        }
    }
}
