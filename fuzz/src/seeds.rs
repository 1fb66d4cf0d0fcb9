//! Writes the files that fuzzing starts from: `seeds FOLDER` makes one folder per target.
//!
//! All of them are made by code of this project. The builders are those of the tests.
#![allow(dead_code, clippy::unwrap_used, reason = "a tool; the builders serve tests as well")]

use std::fs;
use std::path::Path;

use glam::{DMat4, DVec3};
use pliant::io::gltf::{ExportOptions, write_glb};
use pliant::pipeline::Recipe;
use pliant::samples::{self, SampleCharacter};
use serde_json::json;

/// FBX files.
#[path = "."]
mod fbx {
    #[path = "../../decoders/fbx/tests/build.rs"]
    pub mod build;
    #[path = "../../decoders/fbx/tests/legacy_scene.rs"]
    pub mod legacy_scene;
}
/// Compressed GLB files.
#[path = "."]
mod compressed {
    #[path = "../../tests/formats/compressed/character.rs"]
    pub mod character;
    #[path = "../../tests/formats/compressed/encode.rs"]
    pub mod encode;
}

use compressed::{character, encode};
use fbx::{build, legacy_scene};

/// The streams of the decoder's tests, which we made.
const DRACO: [&[u8]; 3] = [
    include_bytes!("../../decoders/draco/tests/data/edgebreaker.drc"),
    include_bytes!("../../decoders/draco/tests/data/sequential.drc"),
    include_bytes!("../../decoders/draco/tests/data/valence.drc"),
];

fn main() {
    let folder = std::env::args().nth(1).expect("usage: seeds FOLDER");
    for (target, files) in all() {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder).unwrap();
        for (index, bytes) in files.iter().enumerate() {
            fs::write(folder.join(format!("seed-{index}")), bytes).unwrap();
        }
    }
}

