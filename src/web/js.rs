//! Conversion of values to and from JavaScript, and messages of panics.

use std::cell::RefCell;

use js_sys::{Function, Object, Reflect};
use serde::Serialize;
#[cfg(feature = "viewer")]
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use super::error::PliantError;

/// The result of a call from JavaScript; the error is thrown.
pub(super) type Result<T> = std::result::Result<T, JsValue>;

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
    static ON_PANIC: RefCell<Option<Function>> = const { RefCell::new(None) };
}

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        LAST_PANIC.set(panic.to_string());
        console_error_panic_hook::hook(panic);
        if let Some(listener) = ON_PANIC.take() {
            // Nothing can be done if the listener throws.
            let _ = listener.call1(&JsValue::NULL, &panic.to_string().into());
        }
    }));
}

/// Calls `listener` at the first panic. After it, the instance must not be used again.
#[wasm_bindgen(js_name = onPanic)]
pub fn on_panic(#[wasm_bindgen(unchecked_param_type = "(message: string) => void")] listener: Function) {
    ON_PANIC.set(Some(listener));
}

/// The message of the last panic; empty if there was none. After one, the instance must not be used
/// again.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> String {
    LAST_PANIC.with_borrow(String::clone)
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub(super) fn now_ms() -> f64;
}

/// A value as plain objects, as `JSON.parse` returns them.
pub(super) fn to_js<T: Serialize + ?Sized>(value: &T) -> Result<JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| thrown(PliantError::new("internal", &error.to_string())))
}

/// A value from JavaScript. The error names it by `what`.
#[cfg(feature = "viewer")]
pub(super) fn from_js<T: DeserializeOwned>(value: JsValue, what: &str) -> Result<T> {
    serde_wasm_bindgen::from_value(value)
        .map_err(|error| thrown(PliantError::new("argument", &format!("{what} cannot be read: {error}"))))
}

/// An error as it is thrown in JavaScript: `{ code, message, hint }`.
pub(super) fn thrown(error: impl Into<PliantError>) -> JsValue {
    let error = error.into();
    to_js(&error).unwrap_or_else(|_| JsValue::from_str(&error.message))
}

#[cfg(feature = "viewer")]
impl From<crate::view::ViewerError> for PliantError {
    fn from(error: crate::view::ViewerError) -> Self {
        use crate::view::ViewerError;
        let code = match &error {
            ViewerError::NoWebGl2 => "no_webgl2",
            ViewerError::ContextLost => "context_lost",
            ViewerError::BadSize { .. } => "bad_size",
            ViewerError::Graphics(_) => "graphics",
        };
        Self::new(code, &error.to_string())
    }
}

/// A member of an object.
pub(super) fn member(object: &JsValue, key: &str) -> Result<JsValue> {
    Reflect::get(object, &key.into())
}

/// A plain object of these members.
pub(super) fn object<const N: usize>(members: [(&str, JsValue); N]) -> Result<JsValue> {
    let object = Object::new();
    for (key, value) in members {
        Reflect::set(&object, &key.into(), &value)?;
    }
    Ok(object.into())
}

/// A plain object with three numbers by name. Maps of Rust sort while they are collected, and each
/// type of map would add 4 kB for that.
#[cfg(feature = "viewer")]
pub(super) fn triples_by_name<'n, N: Into<f64>>(
    entries: impl Iterator<Item = (&'n str, [N; 3])>,
) -> Result<JsValue> {
    let object = Object::new();
    for (name, [x, y, z]) in entries {
        let triple = js_sys::Array::of3(&x.into().into(), &y.into().into(), &z.into().into());
        Reflect::set(&object, &name.into(), &triple)?;
    }
    Ok(object.into())
}
