//! Tests of the FBX reader.

mod build;
mod gltf;
mod transforms;
mod truth;
