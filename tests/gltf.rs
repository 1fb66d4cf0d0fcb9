//! Reads and writes glTF: every valid storage of meshes and skins, and round trips without loss.

mod materials;

use glam::{DAffine3, DMat4, Vec3};
use pliant::io::gltf::{ExportOptions, WeightFormat, write_glb};
use pliant::io::{ErrorCode, File, ReadError, read_character, read_model, read_skeleton};
use pliant::model::{Asset, Attachment, Influence, Pose, Skeleton, Weights};
use pliant::report::Report;
use serde_json::{Value, json};

use crate::shared_models;

/// A document under construction: views and accessors over one buffer.
#[derive(Default)]
pub struct Doc {
    json: serde_json::Map<String, Value>,
    bin: Vec<u8>,
}

impl Doc {
    pub fn new() -> Self {
        let mut doc = Self::default();
        doc.json.insert("asset".into(), json!({ "version": "2.0" }));
        doc
    }

    pub fn push(&mut self, list: &str, item: Value) -> usize {
        let list = self.json.entry(list).or_insert_with(|| json!([])).as_array_mut().unwrap();
        list.push(item);
        list.len() - 1
    }

    /// Sets a member of the document.
    pub fn set(&mut self, member: &str, value: Value) {
        self.json.insert(member.into(), value);
    }

    /// Sets a member of an item of a list.
    pub fn edit(&mut self, list: &str, index: usize, member: &str, value: Value) {
        self.json[list][index][member] = value;
    }

    /// A member of the document.
    pub fn member(&self, member: &str) -> &Value {
        &self.json[member]
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        self.bin.extend_from_slice(bytes);
        self.push("bufferViews", view)
    }

    pub fn floats(&mut self, shape: &str, values: &[f32]) -> usize {
        let width = match shape {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let view = self.view(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
        let count = values.len() / width;
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": 5126, "count": count, "type": shape }),
        )
    }

    fn bytes(&mut self, shape: &str, values: &[u8], normalized: bool) -> usize {
        let width = if shape == "SCALAR" { 1 } else { 4 };
        let view = self.view(values);
        let count = values.len() / width;
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": 5121, "count": count, "type": shape, "normalized": normalized }),
        )
    }

    /// Adds a mesh of one primitive with a node of its own in the scene.
    fn add_mesh(&mut self, primitive: Value, mut node: Value) -> usize {
        let mesh = self.push("meshes", json!({ "primitives": Value::Array(vec![primitive]) }));
        node["mesh"] = mesh.into();
        let node = self.push("nodes", node);
        let scenes = self.json.entry("scenes").or_insert_with(|| json!([{ "nodes": [] }]));
        scenes[0]["nodes"].as_array_mut().unwrap().push(node.into());
        node
    }

    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json.insert("buffers".into(), json!([{ "byteLength": self.bin.len() }]));
        let mut text = serde_json::to_vec(&json).unwrap();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bin.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let mut glb = b"glTF\x02\0\0\0".to_vec();
        glb.extend(((12 + 8 + text.len() + 8 + bin.len()) as u32).to_le_bytes());
        glb.extend((text.len() as u32).to_le_bytes());
        glb.extend(b"JSON");
        glb.extend(&text);
        glb.extend((bin.len() as u32).to_le_bytes());
        glb.extend(b"BIN\0");
        glb.extend(&bin);
        glb
    }

    /// The document as JSON with its buffer in a separate file.
    pub fn gltf_and_bin(&self) -> Vec<File> {
        let mut json = self.json.clone();
        json.insert("buffers".into(), json!([{ "uri": "test.bin", "byteLength": self.bin.len() }]));
        let bytes = serde_json::to_vec(&json).unwrap();
        vec![
            File { name: "test.gltf".into(), bytes },
            File { name: "test.bin".into(), bytes: self.bin.clone() },
        ]
    }

    fn read(&self) -> Result<Asset, ReadError> {
        read_bytes(self.glb())
    }
}

fn read_bytes(bytes: Vec<u8>) -> Result<Asset, ReadError> {
    let asset = read_model(&[File { name: "test.glb".into(), bytes }], &mut Report::default())?;
    asset.assert_well_formed();
    Ok(asset)
}

/// The JSON text and the binary chunk of a GLB.
pub fn chunks(glb: &[u8]) -> (String, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let json = String::from_utf8(glb[20..20 + word(12)].to_vec()).unwrap();
    let bin = glb.get(20 + word(12) + 8..).unwrap_or_default().to_vec();
    (json, bin)
}

const TRIANGLE: [f32; 9] = [0., 0., 0., 1., 0., 0., 0., 1., 0.];

