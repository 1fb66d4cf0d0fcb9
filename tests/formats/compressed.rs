//! Compressed glTF: Draco and meshopt are decoded into a plain document, natively and from parts
//! that were decoded beforehand.

mod character;
mod encode;
mod export;

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};
use pliant::io::gltf::{
    Codec, Decoders, ExportOptions, LinkedDecoders, PrefetchedDecoders, UnavailableDecoders,
    compressed_parts, write_glb,
};
use pliant::io::{ErrorCode, File, Reader, read_model, read_skeleton};
use pliant::model::{Asset, Part, Weights};
use pliant::report::Report;
use serde_json::{Value, json};

use super::{file, model, model_and_warnings, model_error};
use crate::{robustness, shared_models};
use character::{chunks, glb};
use encode::Scheme;

const SCHEMES: [Scheme; 3] = [
    Scheme { extension: "EXT_meshopt_compression", version: 0 },
    Scheme { extension: "KHR_meshopt_compression", version: 0 },
    Scheme { extension: "KHR_meshopt_compression", version: 1 },
];

const EDGEBREAKER: &[u8] = include_bytes!("../../decoders/draco/tests/data/edgebreaker.drc");
const VALENCE: &[u8] = include_bytes!("../../decoders/draco/tests/data/valence.drc");
const SEQUENTIAL: &[u8] = include_bytes!("../../decoders/draco/tests/data/sequential.drc");

fn compressed(name: &str, bytes: &[u8], extension: &str) -> Asset {
    let (asset, warnings) = model_and_warnings(name, bytes);
    assert_eq!(
        warnings,
        [format!("{extension}: the file was decompressed; its export is compressed only on request")]
    );
    asset
}

/// Fails if two characters differ in anything that is read.
fn assert_same(a: &Asset, b: &Asset) {
    assert_eq!(a.render.positions, b.render.positions);
    assert_eq!(a.render.normals, b.render.normals);
    assert_eq!(a.render.uvs, b.render.uvs);
    assert_eq!(a.render.colors, b.render.colors);
    assert_eq!(a.render.triangles, b.render.triangles);
    assert_eq!(a.stored_weights, b.stored_weights);
    assert_eq!(a.skeleton, b.skeleton);
    assert_eq!(a.clips, b.clips);
    assert_eq!(a.morph_shapes(), b.morph_shapes());
}

/// The character as it is read again after an export.
fn exported(asset: &Asset) -> (Asset, Value) {
    let glb = write_glb(asset, &ExportOptions::default()).unwrap();
    let (document, _) = chunks(&glb);
    (model("exported", glb), document)
}

#[test]
fn meshopt_of_every_version_gives_the_plain_character() {
    let plain = model("plain", character::plain());
    assert_eq!(plain.clips.len(), 1);
    assert_eq!(plain.morph_shapes().len(), 1);
    for scheme in SCHEMES {
        let asset = compressed("meshopt", &character::meshopt(scheme, false), scheme.extension);
        assert_same(&asset, &plain);
    }
}

#[test]
fn an_export_of_a_compressed_file_is_a_plain_document() {
    let meshopt = SCHEMES.map(|scheme| (character::meshopt(scheme, false), scheme.extension));
    let draco = (character::draco(&[EDGEBREAKER]), "KHR_draco_mesh_compression");
    for (bytes, extension) in meshopt.into_iter().chain([draco]) {
        let asset = compressed("compressed", &bytes, extension);
        let (again, document) = exported(&asset);
        assert_same(&again, &asset);
        assert!(!document.to_string().contains(extension), "{document}");
        assert_eq!(document["buffers"].as_array().unwrap().len(), 1);
    }
    let (_, document) = exported(&model_and_warnings("m", character::meshopt(SCHEMES[0], false)).0);
    assert_eq!(document["extensionsRequired"], json!(["KHR_mesh_quantization"]));
    assert_eq!(document["extensionsUsed"], json!(["KHR_mesh_quantization", "ACME_shine"]));
    assert_eq!(document["materials"][0]["extensions"]["ACME_shine"]["how"], 1.5);
}

