//! Properties of every deformer: rest pose, rigid motions, scale, singular matrices, determinism.

use glam::{Mat3, Mat4, Quat, Vec3};
use pliant::deform::{Deformer, Posed, Rest, Scratch, Skin, deform};
use pliant::model::Weights;

use super::{Shape, assert_finite, cloud, largest_distance, pose, ragged_weights, skin_of, some_turn};

/// Tolerance for shapes of size 2.
const EXACT: f32 = 2e-6;

/// Numbers of vertices with all remainders of blocks and groups of four, and rows wider than those
/// that are unrolled.
fn skins() -> Vec<(Weights, Shape)> {
    [(1, 1), (3, 2), (17, 3), (64, 4), (301, 5), (1003, 9)]
        .map(|(vertices, widest)| (ragged_weights(vertices, 12, widest), cloud(vertices)))
        .into()
}

#[test]
fn in_rest_pose_nothing_moves() {
    for (weights, rest) in skins() {
        for deformer in Deformer::ALL {
            let posed = pose(deformer, &skin_of(&weights), &[Mat4::IDENTITY; 12], &rest);
            assert!(largest_distance(&posed.positions, &rest.positions) < EXACT, "{deformer:?}");
            assert!(largest_distance(&posed.normals, &rest.normals) < EXACT, "{deformer:?}");
        }
    }
}

#[test]
fn a_rigid_motion_of_all_joints_moves_all_vertices_by_it() {
    for (weights, rest) in skins() {
        for seed in [0.1, 1.0, 1.9, -3.0] {
            let turn = some_turn(seed);
            let motion = Mat4::from_rotation_translation(turn, Vec3::new(0.3, -0.8, seed));
            let positions: Vec<Vec3> = rest.positions.iter().map(|&p| motion.transform_point3(p)).collect();
            let normals: Vec<Vec3> = rest.normals.iter().map(|&n| turn * n).collect();
            for deformer in Deformer::ALL {
                let posed = pose(deformer, &skin_of(&weights), &[motion; 12], &rest);
                assert!(largest_distance(&posed.positions, &positions) < EXACT, "{deformer:?} {seed}");
                assert!(largest_distance(&posed.normals, &normals) < EXACT, "{deformer:?} {seed}");
            }
        }
    }
}

#[test]
fn an_affine_motion_of_all_joints_moves_points_by_it_and_normals_by_its_cofactors() {
    let turn = Mat4::from_rotation_translation(some_turn(0.7), Vec3::new(0.5, 0.1, -0.4));
    let (rest, weights) = (cloud(200), ragged_weights(200, 12, 4));
    let pivots: Vec<Vec3> = (0..12).map(|j| Vec3::splat(j as f32 * 0.1)).collect();
    for (name, scale) in [
        ("uniform", Mat4::from_scale(Vec3::splat(2.5))),
        ("along axes", Mat4::from_scale(Vec3::new(0.5, 1.0, 3.0))),
        ("tiny", Mat4::from_scale(Vec3::new(1e-4, 2e-4, 1e-4))),
        ("sheared", Mat4::from_mat3(Mat3::from_cols(Vec3::X, Vec3::new(0.7, 1.0, 0.2), Vec3::Z * 1.5))),
        ("mirrored", Mat4::from_scale(Vec3::new(1.0, -1.0, 1.2))),
    ] {
        let motion = turn * scale;
        let positions: Vec<Vec3> = rest.positions.iter().map(|&p| motion.transform_point3(p)).collect();
        let a = Mat3::from_mat4(motion);
        let cofactors = a.inverse().transpose() * a.determinant().signum();
        let normals: Vec<Vec3> = rest.normals.iter().map(|&n| (cofactors * n).normalize_or_zero()).collect();
        for deformer in Deformer::ALL {
            let posed = pose(deformer, &Skin::new(&weights, &pivots), &[motion; 12], &rest);
            assert!(largest_distance(&posed.positions, &positions) < 3.0 * EXACT, "{deformer:?} {name}");
            assert!(largest_distance(&posed.normals, &normals) < 3.0 * EXACT, "{deformer:?} {name}");
        }
    }
}

#[test]
fn a_joint_scaled_about_its_head_does_not_move_it_for_any_position_of_the_model() {
    for away in [Vec3::ZERO, Vec3::new(8.0, -4.0, 2.0)] {
        let head = Vec3::new(0.2, 0.5, 0.0) + away;
        let about_head = |m: Mat4| Mat4::from_translation(head) * m * Mat4::from_translation(-head);
        let scaled = about_head(Mat4::from_quat(some_turn(0.5)) * Mat4::from_scale(Vec3::new(2.0, 0.5, 1.5)));
        let skin = Skin::new(&super::two_joints([0.5]), &[head, head]);
        let rest = Shape { positions: vec![head], normals: vec![] };
        for deformer in Deformer::ALL {
            let posed = pose(deformer, &skin, &[Mat4::IDENTITY, scaled], &rest);
            assert!(posed.positions[0].distance(head) < 1e-5, "{deformer:?} at {away}");
        }
    }
}

#[test]
fn singular_mirrored_and_opposite_matrices_give_finite_shapes() {
    let half_turn = |axis| Mat4::from_quat(Quat::from_axis_angle(axis, std::f32::consts::PI));
    let matrices = [
        Mat4::IDENTITY,
        Mat4::from_scale(Vec3::ZERO),
        Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0)),
        Mat4::from_scale(Vec3::new(0.0, 0.0, 1e-20)),
        Mat4::from_scale(Vec3::splat(-1.0)),
        Mat4::from_scale(Vec3::new(-3.0, 1.0, 1.0)),
        Mat4::from_scale(Vec3::splat(1e4)),
        Mat4::from_mat3(Mat3::from_cols(Vec3::X, Vec3::X, Vec3::X)),
        half_turn(Vec3::X),
        half_turn(Vec3::Y),
        half_turn(Vec3::Z),
        half_turn(-Vec3::Z),
    ];
    for (weights, rest) in skins() {
        for deformer in Deformer::ALL {
            let posed = pose(deformer, &skin_of(&weights), &matrices, &rest);
            assert_finite(&posed, &format!("{deformer:?}"));
        }
    }
}

#[test]
fn frames_have_the_same_bits_with_used_scratch_and_without_normals() {
    let (rest, weights) = (cloud(1003), ragged_weights(1003, 12, 6));
    let skin = skin_of(&weights);
    let frame = |seed: f32| -> Vec<Mat4> {
        (0..12).map(|j| Mat4::from_rotation_translation(some_turn(seed + j as f32), Vec3::ONE)).collect()
    };
    for deformer in Deformer::ALL {
        let first = pose(deformer, &skin, &frame(0.3), &rest);
        let mut scratch = Scratch::new(&skin);
        let mut positions = vec![Vec3::ZERO; 1003];
        let mut run = |matrices: &[Mat4]| {
            let rest = Rest { positions: &rest.positions, normals: &[] };
            let posed = Posed { positions: &mut positions, normals: &mut [] };
            deform(deformer, &skin, matrices, rest, posed, &mut scratch);
        };
        run(&frame(2.0)
            .into_iter()
            .map(|m| m * Mat4::from_scale(Vec3::new(1.0, 2.0, 3.0)))
            .collect::<Vec<_>>());
        run(&frame(0.3));
        assert_eq!(positions, first.positions, "{deformer:?}");
    }
}

#[test]
fn names_in_recipes_are_short() {
    let names = Deformer::ALL.map(|d| serde_json::to_string(&d).unwrap());
    assert_eq!(names, ["\"lbs\"", "\"dqs\""]);
}