#[test]
fn positions_are_read_from_every_valid_storage() {
    let expected = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let check = |doc: &Doc| assert_eq!(doc.read().unwrap().render.positions, expected);

    let mut tight = Doc::new();
    let position = tight.floats("VEC3", &TRIANGLE);
    tight.add_mesh(json!({ "attributes": { "POSITION": position } }), json!({}));
    check(&tight);

    let mut interleaved = Doc::new();
    let rows: Vec<u8> = TRIANGLE
        .chunks(3)
        .flat_map(|row| row.iter().chain(&[9.0f32, 9.0]).flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
        .collect();
    let view = interleaved.view(&rows);
    interleaved.json["bufferViews"][view]["byteStride"] = 20.into();
    interleaved
        .push("accessors", json!({ "bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3" }));
    interleaved.add_mesh(json!({ "attributes": { "POSITION": 0 } }), json!({}));
    check(&interleaved);

    let mut sparse = Doc::new();
    let (indices, values) = (sparse.view(&[1, 2]), sparse.view(bytemuck::cast_slice(&TRIANGLE[3..])));
    sparse.push(
        "accessors",
        json!({ "componentType": 5126, "count": 3, "type": "VEC3", "sparse": {
            "count": 2, "indices": { "bufferView": indices, "componentType": 5121 }, "values": { "bufferView": values } } }),
    );
    sparse.add_mesh(json!({ "attributes": { "POSITION": 0 } }), json!({}));
    check(&sparse);

    let mut quantised = Doc::new();
    let rows: Vec<u8> =
        [0i16, 0, 0, 0, 32767, 0, 0, 0, 0, 32767, 0, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let view = quantised.view(&rows);
    quantised.json["bufferViews"][view]["byteStride"] = 8.into();
    quantised.push(
        "accessors",
        json!({ "bufferView": view, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC3" }),
    );
    quantised.add_mesh(json!({ "attributes": { "POSITION": 0 } }), json!({}));
    check(&quantised);
}

#[test]
fn an_accessor_without_a_buffer_view_is_zero_and_a_huge_one_is_rejected() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", &TRIANGLE);
    let zeros = doc.push("accessors", json!({ "componentType": 5126, "count": 3, "type": "VEC2" }));
    doc.add_mesh(json!({ "attributes": { "POSITION": position, "TEXCOORD_0": zeros } }), json!({}));
    assert_eq!(doc.read().unwrap().render.uvs, [glam::Vec2::ZERO; 3]);
    doc.json["accessors"][zeros]["count"] = 4_000_000_000u32.into();
    assert_eq!(doc.read().unwrap_err().code, ErrorCode::TooLarge);
}

#[test]
fn a_mesh_without_area_is_rejected() {
    let mut doc = Doc::new();
    doc.push("accessors", json!({ "componentType": 5126, "count": 3, "type": "VEC3" }));
    doc.add_mesh(json!({ "attributes": { "POSITION": 0 } }), json!({}));
    assert_eq!(doc.read().unwrap_err().code, ErrorCode::NoMesh);
}

#[test]
fn triangle_lists_strips_and_fans_give_the_same_square() {
    let square = [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.];
    for (mode, indices) in [(4, vec![0, 1, 2, 0, 2, 3]), (5, vec![0, 1, 3, 2]), (6, vec![0, 1, 2, 3])] {
        let mut doc = Doc::new();
        let (position, index) = (doc.floats("VEC3", &square), doc.bytes("SCALAR", &indices, false));
        doc.add_mesh(
            json!({ "attributes": { "POSITION": position }, "indices": index, "mode": mode }),
            json!({}),
        );
        let asset = doc.read().unwrap();
        assert_eq!(asset.render.triangles.len(), 2, "mode {mode}");
        // Computed normals show that both triangles have the same orientation.
        assert!(asset.render.normals.iter().all(|n| n.z > 0.99), "mode {mode}");
    }
}

#[test]
fn node_transforms_apply_and_reflections_keep_the_orientation() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", &TRIANGLE);
    let primitive = json!({ "attributes": { "POSITION": position } });
    doc.add_mesh(primitive, json!({ "translation": [5, 0, 0], "scale": [-2, 3, 1] }));
    let asset = doc.read().unwrap();
    assert_eq!(asset.render.positions, [Vec3::X * 5.0, Vec3::X * 3.0, Vec3::new(5.0, 3.0, 0.0)]);
    assert!(asset.render.normals.iter().all(|n| n.z > 0.99));
}

#[test]
fn buffers_may_be_data_uris_or_separate_files() {
    let bytes: Vec<u8> = TRIANGLE.iter().flat_map(|v| v.to_le_bytes()).collect();
    let document = |uri: &str| {
        let json = json!({
            "asset": { "version": "2.0" }, "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }], "buffers": [{ "uri": uri, "byteLength": 36 }],
        });
        File { name: "some/where.gltf".into(), bytes: serde_json::to_vec(&json).unwrap() }
    };
    let read = |files: &[File]| read_model(files, &mut Report::default());
    let inline = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    assert_eq!(read(&[document(inline)]).unwrap().render.positions[1], Vec3::X);
    let separate = File { name: "some/data one.bin".into(), bytes };
    assert_eq!(read(&[document("data%20one.bin"), separate]).unwrap().render.positions[2], Vec3::Y);
    let error = read(&[document("other.bin")]).unwrap_err();
    assert_eq!(error.code, ErrorCode::MissingFile);
    assert!(error.to_string().contains("'other.bin'"), "{error}");
}

#[test]
fn gltf_1_files_are_rejected_with_a_specific_message() {
    let lists =
        json!({ "accessors": {}, "meshes": { "body": {} }, "nodes": { "root": { "meshes": ["body"] } } });
    let mut with_version = lists.clone();
    with_version["asset"] = json!({ "version": "1.0" });
    // Binary glTF 1.0: magic, version, length, content length, content format, JSON.
    let json = serde_json::to_vec(&with_version).unwrap();
    let mut binary = b"glTF".to_vec();
    for word in [1, 20 + json.len() as u32, json.len() as u32, 0] {
        binary.extend(u32::to_le_bytes(word));
    }
    binary.extend(&json);
    for bytes in [serde_json::to_vec(&lists).unwrap(), json, binary] {
        let error = read_bytes(bytes).unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported, "{error}");
        let message = error.to_string();
        assert!(message.contains("this is glTF 1.0") && message.contains("gltf-pipeline"), "{message}");
    }
}

/// A bar of four vertices bound to two joints. Its nodes are not in the bind pose.
pub fn skinned_bar() -> Doc {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", &[0., 0., 0., 0., 1., 0., 1., 0., 0., 1., 1., 0.]);
    let index = doc.bytes("SCALAR", &[0, 2, 1, 1, 2, 3], false);
    let joints = doc.bytes("VEC4", &[0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], false);
    let weights = doc.bytes("VEC4", &[204, 51, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 128, 127, 0, 0], true);
    let bind = |x: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -x, 0., 0., 1.];
    let binds: Vec<f32> = [bind(0.25), bind(0.75)].concat();
    let binds = doc.floats("MAT4", &binds);
    let primitive = json!({ "attributes": { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights },
                            "indices": index, "material": 0 });
    doc.add_mesh(primitive, json!({ "skin": 0, "translation": [100, 0, 0] }));
    doc.push("nodes", json!({ "name": "rig", "children": [2], "scale": [2, 2, 2] }));
    doc.push("nodes", json!({ "name": "a", "children": [3], "translation": [0, 3, 0] }));
    doc.push(
        "nodes",
        json!({ "name": "b", "translation": [0.5, 0, 0], "rotation": [0, 0, 0.3826834, 0.9238795] }),
    );
    doc.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(1.into());
    doc.push(
        "skins",
        json!({ "joints": [2, 3], "inverseBindMatrices": binds, "name": "kept", "extras": { "x": 1.50 } }),
    );
    doc.push(
        "materials",
        json!({ "name": "paint", "extensions": { "ACME_shine": { "how": [1, 2.50, "é"] } } }),
    );
    doc.json.insert("extras".into(), json!({ "note": "survives" }));
    doc
}

