//! What JavaScript calls: a `Solver` for the worker, a `Viewer` for the page, and the packets
//! between them.
//!
//! Each is in a WebAssembly module of its own, chosen by the features `solver` and `viewer`. The
//! first half (reports, packets, progress, errors) is plain data and is tested natively. The second
//! half is the only code that uses JavaScript values. It converts them and contains no logic.

pub mod baking;
pub mod camera;
pub mod clips_packet;
pub mod error;
pub mod events;
pub mod info;
pub mod morphs_packet;
pub mod options;
pub mod packet;
pub mod progress;
pub mod rig_packet;

#[cfg(all(target_arch = "wasm32", feature = "bench"))]
pub mod bench;
#[cfg(target_arch = "wasm32")]
mod js;
#[cfg(target_arch = "wasm32")]
mod morphs_js;
#[cfg(target_arch = "wasm32")]
mod packet_types;

#[cfg(all(target_arch = "wasm32", feature = "solver"))]
mod compressed;
#[cfg(all(target_arch = "wasm32", feature = "solver"))]
mod examples;
#[cfg(all(target_arch = "wasm32", feature = "solver"))]
mod fitted_skeleton;
#[cfg(all(target_arch = "wasm32", feature = "solver"))]
mod packet_to_js;
#[cfg(all(target_arch = "wasm32", feature = "solver"))]
mod solver;
#[cfg(all(target_arch = "wasm32", feature = "solver"))]
mod watch;

#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod bake_morphs;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod fit_preview;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod handles;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod packet_from_js;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod pointer_input;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod pose_offsets;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod post_skinning;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod viewer;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod views;

#[cfg(all(target_arch = "wasm32", feature = "solver"))]
pub use solver::Solver;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
pub use viewer::Viewer;
