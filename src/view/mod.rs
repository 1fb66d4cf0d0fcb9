//! Draws a character on a canvas, and edits its pose with the pointer.
//!
//! In: a rig, a pose, pointers and keys as plain values. Out: pictures, and [`Event`]s. Files,
//! methods and DOM events are outside. Camera, picking, tools, colours and overlays are arithmetic
//! on [`Scene`] and run natively; `gpu` and the `Viewer` that owns the canvas need WebGL2. Types of
//! three-d stay inside `gpu`.

mod body_point;
pub mod boundary_interpolants;
pub mod camera;
pub mod changes;
pub mod colors;
pub mod controls;
mod cutout;
mod display;
pub mod field;
pub mod fit_preview;
pub mod gizmo;
pub mod graph_coloring;
mod handle_tool;
pub mod handles;
pub mod input;
mod interact;
mod joint_placement_tool;
pub mod joints;
pub mod orbit;
pub mod overlay;
pub mod overlay_mesh;
pub mod painting;
pub mod picking;
pub mod posed_character;
pub mod post_skinning;
pub mod region_curves;
pub mod region_geometry;
mod rotate_tool;
pub mod scene;
mod textures;
pub mod theme;
mod tool;
mod viewpoint;
pub mod views;

#[cfg(test)]
mod dual_quaternion_tests;

#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod gpu;
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
mod viewer;

pub use camera::Camera;
pub use changes::VIEWS;
pub use colors::{ColorMap, joint_colors};
pub use field::{Categories, Field, Show};
pub use fit_preview::FitPreview;
pub use gizmo::Ring;
pub use handles::Handle;
pub use input::{Buttons, Event, Key, Modifiers, Pointer, Wheel};
pub use interact::Cursor;
pub use joints::Skinning;
pub use painting::{Brush, BrushMode};
pub use posed_character::{Deformed, PoseState, PosedCharacter};
pub use post_skinning::{Correction, CorrectionParts};
pub use region_geometry::{Curves, RegionGeometry, ViewRegions};
pub use scene::Scene;
pub use textures::Image;
pub use theme::Theme;
pub use tool::{ToolName, ToolOptions};
#[cfg(all(target_arch = "wasm32", feature = "viewer"))]
pub use viewer::{Drawn, Viewer, ViewerError};
pub use views::{ShownView, View};