/// A skinned vertex by the specification: Σ w · world(joint) · inverse bind · position.
fn skinned_by_specification(asset: &Asset, world: &[DAffine3], weights: &Weights) -> Vec<Vec3> {
    let skeleton = asset.skeleton.as_ref().unwrap();
    let mut posed = vec![Vec3::ZERO; asset.render.positions.len()];
    for part in &asset.render.parts {
        for vertex in part.vertices.clone().map(|v| v as usize) {
            // rest⁻¹ · rest_from_primitive is the inverse bind matrix.
            let stored = part
                .rest_from_primitive
                .inverse()
                .transform_point3(asset.render.positions[vertex].as_dvec3());
            let blend = weights.row(vertex).iter().map(|&Influence { column, weight }| {
                let bind = skeleton.joints()[column as usize].rest.inverse() * part.rest_from_primitive;
                (world[column as usize] * bind).transform_point3(stored) * f64::from(weight)
            });
            posed[vertex] = blend.sum::<glam::DVec3>().as_vec3();
        }
    }
    posed
}

fn skinned(asset: &Asset, pose: &Pose, weights: &Weights) -> Vec<Vec3> {
    let matrices = pose.skinning_matrices(asset.skeleton.as_ref().unwrap());
    let row = |v: usize| weights.row(v).iter();
    (0..asset.render.positions.len())
        .map(|v| {
            row(v)
                .map(|i| matrices[i.column as usize].transform_point3(asset.render.positions[v]) * i.weight)
                .sum()
        })
        .collect()
}

