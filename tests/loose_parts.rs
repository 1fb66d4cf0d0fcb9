//! Loose parts: which components follow the body beneath them, and how, by every method.

use std::sync::Arc;

use glam::{DQuat, Quat, Vec3};
use pliant::model::{Asset, Joint, Mesh, Pose, Skeleton, Weights};
use pliant::operators::{Bvh, MeshGeometry};
use pliant::pipeline::{Method, Outcome, Pipeline, PipelineError, PlacedHandle, Recipe, RigReport, Silent};
use pliant::report::Report;
use pliant::samples::GeneratedCharacter;
use pliant::weights::{LoosePartWeights, LooseParts, PartMotion};

use crate::fixtures::{chain, cuboid_grid, grid, icosphere, joined, placed, tube};

/// A limb from y = 0 to 4 with a joint in the middle.
fn limb() -> (Mesh, Skeleton) {
    (tube(16, 32, 0.5, 4.0, true), chain(&[Vec3::ZERO, Vec3::Y * 2.0, Vec3::Y * 4.0]))
}

/// A box with its centre at `centre`.
fn plate(size: Vec3, centre: Vec3) -> Mesh {
    let grid = cuboid_grid(size, 4);
    let middle = grid.positions().iter().copied().sum::<Vec3>() / grid.positions().len() as f32;
    placed(&grid, Quat::IDENTITY, 1.0, centre - middle)
}

/// A plate on the limb, across its joint.
fn plate_over_joint() -> Mesh {
    plate(Vec3::new(0.1, 0.8, 0.3), Vec3::new(0.58, 2.1, 0.0))
}

fn asset(mesh: Mesh, skeleton: Skeleton) -> Asset {
    GeneratedCharacter { mesh, skeleton, clips: Vec::new() }.into_asset("test")
}

fn run(asset: &Asset, recipe: &Recipe) -> Outcome {
    Pipeline::new(Arc::new(asset.clone())).run(recipe, &mut Silent).unwrap()
}

/// The methods that change the weights of loose parts.
fn methods() -> impl Iterator<Item = Method> {
    let keeps = |method: &Method| matches!(method, Method::Source | Method::Examples);
    Method::ALL.into_iter().filter(move |method| !keeps(method))
}

/// The weights of the vertices after the first `body` ones.
fn rows_of_part(weights: &Weights, body: usize) -> Vec<Vec<(u32, f32)>> {
    (body..weights.vertices())
        .map(|vertex| weights.row(vertex).iter().map(|i| (i.column, i.weight)).collect())
        .collect()
}

fn posed(rig: &Outcome, degrees: f64) -> Vec<Vec3> {
    let skeleton = &rig.rig.skeleton;
    let mut pose = Pose::rest(skeleton);
    pose.rotate(1, DQuat::from_rotation_z(degrees.to_radians()));
    let matrices = pose.skinning_matrices(skeleton);
    let weights = rig.rig.weights();
    let point = |(vertex, &rest): (usize, &Vec3)| {
        weights
            .row(vertex)
            .iter()
            .map(|i| matrices[i.column as usize].transform_point3(rest) * i.weight)
            .sum()
    };
    rig.rig.asset.render.positions.iter().enumerate().map(point).collect()
}

/// The least distance of vertices from the surface of the first `triangles` triangles.
fn gap(mesh: &Mesh, positions: &[Vec3], body: usize, triangles: usize) -> f32 {
    let surface = Bvh::over(positions, &mesh.triangles()[..triangles]);
    let distances = positions[body..].iter().map(|&p| surface.closest(p).unwrap().distance);
    distances.fold(f32::INFINITY, f32::min)
}

#[test]
fn a_plate_moves_as_one_piece_and_stays_on_the_limb() {
    let (body, skeleton) = limb();
    let whole = joined(&[body.clone(), plate_over_joint()]);
    let asset = asset(whole.clone(), skeleton);
    let (vertices, triangles) = (body.positions().len(), body.triangles().len());
    for method in methods() {
        let rig = run(&asset, &Recipe { method, ..Recipe::default() });
        let rows = rows_of_part(rig.rig.weights(), vertices);
        assert!(rows.iter().all(|row| *row == rows[0]), "{method:?} splits the plate");
        let before = gap(&whole, whole.positions(), vertices, triangles);
        for degrees in [-60.0, 30.0, 60.0] {
            let after = gap(&whole, &posed(&rig, degrees), vertices, triangles);
            assert!(after - before < 0.02 * 4.0, "{method:?} at {degrees}°: gap {before} -> {after}");
        }
    }
}

