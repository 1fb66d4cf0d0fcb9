//! All integration tests in one binary: it links once, and the files stay one per topic.

mod fixtures;
mod memory;
mod shared_models;

mod cast;
mod deform;
mod formats;
mod gltf;
mod operators;
mod pipeline;
mod robustness;
mod round_trip;
mod shell;
