//! The method `source`: the weights of the file, unchanged, and an export with the same bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;
use pliant::fit;
use pliant::io::gltf::{ExportOptions, write_glb};
use pliant::io::{File, read_model};
use pliant::model::Asset;
use pliant::pipeline::{Method, Outcome, Pipeline, Recipe, Silent};
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};

use crate::shared_models;

fn run(asset: Asset, method: Method) -> Outcome {
    Pipeline::new(Arc::new(asset)).run(&Recipe { method, ..Recipe::default() }, &mut Silent).unwrap()
}

fn exported(outcome: &Outcome) -> Vec<u8> {
    let (skeleton, weights) = (Some(&outcome.rig.skeleton), Some(outcome.rig.weights()));
    write_glb(&outcome.rig.asset, &ExportOptions { skeleton, weights, ..ExportOptions::default() }).unwrap()
}

fn read(bytes: Vec<u8>) -> Asset {
    read_model(&[File { name: "a.glb".into(), bytes }], &mut Report::default()).unwrap()
}

/// A GLB with six influences per vertex.
fn rigged_file() -> Vec<u8> {
    let asset = samples::make(SampleCharacter::Hand, 1_500).unwrap().into_asset("hand");
    let recipe = Recipe { method: Method::Heat, max_influences: 6, ..Recipe::default() };
    exported(&Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).unwrap())
}

#[test]
fn a_file_with_a_skin_keeps_its_weights_by_default() {
    let asset = read(rigged_file());
    let outcome = run(asset.clone(), Recipe::default().method);
    assert_eq!(outcome.method, Method::Source);
    assert_eq!(Some(outcome.rig.weights()), asset.stored_weights.as_ref());
    assert!(outcome.rig.weights().max_influences() > 4, "the limit of influences is for computed weights");
}

#[test]
fn a_character_without_weights_gets_computed_ones() {
    let asset = samples::make(SampleCharacter::Arm, 600).unwrap().into_asset("arm");
    let [source, atlas] = [Method::Source, Method::Atlas].map(|method| run(asset.clone(), method));
    assert_eq!((source.method, atlas.method), (Method::Atlas, Method::Atlas));
    assert_eq!(source.rig.weights(), atlas.rig.weights());
}

#[test]
fn an_unchanged_export_has_the_bytes_of_the_file() {
    let file = rigged_file();
    assert!(exported(&run(read(file.clone()), Method::Source)) == file);
    assert!(exported(&run(read(file.clone()), Method::Atlas)) != file, "other weights are written");
}

#[test]
fn moved_joints_change_the_export_and_its_weights() {
    let mut asset = read(rigged_file());
    let skeleton = asset.skeleton.clone().unwrap();
    let to = skeleton.joints()[2].head() + Vec3::splat(0.01);
    let (moved, clips) = fit::move_joints(&skeleton, &asset.clips, &BTreeMap::from([(2, to)])).unwrap();
    asset.move_joints(moved, clips);
    assert_eq!(run(asset, Method::Source).method, Method::FALLBACK);
}

#[test]
fn every_rigged_real_character_is_exported_with_its_own_bytes() {
    let mut rigged = 0;
    for path in shared_models::files_with(&[".glb", ".vrm"]) {
        let file = shared_models::read(&path);
        let Ok(asset) = read_model(std::slice::from_ref(&file), &mut Report::default()) else { continue };
        let is_plain = asset.source.as_ref().is_some_and(|source| source.glb_frame.is_some());
        if asset.stored_weights.is_none() || !is_plain {
            continue;
        }
        let outcome = run(asset, Method::Source);
        outcome.rig.assert_well_formed();
        assert!(exported(&outcome) == file.bytes, "{} differs", path.display());
        rigged += 1;
    }
    println!("{rigged} characters");
}