#[test]
fn the_rest_pose_is_the_bind_pose_and_not_the_pose_of_the_nodes() {
    let asset = skinned_bar().read().unwrap();
    let skeleton = asset.skeleton.as_ref().unwrap();
    let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "rig"], "the joints of the skin in its order, then their ancestors");
    let weights = asset.stored_weights.as_ref().unwrap();

    let rest = skinned(&asset, &Pose::rest(skeleton), weights);
    for (a, b) in rest.iter().zip(&asset.render.positions) {
        assert!(a.distance(*b) < 1e-5, "rest pose is identity: {a} {b}");
    }

    // The transforms of the nodes, computed by hand from the document.
    let a_world =
        DAffine3::from_scale(glam::DVec3::splat(2.0)) * DAffine3::from_translation(glam::DVec3::Y * 3.0);
    let b_world = a_world
        * DAffine3::from_rotation_translation(
            glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4),
            glam::DVec3::X * 0.5,
        );
    let b_bind = DAffine3::from_translation(-glam::DVec3::X * 0.75);
    let expected = (b_world * b_bind).transform_point3(glam::DVec3::X).as_vec3(); // vertex 2 follows only b
    let node_pose = pliant::model::Clip::default().sample(skeleton, 0.0);
    let posed = skinned(&asset, &node_pose, weights);
    assert!(posed[2].distance(expected) < 1e-5, "{} {expected}", posed[2]);
    let oracle = skinned_by_specification(&asset, &node_pose.world(skeleton), weights);
    for (a, b) in posed.iter().zip(oracle) {
        assert!(a.distance(b) < 1e-5);
    }
}

fn export(asset: &Asset, weights: &Weights, format: WeightFormat) -> Vec<u8> {
    let options = ExportOptions {
        skeleton: asset.skeleton.as_ref(),
        weights: Some(weights),
        format,
        pose: None,
        morphs: &[],
        clips: &[],
    };
    write_glb(asset, &options).unwrap()
}

