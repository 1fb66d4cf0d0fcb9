//! A torus, encoded with the library of Draco's authors in each of its methods.
//!
//! Its position, normal, joints and weights are functions of its texture coordinates, so the order
//! of the vertices, which Draco changes, does not matter.

use std::f32::consts::TAU;

use pliant_draco::{Attribute, Decoded, Limits, decode};

const STREAMS: [(&str, &[u8]); 3] = [
    ("edgebreaker", include_bytes!("data/edgebreaker.drc")),
    ("valence", include_bytes!("data/valence.drc")),
    ("sequential", include_bytes!("data/sequential.drc")),
];

const LIMITS: Limits = Limits { vertices: 100_000, triangles: 200_000, bytes: 10 << 20 };

const FLOAT: u32 = 5126;
const U8: u32 = 5121;
const U16: u32 = 5123;

/// Positions, normals, texture coordinates, joints and weights.
fn wanted() -> Vec<Attribute> {
    [(0, FLOAT, 3), (1, FLOAT, 3), (2, FLOAT, 2), (3, U16, 4), (4, FLOAT, 4)]
        .map(|(unique_id, component_type, components)| Attribute { unique_id, component_type, components })
        .to_vec()
}

fn floats(decoded: &Decoded, attribute: usize, components: usize) -> Vec<Vec<f32>> {
    let floats: Vec<f32> =
        decoded.attributes[attribute].as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
    floats.chunks(components).map(<[f32]>::to_vec).collect()
}

fn assert_near(name: &str, found: &[f32], expected: &[f32], tolerance: f32) {
    let distance = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(distance <= tolerance, "{name}: {found:?}, not {expected:?}");
}

#[test]
fn every_method_gives_the_torus() {
    for (name, bytes) in STREAMS {
        let decoded = decode(bytes, &wanted(), &LIMITS).unwrap();
        assert_eq!(decoded.indices.len(), 3 * 96, "{name}");
        assert_eq!(decoded.vertex_count, 63, "{name}");
        let (positions, normals) = (floats(&decoded, 0, 3), floats(&decoded, 1, 3));
        let (uvs, weights) = (floats(&decoded, 2, 2), floats(&decoded, 4, 4));
        let joints: Vec<u16> =
            decoded.attributes[3].as_chunks::<2>().0.iter().map(|&b| u16::from_le_bytes(b)).collect();
        for vertex in 0..decoded.vertex_count {
            let [u, v] = [uvs[vertex][0], uvs[vertex][1]];
            let (a, b) = (TAU * u, TAU * v);
            let normal = [a.cos() * b.cos(), b.sin(), a.sin() * b.cos()];
            let center = [2.0 * a.cos(), 0.0, 2.0 * a.sin()];
            let position = [0, 1, 2].map(|axis| center[axis] + 0.5 * normal[axis]);
            assert_near(name, &positions[vertex], &position, 6e-3);
            assert_near(name, &normals[vertex], &normal, 1e-2);
            assert_near(name, &weights[vertex], &[1.0 - 0.5 * u, 0.5 * u, 0.0, 0.0], 1e-3);
            assert_eq!(joints[4 * vertex..4 * vertex + 4], [(v * 6.0).round() as u16, 1, 0, 0], "{name}");
        }
    }
}

#[test]
fn values_are_converted_to_the_type_of_the_accessor() {
    let joints = |component_type| [Attribute { unique_id: 3, component_type, components: 4 }];
    let (_, bytes) = STREAMS[0];
    let words = decode(bytes, &joints(U16), &LIMITS).unwrap();
    let narrow = decode(bytes, &joints(U8), &LIMITS).unwrap();
    let low: Vec<u8> = words.attributes[0].iter().copied().step_by(2).collect();
    assert_eq!(narrow.attributes[0], low);
    let positions = [Attribute { unique_id: 0, component_type: U8, components: 3 }];
    assert!(decode(bytes, &positions, &LIMITS).unwrap_err().contains("converted"));
}

#[test]
fn missing_attributes_and_exceeded_limits_are_errors() {
    let (_, bytes) = STREAMS[0];
    let missing = [Attribute { unique_id: 9, component_type: FLOAT, components: 3 }];
    assert!(decode(bytes, &missing, &LIMITS).unwrap_err().contains("no attribute 9"));
    let other_shape = [Attribute { unique_id: 0, component_type: FLOAT, components: 4 }];
    assert!(decode(bytes, &other_shape, &LIMITS).unwrap_err().contains("3 components"));
    for limits in [Limits { triangles: 95, ..LIMITS }, Limits { bytes: 100, ..LIMITS }] {
        assert!(decode(bytes, &wanted(), &limits).is_err(), "{limits:?}");
    }
    assert!(decode(b"", &wanted(), &LIMITS).is_err());
}

#[test]
fn damaged_data_never_panics() {
    for (_, bytes) in STREAMS {
        for length in (0..bytes.len()).step_by(7) {
            assert!(decode(&bytes[..length], &wanted(), &LIMITS).is_err());
        }
        for at in 0..bytes.len() {
            for mask in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.to_vec();
                damaged[at] ^= mask;
                let decoded = decode(&damaged, &wanted(), &LIMITS);
                let is_valid = |decoded: Decoded| {
                    decoded.indices.iter().all(|&index| (index as usize) < decoded.vertex_count)
                };
                assert!(decoded.map_or(true, is_valid));
            }
        }
    }
}
