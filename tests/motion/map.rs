//! Which joint is which bone, on labelled characters.

use std::collections::BTreeMap;

use pliant::model::HumanBone;
use pliant_motion::bone::Bone;
use pliant_motion::map::{Evidence, HumanoidMap};
use serde_json::Value;

use super::{Character, model};

#[test]
fn bones_have_the_names_and_numbers_of_the_library() {
    let ours: Vec<&str> = Bone::ALL.iter().map(|bone| bone.name()).collect();
    let theirs: Vec<&str> = HumanBone::ALL.iter().map(|bone| bone.name()).collect();
    assert_eq!(ours, theirs);
}

/// Right and all labels, of body and fingers.
#[derive(Default)]
struct Score {
    models: usize,
    mapped: usize,
    body: [usize; 2],
    fingers: [usize; 2],
}

#[test]
fn labelled_avatars_are_mapped_and_animals_are_not() {
    let Some(folder) = model("avatars/dev") else { return };
    let labels: Value =
        serde_json::from_slice(&crate::shared_models::read(&folder.join("labels.json")).bytes).unwrap();
    for structure_only in [false, true] {
        let mut scores: BTreeMap<String, Score> = BTreeMap::new();
        for (name, label) in labels.as_object().unwrap() {
            let character = Character::read(&folder.join(name)).unwrap();
            let is_humanoid = label["kind"] == "humanoid";
            let map = if structure_only {
                HumanoidMap::from_structure(&character.joints)
            } else {
                HumanoidMap::of(&character.joints)
            };
            assert!(is_humanoid || map.is_none(), "{name} is not a person");
            let score = scores.entry(label["source"].as_str().unwrap().to_owned()).or_default();
            score.models += usize::from(is_humanoid);
            let Some(map) = map else { continue };
            score.mapped += 1;
            for (label, joint) in label["bones"].as_object().unwrap() {
                let bone = pliant_fitting::names::human_bone(label).and_then(|name| Bone::from_name(&name));
                // Trunks have more joints than names: which ones count is a convention.
                let Some(bone) = bone.filter(|bone| *bone != Bone::Hips && !Bone::TRUNK.contains(bone))
                else {
                    continue;
                };
                let found = map.get(bone).map(|index| character.joints.joints()[index].name.as_str());
                let part = if bone.is_finger() { &mut score.fingers } else { &mut score.body };
                part[0] += usize::from(found == joint.as_str());
                part[1] += 1;
            }
        }
        for (source, Score { models, mapped, body, fingers }) in &scores {
            println!(
                "{} {source}: {mapped} of {models} mapped; body {} of {}, fingers {} of {}",
                if structure_only { "structure" } else { "names" },
                body[0],
                body[1],
                fingers[0],
                fingers[1]
            );
            assert_eq!(mapped, models, "{source}");
            if !structure_only {
                // Of the five toes of MakeHuman, another one is labelled.
                assert!(body[0] as f64 >= 0.88 * body[1] as f64, "{source}");
                assert!(fingers[0] as f64 >= 0.99 * fingers[1] as f64, "{source}");
            }
        }
    }
}

#[test]
fn files_that_name_bones_and_files_that_name_nothing_are_mapped() {
    let expected = [
        ("vrm/avatar_001.vrm", Evidence::File),
        ("gltf_khronos/CesiumMan.glb", Evidence::Names),
        ("fbx_ufbx/three_mixamo.fbx", Evidence::Names),
        ("gltf_mesh2motion/models-variation/human-male.glb", Evidence::Names),
        ("makehuman/derived/makehuman_body.glb", Evidence::Names),
        ("motion_bvh/pybvh_cmu_12_01_walk.bvh", Evidence::Names),
        ("motion_bvh/makehuman_walk1.bvh", Evidence::Names),
    ];
    for (name, evidence) in expected {
        let Some(path) = model(name) else { return };
        let character = Character::read(&path).unwrap();
        let map = HumanoidMap::of(&character.joints).unwrap();
        assert_eq!(map.evidence, evidence, "{name}");
        assert!(map.get(Bone::Head).is_some() && map.get(Bone::LeftToes).is_some(), "{name}");
    }
}

#[test]
fn exchanged_names_of_the_sides_are_put_right() {
    let Some(path) = model("fbx_ufbx/three_mixamo.fbx") else { return };
    let character = Character::read(&path).unwrap();
    let right = HumanoidMap::of(&character.joints).unwrap();
    let mut joints = character.joints.joints().to_vec();
    for joint in &mut joints {
        joint.name = if joint.name.contains("Left") {
            joint.name.replace("Left", "Right")
        } else {
            joint.name.replace("Right", "Left")
        };
    }
    let exchanged = pliant_motion::skeleton::Skeleton::new(joints).unwrap();
    assert_eq!(HumanoidMap::of(&exchanged).unwrap().get(Bone::LeftHand), right.get(Bone::LeftHand));
}