#[test]
fn rigging_again_replaces_only_the_weights() {
    let asset = skinned_bar().read().unwrap();
    let row = |w: f32| [Influence { column: 0, weight: w }, Influence { column: 1, weight: 1.0 - w }];
    let weights = Weights::new(3, (0..4).map(|v| row(0.2 + 0.1 * v as f32))).unwrap();
    let glb = export(&asset, &weights, WeightFormat::U8);
    assert_eq!(glb, export(&asset, &weights, WeightFormat::U8), "same input, same bytes");

    let (old, new) = (chunks(&skinned_bar().glb()), chunks(&glb));
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    for member in ["asset", "extras", "materials", "nodes", "scenes", "skins"] {
        assert_eq!(json(&old.0)[member], json(&new.0)[member], "{member}");
    }
    assert!(new.0.contains(r#""extensions":{"ACME_shine":{"how":[1,2.5,"é"]}}"#), "the text is unchanged");
    assert_eq!(old.1.len(), new.1.len(), "new weights of the same size overwrite the old ones");
    assert_eq!(
        json(&old.0)["accessors"].as_array().unwrap().len(),
        json(&new.0)["accessors"].as_array().unwrap().len()
    );

    let again = read_bytes(glb).unwrap();
    assert_eq!(again.render.positions, asset.render.positions);
    for v in 0..4 {
        for (a, b) in again.stored_weights.as_ref().unwrap().row(v).iter().zip(weights.row(v)) {
            assert_eq!(a.column, b.column);
            assert!((a.weight - b.weight).abs() < 1.0 / 255.0);
        }
    }
}

/// Found by `cargo xtask fuzz gltf`.
#[test]
fn new_weights_overwrite_no_bytes_of_other_views() {
    // Position, joints and weights of a vertex stand together, and each attribute has a view.
    let mut doc = skinned_bar();
    let before = doc.read().unwrap();
    const STRIDE: usize = 20;
    let mut vertices = vec![0; 4 * STRIDE];
    let attributes = ["POSITION", "JOINTS_0", "WEIGHTS_0"].map(|attribute| {
        let accessor = doc.json["meshes"][0]["primitives"][0]["attributes"][attribute].as_u64().unwrap();
        doc.json["accessors"][accessor as usize]["bufferView"].as_u64().unwrap() as usize
    });
    let start = doc.bin.len().next_multiple_of(4);
    for (view, (offset, size)) in attributes.into_iter().zip([(0, 12), (12, 4), (16, 4)]) {
        let old = doc.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
        for (vertex, to) in vertices.chunks_exact_mut(STRIDE).enumerate() {
            to[offset..offset + size].copy_from_slice(&doc.bin[old + vertex * size..][..size]);
        }
        let place = json!({ "buffer": 0, "byteOffset": start + offset, "byteStride": STRIDE,
                            "byteLength": 3 * STRIDE + size });
        doc.json["bufferViews"][view] = place;
    }
    doc.bin.resize(start, 0);
    doc.bin.extend(vertices);
    let asset = doc.read().unwrap();
    assert_eq!(asset.render.positions, before.render.positions);
    assert_eq!(asset.stored_weights, before.stored_weights);

    let weights = Weights::rigid(3, [1, 0, 1, 0]).unwrap();
    for format in [WeightFormat::Float, WeightFormat::U16, WeightFormat::U8] {
        let again = read_bytes(export(&asset, &weights, format)).unwrap();
        assert_eq!(again.render.positions, asset.render.positions, "{format:?}");
        assert_eq!(again.stored_weights.as_ref(), Some(&weights), "{format:?}");
    }
}

#[test]
fn views_that_nothing_reads_may_have_any_offset() {
    let mut doc = skinned_bar();
    let far = |buffer: usize| json!({ "buffer": buffer, "byteOffset": u64::MAX - 3, "byteLength": 64 });
    doc.push("bufferViews", far(1));
    let view = doc.push("bufferViews", far(0));
    let accessor = json!({ "bufferView": view, "componentType": 5121, "count": 4, "type": "VEC4" });
    // A second set of joints without weights.
    let joints = doc.push("accessors", accessor);
    doc.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_1"] = joints.into();
    let mut files = doc.gltf_and_bin();
    let mut document: Value = serde_json::from_slice(&files[0].bytes).unwrap();
    let second = json!({ "uri": "data:application/octet-stream,1234", "byteLength": 4 });
    document["buffers"].as_array_mut().unwrap().push(second);
    files[0].bytes = serde_json::to_vec(&document).unwrap();

    let mut asset = read_model(&files, &mut Report::default()).unwrap();
    let joints = (0..5).map(|i| pliant::model::Joint::at(format!("j{i}"), None, Vec3::X * i as f32 * 0.1));
    asset.set_skeleton(Skeleton::new(joints.collect()).unwrap(), Vec::new());
    let row: Vec<Influence> = [0.5, 0.125, 0.125, 0.125, 0.125]
        .into_iter()
        .zip(0..)
        .map(|(weight, column)| Influence { column, weight })
        .collect();
    let weights = Weights::new(5, vec![row; 4]).unwrap();
    let again = read_bytes(export(&asset, &weights, WeightFormat::Float)).unwrap();
    assert_eq!(again.render.positions.len(), asset.render.positions.len());
    let stored = again.stored_weights.unwrap();
    assert!((0..4).all(|vertex| stored.row(vertex).len() == 5));
}

#[test]
fn weights_sum_to_one_in_every_format_and_eight_influences_need_a_second_set() {
    let mut asset = skinned_bar().read().unwrap();
    let joints =
        (0..9).map(|i| pliant::model::Joint::at(format!("j{i}"), None, Vec3::X * i as f32 * 0.1)).collect();
    asset.set_skeleton(Skeleton::new(joints).unwrap(), Vec::new());
    for count in [1usize, 3, 4, 5, 8] {
        let values: Vec<f64> = (1..=count).map(|i| 1.0 / (i as f64 * 0.37 + 0.2)).collect();
        let sum: f64 = values.iter().sum();
        let row: Vec<Influence> = values
            .iter()
            .enumerate()
            .map(|(i, s)| Influence { column: i as u32, weight: (s / sum) as f32 })
            .collect();
        let weights = Weights::new(9, vec![row; 4]).unwrap();
        for (format, scale) in
            [(WeightFormat::Float, 0u64), (WeightFormat::U16, 65535), (WeightFormat::U8, 255)]
        {
            let glb = export(&asset, &weights, format);
            let (json, bin) = chunks(&glb);
            let json: Value = serde_json::from_str(&json).unwrap();
            let attributes = &json["meshes"][0]["primitives"][0]["attributes"];
            assert_eq!(attributes.get("JOINTS_1").is_some(), count > 4, "{count} influences");
            let mut sums = [0.0f64; 4];
            for name in ["WEIGHTS_0", "WEIGHTS_1"] {
                let Some(accessor) = attributes.get(name).and_then(Value::as_u64) else { continue };
                let accessor = &json["accessors"][accessor as usize];
                let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
                let start = view["byteOffset"].as_u64().unwrap() as usize;
                for (v, sum) in sums.iter_mut().enumerate() {
                    for k in 0..4 {
                        let at = |size: usize| start + (4 * v + k) * size;
                        let value: f64 = match format {
                            WeightFormat::Float => {
                                f32::from_le_bytes(bin[at(4)..at(4) + 4].try_into().unwrap()).into()
                            }
                            WeightFormat::U16 => {
                                u16::from_le_bytes(bin[at(2)..at(2) + 2].try_into().unwrap()).into()
                            }
                            WeightFormat::U8 => bin[at(1)].into(),
                        };
                        *sum += value;
                    }
                }
            }
            for sum in sums {
                match scale {
                    0 => assert!((sum - 1.0).abs() < 1e-7, "{sum}"),
                    _ => assert_eq!(sum, scale as f64),
                }
            }
        }
    }
}

#[test]
fn a_mesh_of_two_nodes_gets_separate_weights_for_each() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", &TRIANGLE);
    doc.add_mesh(json!({ "attributes": { "POSITION": position } }), json!({ "name": "left" }));
    doc.push("nodes", json!({ "name": "right", "mesh": 0, "translation": [10, 0, 0], "scale": [-1, 1, 1] }));
    doc.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(1.into());
    let mut asset = doc.read().unwrap();
    assert_eq!(asset.render.positions.len(), 6);
    let joints = vec![
        pliant::model::Joint::at("l", None, Vec3::ZERO),
        pliant::model::Joint::at("r", None, Vec3::X * 10.0),
    ];
    asset.set_skeleton(Skeleton::new(joints).unwrap(), Vec::new());
    let weights = Weights::rigid(2, [0, 0, 0, 1, 1, 1]).unwrap();
    let again = read_bytes(export(&asset, &weights, WeightFormat::Float)).unwrap();
    assert_eq!(again.render.positions, asset.render.positions, "skinning does not move them");
    let dominant: Vec<u32> = (0..6).map(|v| again.stored_weights.as_ref().unwrap().dominant(v)).collect();
    assert_eq!(dominant, [0, 0, 0, 1, 1, 1]);
    let (json, _) = chunks(&export(&asset, &weights, WeightFormat::Float));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["meshes"].as_array().unwrap().len(), 2);
    assert_ne!(
        json["nodes"][0]["skin"], json["nodes"][1]["skin"],
        "their transforms are in the inverse bind matrices"
    );
}

