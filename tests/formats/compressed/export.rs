//! Exports that are compressed with meshopt: what is read back is the same.

use std::sync::Arc;

use pliant::io::File;
use pliant::io::gltf::{ExportOptions, compress, write_glb};
use pliant::model::Asset;
use pliant::pipeline::{Pipeline, Recipe, Silent};
use pliant::samples::{self, SampleCharacter};
use serde_json::{Value, json};

use super::character::{self, chunks};
use super::{SCHEMES, assert_same, compressed};
use crate::formats::model_and_warnings;
use crate::{robustness, shared_models};

const EXTENSION: &str = "EXT_meshopt_compression";

/// The same character with every triangle beginning with its first vertex: the codec may rotate
/// them.
fn rotated(mut asset: Asset) -> Asset {
    for triangle in &mut asset.render.triangles {
        let first = (0..3).min_by_key(|&corner| triangle[corner]).unwrap_or_default();
        triangle.rotate_left(first);
    }
    asset
}

/// Fails if two characters differ in anything but the first corners of triangles. Normals that a
/// file does not contain are computed from the corners and may be rounded differently.
fn assert_same_up_to_corners(after: Asset, before: Asset) {
    let [mut after, before] = [after, before].map(rotated);
    for (a, b) in after.render.normals.iter_mut().zip(&before.render.normals) {
        assert!(a.distance(*b) < 1e-4, "{a}, not {b}");
        *a = *b;
    }
    assert_same(&after, &before);
}

/// Compresses a file and fails if anything is read differently. Returns its document.
fn assert_lossless(name: &str, glb: &[u8]) -> Value {
    let smaller = compress(glb).unwrap().unwrap_or_else(|| panic!("{name} is not compressed"));
    assert!(smaller.len() < glb.len());
    let after = compressed(name, &smaller, EXTENSION);
    let (before, _) = model_and_warnings(name, glb);
    assert_same_up_to_corners(after, before);
    chunks(&smaller).0
}

/// How many views a document has, and how many of them are compressed.
fn views(document: &Value) -> [usize; 2] {
    let views = document["bufferViews"].as_array().unwrap();
    [views.len(), views.iter().filter(|view| !view["extensions"][EXTENSION].is_null()).count()]
}

#[test]
fn exports_of_sample_characters_are_lossless() {
    for character in SampleCharacter::ALL {
        let asset = samples::make(character, 800).unwrap().into_asset(character.name());
        let mut pipeline = Pipeline::new(Arc::new(asset));
        let outcome = pipeline.run(&Recipe::default(), &mut Silent).unwrap();
        let options = ExportOptions {
            skeleton: Some(&outcome.rig.skeleton),
            weights: Some(outcome.rig.weights()),
            ..Default::default()
        };
        let glb = write_glb(&outcome.rig.asset, &options).unwrap();
        let document = assert_lossless(character.name(), &glb);
        let [all, compressed] = views(&document);
        assert!(compressed >= 4, "{}: {compressed} of {all} views", character.name());
        assert_eq!(document["extensionsRequired"], json!([EXTENSION]));
        assert_eq!(compress(&glb).unwrap(), compress(&glb).unwrap());
    }
}

#[test]
fn quantised_and_sparse_attributes_are_lossless() {
    let document = assert_lossless("character", &character::plain());
    assert!(views(&document)[1] >= 2, "{document}");
    // What was compressed before is compressed again after an export.
    let (asset, _) = model_and_warnings("meshopt", character::meshopt(SCHEMES[2], false));
    let glb = write_glb(&asset, &ExportOptions::default()).unwrap();
    let document = assert_lossless("again", &glb);
    assert_eq!(document["extensionsRequired"], json!(["KHR_mesh_quantization", EXTENSION]));
    assert_eq!(document["extensionsUsed"], json!(["KHR_mesh_quantization", "ACME_shine", EXTENSION]));
}

#[test]
fn damaged_compressed_exports_give_an_error_or_a_valid_model() {
    let bytes = compress(&character::plain()).unwrap().unwrap();
    let files = vec![File { name: "compressed.glb".into(), bytes }];
    robustness::survive(&robustness::ValidFiles {
        name: "compressed.glb",
        files,
        read: robustness::read_valid_model,
    });
}

#[test]
fn real_files_are_lossless() {
    let mut sizes = [0, 0];
    for path in shared_models::files_with(&[".glb", ".vrm"]) {
        let file = shared_models::read(&path);
        let Some(smaller) = compress(&file.bytes).unwrap() else { continue };
        sizes[0] += file.bytes.len();
        sizes[1] += smaller.len();
        let read = |bytes: Vec<u8>| {
            let file = File { name: file.name.clone(), bytes };
            pliant::io::read_model(&[file], &mut pliant::report::Report::default())
        };
        match (read(file.bytes.clone()), read(smaller)) {
            (Ok(before), Ok(after)) => assert_same_up_to_corners(after, before),
            (Err(before), Err(after)) => assert_eq!(before.code, after.code, "{}", file.name),
            (before, after) => panic!("{}: {:?} became {:?}", file.name, before.err(), after.err()),
        }
    }
    assert!(10 * sizes[1] <= 6 * sizes[0], "{} bytes became {}", sizes[0], sizes[1]);
}