#[test]
fn without_the_rule_some_method_splits_the_plate() {
    let (body, skeleton) = limb();
    let asset = asset(joined(&[body.clone(), plate_over_joint()]), skeleton);
    let is_split = |method| {
        let loose_parts = LoosePartWeights::Method;
        let rig = run(&asset, &Recipe { method, loose_parts, ..Recipe::default() });
        assert!(rig.loose_parts.is_none());
        let rows = rows_of_part(rig.rig.weights(), body.positions().len());
        rows.iter().any(|row| *row != rows[0])
    };
    for method in [Method::Heat, Method::Glow, Method::Distance, Method::Bbw] {
        assert!(is_split(method), "{method:?}");
    }
}

#[test]
fn the_body_keeps_its_weights_bit_for_bit() {
    let (body, skeleton) = limb();
    let asset = asset(joined(&[body.clone(), plate_over_joint()]), skeleton);
    for method in methods() {
        let recipe = Recipe { method, ..Recipe::default() };
        let with = run(&asset, &recipe);
        let without = run(&asset, &Recipe { loose_parts: LoosePartWeights::Method, ..recipe });
        for vertex in 0..body.positions().len() {
            let (with, without) = (with.rig.weights().row(vertex), without.rig.weights().row(vertex));
            assert_eq!(with, without, "{method:?}, vertex {vertex}");
        }
    }
}

#[test]
fn a_component_with_a_bone_inside_is_part_of_the_body() {
    let (body, skeleton) = limb();
    let sleeve = |lids| placed(&tube(16, 12, 0.6, 1.2, lids), Quat::IDENTITY, 1.0, Vec3::Y * 1.4);
    let ball = placed(&icosphere(2), Quat::IDENTITY, 0.2, Vec3::Y * 2.0);
    for part in [sleeve(true), sleeve(false), ball] {
        let geometry = MeshGeometry::of(&joined(&[body.clone(), part]));
        assert!(LooseParts::of(&geometry, skeleton.bones()).parts().is_empty());
    }
}

#[test]
fn motion_follows_from_shape_and_size_at_any_scale_and_rotation() {
    let (body, skeleton) = limb();
    let ball = placed(&icosphere(2), Quat::IDENTITY, 0.2, Vec3::new(0.8, 1.0, 0.0));
    let small_card = placed(&grid(4, 4), Quat::IDENTITY, 0.05, Vec3::new(0.6, 1.0, 0.0));
    let ribbon = placed(&grid(4, 4), Quat::IDENTITY, 0.5, Vec3::new(0.6, 1.0, 0.0));
    let cases = [(ball, PartMotion::Rigid), (small_card, PartMotion::Rigid), (ribbon, PartMotion::Soft)];
    let turn = Quat::from_axis_angle(Vec3::new(2.0, 3.0, 6.0) / 7.0, 1.0);
    for (part, motion) in cases {
        for (rotation, scale) in [(Quat::IDENTITY, 1.0), (turn, 1.0), (turn, 1e3), (Quat::IDENTITY, 1e-3)] {
            let shift = Vec3::new(1.0, -2.0, 0.5) * scale;
            let whole = placed(&joined(&[body.clone(), part.clone()]), rotation, scale, shift);
            let skeleton = crate::fixtures::placed_skeleton(&skeleton, rotation, scale, shift);
            let found = LooseParts::of(&MeshGeometry::of(&whole), skeleton.bones());
            let motions: Vec<PartMotion> = found.parts().iter().map(|part| part.motion).collect();
            assert_eq!(motions, [motion], "rotation {rotation}, scale {scale}");
        }
    }
}

