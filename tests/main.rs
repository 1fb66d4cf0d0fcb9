//! All integration tests in one binary: it links once.

mod fixtures;

mod operators;

mod gltf;
mod shared_models;
