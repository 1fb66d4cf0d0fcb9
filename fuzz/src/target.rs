//! Gives the bytes that libFuzzer makes up to the reader that the variable `PLIANT_TARGET` names.
//!
//! A run fails if the reader panics, takes too long, uses too much memory, or accepts a model that
//! cannot be exported and read again.
#![no_main]

use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use pliant::io::gltf::{ExportOptions, write_glb};
use pliant::io::{File, read_character, read_skeleton};
use pliant::model::Asset;
use pliant::pipeline::{Pipeline, Recipe, Silent};
use pliant::report::Report;
use pliant_meshopt::{Filter, Layout, Mode};

fuzz_target!(|bytes: &[u8]| {
    static TARGET: OnceLock<String> = OnceLock::new();
    let target = TARGET.get_or_init(|| std::env::var("PLIANT_TARGET").expect("PLIANT_TARGET is not set"));
    match target.as_str() {
        "draco" => draco(bytes),
        "meshopt" => meshopt(bytes),
        "recipe" => recipe(bytes),
        _ => files(bytes),
    }
});

/// A file of any format: the reader recognises it by its content.
fn files(bytes: &[u8]) {
    let files = [File { name: "fuzzed".into(), bytes: bytes.to_vec() }];
    let _ = read_skeleton(&files, &mut Report::default());
    if let Ok(asset) = read_character(&files, &mut Report::default()) {
        assert!(asset.mesh.positions().iter().all(|p| p.is_finite()), "a position is not finite");
        export(asset);
    }
}

/// What was read can be written with the weights of the file, and the result can be read.
fn export(asset: Asset) {
    if asset.stored_weights.is_none() {
        return;
    }
    let Ok(outcome) = Pipeline::new(Arc::new(asset)).run(&Recipe::default(), &mut Silent) else { return };
    let rig = &outcome.rig;
    let options = ExportOptions {
        skeleton: Some(&rig.skeleton),
        weights: Some(rig.weights()),
        ..ExportOptions::default()
    };
    if let Ok(glb) = write_glb(&rig.asset, &options) {
        let file = File { name: "exported.glb".into(), bytes: glb };
        let again = pliant::io::read_model(&[file], &mut Report::default());
        let again = again.unwrap_or_else(|error| panic!("the export cannot be read: {error}"));
        assert_eq!(again.mesh.positions().len(), rig.asset.mesh.positions().len());
    }
}

/// The first bytes are the parameters of the extension, the rest is the stream.
fn meshopt(bytes: &[u8]) {
    const MODES: [Mode; 3] = [Mode::Attributes, Mode::Triangles, Mode::Indices];
    const FILTERS: [Filter; 5] =
        [Filter::None, Filter::Octahedral, Filter::Quaternion, Filter::Exponential, Filter::Color];
    let [mode, filter, stride, low, high, stream @ ..] = bytes else { return };
    let layout = Layout {
        count: usize::from(u16::from_le_bytes([*low, *high])),
        stride: usize::from(*stride),
        mode: MODES[usize::from(*mode) % MODES.len()],
        filter: FILTERS[usize::from(*filter) % FILTERS.len()],
    };
    if let Ok(decoded) = pliant_meshopt::decode(stream, &layout) {
        assert_eq!(decoded.len(), layout.count * layout.stride);
    }
}

fn draco(bytes: &[u8]) {
    let attribute = |unique_id, components| pliant_draco::Attribute {
        unique_id,
        component_type: 5126,
        components,
    };
    let limits = pliant_draco::Limits { vertices: 100_000, triangles: 200_000, bytes: 10_000_000 };
    if let Ok(decoded) = pliant_draco::decode(bytes, &[attribute(0, 3), attribute(1, 3)], &limits) {
        assert!(decoded.indices.iter().all(|&index| (index as usize) < decoded.vertex_count));
    }
}

fn recipe(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(recipe) = Recipe::from_json(text) {
        let again = Recipe::from_json(&recipe.to_json());
        assert_eq!(again.ok(), Some(recipe), "a recipe that was read is written as it is");
    }
}
