//! VRM: standard bones, secondary joints, motions, and exports that stay avatars.

use std::sync::Arc;

use pliant::io::gltf::{ExportOptions, write_glb};
use pliant::io::{ErrorCode, File, Format, read_model, read_skeleton, sniff};
use pliant::model::{Asset, HumanBone, JointKind, Skeleton, Vrm};
use pliant::pipeline::{JointInfo, Method, ModelInfo, Pipeline, Recipe, Silent};
use pliant::report::Report;
use serde_json::{Value, json};

use crate::gltf::{Doc, chunks, skinned_bar};
use crate::shared_models;

fn file(bytes: Vec<u8>) -> File {
    File { name: "avatar.vrm".into(), bytes }
}

fn read(doc: &Doc) -> (Asset, Vec<String>) {
    let mut report = Report::default();
    let asset = read_model(&[file(doc.glb())], &mut report).unwrap();
    asset.assert_well_formed();
    (asset, report.warnings().iter().map(ToString::to_string).collect())
}

/// The standard bones with the names of their joints.
fn bones(skeleton: &Skeleton) -> Vec<(HumanBone, &str)> {
    let joints = skeleton.joints().iter();
    let mut bones: Vec<_> = joints.filter_map(|joint| Some((joint.human?, joint.name.as_str()))).collect();
    bones.sort();
    bones
}

/// A character of VRM 1.0 with a tail that swings and a joint that is constrained. No skin lists
/// its eye (node 4).
pub fn avatar_1() -> Doc {
    let mut doc = skinned_bar();
    doc.push("nodes", json!({ "name": "eye" }));
    doc.push(
        "nodes",
        json!({ "name": "twist", "extensions": { "VRMC_node_constraint": { "specVersion": "1.0" } } }),
    );
    doc.edit("nodes", 3, "children", json!([4, 5]));
    let human = json!({ "hips": { "node": 2 }, "spine": { "node": 3 }, "leftEye": { "node": 4 } });
    doc.set(
        "extensions",
        json!({
            "VRMC_vrm": { "specVersion": "1.0", "humanoid": { "humanBones": human } },
            "VRMC_springBone": { "springs": [{ "joints": [{ "node": 3 }, { "node": 99 }, {}] }] }
        }),
    );
    doc
}

/// A motion of two standard bones. Another node holds an expression.
pub fn motion() -> Doc {
    let mut doc = Doc::new();
    doc.push("nodes", json!({ "name": "Armature", "children": [1, 3] }));
    doc.push("nodes", json!({ "name": "Bip Hips", "children": [2], "translation": [0, 1, 0] }));
    doc.push("nodes", json!({ "name": "Bip Spine", "translation": [0, 0.2, 0] }));
    doc.push("nodes", json!({ "name": "expression" }));
    doc.push("scenes", json!({ "nodes": [0] }));
    let times = doc.floats("SCALAR", &[0.0, 1.0]);
    let turns = doc.floats("VEC4", &[0., 0., 0., 1., 0., 0.6, 0., 0.8]);
    let moves = doc.floats("VEC3", &[0., 1., 0., 0., 1., 2.]);
    doc.push(
        "animations",
        json!({
            "name": "turn",
            "samplers": [{ "input": times, "output": turns }, { "input": times, "output": moves }],
            "channels": [
                { "sampler": 0, "target": { "node": 2, "path": "rotation" } },
                { "sampler": 1, "target": { "node": 1, "path": "translation" } },
                { "sampler": 1, "target": { "node": 3, "path": "translation" } },
            ]
        }),
    );
    let human = json!({ "hips": { "node": 1 }, "spine": { "node": 2 } });
    doc.set(
        "extensions",
        json!({ "VRMC_vrm_animation": { "specVersion": "1.0", "humanoid": { "humanBones": human } } }),
    );
    doc
}