/// Every target and its seeds.
fn all() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let glb = sample();
    let text = |text: &str| vec![text.as_bytes().to_vec()];
    vec![
        ("glb", vec![glb.clone(), character::plain()]),
        ("gltf", vec![as_gltf(&character::plain())]),
        ("compressed", compressed_files()),
        ("fbx", fbx_files()),
        ("vrm", avatars()),
        ("bvh", text(BVH)),
        ("zip", vec![zip("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), zip("a.glb", &glb)]),
        ("obj", text("o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0 1 0 0\nvt 0 0\nvn 0 0 1\nusemtl m\nf 1/1/1 2/1/1 3//1 4\nf -1 -2 -3\n")),
        ("ply", vec![ply("ascii", b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"), ply_binary()]),
        ("stl", vec![stl_text(), stl_binary()]),
        ("tgf", text("1 0 0 0\n2 0 1.5 0\n3 0 3 0\n#\n1 2 1\n2 3 1\n")),
        ("skeleton", text(r#"{"bones":[{"name":"a","head":[0,0,0],"tail":[0,1,0]},{"name":"b","parent":"a","head":[0,1,0],"tail":[0,2,0],"rotation":[0,0.6,0,0.8],"human":"hips"}]}"#)),
        ("recipe", vec![Recipe::default().to_json().into_bytes()]),
        ("meshopt", meshopt_streams()),
        ("draco", DRACO.map(<[u8]>::to_vec).into()),
    ]
}

/// A sample character as a GLB: skin, clip and skeleton.
fn sample() -> Vec<u8> {
    let asset = samples::make(SampleCharacter::Arm, 300).unwrap().into_asset("arm");
    let skeleton = asset.skeleton.as_ref();
    write_glb(&asset, &ExportOptions { skeleton, ..ExportOptions::default() }).unwrap()
}

/// The JSON of a GLB with its buffer as a data URI.
fn as_gltf(glb: &[u8]) -> Vec<u8> {
    let (mut document, bin) = character::chunks(glb);
    let hex: String = bin.iter().map(|byte| format!("%{byte:02x}")).collect();
    document["buffers"][0]["uri"] = format!("data:application/octet-stream,{hex}").into();
    serde_json::to_vec(&document).unwrap()
}

/// The plain character as an avatar of both versions, and its clip as a motion.
fn avatars() -> Vec<Vec<u8>> {
    let (document, bin) = character::chunks(&character::plain());
    let with = |extensions: serde_json::Value| {
        let mut document = document.clone();
        document["extensions"] = extensions;
        character::glb(&document, &bin)
    };
    let bones = json!({ "hips": { "node": 1 }, "spine": { "node": 2 } });
    let springs = json!({ "springs": [{ "joints": [{ "node": 2 }] }] });
    let old = json!([{ "bone": "hips", "node": 1 }, { "bone": "spine", "node": 2 }]);
    vec![
        with(json!({ "VRMC_vrm": { "specVersion": "1.0", "humanoid": { "humanBones": bones } },
            "VRMC_springBone": springs })),
        with(json!({ "VRM": { "humanoid": { "humanBones": old },
            "secondaryAnimation": { "boneGroups": [{ "bones": [2] }] } } })),
        with(json!({ "VRMC_vrm_animation": { "humanoid": { "humanBones": bones } } })),
    ]
}

/// A motion of two joints.
const BVH: &str = "HIERARCHY\nROOT hips\n{\nOFFSET 0 1 0\n\
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nJOINT spine\n{\nOFFSET 0 1 0\n\
    CHANNELS 3 Yrotation Xrotation Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n\
    MOTION\nFrames: 2\nFrame Time: 0.04\n0 1 0 0 0 0 0 0 0\n0 1 0 10 20 30 40 50 60\n";

/// An archive with one stored file.
fn zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let checksum = !bytes.iter().fold(!0u32, |crc, &byte| {
        let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        (0..8).fold(crc ^ u32::from(byte), step)
    });
    let mut common = vec![20, 0, 0, 8, 0, 0, 0, 0, 0, 0];
    for number in [checksum, bytes.len() as u32, bytes.len() as u32, name.len() as u32] {
        common.extend(number.to_le_bytes());
    }
    let local = [b"PK\x03\x04", &common[..], name.as_bytes(), bytes].concat();
    let entry = [b"PK\x01\x02\x14\0", &common[..], &[0; 14], name.as_bytes()].concat();
    let sizes = [(entry.len() as u32).to_le_bytes(), (local.len() as u32).to_le_bytes()].concat();
    [&local[..], &entry, b"PK\x05\x06\0\0\0\0\x01\0\x01\0", &sizes, &[0; 2]].concat()
}

fn compressed_files() -> Vec<Vec<u8>> {
    let scheme = |extension, version| encode::Scheme { extension, version };
    vec![
        character::meshopt(scheme("EXT_meshopt_compression", 0), false),
        character::meshopt(scheme("KHR_meshopt_compression", 1), true),
        character::draco(&DRACO[..1]),
        character::draco(&DRACO[1..2]),
    ]
}

fn fbx_files() -> Vec<Vec<u8>> {
    let mut scene = build::Scene::default();
    let (points, polygon) = build::square();
    scene.setting("UnitScaleFactor", 1.0);
    scene.object("Model", 1, "body", "Mesh", &[], vec![]);
    scene.connect(1, 0);
    scene.mesh(2, 1, &points, &polygon, vec![]);
    let turned = ("PreRotation", vec![0.0.into(), 30.0.into(), 0.0.into()]);
    scene.model(3, "root", 0, &[turned]);
    scene.model(4, "tip", 3, &[("Lcl Translation", vec![1.0.into(), 0.0.into(), 0.0.into()])]);
    let bind = DMat4::from_translation(DVec3::new(-1.0, 0.0, 0.0));
    scene.skin(10, 2, &[(3, vec![(0, 1.0), (3, 0.5)], DMat4::IDENTITY), (4, vec![(1, 1.0), (3, 0.5)], bind)]);
    scene.stack(20, "move");
    scene.curve(30, 21, ["4", "Lcl Rotation", "d|Z"], &[(0.0, 0.0), (0.5, 45.0), (1.0, 0.0)], (24840, [0.0; 4]));
    let options = legacy_scene::Options { version: 5800, has_header: true, key_version: None, has_vertex_normals: false };
    let legacy = legacy_scene::nodes(options);
    let old_binary = build::Binary { version: 5000, is_big_endian: false, deflates: false };
    vec![
        scene.text(),
        scene.binary(7400),
        scene.binary(7500),
        scene.binary(6100),
        build::text("5.8.0", &legacy),
        old_binary.write(&legacy),
    ]
}

fn ply(format: &str, body: &[u8]) -> Vec<u8> {
    let header = format!(
        "ply\nformat {format} 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
         element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    );
    [header.as_bytes(), body].concat()
}

fn ply_binary() -> Vec<u8> {
    let points: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut body: Vec<u8> = points.iter().flat_map(|x| x.to_le_bytes()).collect();
    body.push(3);
    body.extend([0i32, 1, 2].iter().flat_map(|index| index.to_le_bytes()));
    ply("binary_little_endian", &body)
}

fn stl_text() -> Vec<u8> {
    let corners = ["0 0 0", "1 0 0", "0 1 0"].map(|p| format!("vertex {p}\n")).concat();
    format!("solid a\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid a\n").into_bytes()
}

fn stl_binary() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(1u32.to_le_bytes());
    let numbers: [f32; 12] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0, 0]);
    bytes
}

/// Streams behind the parameters that the target reads first: mode, filter, stride, count.
fn meshopt_streams() -> Vec<Vec<u8>> {
    let elements: Vec<u8> = (0..40 * 8).map(|i| (i * i / 7) as u8).collect();
    let triangles: Vec<u32> = (0..20).flat_map(|i| [i, i + 1, i + 2]).collect();
    let with = |parameters: [u8; 5], stream: Vec<u8>| [parameters.to_vec(), stream].concat();
    let mut seeds = Vec::new();
    for version in [0, 1] {
        for filter in 0..4 {
            seeds.push(with([0, filter, 8, 40, 0], encode::attributes(&elements, 8, version)));
        }
    }
    seeds.push(with([1, 0, 4, 60, 0], encode::triangles(&triangles)));
    seeds.push(with([2, 0, 4, 60, 0], encode::indices(&triangles)));
    seeds
}
