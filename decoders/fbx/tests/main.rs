//! Tests of the FBX reader.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "tests read files and measure time")]

mod bad_input;
mod build;
mod clips;
mod gltf;
mod legacy;
mod legacy_scene;
mod memory;
mod meshes;
mod three_js;
mod transforms;
mod truth;
mod version_6;
