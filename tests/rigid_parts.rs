//! Characters with parts that are not skinned but attached to a joint: hats, horns, eyes.
//!
//! Such parts are drawn, follow their joint, play clips, and are exported unchanged.

use std::sync::Arc;

use glam::{DAffine3, DQuat, Vec2, Vec3};
use pliant::io::gltf::{ExportOptions, write_glb};
use pliant::io::{File, read_model};
use pliant::math::Trs;
use pliant::model::{Asset, Attachment, Joint, Rig, Skeleton, Weights};
use pliant::pipeline::{Method, Outcome, Pipeline, Recipe, Silent};
use pliant::report::Report;
use pliant::samples::{self, SampleCharacter};
use pliant::view::{Scene, Show};
use pliant::web::packet::AssetPacket;
use pliant::web::rig_packet::RigPacket;
use serde_json::{Value, json};

/// The corners of the prop, in the coordinates of the joint.
const PROP: [f32; 9] = [0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.3, 0.0];

fn read(glb: Vec<u8>) -> Asset {
    read_model(&[File { name: "prop.glb".into(), bytes: glb }], &mut Report::default()).unwrap()
}

/// A skinned arm with a triangle without a skin that is a child of the node of its second joint.
fn arm_with_prop() -> Vec<u8> {
    let asset = samples::make(SampleCharacter::Arm, 600).unwrap().into_asset("arm");
    let skeleton = asset.skeleton.clone().unwrap();
    let middle = skeleton.joints()[1].head().x;
    let joints = asset.render.positions.iter().map(|position| u32::from(position.x > middle));
    let weights = Weights::rigid(skeleton.joints().len(), joints).unwrap();
    let options =
        ExportOptions { skeleton: Some(&skeleton), weights: Some(&weights), ..ExportOptions::default() };
    let glb = write_glb(&asset, &options).unwrap();
    let (mut json, mut bin) = chunks(&glb);
    let push = |json: &mut Value, list: &str, item: Value| {
        let list = json[list].as_array_mut().unwrap();
        list.push(item);
        list.len() - 1
    };
    bin.resize(bin.len().next_multiple_of(4), 0);
    let start = bin.len();
    bin.extend(PROP.iter().flat_map(|number| number.to_le_bytes()));
    let view = push(
        &mut json,
        "bufferViews",
        json!({ "buffer": 0, "byteOffset": start, "byteLength": bin.len() - start }),
    );
    let position = json!({
        "bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3",
        "min": [0.0, 0.0, 0.0], "max": [0.3, 0.3, 0.0],
    });
    let position = push(&mut json, "accessors", position);
    let mesh =
        push(&mut json, "meshes", json!({ "primitives": [{ "attributes": { "POSITION": position } }] }));
    let prop = push(&mut json, "nodes", json!({ "name": "prop", "mesh": mesh }));
    let name = &skeleton.joints()[1].name;
    let nodes = json["nodes"].as_array_mut().unwrap();
    let node = nodes.iter_mut().find(|node| node["name"] == **name).unwrap();
    match node.get_mut("children") {
        Some(children) => children.as_array_mut().unwrap().push(json!(prop)),
        None => node["children"] = json!([prop]),
    }
    json["buffers"][0]["byteLength"] = json!(bin.len());
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let word = |number: usize| (number as u32).to_le_bytes();
    let total = 12 + 8 + text.len() + 8 + bin.len();
    let mut glb = [*b"glTF", word(2), word(total), word(text.len()), *b"JSON"].concat();
    glb.extend(text);
    glb.extend([word(bin.len()), *b"BIN\0"].concat());
    glb.extend(bin);
    glb
}

fn chunks(glb: &[u8]) -> (Value, Vec<u8>) {
    let size = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + size(12);
    (serde_json::from_slice(&glb[20..end]).unwrap(), glb[end + 8..end + 8 + size(end)].to_vec())
}

/// The asset as the page gets it, and a rig of it as the page gets that.
fn on_the_page(asset: &Asset, outcome: &Outcome) -> Scene {
    let page = Arc::new(AssetPacket::of(asset).into_asset());
    let packet = RigPacket::of(&outcome.rig, outcome.region_overlay.as_ref(), None);
    let arrived = packet.into_rig(page, None).unwrap();
    let mut scene = Scene::default();
    scene.resize(Vec2::new(640.0, 480.0));
    scene.set_rig(0, Arc::new(arrived.rig));
    assert!(scene.set_regions(0, arrived.overlay), "the regions are of this mesh");
    for show in [Show::Weights, Show::Regions, Show::Overlaps, Show::Folds, Show::Shaded] {
        scene.view_mut(0).set_show(show);
        let field = scene.field_of(scene.shown(0).unwrap());
        let vertices = asset.render.positions.len();
        assert!(field.is_none_or(|field| field.vertices() == vertices), "{show:?}");
    }
    scene
}

fn rigid_part(asset: &Asset) -> (std::ops::Range<usize>, usize) {
    let found = asset.render.parts.iter().find_map(|part| match part.attachment {
        Attachment::Rigid { joint } => {
            Some((part.vertices.start as usize..part.vertices.end as usize, joint))
        }
        Attachment::Skinned { .. } => None,
    });
    found.unwrap()
}

