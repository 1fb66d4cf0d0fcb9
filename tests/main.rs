//! All integration tests in one binary, which is linked once. There is one module per topic.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod fixtures;
mod memory;
mod shared_models;

mod agreement;
mod atlas;
mod biharmonic;
mod bone_glow;
mod bone_heat;
mod bvh;
mod contacts;
mod deform;
mod distance;
mod example_checks;
mod examples;
mod finish;
mod fit_sessions;
mod fitting;
mod formats;
mod gltf;
mod handles;
mod laplacian;
mod layering;
mod loose_parts;
mod morphs;
mod motion;
mod operators;
mod pipeline;
mod points;
mod properties;
mod rigid_parts;
mod robustness;
mod round_trip;
mod samples;
mod shell;
mod skeleton;
mod source_weights;
mod volume;
mod vrm;
