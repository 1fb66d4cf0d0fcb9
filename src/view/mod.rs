//! Draws a character with three-d on a canvas of its own, and turns pointing into poses.
//!
//! In: a rig, a pose, pointers and keys as plain values. Out: pictures, and [`Event`]s. Nothing here knows
//! of files, methods or the browser's events. The first half (camera, controls, picking, gizmo, colours,
//! sketches) is plain arithmetic on [`Scene`] and runs anywhere; the second (`gpu`, and the `Viewer` that
//! owns the canvas) is WebGL2 and exists in the browser only. three-d's own vectors stay inside `gpu`.

pub mod camera;
pub mod colors;
pub mod controls;
pub mod cover;
pub mod exhibit;
pub mod field;
pub mod figure;
pub mod flesh;
pub mod gizmo;
pub mod grips;
mod handling;
pub mod input;
mod interact;
pub mod joints;
pub mod margins;
pub mod orbit;
pub mod overlay;
pub mod painting;
pub mod picking;
mod placing;
pub mod scene;
pub mod seams;
pub mod sketch;
pub mod split;
pub mod suits;
pub mod theme;

#[cfg(target_arch = "wasm32")]
mod gpu;
#[cfg(target_arch = "wasm32")]
mod viewer;

pub use camera::Camera;
pub use colors::{ColorMap, joint_colors};
pub use cover::{Cover, Curves, Partition};
pub use exhibit::Exhibit;
pub use field::{Categories, Field, Show};
pub use figure::{Deformed, Figure};
pub use flesh::{FleshParts, Layer};
pub use gizmo::Ring;
pub use grips::Grip;
pub use input::{Buttons, Event, Key, Modifiers, Pointer, Wheel};
pub use interact::Cursor;
pub use joints::Skinning;
pub use painting::{Brush, BrushMode};
pub use scene::{Image, Scene};
pub use split::Shown;
pub use theme::Theme;
#[cfg(target_arch = "wasm32")]
pub use viewer::{Drawn, Viewer, ViewerError};
