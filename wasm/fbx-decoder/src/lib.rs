//! The WebAssembly module that converts FBX, loaded when a file needs it.
#![cfg(target_arch = "wasm32")]

use js_sys::{Array, Uint8Array};
use pliant_fbx::Sibling;
use wasm_bindgen::prelude::*;

/// A converted file.
#[wasm_bindgen]
pub struct Converted {
    glb: Vec<u8>,
    warnings: Vec<String>,
}

#[wasm_bindgen]
impl Converted {
    /// The GLB. It can be taken once.
    #[wasm_bindgen(js_name = takeGlb)]
    pub fn take_glb(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.glb)
    }

    /// Places and descriptions of what was irregular, one after the other.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

/// Converts an FBX file to GLB. The siblings are files that may be its textures.
///
/// # Errors
/// A string of four parts that are separated by tabs: the kind of error, the place, what is wrong,
/// and what to do.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]
pub fn convert(bytes: &[u8], names: Vec<String>, contents: &Array) -> Result<Converted, JsValue> {
    let contents: Vec<Vec<u8>> = contents.iter().map(|content| Uint8Array::from(content).to_vec()).collect();
    let siblings: Vec<Sibling<'_>> =
        names.iter().zip(&contents).map(|(name, bytes)| Sibling { name, bytes }).collect();
    let converted = pliant_fbx::to_glb(bytes, &siblings).map_err(|error| {
        let parts = [error.kind.name(), &error.place, &error.what, &error.hint];
        JsValue::from_str(&parts.map(|part| part.replace('\t', " ")).join("\t"))
    })?;
    let warnings = converted.warnings.into_iter().flat_map(|warning| [warning.place, warning.what]);
    Ok(Converted { glb: converted.glb, warnings: warnings.collect() })
}
