//! The WebAssembly module of the page: drawing and deformation.
#![cfg(target_arch = "wasm32")]

pub use pliant::web::Viewer;