#[test]
fn a_plain_copy_is_used_instead_of_decoding() {
    let plain = model("plain", character::plain());
    let (document, _) = chunks(&character::meshopt(SCHEMES[0], true));
    // The compressed bytes are all wrong.
    let length = document["buffers"][0]["byteLength"].as_u64().unwrap() as usize;
    let files = [file("fallback", glb(&document, &vec![0; length]))];
    assert_eq!(compressed_parts(&files), []);
    let asset =
        Reader::with_decoders(&files, &UnavailableDecoders).read_model(&mut Report::default()).unwrap();
    assert_same(&asset, &plain);
    assert!(!exported(&asset).1.to_string().contains("meshopt"));
}

#[test]
fn draco_of_every_method_is_a_torus_with_plain_joints_and_morph_targets() {
    for stream in [EDGEBREAKER, VALENCE, SEQUENTIAL] {
        let asset = compressed("draco", &character::draco(&[stream]), "KHR_draco_mesh_compression");
        assert_torus(&asset);
        assert_eq!(asset.render.positions.len(), 63);
        assert_eq!(asset.stored_weights.as_ref().unwrap().row(5).len(), 2);
        let shape = &asset.morph_shapes()[0];
        assert!(shape.iter().zip(&asset.render.positions).all(|(a, b)| (*a - *b - 0.25).length() < 1e-6));
    }
}

#[test]
fn primitives_that_share_accessors_get_their_own_geometry() {
    let (mut document, bin) = chunks(&character::draco(&[EDGEBREAKER, SEQUENTIAL, EDGEBREAKER]));
    // The third primitive has the same data as the first.
    document["meshes"][0]["primitives"][2] = document["meshes"][0]["primitives"][0].clone();
    let files = [file("shared", glb(&document, &bin))];
    assert_eq!(compressed_parts(&files).len(), 2);
    let (asset, _) = model_and_warnings("shared", &files[0].bytes);
    assert_torus(&asset);
    assert_eq!(asset.render.parts.len(), 3);
    assert_eq!(asset.render.parts[0].vertices, asset.render.parts[2].vertices);
    assert_same(&exported(&asset).0, &asset);
}

/// Fails if a position or normal is not where its texture coordinates say.
fn assert_torus(asset: &Asset) {
    for (vertex, &uv) in asset.render.uvs.iter().enumerate() {
        let (a, b) = (TAU * uv.x, TAU * uv.y);
        let normal = Vec3::new(a.cos() * b.cos(), b.sin(), a.sin() * b.cos());
        let position = Vec3::new(2.0 * a.cos(), 0.0, 2.0 * a.sin()) + 0.5 * normal;
        assert!(asset.render.positions[vertex].distance(position) < 1e-2, "vertex {vertex}");
        assert!(asset.render.normals[vertex].distance(normal) < 2e-2, "vertex {vertex}");
    }
}

