//! Damaged and malicious files: an error or a result, never a panic, never much memory or time.

use std::time::{Duration, Instant};

use pliant_fbx::{Error, ErrorKind, to_glb};

use crate::build::{Binary, N, Scene, V, floats, ints, node, square};
use crate::legacy;
use crate::memory::peak_memory;
use crate::truth;

/// Reads bytes and checks memory and time. Damaged counts may ask for much, but get what a file of
/// this size may have.
fn survive(bytes: &[u8]) -> Result<usize, Error> {
    let start = Instant::now();
    let (result, memory) = peak_memory(|| to_glb(bytes, &[]).map(|converted| converted.glb.len()));
    let limit = (300 << 20) + 64 * bytes.len();
    assert!(memory < limit, "{memory} bytes of memory for a file of {}", bytes.len());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    if let Err(error) = &result {
        assert!(!error.what.is_empty() && !error.hint.is_empty(), "{error}");
    }
    result
}

fn seed() -> Scene {
    let mut scene = Scene::default();
    scene.object("Model", 1, "quad", "Mesh", &[], vec![]);
    scene.connect(1, 0);
    let (points, polygon) = square();
    let uv = vec![
        node("MappingInformationType", vec!["ByPolygonVertex".into()], vec![]),
        node("ReferenceInformationType", vec!["IndexToDirect".into()], vec![]),
        floats("UV", &[0.0, 1.0]),
        ints("UVIndex", &[0, 0, 0, 0]),
    ];
    scene.mesh(10, 1, &points, &polygon, vec![node("LayerElementUV", vec![V::Int(0)], uv)]);
    scene.model(100, "bone", 0, &[]);
    scene.skin(1000, 10, &[(100, vec![(0, 1.0), (1, 1.0), (2, 1.0)], glam::DMat4::IDENTITY)]);
    scene.stack(200, "clip");
    scene.curve(210, 201, ["100", "Lcl Rotation", "d|X"], &[(0.0, 0.0), (1.0, 90.0)], (0x408, [1.0; 4]));
    scene
}

/// Files of our own, of every kind of encoding.
fn own_seeds() -> Vec<Vec<u8>> {
    let scene = seed();
    let plain = Binary { version: 7400, is_big_endian: true, deflates: false };
    vec![
        scene.text(),
        scene.binary(7400),
        scene.binary(7700),
        plain.write(&scene.nodes(7400)),
        legacy::as_text(legacy::OPTIONS),
        legacy::as_binary(legacy::OPTIONS, false),
    ]
}

/// The same, and real files if there are some.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = own_seeds();
    if let Some(folder) = truth::folder() {
        let names = [
            "max_transformed_skin_6100_binary",
            "maya_game_sausage_6100_ascii_wiggle",
            "maya_game_sausage_7500_binary_deform",
        ];
        seeds.extend(names.map(|name| std::fs::read(folder.join(format!("{name}.fbx"))).unwrap()));
    }
    seeds
}

/// Real files are damaged by the command that `tests/robustness.rs` of the workspace names.
#[test]
fn damage_at_every_97th_byte_is_survived() {
    for seed in own_seeds() {
        let mut errors = 0;
        for at in (0..seed.len()).step_by(97) {
            for value in [0x00, 0xff, 0x80, seed[at].wrapping_add(1)] {
                let mut bytes = seed.clone();
                bytes[at] = value;
                errors += usize::from(survive(&bytes).is_err());
            }
        }
        println!("{} bytes: {errors} errors", seed.len());
    }
}