#[test]
fn a_ribbon_has_the_weights_of_the_limb_beneath_it() {
    let (body, skeleton) = limb();
    // Along the limb, close to its surface.
    let square = grid(2, 20);
    let along = |p: &Vec3| Vec3::new(0.52, 1.0 + 2.0 * p.y, 0.1 * p.x);
    let ribbon = square.with_positions(square.positions().iter().map(along).collect()).unwrap();
    let whole = joined(&[body.clone(), ribbon]);
    let rig = run(&asset(whole.clone(), skeleton), &Recipe { method: Method::Heat, ..Recipe::default() });
    assert_eq!(rig.loose_parts.as_ref().unwrap().parts()[0].motion, PartMotion::Soft);
    let weights = rig.rig.weights();
    let second = |vertex: usize| weights.row(vertex).iter().find(|i| i.column == 1).map_or(0.0, |i| i.weight);
    let mut compared = 0;
    for vertex in body.positions().len()..whole.positions().len() {
        let at = whole.positions()[vertex];
        let beneath = (0..body.positions().len())
            .min_by(|&a, &b| {
                let distance = |v: usize| whole.positions()[v].distance_squared(at);
                distance(a).total_cmp(&distance(b))
            })
            .unwrap();
        let difference = (second(vertex) - second(beneath)).abs();
        assert!(difference < 0.15, "vertex {vertex} at {at}: {difference}");
        compared += 1;
    }
    assert!(compared > 20);
    let (low, high) = (second(body.positions().len()), second(whole.positions().len() - 1));
    assert!((low - high).abs() > 0.5, "the ribbon bends: {low} and {high}");
}

#[test]
fn handles_and_the_weights_of_the_file_are_left_alone() {
    let (body, skeleton) = limb();
    let asset = asset(joined(&[body, plate_over_joint()]), skeleton);
    let handles = vec![PlacedHandle::point("plate", [0.6, 2.4, 0.0])];
    let recipe = Recipe { method: Method::Bbw, handles, ..Recipe::default() };
    assert!(run(&asset, &recipe).loose_parts.is_none());
}

#[test]
fn the_report_lists_the_parts() {
    let (body, skeleton) = limb();
    let button = placed(&icosphere(1), Quat::IDENTITY, 0.1, Vec3::new(0.6, 3.0, 0.0));
    let asset = asset(joined(&[body, plate_over_joint(), button]), skeleton);
    let report = RigReport::of(
        &run(&asset, &Recipe { method: Method::Heat, ..Recipe::default() }),
        &Report::default(),
    );
    assert_eq!(report.loose_parts.len(), 2);
    assert_eq!(report.loose_parts[1].motion, PartMotion::Rigid);
    assert_eq!(report.loose_parts[1].joint, report.joints[1].name);
}

/// A sheet of 0.3 × 0.3 at `x`, between two upright limbs; it faces along x if `faces_right`.
fn sheet_at(x: f32, faces_right: bool) -> Mesh {
    let flat = grid(4, 4);
    let corners = flat.positions().iter().map(|p| Vec3::new(x, 2.8 + 0.3 * p.y, 0.3 * p.x - 0.15));
    let upright = flat.with_positions(corners.collect()).unwrap();
    let [a, b, c] = upright.corners(0);
    let is_right = (b - a).cross(c - a).x > 0.0;
    let turned = |&[a, b, c]: &[u32; 3]| if is_right == faces_right { [a, b, c] } else { [a, c, b] };
    Mesh::new(upright.positions().to_vec(), upright.triangles().iter().map(turned).collect()).unwrap()
}

#[test]
fn a_pad_between_two_limbs_follows_the_one_whose_skin_faces_its_way() {
    let (arm, _) = limb();
    let torso = placed(&arm, Quat::IDENTITY, 1.0, Vec3::X * 1.25);
    let (root, top) = (Vec3::X * 1.25, Vec3::new(1.25, 4.0, 0.0));
    let joints = vec![
        Joint::at("torso", None, root),
        Joint::at("torso top", Some((0, root)), top),
        Joint::at("arm", Some((0, root)), Vec3::ZERO),
        Joint::at("arm top", Some((2, Vec3::ZERO)), Vec3::Y * 4.0),
    ];
    let skeleton = Skeleton::new(joints).unwrap();
    let body = joined(&[arm, torso]);
    // 0.16 from the arm and 0.09 from the torso.
    for (faces_right, limb) in [(true, [2, 3]), (false, [0, 1])] {
        let asset = asset(joined(&[body.clone(), sheet_at(0.66, faces_right)]), skeleton.clone());
        let rig = run(&asset, &Recipe { method: Method::Heat, ..Recipe::default() });
        assert_eq!(rig.loose_parts.as_ref().unwrap().parts()[0].motion, PartMotion::Rigid);
        let rows = rows_of_part(rig.rig.weights(), body.positions().len());
        assert!(rows.iter().all(|row| *row == rows[0]));
        let share: f32 = rows[0].iter().filter(|(joint, _)| limb.contains(joint)).map(|(_, w)| w).sum();
        assert!(share > 0.9, "faces right: {faces_right}, {:?}", rows[0]);
    }
}

