//! Pliant turns a mesh and a skeleton into a character that bends well.
//!
//! The modules stand in the order the data takes: bytes are read into a [`model::Asset`] by [`io`]
//! (or made by [`samples`]), measured by [`operators`], given weights by [`weigh`], moved by
//! [`deform`] and judged by [`quality`]. [`pipeline`] runs the stages and remembers what need not
//! be computed again. A stage takes plain data and returns plain data; none names a later one
//! (`tests/layering.rs` keeps it so).

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
