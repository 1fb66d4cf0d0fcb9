//! The candy-wrapper artefact: linear blending shrinks a twist, dual quaternions do not.

use std::f32::consts::PI;

use glam::{Mat4, Quat, Vec3};
use pliant::deform::Deformer;
use pliant::model::{Influence, Weights};

use super::{Shape, pose, skin_of, two_joints};

/// A ring of radius one about X; each joint has half of the weight.
fn ring() -> Shape {
    let normals: Vec<Vec3> = (0..20).map(|i| Quat::from_rotation_x(i as f32 * 0.3) * Vec3::Y).collect();
    Shape { positions: normals.iter().map(|n| *n + Vec3::X * 0.5).collect(), normals }
}

/// The radius of that ring with the second joint rotated by `angle`, and the sine of the largest
/// angle between normals and radii.
fn twisted_radius(deformer: Deformer, angle: f32) -> [f32; 2] {
    let skin = skin_of(&two_joints([0.5; 20]));
    let posed = pose(deformer, &skin, &[Mat4::IDENTITY, Mat4::from_rotation_x(angle)], &ring());
    super::assert_finite(&posed, "twist");
    let radii = posed.positions.iter().map(|p| p.with_x(0.0).length());
    let lean = posed.positions.iter().zip(&posed.normals).map(|(p, n)| p.with_x(0.0).cross(*n).length());
    [radii.fold(0.0, f32::max), lean.fold(0.0, f32::max)]
}

#[test]
fn a_twist_shrinks_by_the_cosine_of_half_its_angle_with_matrices_only() {
    for degrees in [0.0_f32, 30.0, 90.0, 135.0, 179.0] {
        let angle = degrees.to_radians();
        let [linear, lean] = twisted_radius(Deformer::Linear, angle);
        assert!((linear - (angle / 2.0).cos()).abs() < 1e-6, "{degrees}°: {linear}");
        assert!(lean < 1e-4, "{degrees}°: normals lean by {lean}");
        let [rigid, lean] = twisted_radius(Deformer::DualQuaternion, angle);
        assert!((rigid - 1.0).abs() < 1e-6, "{degrees}°: {rigid}");
        assert!(lean < 1e-6, "{degrees}°: normals lean by {lean}");
    }
}

#[test]
fn a_half_turn_collapses_with_matrices_and_keeps_its_radius_with_dual_quaternions() {
    assert!(twisted_radius(Deformer::Linear, PI)[0] < 1e-6);
    assert!((twisted_radius(Deformer::DualQuaternion, PI)[0] - 1.0).abs() < 1e-6);
}

#[test]
fn a_blend_takes_the_shorter_rotation_for_every_sign_of_its_quaternions() {
    // A matrix does not distinguish q from −q, so rotations over the full circle give all pairs of
    // signs.
    let degrees = || (0..360).step_by(25).map(|d| d as f32);
    let rest = Shape { positions: vec![Vec3::new(0.3, -0.8, 0.5)], normals: vec![Vec3::Y] };
    let skin = skin_of(&two_joints([0.5]));
    for axis in [Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::new(0.48, -0.6, 0.64)] {
        let turn = |degrees: f32| Mat4::from_axis_angle(axis, degrees.to_radians());
        for (a, b) in degrees().flat_map(|a| degrees().map(move |b| (a, b))) {
            let short_way = (b - a + 540.0).rem_euclid(360.0) - 180.0;
            let halfway = turn(a + short_way / 2.0);
            let posed = pose(Deformer::DualQuaternion, &skin, &[turn(a), turn(b)], &rest);
            let position = halfway.transform_point3(rest.positions[0]);
            assert!(posed.positions[0].distance(position) < 1e-5, "{a}° and {b}° about {axis}");
            assert!(
                posed.normals[0].distance(halfway.transform_vector3(Vec3::Y)) < 1e-5,
                "{a}° and {b}° about {axis}"
            );
        }
    }
}

#[test]
fn the_heaviest_joint_decides_which_rotation_is_shorter() {
    let row = [(0, 0.25), (1, 0.5), (2, 0.25)].map(|(column, weight)| Influence { column, weight });
    let skin = skin_of(&Weights::new(3, [row]).unwrap());
    let about_z = |degrees: f32| Mat4::from_rotation_z(degrees.to_radians());
    let rest = Shape { positions: vec![Vec3::X], normals: vec![Vec3::X] };
    // Both others are 100° from the heaviest, and 160° from each other in the opposite direction.
    let posed =
        pose(Deformer::DualQuaternion, &skin, &[about_z(-70.0), about_z(30.0), about_z(130.0)], &rest);
    let expected = about_z(30.0).transform_point3(Vec3::X);
    assert!(posed.positions[0].distance(expected) < 1e-6, "{}", posed.positions[0]);
}

#[test]
fn a_blend_of_two_screws_is_a_screw_between_them() {
    let screw =
        |turn: f32, rise: f32| Mat4::from_rotation_translation(Quat::from_rotation_z(turn), Vec3::Z * rise);
    let rest = Shape { positions: vec![Vec3::X], normals: vec![Vec3::X] };
    let posed = pose(
        Deformer::DualQuaternion,
        &skin_of(&two_joints([0.5])),
        &[screw(0.2, 0.0), screw(1.4, 3.0)],
        &rest,
    );
    let between = screw(0.8, 1.5).transform_point3(Vec3::X);
    assert!(posed.positions[0].distance(between) < 2e-6, "{}", posed.positions[0]);
}
