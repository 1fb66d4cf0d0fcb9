//! The browser's side: a `Solver` for the worker and a `Viewer` for the page, and what travels between.
//!
//! The first half (what is told about a model, what is sent, how far a run is, what went wrong) is plain data
//! and runs anywhere; the second is the only place that knows JavaScript values. It is thin: whatever can
//! be tested natively lives elsewhere.

pub mod baking;
pub mod camera;
pub mod error;
pub mod events;
pub mod info;
pub mod learning_info;
pub mod options;
pub mod packet;
pub mod progress;
pub mod rig_packet;
pub mod volume_info;

#[cfg(target_arch = "wasm32")]
mod arrays;
#[cfg(all(target_arch = "wasm32", feature = "bench"))]
mod bench;
#[cfg(target_arch = "wasm32")]
mod comparing;
#[cfg(target_arch = "wasm32")]
mod examples;
#[cfg(target_arch = "wasm32")]
mod flesh;
#[cfg(target_arch = "wasm32")]
mod handling;
#[cfg(target_arch = "wasm32")]
mod js;
#[cfg(target_arch = "wasm32")]
mod pointing;
#[cfg(target_arch = "wasm32")]
mod solver;
#[cfg(target_arch = "wasm32")]
mod viewer;
#[cfg(target_arch = "wasm32")]
mod watch;

#[cfg(target_arch = "wasm32")]
pub use solver::Solver;
#[cfg(target_arch = "wasm32")]
pub use viewer::Viewer;
