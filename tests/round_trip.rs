//! Real characters are read, bound, written and read again without loss.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use pliant::fit;
use pliant::io::gltf::{ExportOptions, WeightFormat, write_glb};
use pliant::io::{ErrorCode, read_model, read_skeleton};
use pliant::model::{Asset, Interpolation, Skeleton, Track, TrackValues};
use pliant::pipeline::{Method, Pipeline, Recipe, Silent};
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};

use crate::shared_models;

/// Every GLB with a mesh, each with a skeleton: its own, or the rig that belongs to it.
fn characters() -> Vec<(String, Asset)> {
    let mut characters = Vec::new();
    for path in shared_models::sample(shared_models::files_with(&[".glb"])) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut asset = match read_model(&[shared_models::read(&path)], &mut Report::default()) {
            Ok(asset) => asset,
            // Files with a rig only have no mesh.
            Err(error) => {
                assert_eq!(error.code, ErrorCode::NoMesh, "{name} cannot be read: {error}");
                continue;
            }
        };
        if asset.skeleton.is_none() {
            let rig = name.replace("model-", "rig-");
            let path = Path::new(&path).parent().unwrap().join("../rigs").join(rig);
            if !path.is_file() {
                continue;
            }
            let read = read_skeleton(&[shared_models::read(&path)], &mut Report::default()).unwrap();
            asset.set_skeleton(read.skeleton, read.clips);
        }
        characters.push((name, asset));
    }
    characters
}

#[test]
fn real_characters_survive_binding_and_a_round_trip() {
    for (name, asset) in characters() {
        asset.assert_well_formed();
        let recipe = Recipe { method: Method::Atlas, ..Recipe::default() };
        let outcome = Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).unwrap();
        outcome.rig.assert_well_formed();
        let asset = &outcome.rig.asset;
        for format in [WeightFormat::Float, WeightFormat::U16, WeightFormat::U8] {
            let options = ExportOptions {
                skeleton: Some(&outcome.rig.skeleton),
                weights: Some(outcome.rig.weights()),
                format,
                pose: None,
                ..Default::default()
            };
            let glb = write_glb(asset, &options).unwrap();
            assert_eq!(glb, write_glb(asset, &options).unwrap(), "{name}: same bytes every time");
            let file = pliant::io::File { name: name.clone(), bytes: glb };
            let again = read_model(&[file], &mut Report::default()).unwrap();
            again.assert_well_formed();
            assert_same(&name, asset, &again);
            let stored = again.stored_weights.as_ref().unwrap();
            let step = match format {
                WeightFormat::Float => 1e-6,
                WeightFormat::U16 => 1.0 / 65535.0,
                WeightFormat::U8 => 1.0 / 255.0,
            };
            for vertex in 0..stored.vertices() {
                for influence in outcome.rig.weights().row(vertex) {
                    let read_back = stored.row(vertex).iter().find(|i| i.column == influence.column);
                    let difference = influence.weight - read_back.map_or(0.0, |i| i.weight);
                    assert!(difference.abs() <= step, "{name}: vertex {vertex}, {difference}");
                }
            }
        }
    }
}

fn assert_same(name: &str, before: &Asset, after: &Asset) {
    let size = before.mesh.diagonal();
    assert_eq!(before.render.positions.len(), after.render.positions.len(), "{name}: vertices");
    for (a, b) in before.render.positions.iter().zip(&after.render.positions) {
        assert!(a.distance(*b) <= 1e-5 * size, "{name}: a vertex moved from {a} to {b}");
    }
    assert_eq!(before.render.triangles, after.render.triangles, "{name}: triangles");
    assert_eq!(before.render.uvs, after.render.uvs, "{name}: texture coordinates");
    assert_eq!(before.materials, after.materials, "{name}: materials");
    assert_eq!(before.textures, after.textures, "{name}: textures");
    let (old, new) = (before.skeleton.as_ref().unwrap(), after.skeleton.as_ref().unwrap());
    let names = |skeleton: &pliant::model::Skeleton| -> Vec<String> {
        skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
    };
    assert_eq!(names(old), names(new), "{name}: joints and their order");
    assert_eq!(before.clips.len(), after.clips.len(), "{name}: clips");
    for (a, b) in before.clips.iter().zip(&after.clips) {
        assert_eq!((&a.name, a.tracks.len()), (&b.name, b.tracks.len()), "{name}: clip");
        let time = 0.37 * a.duration();
        let (a, b) = (a.sample(old, time).world(old), b.sample(new, time).world(new));
        for (a, b) in a.iter().zip(&b) {
            assert!(a.abs_diff_eq(*b, 1e-4 * f64::from(size.max(1.0))), "{name}: a clip moves differently");
        }
    }
}

/// An asset from a document with a skeleton, weights, and a clip that also translates joints.
fn rigged_document() -> Asset {
    let mut asset = samples::make(SampleCharacter::Mannequin, 600).unwrap().into_asset("mannequin");
    let skeleton = asset.skeleton.clone().unwrap();
    let joint = skeleton.joints().iter().position(|joint| joint.name == "forearm.L").unwrap();
    let rest = skeleton.joints()[joint].local.translation;
    let values = TrackValues::Translation(vec![rest, rest * 1.2]);
    let track = Track { joint, times: vec![0.0, 1.0], interpolation: Interpolation::Linear, values };
    asset.clips[0].tracks.retain(|other| other.joint != joint);
    asset.clips[0].tracks.push(track);
    exported(asset)
}

/// The asset after binding, writing and reading.
fn exported(asset: Asset) -> Asset {
    let recipe = Recipe { method: Method::Atlas, ..Recipe::default() };
    let outcome = Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).unwrap();
    let (skeleton, weights) = (Some(&outcome.rig.skeleton), Some(outcome.rig.weights()));
    let options = ExportOptions { skeleton, weights, ..ExportOptions::default() };
    let bytes = write_glb(&outcome.rig.asset, &options).unwrap();
    read_model(&[pliant::io::File { name: "a.glb".into(), bytes }], &mut Report::default()).unwrap()
}

#[test]
fn moved_joints_keep_their_nodes_and_clips_follow() {
    let mut asset = rigged_document();
    let skeleton = asset.skeleton.clone().unwrap();
    let joint = skeleton.joints().iter().position(|joint| joint.name == "forearm.L").unwrap();
    let to = skeleton.joints()[joint].head() + Vec3::new(0.0, 0.03, 0.02);
    let (moved, clips) = fit::move_joints(&skeleton, &asset.clips, &BTreeMap::from([(joint, to)])).unwrap();
    asset.move_joints(moved.clone(), clips);
    let again = exported(asset.clone());
    assert_same("moved", &asset, &again);
    let heads = |skeleton: &Skeleton| -> Vec<Vec3> { skeleton.joints().iter().map(|j| j.head()).collect() };
    for (a, b) in heads(&moved).iter().zip(heads(again.skeleton.as_ref().unwrap())) {
        assert!(a.distance(b) < 1e-5, "a joint is at {b}, not at {a}");
    }
    let counts = |asset: &Asset| {
        let json: serde_json::Value = serde_json::from_str(&asset.source.as_ref().unwrap().json).unwrap();
        let count = |list: &str| json[list].as_array().unwrap().len();
        let samplers = json["animations"][0]["samplers"].as_array().unwrap().len();
        (count("nodes"), count("skins"), count("animations"), samplers)
    };
    assert_eq!(counts(&asset), counts(&again), "nodes, skins, animations and samplers");
}
