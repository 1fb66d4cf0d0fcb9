//! Pliant computes skinning weights for a mesh and a skeleton, and deforms the character.
//!
//! The modules are in the order of the data flow: [`io`] reads bytes into a [`model::Asset`] (or
//! [`samples`] generates one), [`operators`] computes quantities of the mesh, [`weights`] computes
//! weights, [`deform`] poses the character, and [`quality`] measures the result. [`pipeline`] runs
//! the stages and caches their results. A stage takes plain data and returns plain data, and uses
//! no later stage (`tests/layering.rs` checks that).

pub mod math;
pub mod progress;
pub mod report;

pub mod io;
pub mod model;
pub mod samples;

pub mod operators;

pub mod distance;
pub mod segment;

pub mod weights;

pub mod fit;

pub mod deform;
pub mod quality;

pub mod pipeline;

pub mod view;

pub mod web;
