//! The WebAssembly module that decodes Draco, loaded when a file needs it.
#![cfg(target_arch = "wasm32")]

use pliant_draco::{Attribute, Limits};
use wasm_bindgen::prelude::*;

/// Decodes a primitive. `attributes` has three numbers per attribute: its unique id, its component
/// type and its number of components. `limits` has the largest number of vertices, of triangles and
/// of bytes. The result has the layout of `pliant_draco::Decoded::to_bytes`.
///
/// # Errors
/// A string that says what is wrong with the compressed data.
#[wasm_bindgen]
pub fn decode(bytes: &[u8], attributes: &[u32], limits: &[u32]) -> Result<Vec<u8>, JsValue> {
    let attribute = |&[unique_id, component_type, components]: &[u32; 3]| Attribute {
        unique_id,
        component_type,
        components: components as usize,
    };
    let attributes: Vec<Attribute> = attributes.as_chunks().0.iter().map(attribute).collect();
    let limit = |at: usize| limits.get(at).map_or(0, |&limit| limit as usize);
    let limits = Limits { vertices: limit(0), triangles: limit(1), bytes: limit(2) };
    let decoded = pliant_draco::decode(bytes, &attributes, &limits);
    decoded.map(|decoded| decoded.to_bytes()).map_err(|error| JsValue::from_str(&error))
}