#[test]
fn meshes_without_a_skin_follow_their_node() {
    let mut doc = skinned_bar();
    let position = doc.floats("VEC3", &TRIANGLE);
    let hat = doc.add_mesh(json!({ "attributes": { "POSITION": position } }), json!({ "name": "hat" }));
    // The hat is a child of joint b.
    doc.json["scenes"][0]["nodes"].as_array_mut().unwrap().pop();
    doc.json["nodes"][3]["children"] = json!([hat]);
    let asset = doc.read().unwrap();
    let joint = asset.skeleton.as_ref().unwrap().find("hat").unwrap();
    assert_eq!(asset.render.parts[1].attachment, Attachment::Rigid { joint });
    assert_eq!(asset.mesh.positions().len(), 4, "the solve mesh has only the bar");
    assert_eq!(asset.stored_weights.as_ref().unwrap().dominant(5), joint as u32);
}

#[test]
fn a_skeleton_of_another_file_keeps_its_clips() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", &TRIANGLE);
    doc.add_mesh(json!({ "attributes": { "POSITION": position } }), json!({}));
    let mut asset = doc.read().unwrap();

    let mut rig = skinned_bar();
    let (times, turns) =
        (rig.floats("SCALAR", &[0.0, 1.0]), rig.floats("VEC4", &[0., 0., 0., 1., 0., 0., 1., 0.]));
    rig.push(
        "animations",
        json!({ "name": "turn", "samplers": [{ "input": times, "output": turns }],
                "channels": [{ "sampler": 0, "target": { "node": 3, "path": "rotation" } }] }),
    );
    let file = File { name: "rig.glb".into(), bytes: rig.glb() };
    let read = read_skeleton(&[file], &mut Report::default()).unwrap();
    let clip = read.clips[0].clone();
    asset.set_skeleton(read.skeleton, read.clips);
    let weights = Weights::rigid(3, [0, 1, 1]).unwrap();
    let again = read_bytes(export(&asset, &weights, WeightFormat::Float)).unwrap();
    let (before, after) = (asset.skeleton.as_ref().unwrap(), again.skeleton.as_ref().unwrap());
    assert_eq!(again.clips[0].name, "turn");
    let matrices = |clip: &pliant::model::Clip, skeleton: &Skeleton| {
        clip.sample(skeleton, 0.3).skinning_matrices(skeleton)
    };
    for (a, b) in matrices(&clip, before).iter().zip(matrices(&again.clips[0], after)) {
        assert!(a.abs_diff_eq(b, 1e-4), "{a} {b}");
    }
}

