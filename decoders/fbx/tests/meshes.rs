//! Polygons, layers, skins and blend shapes with known answers.

use glam::{DMat4, DVec3};
use pliant_fbx::{Sibling, to_glb};

use crate::build::{N, Scene, V, floats, ints, node, square, vector};
use crate::gltf::Gltf;
use crate::transforms::read_all;

fn layer(name: &str, mapping: &str, reference: &str, arrays: Vec<N>) -> N {
    let mut children = vec![
        node("MappingInformationType", vec![mapping.into()], vec![]),
        node("ReferenceInformationType", vec![reference.into()], vec![]),
    ];
    children.extend(arrays);
    node(name, vec![V::Int(0)], children)
}

fn quad_scene(layers: Vec<N>) -> Scene {
    let mut scene = Scene::default();
    scene.object("Model", 1, "quad", "Mesh", &[], vec![]);
    scene.connect(1, 0);
    let (points, polygon) = square();
    scene.mesh(10, 1, &points, &polygon, layers);
    scene
}

fn attribute(gltf: &Gltf, name: &str) -> Vec<f64> {
    gltf.accessor(&gltf.json["meshes"][0]["primitives"][0]["attributes"][name]).0
}

#[test]
fn texture_coordinates_have_every_mapping() {
    let direct = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    let flipped = [0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let uv = |mapping, reference, arrays| {
        attribute(
            &read_all(&quad_scene(vec![layer("LayerElementUV", mapping, reference, arrays)])),
            "TEXCOORD_0",
        )
    };
    assert_eq!(uv("ByPolygonVertex", "Direct", vec![floats("UV", &direct)]), flipped);
    assert_eq!(uv("ByVertice", "Direct", vec![floats("UV", &direct)]), flipped);
    let indexed =
        vec![floats("UV", &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]), ints("UVIndex", &[2, 3, 1, 0])];
    assert_eq!(uv("ByPolygonVertex", "IndexToDirect", indexed.clone()), flipped);
    assert_eq!(uv("ByVertex", "IndexToDirect", indexed), flipped);
    assert_eq!(uv("ByPolygon", "Direct", vec![floats("UV", &[0.25, 0.25])]), [0.25, 0.75].repeat(4));
    assert_eq!(uv("AllSame", "Direct", vec![floats("UV", &[0.25, 0.25])]), [0.25, 0.75].repeat(4));
}

#[test]
fn vertices_are_split_only_where_attributes_differ() {
    let mut scene = Scene::default();
    scene.object("Model", 1, "two", "Mesh", &[], vec![]);
    scene.connect(1, 0);
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
    let polygons = [0, 1, -3, 1, 3, -3];
    let same = layer("LayerElementNormal", "AllSame", "Direct", vec![floats("Normals", &[0.0, 0.0, 1.0])]);
    scene.mesh(10, 1, &points, &polygons, vec![same]);
    assert_eq!(attribute(&read_all(&scene), "POSITION").len(), 4 * 3);

    let mut scene = Scene::default();
    scene.object("Model", 1, "two", "Mesh", &[], vec![]);
    scene.connect(1, 0);
    let flat = floats("Normals", &[0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    scene.mesh(
        10,
        1,
        &points,
        &polygons,
        vec![layer("LayerElementNormal", "ByPolygon", "Direct", vec![flat])],
    );
    let positions = attribute(&read_all(&scene), "POSITION");
    assert_eq!(positions.len(), 6 * 3);
    let xs: Vec<f64> = positions.chunks(3).map(|p| p[0] * 100.0 + p[1] * 200.0).collect();
    assert!(xs.is_sorted(), "vertices are in the order of control points: {xs:?}");
}

#[test]
fn each_material_is_a_primitive() {
    let mut scene = Scene::default();
    scene.object("Model", 1, "two", "Mesh", &[], vec![]);
    scene.connect(1, 0);
    for (id, name, red) in [(30, "red", 1.0), (31, "black", 0.0)] {
        let color = vector(DVec3::new(red, 0.0, 0.0));
        scene.object("Material", id, name, "", &[("DiffuseColor", color)], vec![]);
        scene.connect(id, 1);
    }
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)];
    let materials =
        layer("LayerElementMaterial", "ByPolygon", "IndexToDirect", vec![ints("Materials", &[1, 0])]);
    scene.mesh(10, 1, &points, &[0, 1, -3, 1, 3, -3], vec![materials]);
    let gltf = read_all(&scene);
    let primitives = gltf.json["meshes"][0]["primitives"].as_array().unwrap();
    let name =
        |i: usize| &gltf.json["materials"][primitives[i]["material"].as_u64().unwrap() as usize]["name"];
    assert_eq!((name(0), name(1)), (&"red".into(), &"black".into()));
    assert_eq!(gltf.vectors(&primitives[1]["attributes"]["POSITION"])[0], DVec3::ZERO, "polygon 0 is black");
}