#[test]
fn bones_and_secondary_joints_of_version_1_are_read() {
    let (asset, warnings) = read(&avatar_1());
    let skeleton = asset.skeleton.as_ref().unwrap();
    let expected = [(HumanBone::Hips, "a"), (HumanBone::Spine, "b"), (HumanBone::LeftEye, "eye")];
    assert_eq!(bones(skeleton), expected);
    let eye = skeleton.find("eye").unwrap();
    assert_eq!(skeleton.joints()[eye].kind, JointKind::Helper, "no skin lists it");
    let secondary: Vec<&str> = skeleton
        .joints()
        .iter()
        .filter(|joint| joint.is_secondary)
        .map(|joint| joint.name.as_str())
        .collect();
    assert_eq!(secondary, ["b"], "the constrained node is no joint");
    assert_eq!((asset.vrm, asset.front_yaw()), (Some(Vrm::V1), 0.0));
    assert!(warnings.iter().any(|warning| warning.contains("lacks required bones: head, ")), "{warnings:?}");
    let info = ModelInfo::of(&asset, &Report::default());
    assert_eq!(info.vrm.as_deref(), Some("1.0"));
    let named: Vec<(Option<&str>, bool)> =
        info.joints.iter().map(|joint| (joint.human_bone.as_deref(), joint.is_secondary)).collect();
    assert_eq!(
        named,
        [(Some("hips"), false), (Some("spine"), true), (None, false), (Some("leftEye"), false)]
    );
}

#[test]
fn bones_and_secondary_joints_of_version_0_are_read() {
    let mut doc = skinned_bar();
    let bones_0 = json!([{ "bone": "hips", "node": 2 }, { "bone": "leftThumbProximal", "node": 3 }]);
    let groups = json!([{ "bones": [2, 77] }]);
    doc.set(
        "extensions",
        json!({ "VRM": { "humanoid": { "humanBones": bones_0 }, "secondaryAnimation": { "boneGroups": groups } } }),
    );
    let (asset, _) = read(&doc);
    let skeleton = asset.skeleton.as_ref().unwrap();
    assert_eq!(bones(skeleton), [(HumanBone::Hips, "a"), (HumanBone::LeftThumbMetacarpal, "b")]);
    let secondary: Vec<bool> = skeleton.joints().iter().map(|joint| joint.is_secondary).collect();
    assert_eq!(secondary, [true, true, false], "a spring moves everything below it");
    assert_eq!((asset.vrm, asset.front_yaw()), (Some(Vrm::V0), std::f32::consts::PI));
}

#[test]
fn wrong_entries_are_skipped_with_a_warning() {
    let mut doc = skinned_bar();
    let bones_0 = json!([
        { "bone": "hips", "node": 2 }, { "bone": "hips", "node": 3 }, { "bone": "spine", "node": 2 },
        { "bone": "tail", "node": 3 }, { "bone": "head", "node": 99 }, { "bone": "neck", "node": -1 }, 7, null
    ]);
    doc.set("extensions", json!({ "VRM": { "humanoid": { "humanBones": bones_0 } } }));
    let (asset, warnings) = read(&doc);
    assert_eq!(bones(asset.skeleton.as_ref().unwrap()), [(HumanBone::Hips, "a")]);
    let entries = warnings.iter().filter(|warning| warning.contains("humanBones[")).count();
    assert_eq!(entries, 7, "{warnings:?}");
    // Extensions of any shape are no reason to reject the mesh.
    for odd in [json!(null), json!([]), json!("x"), json!({ "VRM": 1, "VRMC_vrm": [] })] {
        doc.set("extensions", odd);
        assert_eq!(read(&doc).0.vrm, None);
    }
    for odd in [json!({}), json!({ "humanoid": [] }), json!({ "humanoid": { "humanBones": { "hips": 1 } } })]
    {
        doc.set("extensions", json!({ "VRMC_vrm": odd, "VRMC_springBone": { "springs": { "a": 1 } } }));
        assert_eq!(read(&doc).0.vrm, Some(Vrm::V1));
    }
}

#[test]
fn a_motion_is_a_skeleton_with_a_clip() {
    let glb = motion().glb();
    assert_eq!(sniff(&glb), Some(Format::Vrma));
    let mut report = Report::default();
    let read = read_skeleton(&[file(glb.clone())], &mut report).unwrap();
    assert_eq!(report.warnings(), []);
    assert_eq!(bones(&read.skeleton), [(HumanBone::Hips, "Bip Hips"), (HumanBone::Spine, "Bip Spine")]);
    assert_eq!(read.skeleton.joints().len(), 3, "the bones and the node above them");
    let clip = &read.clips[0];
    assert_eq!((clip.name.as_str(), clip.tracks.len(), clip.duration()), ("turn", 2, 1.0));
    let error = read_model(&[file(glb)], &mut Report::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::NoMesh);
    assert!(error.to_string().contains("skeleton but no mesh"), "{error}");
    // Any GLB without a mesh says so.
    let mut rig = motion();
    rig.set("extensions", json!({}));
    let error = read_model(&[file(rig.glb())], &mut Report::default()).unwrap_err();
    assert!(error.to_string().contains("skeleton but no mesh"), "{error}");
    assert_eq!(read_skeleton(&[file(rig.glb())], &mut Report::default()).unwrap().skeleton.joints().len(), 4);
}

