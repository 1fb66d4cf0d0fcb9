use glam::DMat3;

use super::*;
use crate::view::camera::Camera;

const CANVAS: Vec2 = Vec2::new(800.0, 600.0);

fn looking(yaw: f32, pitch: f32, size: f32) -> ViewTransform {
    Camera { target: Vec3::ZERO, yaw, pitch, distance: 4.0 * size }.view_transform(CANVAS, 3.0 * size)
}

fn drag(eye: &ViewTransform, joint: &DAffine3, ring: Ring, from: f32, to: f32, snaps: bool) -> f32 {
    let gizmo = Gizmo::new(eye, joint);
    let pixel = |angle: f32| eye.project(gizmo.point(ring, angle)).unwrap().0;
    let mut turn = Turn::begin(&gizmo, eye, ring, pixel(from));
    let steps = 40;
    (1..=steps)
        .fold(0.0, |_, step| turn.update(eye, pixel(from + (to - from) * step as f32 / steps as f32), snaps))
}

#[test]
fn following_a_ring_turns_by_the_angle_followed_at_any_size() {
    for size in [0.001, 1.0, 1000.0] {
        let eye = looking(0.5, 0.4, size);
        for (ring, to) in Ring::ALL.iter().flat_map(|&r| [0.8, -1.9, 4.5, -7.0].map(|to| (r, to))) {
            let turned = drag(&eye, &DAffine3::IDENTITY, ring, 0.3, 0.3 + to, false);
            assert!((turned - to).abs() < 0.02, "{ring:?} by {to}: {turned} at size {size}");
        }
    }
}

#[test]
fn shift_snaps_to_fifteen_degrees() {
    let eye = looking(0.5, 0.4, 1.0);
    let turned = drag(&eye, &DAffine3::IDENTITY, Ring::Y, 0.0, 0.65, true);
    assert!((turned.to_degrees() - 30.0).abs() < 1e-3, "{}", turned.to_degrees());
}

#[test]
fn a_ring_seen_edge_on_turns_smoothly_along_its_line() {
    // Straight ahead, the y ring is a horizontal line through the joint.
    let eye = looking(0.0, 0.0, 1.0);
    let gizmo = Gizmo::new(&eye, &DAffine3::IDENTITY);
    let middle = eye.project(Vec3::ZERO).unwrap().0;
    assert_eq!(gizmo.ring_at(&eye, middle + Vec2::new(3.0, 2.0), false), Some(Ring::Y));
    let mut turn = Turn::begin(&gizmo, &eye, Ring::Y, middle);
    let mut last = 0.0;
    for step in 1..60 {
        let turned = turn.update(&eye, middle + Vec2::new(step as f32, 0.3), false);
        assert!(turned > last && turned - last < 0.05, "jumps from {last} to {turned}");
        last = turned;
    }
    // Dragging by the radius turns by about one radian, and to the right is counter-clockwise about up.
    let turned = Turn::begin(&gizmo, &eye, Ring::Y, middle).update(&eye, middle + Vec2::X * RADIUS, false);
    assert!((turned - 1.0).abs() < 0.1, "{turned}");
}

#[test]
fn only_the_near_half_of_a_ring_can_be_taken_hold_of() {
    let eye = looking(0.3, 0.6, 1.0);
    let gizmo = Gizmo::new(&eye, &DAffine3::IDENTITY);
    for piece in 0..PIECES {
        let point = gizmo.point(Ring::Y, piece as f32 / PIECES as f32 * TAU);
        let pixel = eye.project(point).unwrap().0;
        if gizmo.faces_eye(Ring::Y, point) {
            assert!(gizmo.ring_at(&eye, pixel, false).is_some());
        } else if (point - gizmo.center).dot(eye.forward()) > 0.3 * gizmo.radius {
            assert_ne!(gizmo.ring_at(&eye, pixel, false), Some(Ring::Y));
        }
    }
}

#[test]
fn a_local_rotation_turns_about_the_worlds_axis_in_plain_scaled_and_mirrored_frames() {
    let turned = DMat3::from_euler(glam::EulerRot::XYZ, 0.4, -1.1, 2.0);
    for scale in [DVec3::ONE, DVec3::splat(0.01), DVec3::new(-1.0, 1.0, 1.0), DVec3::new(2.0, 2.0, -2.0)] {
        let joint = DAffine3::from_mat3_translation(turned * DMat3::from_diagonal(scale), DVec3::ONE);
        for axis in [Vec3::X, Vec3::Y, Vec3::new(0.6, 0.0, 0.8)] {
            let local = local_rotation(&joint, axis, 0.7);
            let expected =
                DAffine3::from_quat(DQuat::from_axis_angle(axis.as_dvec3(), 0.7)).matrix3 * joint.matrix3;
            let got = (joint * DAffine3::from_quat(local)).matrix3;
            assert!((got - expected).to_cols_array().iter().all(|d| d.abs() < 1e-6), "{scale} {axis}");
        }
    }
}
