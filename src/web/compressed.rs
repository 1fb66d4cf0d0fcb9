//! What the worker has to decode before files are read: archives, compressed parts of glTF, and FBX
//! files.

use js_sys::{Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::js::{Result, member, object};
use super::solver::{Solver, files_of};
use crate::io::gltf::{self, Codec, CompressedPart, PrefetchedDecoders};
use crate::io::{ConvertedFbx, Format, sniff};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A decoded part of a file: its bytes, or what the decoder reported. */
export type DecodedPart = { key: string; bytes: Uint8Array } | { key: string; error: string };
/** The GLB of an FBX file with places and texts of warnings, or what the converter reported. */
export type ConvertedFbx = { glb: Uint8Array; warnings: readonly string[] } | { error: string };
/** A part of a file that a decoder module has to decode. Its members are arguments, in order. */
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

    /// Whether a file that begins with these bytes is FBX. It has to be converted before it is
    /// read. The result belongs into its member `converted`; of its `bytes` only the first are
    /// needed then.
    #[wasm_bindgen(js_name = isFbx)]
    pub fn is_fbx(head: &[u8]) -> bool {
        sniff(head) == Some(Format::Fbx)
    }

    /// Whether a file that begins with these bytes is a ZIP archive. The files in it have to be
    /// read in its place.
    #[wasm_bindgen(js_name = isZip)]
    pub fn is_zip(head: &[u8]) -> bool {
        sniff(head) == Some(Format::Zip)
    }
}

/// The parts of files that JavaScript has decoded.
pub(super) fn decoded_in(files: &JsValue) -> Result<PrefetchedDecoders> {
    let mut decoders = PrefetchedDecoders::default();
    for file in Array::from(files).iter() {
        let converted = member(&file, "converted")?;
        if converted.is_truthy() {
            let name = member(&file, "name")?.as_string().unwrap_or_default();
            decoders.insert_fbx(name, converted_fbx(&converted)?);
        }
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

/// The GLB that a page converted, or what the converter reported.
fn converted_fbx(converted: &JsValue) -> Result<std::result::Result<ConvertedFbx, String>> {
    if let Some(error) = member(converted, "error")?.as_string() {
        return Ok(Err(error));
    }
    let texts = Array::from(&member(converted, "warnings")?);
    let texts: Vec<String> = texts.iter().map(|text| text.as_string().unwrap_or_default()).collect();
    let glb = Uint8Array::from(member(converted, "glb")?).to_vec();
    Ok(Ok(ConvertedFbx { glb, warnings: texts.as_chunks().0.to_vec() }))
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
