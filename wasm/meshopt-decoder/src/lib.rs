//! The WebAssembly module that decodes meshopt, loaded when a file needs it.
#![cfg(target_arch = "wasm32")]

use pliant_meshopt::{DecodeError, Filter, Layout, Mode};
use wasm_bindgen::prelude::*;

/// Decodes a buffer view. The parameters are those of the extension in the file.
///
/// # Errors
/// A string that says what is wrong with the compressed data.
#[wasm_bindgen]
pub fn decode(
    bytes: &[u8],
    count: usize,
    stride: usize,
    mode: &str,
    filter: &str,
) -> Result<Vec<u8>, JsValue> {
    let modes = Mode::from_name(mode).zip(Filter::from_name(filter));
    let decoded = modes
        .ok_or(DecodeError::Layout)
        .and_then(|(mode, filter)| pliant_meshopt::decode(bytes, &Layout { count, stride, mode, filter }));
    decoded.map_err(|error| JsValue::from_str(error.message()))
}
