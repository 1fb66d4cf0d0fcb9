//! Files before version 6, text and binary.

use glam::{DMat4, DQuat, DVec3};
use pliant_fbx::{Converted, Sibling, to_glb};
use serde_json::json;

use crate::build::{self, Binary};
use crate::gltf::Gltf;
use crate::legacy_scene::{Options, body_points, nodes};

/// As 3ds Max 2009 writes it.
pub const OPTIONS: Options =
    Options { version: 5800, has_header: true, key_version: Some(4005), has_vertex_normals: false };

pub fn as_text(options: Options) -> Vec<u8> {
    let version = options.version;
    build::text(&format!("{}.{}.0", version / 1000, version / 100 % 10), &nodes(options))
}

pub fn as_binary(options: Options, is_big_endian: bool) -> Vec<u8> {
    Binary { version: options.version as u32, is_big_endian, deflates: false }.write(&nodes(options))
}

fn convert(bytes: &[u8]) -> Converted {
    let siblings = [Sibling { name: "skin.PNG", bytes: b"\x89PNG and so on" }];
    to_glb(bytes, &siblings).unwrap_or_else(|error| panic!("{error}"))
}

fn read(options: Options) -> Gltf {
    Gltf::parse(&convert(&as_text(options)).glb)
}

fn numbers(list: &serde_json::Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn text_and_binary_give_the_same_file() {
    for version in [3000, 5000, 5800] {
        let options = Options { version, ..OPTIONS };
        let text = convert(&as_text(options));
        for is_big_endian in [false, true] {
            assert_eq!(convert(&as_binary(options, is_big_endian)).glb, text.glb, "version {version}");
        }
        let places: Vec<&str> = text.warnings.iter().map(|warning| warning.place.as_str()).collect();
        assert_eq!(places, ["FBX before 6.0"], "axes and unit are assumed, nothing else");
    }
}

#[test]
fn models_materials_textures_and_shapes_are_found() {
    let gltf = read(OPTIONS);
    let names: Vec<&str> = gltf.list("nodes").iter().map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["null", "hip", "tip", "hat", "body"], "the camera is left out");
    let body = &gltf.json["meshes"][gltf.index_of("meshes", "body")];
    assert_eq!(body["primitives"].as_array().unwrap().len(), 2, "one per material");
    assert_eq!(body["extras"]["targetNames"], json!(["smile"]));
    assert_eq!(numbers(&body["weights"]), [0.25]);
    let [lower, upper] = [0, 1].map(|index| &gltf.json["materials"][index]);
    assert_eq!((&lower["name"], &upper["name"]), (&json!("lower"), &json!("upper")));
    let surface = |material: &serde_json::Value| material["pbrMetallicRoughness"].clone();
    assert_eq!(numbers(&surface(lower)["baseColorFactor"]), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(surface(lower)["roughnessFactor"], json!(0.5));
    assert!(surface(lower)["baseColorTexture"].is_null(), "its polygons have no texture");
    assert_eq!(surface(upper)["baseColorTexture"]["index"], json!(0));
    assert_eq!(upper["alphaMode"], json!("BLEND"));
    let uvs = gltf.accessor(&body["primitives"][1]["attributes"]["TEXCOORD_0"]).0;
    let corners: std::collections::BTreeSet<[u64; 2]> =
        uvs.chunks(2).map(|uv| [uv[0] as u64, uv[1] as u64]).collect();
    assert_eq!(corners.len(), 4, "texture coordinates are those of corners");
}

#[test]
fn normals_of_vertices_and_of_corners_are_read() {
    for has_vertex_normals in [false, true] {
        let gltf = read(Options { has_vertex_normals, ..OPTIONS });
        let body = &gltf.json["meshes"][gltf.index_of("meshes", "body")];
        for primitive in body["primitives"].as_array().unwrap() {
            let positions = gltf.vectors(&primitive["attributes"]["POSITION"]);
            let normals = gltf.vectors(&primitive["attributes"]["NORMAL"]);
            for (position, normal) in positions.iter().zip(normals) {
                let expected = (*position * DVec3::new(1.0, 0.0, 1.0)).normalize();
                assert!(normal.abs_diff_eq(expected, 1e-5), "{normal} is not {expected}");
            }
        }
    }
}

/// The posed body of a scene at a time, in metres, by hand: linear blend skinning of two bones.
fn expected_body(hip_z: f64, tip_x: f64, smile: f64) -> Vec<DVec3> {
    let turn = |axis: DVec3, degrees: f64| DQuat::from_axis_angle(axis, degrees.to_radians());
    let place = |rotation, translation| DMat4::from_rotation_translation(rotation, translation);
    let null = DMat4::from_scale(DVec3::splat(2.0));
    let hip_rotation = turn(DVec3::Z, hip_z) * turn(DVec3::Y, 10.0) * turn(DVec3::X, 5.0);
    let hip = null * place(hip_rotation, DVec3::new(0.5, 0.0, 0.0));
    let tip = hip * place(turn(DVec3::X, tip_x), DVec3::new(0.0, 3.0, 0.0));
    let hip_bind = null * DMat4::from_translation(DVec3::new(0.5, 0.0, 0.0));
    let tip_bind = hip_bind * DMat4::from_translation(DVec3::new(0.0, 3.0, 0.0));
    let mesh = DMat4::from_translation(DVec3::new(0.0, 4.0, 1.0));
    let mut points = body_points();
    points[2] += smile * DVec3::new(1.0, 0.5, 2.0);
    points[17] += smile * DVec3::new(-1.0, 0.0, 0.5);
    let posed = |(index, point): (usize, &DVec3)| {
        let upper = (index / 4) as f64 / 4.0;
        let rest = mesh.transform_point3(*point);
        let lower = (hip * hip_bind.inverse()).transform_point3(rest);
        lower.lerp((tip * tip_bind.inverse()).transform_point3(rest), upper) * 0.01
    };
    points.iter().enumerate().map(posed).collect()
}

/// Largest distance of an expected point from the nearest vertex.
fn distance(gltf: &Gltf, time: f64, expected: &[DVec3]) -> f64 {
    let posed = gltf.posed_vertices(Some("bend"), time);
    let nearest = |point: &DVec3| posed.iter().map(|p| p.distance(*point)).fold(f64::MAX, f64::min);
    expected.iter().map(nearest).fold(0.0, f64::max)
}

#[test]
fn a_take_poses_the_skin_and_the_shape() {
    // Every version of key lists, declared or not.
    let cases = [(5800, Some(4005)), (5800, None), (5000, Some(4004)), (4000, None), (3000, Some(4002))];
    for (version, key_version) in cases {
        let gltf = read(Options { version, key_version, ..OPTIONS });
        let at = |time, hip, tip, smile| distance(&gltf, time, &expected_body(hip, tip, smile));
        // At keys, and between linear ones where the eased bone has a key.
        let errors = [at(0.0, 10.0, 0.0, 0.0), at(0.4, 35.0, 64.0, 2.0 / 3.0), at(1.0, -20.0, 15.0, 0.5)];
        assert!(errors.iter().all(|error| *error < 1e-5), "{version} {key_version:?}: {errors:?}");
    }
}

#[test]
fn versions_without_a_header_are_those_of_the_first_line() {
    let options = Options { version: 5000, has_header: false, ..OPTIONS };
    let gltf = read(options);
    assert!(distance(&gltf, 0.0, &expected_body(10.0, 0.0, 0.0)) < 1e-5);
}

#[test]
fn the_body_at_rest_has_the_default_values_of_its_channels() {
    let gltf = read(OPTIONS);
    let local = |name: &str| gltf.json["nodes"][gltf.index_of("nodes", name)].clone();
    assert_eq!(numbers(&local("null")["scale"]), [2.0, 2.0, 2.0]);
    assert!((numbers(&local("tip")["translation"])[1] - 0.03).abs() < 1e-7);
    assert_eq!(numbers(&local("hat")["scale"]), [1.0, 1.5, 1.0]);
}

#[test]
fn channels_of_models_are_a_clip() {
    let mut nodes = nodes(OPTIONS);
    let takes = nodes.iter().position(|node| node.name == "Takes").unwrap();
    let take = nodes.remove(takes).children.pop().unwrap();
    for of_take in take.children.into_iter().filter(|node| node.name == "Model") {
        let is_same = |node: &&mut build::N| format!("{:?}", node.values) == format!("{:?}", of_take.values);
        let model = nodes.iter_mut().filter(|node| node.name == "Model").find(is_same).unwrap();
        model.children.extend(of_take.children.into_iter().filter(|node| node.name == "Channel"));
    }
    let gltf = Gltf::parse(&convert(&build::text("5.8.0", &nodes)).glb);
    assert_eq!(gltf.json["animations"][0]["name"], "Models");
    let posed = gltf.posed_vertices(Some("Models"), 1.0);
    let of_take = read(OPTIONS).posed_vertices(Some("bend"), 1.0);
    assert!(posed.iter().zip(of_take).all(|(a, b)| a.distance(b) < 1e-6));
}

#[test]
fn pivots_are_named_in_a_warning() {
    let mut nodes = nodes(OPTIONS);
    let hip = nodes.iter_mut().filter(|node| node.name == "Model").nth(2).unwrap();
    let turned = build::node("PreRotation", vec![0.0.into(), 90.0.into(), 0.0.into()], vec![]);
    let package = build::node("Package", vec![], vec![turned]);
    hip.children.push(build::node("Pivots", vec![], vec![package]));
    let warnings = convert(&build::text("5.8.0", &nodes)).warnings;
    assert!(warnings.iter().any(|warning| warning.place == "model \"hip\""), "{warnings:?}");
}

#[test]
fn versions_before_3_are_refused_by_name() {
    let error = to_glb(&as_text(Options { version: 2500, ..OPTIONS }), &[]).unwrap_err();
    assert!(error.to_string().contains("2.5") && error.hint.contains("convert"), "{error}");
}