/// The lists of a document whose indices other parts refer to: names of their items.
fn indices(json: &Value) -> Vec<Vec<Value>> {
    let names = |list: &str| {
        let items = json[list].as_array().into_iter().flatten();
        items.map(|item| json!([item["name"], item["children"], item["mesh"]])).collect()
    };
    ["nodes", "meshes", "materials", "textures", "images"].map(names).to_vec()
}

#[test]
fn an_exported_avatar_keeps_its_extensions_and_indices() {
    let mut avatars: Vec<(String, File)> = vec![("made".into(), file(avatar_1().glb()))];
    for path in shared_models::files_with(&[".vrm"]) {
        avatars.push((path.display().to_string(), shared_models::read(&path)));
    }
    for (name, avatar) in avatars {
        let asset = match read_model(std::slice::from_ref(&avatar), &mut Report::default()) {
            Ok(asset) => asset,
            Err(error) => {
                assert!(error.to_string().contains("skeleton but no mesh"), "{name}: {error}");
                let skeleton = read_skeleton(&[avatar], &mut Report::default()).unwrap().skeleton;
                assert_complete(&name, &skeleton);
                continue;
            }
        };
        let skeleton = asset.skeleton.clone().unwrap();
        if name != "made" {
            assert_complete(&name, &skeleton);
        }
        let before: Value = serde_json::from_str(&chunks(&avatar.bytes).0).unwrap();
        for method in [Method::Atlas, Method::Distance] {
            let recipe = Recipe { method, ..Recipe::default() };
            let outcome = Pipeline::new(Arc::new(asset.clone())).run(&recipe, &mut Silent).unwrap();
            let options = ExportOptions {
                skeleton: Some(&outcome.rig.skeleton),
                weights: Some(outcome.rig.weights()),
                ..Default::default()
            };
            let glb = write_glb(&outcome.rig.asset, &options).unwrap();
            let after: Value = serde_json::from_str(&chunks(&glb).0).unwrap();
            for key in ["extensions", "extensionsUsed", "extensionsRequired", "asset", "scenes", "extras"] {
                assert_eq!(before[key], after[key], "{name}: {key}");
            }
            assert_eq!(indices(&before), indices(&after), "{name}");
            assert_ne!(chunks(&avatar.bytes).1, chunks(&glb).1, "{name}: the weights are new");
            let again = read_model(&[file(glb)], &mut Report::default()).unwrap();
            assert_eq!(again.vrm, asset.vrm, "{name}");
            let infos = |skeleton: &Skeleton| -> Vec<(String, Option<String>, bool)> {
                let infos = JointInfo::all(skeleton).into_iter();
                infos.map(|joint| (joint.name, joint.human_bone, joint.is_secondary)).collect()
            };
            assert_eq!(infos(again.skeleton.as_ref().unwrap()), infos(&skeleton), "{name}");
            assert_eq!(again.render.positions, asset.render.positions, "{name}");
            let stored = again.stored_weights.unwrap();
            for joint in 0..stored.columns() as u32 {
                let pairs = stored.column(joint).into_iter().zip(outcome.rig.weights().column(joint));
                let difference = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(difference < 1e-6, "{name}: weights of joint {joint} differ by {difference}");
            }
        }
        println!("{name}: {} standard bones, {} nodes", bones(&skeleton).len(), indices(&before)[0].len());
    }
}

fn assert_complete(name: &str, skeleton: &Skeleton) {
    let bones = bones(skeleton);
    for required in HumanBone::REQUIRED {
        assert!(bones.iter().any(|(bone, _)| *bone == required), "{name} lacks {}", required.name());
    }
}