#[test]
fn a_rigid_part_that_touches_nothing_moves_as_one_by_the_method() {
    let (body, skeleton) = limb();
    // Level with the joint, where the method gives different weights to its ends.
    let ball = placed(&icosphere(2), Quat::IDENTITY, 0.3, Vec3::new(1.6, 2.1, 0.0));
    let asset = asset(joined(&[body.clone(), ball]), skeleton);
    let recipe = Recipe { method: Method::Distance, ..Recipe::default() };
    let as_one = rows_of_part(run(&asset, &recipe).rig.weights(), body.positions().len());
    assert!(as_one.iter().all(|row| *row == as_one[0]));
    let recipe = Recipe { loose_parts: LoosePartWeights::Method, ..recipe };
    let each = rows_of_part(run(&asset, &recipe).rig.weights(), body.positions().len());
    assert!(each.iter().any(|row| *row != each[0]));
    let second = |row: &[(u32, f32)]| row.iter().find(|(joint, _)| *joint == 1).map_or(0.0, |&(_, w)| w);
    let mean = each.iter().map(|row| second(row)).sum::<f32>() / each.len() as f32;
    assert!((second(&as_one[0]) - mean).abs() < 1e-3, "{} is not the mean {mean}", second(&as_one[0]));
}

#[test]
fn a_recipe_changes_how_single_parts_move() {
    let (body, skeleton) = limb();
    let other = plate(Vec3::new(0.1, 0.8, 0.3), Vec3::new(-0.58, 2.1, 0.0));
    let vertices = other.positions().len();
    let asset = asset(joined(&[body.clone(), plate_over_joint(), other]), skeleton);
    let rows = |motions: &[(&str, PartMotion)], loose_parts| {
        let loose_part_motions = motions.iter().map(|&(name, motion)| (name.to_owned(), motion)).collect();
        let recipe = Recipe { method: Method::Heat, loose_parts, loose_part_motions, ..Recipe::default() };
        let rows = rows_of_part(run(&asset, &recipe).rig.weights(), body.positions().len());
        (rows[..vertices].to_vec(), rows[vertices..].to_vec())
    };
    let is_rigid = |rows: &[Vec<(u32, f32)>]| rows.iter().all(|row| *row == rows[0]);
    let plain = rows(&[], LoosePartWeights::Body);
    assert!(is_rigid(&plain.0) && is_rigid(&plain.1));
    let soft = rows(&[("0", PartMotion::Soft)], LoosePartWeights::Body);
    assert!(!is_rigid(&soft.0) && soft.1 == plain.1);
    let by_method = rows(&[("1", PartMotion::Method)], LoosePartWeights::Body);
    assert!(by_method.0 == plain.0 && by_method.1 == rows(&[], LoosePartWeights::Method).1);
    let mesh = asset.render.parts[0].name.clone();
    let both = rows(&[(mesh.as_str(), PartMotion::Soft)], LoosePartWeights::Body);
    assert!(!is_rigid(&both.0) && !is_rigid(&both.1));
    // The index comes before the name.
    let mixed = rows(&[("1", PartMotion::Rigid), (mesh.as_str(), PartMotion::Soft)], LoosePartWeights::Body);
    assert!(!is_rigid(&mixed.0) && mixed.1 == plain.1);
}

#[test]
fn a_loose_part_that_does_not_exist_is_an_error() {
    let (body, skeleton) = limb();
    let asset = asset(joined(&[body, plate_over_joint()]), skeleton);
    let loose_part_motions = [("1".to_owned(), PartMotion::Soft)].into();
    let recipe = Recipe { method: Method::Heat, loose_part_motions, ..Recipe::default() };
    let error = Pipeline::new(Arc::new(asset)).run(&recipe, &mut Silent).unwrap_err();
    assert!(matches!(&error, PipelineError::UnknownLoosePart { parts: 1, .. }), "{error}");
}