#[test]
fn parts_that_were_decoded_beforehand_give_the_same_character() {
    let files = [
        file("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        file("draco.glb", character::draco(&[VALENCE])),
        file("meshopt.glb", character::meshopt(SCHEMES[2], false)),
    ];
    let parts = compressed_parts(&files);
    assert_eq!(parts.iter().filter(|part| matches!(part.codec, Codec::Draco { .. })).count(), 1);
    assert_eq!(parts.iter().filter(|part| part.key.starts_with("meshopt.glb: bufferViews[")).count(), 11);
    for files in [&files[1..2], &files[2..3]] {
        let mut prefetched = PrefetchedDecoders::default();
        for part in compressed_parts(files) {
            prefetched.insert(part.key.clone(), Ok(LinkedDecoders.decode(&part).unwrap()));
        }
        let read = |decoders: &dyn Decoders| {
            Reader::with_decoders(files, decoders).read_character(&mut Report::default())
        };
        assert_same(&read(&prefetched).unwrap(), &read(&LinkedDecoders).unwrap());
        let error = read(&UnavailableDecoders).unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported);
        assert!(error.to_string().contains("gltf-transform"), "{error}");
        let skeleton =
            Reader::with_decoders(files, &prefetched).read_skeleton(&mut Report::default()).unwrap();
        assert_eq!(skeleton.skeleton, read_skeleton(files, &mut Report::default()).unwrap().skeleton);
    }
    let mut failed = PrefetchedDecoders::default();
    parts.iter().for_each(|part| failed.insert(part.key.clone(), Err("the module failed".into())));
    let error = Reader::with_decoders(&files[1..], &failed).read_model(&mut Report::default()).unwrap_err();
    assert_eq!(error.place, "draco.glb, meshes[0].primitives[0]");
    assert!(error.to_string().contains("the module failed"), "{error}");
}

/// The error after a change of the document.
fn error_after(bytes: &[u8], change: impl FnOnce(&mut Value)) -> pliant::io::ReadError {
    let (mut document, bin) = chunks(bytes);
    change(&mut document);
    model_error(glb(&document, &bin))
}

#[test]
fn false_counts_and_offsets_are_errors_with_a_location() {
    let meshopt = character::meshopt(SCHEMES[2], false);
    let set = |view: usize, member: &'static str, value: Value| {
        move |document: &mut Value| {
            document["bufferViews"][view]["extensions"]["KHR_meshopt_compression"][member] = value;
        }
    };
    for (member, value, code) in [
        ("count", json!(62), ErrorCode::Malformed),
        ("count", json!(64), ErrorCode::Malformed),
        ("count", json!(4_000_000_000u64), ErrorCode::TooLarge),
        ("byteStride", json!(13), ErrorCode::Malformed),
        ("byteLength", json!(1 << 30), ErrorCode::Truncated),
        ("byteOffset", json!(u64::MAX), ErrorCode::Truncated),
        ("buffer", json!(7), ErrorCode::Truncated),
        ("mode", json!("SOMETHING"), ErrorCode::Malformed),
        ("filter", json!("QUATERNION"), ErrorCode::Malformed),
    ] {
        let error = error_after(&meshopt, set(0, member, value.clone()));
        assert_eq!((error.code, error.place.as_str()), (code, "bufferViews[0]"), "{member} {value}: {error}");
    }
    let draco = character::draco(&[EDGEBREAKER]);
    let extension = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression";
    for (pointer, value) in [
        (format!("{extension}/bufferView"), json!(77)),
        (format!("{extension}/bufferView"), json!(0)),
        (format!("{extension}/attributes/POSITION"), json!(9)),
        ("/accessors/0/count".into(), json!(4_000_000_000u64)),
        ("/accessors/0/type".into(), json!("VEC2")),
        ("/meshes/0/primitives/0/attributes/POSITION".into(), json!(99)),
    ] {
        let error = error_after(&draco, |document| *document.pointer_mut(&pointer).unwrap() = value.clone());
        assert_eq!(error.place, "meshes[0].primitives[0]", "{pointer} {value}: {error}");
    }
}

/// Found by fuzzing.
#[test]
fn a_draco_primitive_without_accessors_is_an_error() {
    let draco = character::draco(&[EDGEBREAKER]);
    let error = error_after(&draco, |document| {
        document.as_object_mut().unwrap().remove("accessors");
        document["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"] =
            json!({});
    });
    assert_eq!(error.code, ErrorCode::Malformed, "{error}");
}

