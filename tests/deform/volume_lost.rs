//! The volume that a bent cylinder loses is known exactly
//! (docs/theory/skinning.md#volume-lost-by-a-bend).

use std::f32::consts::TAU;

use glam::{Mat4, Vec3};
use pliant::deform::Deformer;
use pliant::model::{Mesh, Topology};
use pliant::quality::volume;

use super::{Shape, pose, skin_of, two_joints};

/// Vertices along the axis and around it.
const RINGS: usize = 400;
const SIDES: usize = 48;

/// The share of the cylinder's length over which its weights rise.
const RAMP: f32 = 0.66;

/// A closed cylinder along X from −1 to 1.
fn cylinder(radius: f32) -> Mesh {
    let x = |ring: usize| ring as f32 / (RINGS - 1) as f32 * 2.0 - 1.0;
    let around = |side: usize| {
        Vec3::ZERO.with_y((side as f32 / SIDES as f32 * TAU).cos()) * radius
            + Vec3::ZERO.with_z((side as f32 / SIDES as f32 * TAU).sin()) * radius
    };
    let mut positions: Vec<Vec3> =
        (0..RINGS * SIDES).map(|v| around(v % SIDES).with_x(x(v / SIDES))).collect();
    positions.extend([Vec3::NEG_X, Vec3::X]);
    let at = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u32;
    let [left, right] = [(RINGS * SIDES) as u32, (RINGS * SIDES) as u32 + 1];
    let mut triangles = Vec::new();
    for side in 0..SIDES {
        for ring in 0..RINGS - 1 {
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [c, d] = [at(ring + 1, side), at(ring + 1, side + 1)];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        triangles.push([left, at(0, side + 1), at(0, side)]);
        triangles.push([right, at(RINGS - 1, side), at(RINGS - 1, side + 1)]);
    }
    Mesh::new(positions, triangles).unwrap()
}

/// The share of its volume that a cylinder loses when bent in the middle.
fn lost(deformer: Deformer, radius: f32, angle: f32) -> f64 {
    let mesh = cylinder(radius);
    assert!(Topology::of(&mesh).is_closed_manifold(&mesh));
    let ramp = |p: &Vec3| (0.5 + p.x / (2.0 * RAMP)).clamp(0.0, 1.0);
    let skin = skin_of(&two_joints(mesh.positions().iter().map(ramp)));
    let rest = Shape { positions: mesh.positions().to_vec(), normals: vec![] };
    let posed = pose(deformer, &skin, &[Mat4::IDENTITY, Mat4::from_rotation_z(angle)], &rest);
    1.0 - volume(&posed.positions, mesh.triangles()) / volume(mesh.positions(), mesh.triangles())
}

#[test]
fn the_cylinder_of_this_test_has_the_volume_of_a_cylinder() {
    let mesh = cylinder(0.3);
    let polygon = 0.5 * SIDES as f64 * (f64::from(TAU) / SIDES as f64).sin();
    let exact = 2.0 * polygon * 0.3_f64.powi(2);
    assert!((volume(mesh.positions(), mesh.triangles()) / exact - 1.0).abs() < 1e-6);
}

#[test]
fn a_bent_cylinder_loses_the_volume_of_the_formula_for_every_radius() {
    // The mean of w (1 − w) is 1/6 over the ramp and zero elsewhere.
    let mean = f64::from(RAMP) / 6.0;
    for radius in [0.05, 0.2, 0.5] {
        for degrees in [10.0_f32, 50.0, 90.0, 120.0] {
            let angle = degrees.to_radians();
            let expected = (1.0 - f64::from(angle).cos()) * mean;
            let found = lost(Deformer::Linear, radius, angle);
            assert!((found / expected - 1.0).abs() < 1e-3, "{degrees}°: {found}, not {expected}");
        }
    }
}

#[test]
fn dual_quaternions_lose_almost_no_volume_in_a_bend() {
    for degrees in [10.0_f32, 50.0, 90.0] {
        let found = lost(Deformer::DualQuaternion, 0.2, degrees.to_radians());
        assert!(found.abs() < 1e-4, "{degrees}°: {found}");
    }
}
