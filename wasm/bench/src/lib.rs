//! A WebAssembly module with functions that only benches call.
#![cfg(target_arch = "wasm32")]

pub use pliant::web::bench;