#[test]
fn damaged_compressed_files_give_an_error_or_a_valid_model() {
    let seeds = [
        ("meshopt.glb", character::meshopt(SCHEMES[0], false)),
        ("meshopt-1.glb", character::meshopt(SCHEMES[2], false)),
        ("edgebreaker.glb", character::draco(&[EDGEBREAKER])),
        ("sequential.glb", character::draco(&[SEQUENTIAL])),
    ];
    for (name, bytes) in seeds {
        let files = vec![File { name: name.into(), bytes }];
        robustness::survive(&robustness::ValidFiles { name, files, read: robustness::read_valid_model });
    }
}

#[test]
fn texture_transforms_apply_to_the_coordinates_that_are_read_only() {
    let (mut document, bin) = chunks(&character::plain());
    let before = model("plain", character::plain());
    document["images"] = json!([{ "uri": "data:image/png;base64,iVBORw0KGgo=" }]);
    document["textures"] = json!([{ "source": 0 }]);
    let transform = json!({ "offset": [0.25, 0.5], "rotation": TAU / 4.0, "scale": [2.0, 4.0] });
    document["materials"][0]["pbrMetallicRoughness"] = json!({ "baseColorTexture": {
        "index": 0, "texCoord": 3, "extensions": { "KHR_texture_transform": transform } } });
    // The set 3 does not exist, so set 0 is used.
    let asset = model("transformed", glb(&document, &bin));
    for (uv, given) in asset.render.uvs.iter().zip(&before.render.uvs) {
        let expected = Vec2::new(0.25 + 4.0 * given.y, 0.5 - 2.0 * given.x);
        assert!(uv.distance(expected) < 1e-5, "{uv}, not {expected}");
    }
    assert_eq!(exported(&asset).0.render.uvs, asset.render.uvs);
    // The texture may use another set than the first.
    document["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_3"] = 2.into();
    document["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap().remove("TEXCOORD_0");
    assert_eq!(model("another set", glb(&document, &bin)).render.uvs, asset.render.uvs);
}

/// The Draco and the plain file of the same model, if they are present.
fn twins(name: &str) -> Option<[Asset; 2]> {
    let folder = shared_models::folder()?;
    let path = folder.join(format!("gltf_compressed/{name}-draco/{name}.gltf"));
    let files = shared_models::with_neighbours(&path);
    let plain = [shared_models::read(&folder.join(format!("gltf_khronos/{name}.glb")))];
    Some([files.as_slice(), &plain].map(|files| read_model(files, &mut Report::default()).unwrap()))
}

#[test]
fn draco_twins_of_real_characters_differ_by_their_quantisation() {
    for name in ["CesiumMan", "RiggedSimple"] {
        let Some([draco, plain]) = twins(name) else { return };
        draco.assert_well_formed();
        assert_eq!(draco.render.triangles.len(), plain.render.triangles.len(), "{name}");
        assert_same_skeleton(&draco, &plain);
        let diagonal = diagonal(&plain);
        let [draco_weights, plain_weights] =
            [&draco, &plain].map(|asset| asset.stored_weights.as_ref().unwrap());
        for (vertex, position) in draco.render.positions.iter().enumerate() {
            let weight = |vertex: usize, weights: &Weights, column: u32| {
                weights.row(vertex).iter().filter(|i| i.column == column).map(|i| i.weight).sum::<f32>()
            };
            let uv = |asset: &Asset, vertex: usize| asset.render.uvs.get(vertex).copied().unwrap_or_default();
            let is_twin = |&other: &usize| {
                plain.render.positions[other].distance(*position) < 2e-3 * diagonal
                    && uv(&plain, other).distance(uv(&draco, vertex)) < 5e-3
                    && plain.render.normals[other].distance(draco.render.normals[vertex]) < 0.05
            };
            let columns = || draco_weights.row(vertex).iter().map(|i| i.column);
            let has_weights = |&other: &usize| {
                columns().all(|column| {
                    let difference =
                        weight(vertex, draco_weights, column) - weight(other, plain_weights, column);
                    difference.abs() < 0.02
                })
            };
            let mut found = (0..plain.render.positions.len()).filter(is_twin);
            assert!(found.any(|other| has_weights(&other)), "{name}: vertex {vertex} has no twin");
        }
    }
}

/// Fails if joints or clips differ by more than the digits with which the two files write them.
fn assert_same_skeleton(a: &Asset, b: &Asset) {
    let [joints, others] = [a, b].map(|asset| asset.skeleton.as_ref().unwrap().joints());
    assert_eq!(joints.len(), others.len());
    for (joint, other) in joints.iter().zip(others) {
        assert_eq!((&joint.name, joint.parent), (&other.name, other.parent));
        assert!(joint.rest.abs_diff_eq(other.rest, 1e-6), "{}", joint.name);
    }
    let shapes = [a, b].map(|asset| {
        let tracks = asset.clips.iter().map(|clip| (clip.tracks.len(), clip.duration()));
        tracks.collect::<Vec<_>>()
    });
    assert_eq!(shapes[0], shapes[1]);
}

fn diagonal(asset: &Asset) -> f32 {
    let positions = &asset.render.positions;
    let least = positions.iter().copied().reduce(Vec3::min).unwrap();
    least.distance(positions.iter().copied().reduce(Vec3::max).unwrap())
}

#[test]
fn compressed_cubes_of_the_meshopt_test_equal_the_plain_ones() {
    let Some(folder) = shared_models::folder() else { return };
    let path = folder.join("gltf_compressed/MeshoptCubeTest/MeshoptCubeTest.gltf");
    let asset = read_model(&shared_models::with_neighbours(&path), &mut Report::default()).unwrap();
    asset.assert_well_formed();
    let cubes: Vec<_> = asset.render.parts.iter().filter(|part| part.name.starts_with("Cube_")).collect();
    assert_eq!(cubes.len(), 25);
    // The codec of triangles may begin a triangle with another corner.
    let triangles = |part: &Part| -> Vec<[u32; 3]> {
        let triangles = &asset.render.triangles[part.triangles.start as usize..part.triangles.end as usize];
        let rotated = triangles.iter().map(|triangle| {
            let mut triangle = triangle.map(|corner| corner - part.vertices.start);
            let first = (0..3).min_by_key(|&corner| triangle[corner]).unwrap_or_default();
            triangle.rotate_left(first);
            triangle
        });
        rotated.collect()
    };
    // The first row is not compressed.
    for (number, cube) in cubes.iter().enumerate() {
        let plain = cubes[number % 5];
        assert_eq!(triangles(cube), triangles(plain), "{}", cube.name);
        let offset = cube.rest_from_primitive.translation - plain.rest_from_primitive.translation;
        for (a, b) in plain.vertices.clone().zip(cube.vertices.clone()) {
            let (a, b) = (a as usize, b as usize);
            let moved = asset.render.positions[b] - offset.as_vec3();
            assert!(moved.distance(asset.render.positions[a]) < 1e-3, "{}: vertex {b}", cube.name);
            let cosine = asset.render.normals[a].dot(asset.render.normals[b]);
            assert!(cosine > 0.999, "{}: normal {b}", cube.name);
            let color = asset.render.colors[a] - asset.render.colors[b];
            assert!(color.abs().max_element() < 0.02, "{}: colour {b}", cube.name);
        }
    }
}

#[test]
fn a_file_of_gltfpack_is_read() {
    let Some(folder) = shared_models::folder() else { return };
    let file = shared_models::read(&folder.join("gltf_compressed/pirate-meshopt.glb"));
    let (asset, _) = model_and_warnings("pirate", &file.bytes);
    assert_eq!((asset.render.positions.len(), asset.render.triangles.len()), (2_887, 5_010));
    assert!((0.5..5.0).contains(&diagonal(&asset)), "{}", diagonal(&asset));
    assert_same(&exported(&asset).0, &asset);
}