#[test]
fn concave_polygons_are_covered_once() {
    let mut scene = Scene::default();
    scene.object("Model", 1, "arrow", "Mesh", &[], vec![]);
    scene.connect(1, 0);
    let points = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
    scene.mesh(10, 1, &points, &[0, 1, 2, -4], vec![]);
    let gltf = read_all(&scene);
    let indices = gltf.accessor(&gltf.json["meshes"][0]["primitives"][0]["indices"]).0;
    let at = |i: f64| points[i as usize];
    let areas: Vec<f64> =
        indices.chunks(3).map(|t| (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).z / 2.0).collect();
    assert!(areas.iter().all(|&area| area > 0.0) && (areas.iter().sum::<f64>() - 1.5).abs() < 1e-12);
}

/// A quad whose first vertex has `count` influences with weights 1, 2, 3, …
fn crowded_scene(count: i64) -> Scene {
    let mut scene = quad_scene(vec![]);
    let clusters: Vec<_> = (0..count)
        .map(|i| {
            let position = DVec3::new(i as f64, 0.0, 0.0);
            scene.model(100 + i, &format!("bone{i}"), 0, &[("Lcl Translation", vector(position))]);
            let weights = vec![(0, (i + 1) as f64), (1, 1.0), (2, 0.5), (3, 2.0)];
            (100 + i, weights, DMat4::from_translation(-position))
        })
        .collect();
    scene.skin(1000, 10, &clusters);
    scene
}

#[test]
fn any_number_of_influences_is_kept_up_to_sixteen() {
    for count in [1, 4, 5, 9, 16, 20] {
        let gltf = read_all(&crowded_scene(count));
        let kept = count.min(16);
        let sets = (kept as usize).div_ceil(4);
        let attributes = &gltf.json["meshes"][0]["primitives"][0]["attributes"];
        assert!(!attributes[format!("WEIGHTS_{}", sets - 1)].is_null());
        assert!(attributes[format!("WEIGHTS_{sets}")].is_null());
        let sum: i64 = (count - kept + 1..=count).sum();
        let first = attribute(&gltf, "WEIGHTS_0")[0];
        assert!((first - count as f64 / sum as f64).abs() < 1e-6, "the largest weight comes first");
        let (points, _) = square();
        for (posed, point) in gltf.posed_vertices(None, 0.0).iter().zip(points) {
            assert!((*posed * 100.0).abs_diff_eq(point, 1e-5), "the bind pose is the rest pose");
        }
    }
}

#[test]
fn vertices_without_weights_follow_the_topmost_joint() {
    let mut scene = quad_scene(vec![]);
    scene.model(100, "root", 0, &[]);
    scene.model(101, "tip", 100, &[]);
    scene.skin(1000, 10, &[(101, vec![(0, 1.0)], DMat4::IDENTITY), (100, vec![(1, 1.0)], DMat4::IDENTITY)]);
    let converted = to_glb(&scene.text(), &[]).unwrap();
    assert!(converted.warnings.iter().any(|w| w.what.starts_with("2 vertices have no weights")));
    let gltf = Gltf::parse(&converted.glb);
    let joints = attribute(&gltf, "JOINTS_0");
    let listed = gltf.json["skins"][0]["joints"].as_array().unwrap();
    let name = |vertex: usize| {
        let joint = listed[joints[4 * vertex] as usize].as_u64().unwrap() as usize;
        gltf.json["nodes"][joint]["name"].as_str().unwrap()
    };
    assert_eq!([name(0), name(1), name(2), name(3)], ["tip", "root", "root", "root"]);
}