#[test]
fn a_mesh_file_and_a_rig_file_become_one_character_in_either_order() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", &TRIANGLE);
    doc.add_mesh(json!({ "attributes": { "POSITION": position } }), json!({ "name": "bare" }));
    let bare = File { name: "bare.glb".into(), bytes: doc.glb() };
    let skinned = skinned_bar();
    let mut rig = skinned_bar();
    rig.json.remove("meshes");
    rig.json["nodes"][0] = json!({ "name": "empty" });
    let rig = File { name: "rig.glb".into(), bytes: rig.glb() };
    let skinned = File { name: "skinned.glb".into(), bytes: skinned.glb() };
    let read = |files: &[&File]| {
        let files: Vec<File> = files.iter().map(|&file| file.clone()).collect();
        let mut report = Report::default();
        let asset = read_character(&files, &mut report).unwrap();
        let joints = asset.skeleton.as_ref().is_some_and(|skeleton| skeleton.find("b").is_some());
        (asset.render.positions.len(), joints, report.warnings().len())
    };
    assert_eq!(read(&[&bare, &rig]), (3, true, 0));
    assert_eq!(read(&[&rig, &bare]), (3, true, 0));
    assert_eq!(read(&[&bare, &skinned]), (3, true, 0), "the skeleton of a file with a mesh is used as well");
    assert_eq!(read(&[&skinned, &bare]), (4, true, 1), "a complete file is used alone");
    assert_eq!(read(&[&bare, &bare.clone(), &rig]), (3, true, 1));
    let error = read_character(std::slice::from_ref(&rig), &mut Report::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::NoMesh);
}

#[test]
fn nodes_that_only_group_meshes_are_no_skeleton() {
    for (elbow, has_skeleton) in [([0, 0, 0], false), ([0, 1, 0], true)] {
        let mut doc = Doc::new();
        let position = doc.floats("VEC3", &TRIANGLE);
        let mesh = doc.add_mesh(json!({ "attributes": { "POSITION": position } }), json!({ "name": "body" }));
        doc.push("nodes", json!({ "name": "RootNode", "children": [mesh + 2] }));
        doc.push("nodes", json!({ "name": "group", "children": [mesh], "translation": elbow }));
        doc.json["scenes"][0]["nodes"] = json!([mesh + 1]);
        let file = File { name: "bare.glb".into(), bytes: doc.glb() };
        let asset = read_character(&[file], &mut Report::default()).unwrap();
        assert_eq!(asset.skeleton.is_some(), has_skeleton, "{elbow:?}");
    }
}

#[test]
fn every_skin_of_the_asset_generator_agrees_with_the_specification() {
    for path in shared_models::files_with(&[".gltf"])
        .into_iter()
        .filter(|p| p.to_string_lossy().contains("asset_generator"))
    {
        let mut report = Report::default();
        let asset = read_model(&shared_models::with_neighbours(&path), &mut report)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        asset.assert_well_formed();
        let (Some(skeleton), Some(weights)) = (&asset.skeleton, &asset.stored_weights) else { continue };
        for clip in &asset.clips {
            let pose = clip.sample(skeleton, 0.4 * clip.duration());
            let oracle = skinned_by_specification(&asset, &pose.world(skeleton), weights);
            for (a, b) in skinned(&asset, &pose, weights).iter().zip(oracle) {
                assert!(a.distance(b) < 1e-5 * asset.mesh.diagonal().max(1.0), "{}", path.display());
            }
        }
    }
}

