//! The WebAssembly module of the worker: import, solving and export.
#![cfg(target_arch = "wasm32")]

pub use pliant::web::Solver;
