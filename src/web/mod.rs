//! The browser's side: a `Solver` for the worker and a `Viewer` for the page, and what travels between.
//!
//! The first half (what is told about a model, what is sent, how far a run is, what went wrong) is plain data
//! and runs anywhere; the second is the only place that knows JavaScript values. It is thin: whatever can
//! be tested natively lives elsewhere.

pub mod baking;
pub mod camera;
pub mod error;
pub mod events;
pub mod example_fit_info;
pub mod info;
pub mod options;
pub mod packet;
pub mod progress;
pub mod rig_packet;
pub mod volume_stats;

#[cfg(target_arch = "wasm32")]
mod arrays;
#[cfg(all(target_arch = "wasm32", feature = "bench"))]
mod bench;
#[cfg(target_arch = "wasm32")]
mod examples;
#[cfg(target_arch = "wasm32")]
mod handles;
#[cfg(target_arch = "wasm32")]
mod js;
#[cfg(target_arch = "wasm32")]
mod pointer_input;
#[cfg(target_arch = "wasm32")]
mod pose_offsets;
#[cfg(target_arch = "wasm32")]
mod post_skinning;
#[cfg(target_arch = "wasm32")]
mod solver;
#[cfg(target_arch = "wasm32")]
mod viewer;
#[cfg(target_arch = "wasm32")]
mod views;
#[cfg(target_arch = "wasm32")]
mod watch;

#[cfg(target_arch = "wasm32")]
pub use solver::Solver;
#[cfg(target_arch = "wasm32")]
pub use viewer::Viewer;