#[test]
fn bit_flips_are_survived() {
    for seed in seeds() {
        let mut state = 12345u64;
        for _ in 0..400 {
            let mut bytes = seed.clone();
            for _ in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let bit = (state >> 20) as usize % (bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            let _ = survive(&bytes);
        }
    }
}

#[test]
fn truncated_files_say_that_they_are() {
    for seed in seeds() {
        for part in 1..60 {
            let bytes = &seed[..seed.len() * part / 60];
            let error = survive(bytes).err();
            // The last bytes of a binary file are a footer that is not read.
            let is_cut = seed.starts_with(b"Kaydara") && bytes.len() > 30 && part < 57;
            if is_cut {
                assert_eq!(error.map(|error| error.kind), Some(ErrorKind::Truncated), "{part}");
            }
        }
        (0..seed.len().min(200)).for_each(|size| drop(survive(&seed[..size])));
    }
}

/// A file whose only node holds the values given, already encoded.
fn with_values(count: u32, values: &[u8]) -> Vec<u8> {
    let mut bytes = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    bytes.extend(7400u32.to_le_bytes());
    let end = (bytes.len() + 13 + 7 + values.len()) as u32;
    for number in [end, count, values.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.push(7);
    bytes.extend(b"Objects");
    bytes.extend(values);
    bytes.extend([0; 13]);
    bytes
}

fn array(code: u8, header: [u32; 3], bytes: &[u8]) -> Vec<u8> {
    let header: Vec<u8> = header.iter().flat_map(|number| number.to_le_bytes()).collect();
    [&[code][..], &header, bytes].concat()
}

#[test]
fn lying_counts_are_errors() {
    let kind = |bytes: &[u8]| survive(bytes).unwrap_err().kind;
    let huge = u32::MAX;
    assert_eq!(kind(&with_values(1, &array(b'd', [huge, 0, huge], &[]))), ErrorKind::Truncated);
    assert_eq!(kind(&with_values(1, &array(b'd', [1000, 0, 8000], &[0; 64]))), ErrorKind::Truncated);
    assert_eq!(kind(&with_values(1, &array(b'd', [huge, 1, 4], &[1, 2, 3, 4]))), ErrorKind::TooLarge);
    assert_eq!(kind(&with_values(1, &array(b'd', [4, 9, 4], &[1, 2, 3, 4]))), ErrorKind::Malformed);
    assert_eq!(kind(&with_values(huge, &[b'Y', 1, 0])), ErrorKind::Malformed);
    assert_eq!(kind(&with_values(2, &[b'Y', 1, 0])), ErrorKind::Malformed);
    assert_eq!(kind(&with_values(1, &[b'S', 255, 255, 255, 255])), ErrorKind::Truncated);
    assert_eq!(kind(&with_values(1, &[b'?', 1, 0])), ErrorKind::Malformed);
    let mut end_beyond = with_values(0, &[]);
    end_beyond[27..31].copy_from_slice(&huge.to_le_bytes());
    assert_eq!(kind(&end_beyond), ErrorKind::Truncated);
    let mut end_before = with_values(0, &[]);
    end_before[27..31].copy_from_slice(&1u32.to_le_bytes());
    assert_eq!(kind(&end_before), ErrorKind::Malformed);
}

#[test]
fn compressed_zeros_are_limited() {
    let scene = |points: usize, corners: usize| {
        let mut scene = Scene::default();
        scene.object("Model", 1, "bomb", "Mesh", &[], vec![]);
        scene.connect(1, 0);
        let children =
            vec![floats("Vertices", &vec![0.0; 3 * points]), ints("PolygonVertexIndex", &vec![-1; corners])];
        scene.object("Geometry", 10, "bomb", "Mesh", &[], children);
        scene.connect(10, 1);
        scene.binary(7400)
    };
    assert_eq!(survive(&scene(3_000_000, 3)).unwrap_err().kind, ErrorKind::TooLarge);
    assert_eq!(survive(&scene(3, 9_000_000)).unwrap_err().kind, ErrorKind::TooLarge);
    assert!(survive(&scene(900_000, 900_000)).is_ok());
}

#[test]
fn a_material_per_polygon_takes_no_memory_per_material() {
    let mut scene = Scene::default();
    scene.object("Model", 1, "many", "Mesh", &[], vec![]);
    scene.connect(1, 0);
    let materials = vec![
        node("MappingInformationType", vec!["ByPolygon".into()], vec![]),
        node("ReferenceInformationType", vec!["IndexToDirect".into()], vec![]),
        ints("Materials", &(0..2000).collect::<Vec<i64>>()),
    ];
    let children = vec![
        floats("Vertices", &vec![0.0; 2_700_000]),
        ints("PolygonVertexIndex", &[0, 1, -3].repeat(2000)),
        node("LayerElementMaterial", vec![V::Int(0)], materials),
    ];
    scene.object("Geometry", 10, "many", "Mesh", &[], children);
    scene.connect(10, 1);
    assert!(survive(&scene.binary(7400)).is_ok());
}

#[test]
fn one_large_shape_connected_many_times_is_limited() {
    let mut scene = seed();
    scene.object("Deformer", 2000, "shapes", "BlendShape", &[], vec![]);
    scene.connect(2000, 10);
    let count = 300_000;
    let children = vec![ints("Indexes", &vec![0; count]), floats("Vertices", &vec![1.0; 3 * count])];
    scene.object("Geometry", 2001, "shape", "Shape", &[], children);
    for id in 3000..3300 {
        scene.object("Deformer", id, "channel", "BlendShapeChannel", &[], vec![]);
        scene.connect(id, 2000);
        scene.connect(2001, id);
    }
    assert!(survive(&scene.binary(7400)).is_ok());
}

#[test]
fn cycles_of_connections_end() {
    let mut scene = seed();
    for (a, b) in [(1, 100), (100, 1), (10, 10), (1000, 1001), (1001, 1000), (200, 201), (210, 211)] {
        scene.connect(a, b);
    }
    for i in 0..50 {
        scene.object("Model", 500 + i, "ring", "Null", &[], vec![]);
        scene.connect(500 + i, 500 + (i + 1) % 50);
    }
    assert!(survive(&scene.text()).is_ok());
    assert!(survive(&scene.binary(7400)).is_ok());
}

#[test]
fn deep_nesting_is_an_error() {
    let mut inner: N = node("A", vec![], vec![node("B", vec![], vec![])]);
    for _ in 0..300 {
        inner = node("A", vec![], vec![inner]);
    }
    let bytes = Binary { version: 7400, is_big_endian: false, deflates: false }.write(&[inner]);
    assert_eq!(survive(&bytes).unwrap_err().kind, ErrorKind::Malformed);
    let text = format!("; FBX 7.4.0\n{}", "A: {\n".repeat(100_000));
    assert_eq!(survive(text.as_bytes()).unwrap_err().kind, ErrorKind::Malformed);
}

#[test]
fn long_chains_of_nodes_are_read() {
    let mut scene = Scene::default();
    for i in 1..5_000 {
        let props =
            [("InheritType", vec![V::Int(2)]), ("Lcl Scaling", vec![1.001.into(), 1.0.into(), 1.0.into()])];
        scene.model(i, "link", i - 1, &props);
    }
    scene.stack(10_000, "clip");
    scene.curve(10_010, 10_001, ["1", "Lcl Scaling", "d|X"], &[(0.0, 1.0), (1.0, 2.0)], (4, [0.0; 4]));
    assert!(survive(&scene.binary(7400)).is_ok());
}

#[test]
fn numbers_that_overflow_give_finite_results() {
    let mut scene = seed();
    let huge = || vec![V::Float(1e300), V::Float(-1e300), V::Float(1e308)];
    let props = [
        "Lcl Translation",
        "Lcl Rotation",
        "Lcl Scaling",
        "RotationPivot",
        "ScalingPivot",
        "GeometricScaling",
    ];
    let props = props.map(|name| (name, huge()));
    scene.model(600, "huge", 100, &props);
    scene.model(601, "child", 600, &props);
    scene.connect(10, 601);
    scene.curve(610, 201, ["601", "Lcl Scaling", "d|X"], &[(0.0, 1e-300), (1.0, 1e300)], (0x408, [1e300; 4]));
    let gltf = crate::transforms::read(&scene.binary(7400));
    for accessor in 0..gltf.list("accessors").len() {
        let (numbers, _) = gltf.accessor(&serde_json::json!(accessor));
        assert!(numbers.iter().all(|number| number.is_finite()));
    }
}

#[test]
fn other_content_is_not_fbx() {
    for bytes in [&b""[..], b"glTF", b"Kaydara", b"solid x", &[0; 1000]] {
        assert_eq!(survive(bytes).unwrap_err().kind, ErrorKind::UnknownFormat);
    }
    let empty = Scene::default();
    assert_eq!(survive(&empty.text()).unwrap_err().kind, ErrorKind::NoMesh);
}