#[test]
fn a_part_without_a_skin_is_drawn_and_follows_its_joint() {
    let asset = read(arm_with_prop());
    let (vertices, joint) = rigid_part(&asset);
    let shared = Arc::new(asset);
    for method in [Method::Atlas, Method::Heat, Method::Distance] {
        let recipe = Recipe { method, ..Recipe::default() };
        let outcome = Pipeline::new(shared.clone()).run(&recipe, &mut Silent).unwrap();
        let mut scene = on_the_page(&shared, &outcome);
        let mut pose = scene.pose().unwrap().clone();
        pose.rotate(1, DQuat::from_rotation_y(0.9));
        assert!(scene.set_pose(pose));
        let shown = scene.shown(0).unwrap();
        let posed = shown.posed_positions();
        let moved = shown.posed_from_rest()[joint];
        for vertex in vertices.clone() {
            let rest = shared.render.positions[vertex];
            let expected = moved.transform_point3(rest.as_dvec3()).as_vec3();
            assert!(posed[vertex].distance(expected) < 1e-5, "{method:?}");
            assert!(posed[vertex].distance(rest) > 1e-3 || rest.distance(expected) < 1e-3);
        }
        // A click on the part selects its joint, or one on the way to it; it never panics.
        let middle = vertices.clone().map(|vertex| posed[vertex]).sum::<Vec3>() / vertices.len() as f32;
        let pixel = scene.view_transform().project(middle).unwrap().0;
        assert!(scene.influences_at(pixel).iter().all(|influence| influence.weight <= 1.0 + 1e-5));
        let _ = scene.skin_place(pixel);
    }
}

#[test]
fn a_part_without_a_skin_plays_clips_with_the_weights_of_the_file() {
    let asset = read(arm_with_prop());
    let (vertices, joint) = rigid_part(&asset);
    let page = Arc::new(AssetPacket::of(&asset).into_asset());
    let rig = Rig::from_stored_weights(page.clone(), page.skeleton.clone().unwrap()).unwrap();
    rig.weights().assert_well_formed();
    let clip = rig.asset.clips[0].clone();
    let mut scene = Scene::default();
    assert!(scene.set_rig(0, Arc::new(rig)));
    assert!(scene.set_clip_time(&clip, 0.5 * clip.duration()));
    let shown = scene.shown(0).unwrap();
    let (posed, moved) = (shown.posed_positions(), shown.posed_from_rest()[joint]);
    for vertex in vertices {
        let expected = moved.transform_point3(asset.render.positions[vertex].as_dvec3()).as_vec3();
        assert!(posed[vertex].distance(expected) < 1e-5);
    }
}

#[test]
fn a_part_without_a_skin_is_exported_unchanged() {
    let source = arm_with_prop();
    let asset = Arc::new(read(source.clone()));
    let recipe = Recipe { method: Method::Atlas, ..Recipe::default() };
    let outcome = Pipeline::new(asset.clone()).run(&recipe, &mut Silent).unwrap();
    let rig = &outcome.rig;
    let (skeleton, weights) = (Some(&rig.skeleton), Some(rig.weights()));
    let options = ExportOptions { skeleton, weights, ..ExportOptions::default() };
    let glb = write_glb(&rig.asset, &options).unwrap();
    let prop = |glb: &[u8]| {
        let (json, _) = chunks(glb);
        let nodes = json["nodes"].as_array().unwrap().clone();
        nodes.into_iter().find(|node| node["name"] == "prop").unwrap()
    };
    assert_eq!(prop(&glb), prop(&source), "the node has no skin and the same mesh");
    let again = read(glb);
    let (before, after) = (rigid_part(&asset), rigid_part(&again));
    assert_eq!(before, after);
    assert_eq!(asset.render.positions[before.0], again.render.positions[after.0]);
}

#[test]
fn a_part_without_a_skin_follows_the_nearest_joint_of_another_skeleton() {
    let mut asset = read(arm_with_prop());
    let (vertices, _) = rigid_part(&asset);
    let prop = asset.render.positions[vertices.start];
    // Three joints around the prop: the nearest bone is the second. Its frame is rotated.
    let ends = [Vec3::new(-9.0, 0.0, 0.0), prop - Vec3::X * 0.1, prop + Vec3::X * 4.0];
    let mut joints: Vec<Joint> = Vec::new();
    for (index, &end) in ends.iter().enumerate() {
        let parent = index.checked_sub(1).map(|parent| (parent, ends[parent]));
        joints.push(Joint::at(format!("new {index}"), parent, end));
    }
    let turn = DQuat::from_rotation_z(0.5);
    joints[1].rest *= DAffine3::from_quat(turn);
    joints[1].local.rotation = turn;
    joints[2].local = Trs::from_affine(&(joints[1].rest.inverse() * joints[2].rest));
    asset.set_skeleton(Skeleton::new(joints).unwrap(), Vec::new());
    assert_eq!(rigid_part(&asset).1, 1);

    let asset = Arc::new(asset);
    let recipe = Recipe { method: Method::Distance, ..Recipe::default() };
    let outcome = Pipeline::new(asset.clone()).run(&recipe, &mut Silent).unwrap();
    let rig = &outcome.rig;
    let (skeleton, weights) = (Some(&rig.skeleton), Some(rig.weights()));
    let glb =
        write_glb(&rig.asset, &ExportOptions { skeleton, weights, ..ExportOptions::default() }).unwrap();
    let again = read(glb);
    let (vertices_again, joint) = rigid_part(&again);
    // The node of the part is a helper below the joint.
    let joints = again.skeleton.as_ref().unwrap().joints();
    assert_eq!(joints[joints[joint].parent.unwrap()].name, "new 1");
    let positions = asset.render.positions[vertices].iter().zip(&again.render.positions[vertices_again]);
    for (before, after) in positions {
        assert!(before.distance(*after) < 1e-5, "{before} {after}");
    }
}
