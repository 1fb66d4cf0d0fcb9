//! The WebAssembly module that compresses exports with meshopt, loaded when it is asked for.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen::prelude::*;

/// Compresses a GLB with `EXT_meshopt_compression`. Undefined if that would not make it smaller.
///
/// # Errors
/// A string that says what is wrong with the file.
#[wasm_bindgen(js_name = compressGlb)]
pub fn compress_glb(glb: &[u8]) -> Result<Option<Vec<u8>>, JsValue> {
    pliant_glb::compress(glb).map_err(|error| JsValue::from_str(&error.to_string()))
}