/// A quad with a channel whose shapes raise vertex 0 by 1 at 25 %, 4 at 50 % and 2 at 100 %.
fn in_between_scene() -> Scene {
    let mut scene = quad_scene(vec![]);
    scene.object("Deformer", 200, "shapes", "BlendShape", &[], vec![]);
    scene.connect(200, 10);
    let channel = [("DeformPercent", vec![V::Float(40.0)])];
    scene.object(
        "Deformer",
        201,
        "smile",
        "BlendShapeChannel",
        &channel,
        vec![floats("FullWeights", &[25.0, 50.0, 100.0])],
    );
    scene.connect(201, 200);
    for (id, height) in [(210, 1.0), (211, 4.0), (212, 2.0)] {
        let children = vec![ints("Indexes", &[0]), floats("Vertices", &[0.0, 0.0, height])];
        scene.object("Geometry", id, &format!("smile{height}"), "Shape", &[], children);
        scene.connect(id, 201);
    }
    scene.stack(300, "clip");
    scene.curve(
        310,
        301,
        ["201", "DeformPercent", "d|DeformPercent"],
        &[(0.0, 0.0), (1.0, 100.0)],
        (4, [0.0; 4]),
    );
    scene
}

#[test]
fn in_between_blend_shapes_fade_into_each_other() {
    let gltf = read_all(&in_between_scene());
    assert_eq!(
        gltf.json["meshes"][0]["extras"]["targetNames"],
        serde_json::json!(["smile1", "smile4", "smile2"])
    );
    let height = |clip, time| gltf.posed_vertices(clip, time)[0].z * 100.0;
    // At rest the channel is at 40 %: 2/5 of the first shape, 3/5 of the second.
    assert!((height(None, 0.0) - (0.4 * 1.0 + 0.6 * 4.0)).abs() < 1e-5);
    for (time, expected) in
        [(0.0, 0.0), (0.1, 0.4), (0.2, 0.8), (0.3, 1.6), (0.5, 4.0), (0.8, 2.8), (1.0, 2.0)]
    {
        assert!(
            (height(Some("clip"), time) - expected).abs() < 1e-4,
            "{time}: {}",
            height(Some("clip"), time)
        );
    }
}

#[test]
fn textures_come_from_siblings_whatever_the_folder_and_case() {
    let png = b"\x89PNG\r\n\x1a\n and so on";
    let mut scene = quad_scene(vec![]);
    scene.object("Material", 30, "skin", "", &[], vec![]);
    scene.connect(30, 1);
    for (id, property, path) in [
        (40, "DiffuseColor", "C:\\\\work\\\\Body.PNG"),
        (41, "NormalMap", "../maps/n.tga"),
        (42, "EmissiveColor", "lost.png"),
    ] {
        let name = node("RelativeFilename", vec![path.into()], vec![]);
        let scale = [
            ("Scaling", vector(DVec3::new(2.0, 3.0, 1.0))),
            ("Translation", vector(DVec3::new(0.1, 0.2, 0.0))),
        ];
        scene.object("Texture", id, "texture", "", if id == 40 { &scale } else { &[] }, vec![name]);
        scene.connect_property(id, 30, property);
    }
    let siblings =
        [Sibling { name: "maps/body.png", bytes: png }, Sibling { name: "N.TGA", bytes: b"not a png" }];
    let converted = to_glb(&scene.binary(7400), &siblings).unwrap();
    let gltf = Gltf::parse(&converted.glb);
    let base = &gltf.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
    let transform = &base["extensions"]["KHR_texture_transform"];
    assert_eq!(transform["scale"], serde_json::json!([2, 3]));
    assert!((transform["offset"][1].as_f64().unwrap() + 2.2).abs() < 1e-12, "V points down in glTF");
    assert_eq!(gltf.json["images"][0]["mimeType"], "image/png");
    let warnings: Vec<String> =
        converted.warnings.iter().map(|w| format!("{}: {}", w.place, w.what)).collect();
    assert!(warnings.iter().any(|w| w.contains("n.tga") && w.contains("not shown")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("lost.png") && w.contains("missing")), "{warnings:?}");
}

#[test]
fn names_that_are_not_utf8_are_read() {
    let mut bytes = quad_scene(vec![]).text();
    let at = bytes.windows(4).position(|w| w == b"quad").unwrap();
    bytes[at + 1] = 0xfc;
    let gltf = crate::transforms::read(&bytes);
    assert_eq!(gltf.json["nodes"][0]["name"], "qüad");
}
