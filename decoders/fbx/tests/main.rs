//! Tests of the FBX reader.

mod bad_input;
mod build;
mod clips;
mod gltf;
mod meshes;
mod transforms;
mod truth;
