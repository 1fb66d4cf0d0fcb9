//! Tests of the FBX reader.

mod gltf;
mod truth;