#[test]
fn invalid_skins_give_an_error_or_a_valid_model() {
    for path in
        shared_models::files_with(&[".gltf"]).into_iter().filter(|p| p.to_string_lossy().contains("bad_gltf"))
    {
        match read_model(&shared_models::with_neighbours(&path), &mut Report::default()) {
            Ok(asset) => asset.assert_well_formed(),
            Err(error) => assert!(!error.what.is_empty(), "{}", path.display()),
        }
        let _ = read_skeleton(&shared_models::with_neighbours(&path), &mut Report::default());
    }
}

#[test]
fn inverse_bind_matrices_survive_a_round_trip() {
    let asset = skinned_bar().read().unwrap();
    let weights = Weights::rigid(3, [0, 0, 1, 2]).unwrap();
    // Joint 2 ("rig") is not in the skin: it is appended, and the others keep their indices.
    let again = read_bytes(export(&asset, &weights, WeightFormat::Float)).unwrap();
    let names: Vec<String> =
        again.skeleton.as_ref().unwrap().joints().iter().map(|j| j.name.clone()).collect();
    assert_eq!(names, ["a", "b", "rig"]);
    for (before, after) in asset.skeleton.unwrap().joints().iter().zip(again.skeleton.unwrap().joints()) {
        assert!(DMat4::from(before.rest).abs_diff_eq(DMat4::from(after.rest), 1e-5), "{}", before.name);
    }
    assert_eq!(again.stored_weights.unwrap().dominant(3), 2);
}

#[test]
fn morph_targets_and_their_animations_are_kept() {
    let mut doc = skinned_bar();
    let shift = doc.floats("VEC3", &[0.0; 12]);
    let (times, values) = (doc.floats("SCALAR", &[0.0, 1.0]), doc.floats("SCALAR", &[0.0, 1.0]));
    doc.json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": shift }]);
    doc.json["meshes"][0]["weights"] = json!([0.25]);
    doc.push(
        "animations",
        json!({ "name": "smile", "samplers": [{ "input": times, "output": values }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }] }),
    );
    let asset = doc.read().unwrap();
    let weights = Weights::rigid(3, [0, 0, 1, 1]).unwrap();
    let (json, _) = chunks(&export(&asset, &weights, WeightFormat::Float));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["meshes"][0]["primitives"][0]["targets"], json!([{ "POSITION": shift }]));
    assert_eq!(json["meshes"][0]["weights"], json!([0.25]));
    assert_eq!(json["animations"], doc.json["animations"]);
}

#[test]
fn primitives_that_share_vertices_share_weights() {
    let mut doc = skinned_bar();
    let mut second = doc.json["meshes"][0]["primitives"][0].clone();
    second["indices"] = doc.bytes("SCALAR", &[1, 2, 3], false).into();
    doc.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(second);
    let asset = doc.read().unwrap();
    assert_eq!((asset.render.positions.len(), asset.render.parts.len()), (4, 2));
    let weights = Weights::rigid(3, [0, 0, 1, 1]).unwrap();
    let glb = export(&asset, &weights, WeightFormat::U8);
    let (json, bin) = chunks(&glb);
    let json: Value = serde_json::from_str(&json).unwrap();
    let primitives = &json["meshes"][0]["primitives"];
    assert_eq!(primitives[0]["attributes"]["WEIGHTS_0"], primitives[1]["attributes"]["WEIGHTS_0"]);
    assert_eq!(bin.len(), chunks(&doc.glb()).1.len(), "new weights overwrite the old ones");
    assert_eq!(read_bytes(glb).unwrap().stored_weights, Some(weights));
}

#[test]
fn two_skins_with_the_same_joints_share_rest_space() {
    let mut doc = skinned_bar();
    // The same bar again, stored ten units to the right of its bind pose.
    let position = doc.floats("VEC3", &[10., 0., 0., 10., 1., 0., 11., 0., 0., 11., 1., 0.]);
    let mut primitive = doc.json["meshes"][0]["primitives"][0].clone();
    primitive["attributes"]["POSITION"] = position.into();
    let bind = |x: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -x, 0., 0., 1.];
    let binds = doc.floats("MAT4", &[bind(10.25), bind(10.75)].concat());
    doc.add_mesh(primitive, json!({ "skin": 1 }));
    doc.push("skins", json!({ "joints": [2, 3], "inverseBindMatrices": binds }));
    let asset = doc.read().unwrap();
    assert_eq!(asset.skeleton.as_ref().unwrap().joints().len(), 3, "joints are shared");
    for vertex in 0..4 {
        let (a, b) = (asset.render.positions[vertex], asset.render.positions[vertex + 4]);
        assert!(a.distance(b) < 1e-5, "both bars are at the same rest position: {a} {b}");
    }
}
