//! Fits a skeleton to a bare mesh.
//!
//! Input: triangles, as open, overlapping and loose as they come. Output: joints with a confidence
//! each. The stages: a lattice of what is inside the mesh ([`voxels`]), signed distances on it
//! ([`body`]), orientation and kind of body ([`detection`]), and joints: of humanoids by a learned
//! cascade ([`cascade`]), of other bodies by landmarks and proportions ([`plans`]). Theory:
//! docs/theory/fitting.md.

pub mod body;
pub mod cascade;
pub mod curve_skeleton;
pub mod detection;
pub mod distance;
pub mod draft;
pub mod ensemble;
pub mod evidence;
pub mod facing;
pub mod fingers;
pub mod fit;
pub mod frames;
pub mod interior;
pub mod lattice;
pub mod names;
pub mod network;
pub mod orientation;
pub mod patch;
pub mod plan_scores;
pub mod plans;
pub mod polyline;
pub mod profile;
pub mod proportions;
pub mod sagittal;
pub mod stance;
pub mod table;
pub mod voxels;
