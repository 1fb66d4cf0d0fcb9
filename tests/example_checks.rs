//! Examples in other units, mirrored, with stray or permuted vertices; and fits with few influences.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use pliant::model::{Asset, Influence, Mesh, Pose, Weights};
use pliant::operators::MeshGeometry;
use pliant::pipeline::{Method, Outcome, Pipeline, Recipe, Silent, solved};
use pliant::report::{Report, Warning};
use pliant::samples::{self, SampleCharacter};
use pliant::weights::{ExampleError, checked_examples, reproduced};

use crate::fixtures::{Lcg, fixtures, sample_characters};

/// The arm bent by a quarter turn, with its first clip.
fn bent_arm() -> (Arc<Asset>, Vec<Vec<Vec3>>) {
    let asset = samples::make(SampleCharacter::Arm, 1500).unwrap().into_asset("arm");
    let asset = Arc::new(asset);
    let recipe = Recipe { method: Method::Heat, max_influences: 8, ..Recipe::default() };
    let rig = Pipeline::new(asset.clone()).run(&recipe, &mut Silent).unwrap().rig;
    let joints = rig.skeleton.joints().len();
    let pose = |angle: f64| -> Vec<Vec3> {
        let mut pose = Pose::rest(&rig.skeleton);
        (1..joints).for_each(|joint| {
            pose.rotate(
                joint,
                glam::DQuat::from_rotation_z(angle) * glam::DQuat::from_rotation_x(0.3 * angle),
            );
        });
        let matrices = pose.skinning_matrices(&rig.skeleton);
        let place = |(position, row): (&Vec3, &[Influence])| -> Vec3 {
            row.iter().map(|i| matrices[i.column as usize].transform_point3(*position) * i.weight).sum()
        };
        let render: Vec<Vec3> = asset.render.positions.iter().zip(rig.weights().rows()).map(place).collect();
        solved(&asset, &render)
    };
    let poses = [0.5, 0.9, -0.4].map(pose).to_vec();
    (asset, poses)
}

fn checked(mesh: &Mesh, example: Vec<Vec3>) -> (Result<Vec<Vec3>, ExampleError>, Vec<Warning>) {
    let mut report = Report::default();
    let found = checked_examples(&MeshGeometry::of(mesh), &[example], &mut report);
    (found.map(|mut examples| examples.remove(0)), report.warnings().to_vec())
}

/// Largest distance between two shapes that are moved, but not turned, against each other, relative to
/// the size of the first.
fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    let mean = |at: &[Vec3]| at.iter().sum::<Vec3>() / at.len() as f32;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let size = a.iter().map(|p| p.distance(mean_a)).fold(0.0, f32::max);
    a.iter().zip(b).map(|(p, q)| (*p - mean_a).distance(*q - mean_b)).fold(0.0, f32::max) / size
}

#[test]
fn poses_of_all_fixtures_are_taken_as_they_are() {
    for f in fixtures().chain(sample_characters()).filter(|f| !f.mesh.triangles().is_empty()) {
        let turned = Affine3A::from_rotation_translation(
            Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 2.1),
            Vec3::new(3.0, -1.0, 2.0) * f.mesh.diagonal(),
        );
        let pose: Vec<Vec3> = f.mesh.positions().iter().map(|&p| turned.transform_point3(p)).collect();
        let (found, warnings) = checked(&f.mesh, pose.clone());
        assert_eq!(found.as_ref(), Ok(&pose), "{}", f.name);
        assert_eq!(warnings, [], "{}", f.name);
    }
    let (asset, poses) = bent_arm();
    for pose in poses {
        assert_eq!(checked(&asset.mesh, pose.clone()), (Ok(pose), Vec::new()));
    }
}

#[test]
fn other_units_are_undone_and_named() {
    let (asset, poses) = bent_arm();
    for factor in [2.0, 1000.0, 0.01] {
        let large: Vec<Vec3> = poses[1].iter().map(|&p| p * factor).collect();
        let (found, warnings) = checked(&asset.mesh, large);
        let [Warning::ExampleScaled { example: 0, factor: told }] = warnings[..] else {
            panic!("{warnings:?}")
        };
        assert!((told / f64::from(factor) - 1.0).abs() < 0.02, "{told}");
        // The scale is that of most edges, so a bend that changes lengths changes it a little.
        assert!(apart(&poses[1], &found.unwrap()) < 0.02);
    }
}

#[test]
fn mirror_images_are_mirrored_back_along_any_axis() {
    let (asset, poses) = bent_arm();
    for signs in [Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, -1.0, 1.0), Vec3::new(1.0, 1.0, -1.0)] {
        let mirrored: Vec<Vec3> = poses[0].iter().map(|&p| p * signs).collect();
        let (found, warnings) = checked(&asset.mesh, mirrored);
        assert_eq!(warnings, [Warning::ExampleMirrored { example: 0 }], "{signs}");
        assert!(apart(&poses[0], &found.unwrap()) < 1e-5, "{signs}");
    }
}

#[test]
fn vertices_in_another_order_are_refused() {
    let (asset, poses) = bent_arm();
    let mut chance = Lcg(5);
    let order = chance.permutation(poses[0].len());
    let permuted: Vec<Vec3> = order.iter().map(|&from| poses[0][from]).collect();
    let (found, _) = checked(&asset.mesh, permuted);
    assert_eq!(found, Err(ExampleError::Scrambled { example: 0 }));
    assert!(found.unwrap_err().to_string().contains("same order"));
    // Also where only a half of them changed places.
    let half = poses[0].len() / 2;
    let mut permuted = poses[0].clone();
    let order = chance.permutation(half);
    order.iter().enumerate().for_each(|(to, &from)| permuted[to] = poses[0][from]);
    assert_eq!(checked(&asset.mesh, permuted).0, Err(ExampleError::Scrambled { example: 0 }));
}

#[test]
fn ten_wild_vertices_are_named_and_put_between_their_neighbours() {
    let (asset, poses) = bent_arm();
    let mut chance = Lcg(9);
    let mut wild: Vec<u32> = (0..10).map(|_| chance.below(poses[0].len()) as u32).collect();
    wild.sort_unstable();
    wild.dedup();
    let mut pose = poses[0].clone();
    wild.iter().for_each(|&v| pose[v as usize] += chance.point(50.0) * asset.mesh.diagonal());
    let (found, warnings) = checked(&asset.mesh, pose);
    let expected = Warning::StrayVertices { example: 0, vertices: wild.len(), first: wild[0] };
    assert_eq!(warnings, [expected]);
    assert!(apart(&poses[0], &found.unwrap()) < 0.05);
}

fn fitted(asset: &Arc<Asset>, poses: &[Vec<Vec3>], max_influences: usize, iterations: usize) -> Outcome {
    let mut pipeline = Pipeline::new(asset.clone());
    pipeline.set_examples(Arc::new(poses.to_vec()));
    let mut recipe = Recipe { method: Method::Examples, max_influences, ..Recipe::default() };
    recipe.examples.iterations = iterations;
    pipeline.run(&recipe, &mut Silent).unwrap()
}

/// The weights of the exported skin, per solve vertex.
fn exported(outcome: &Outcome) -> Weights {
    let rig = &outcome.rig;
    rig.weights().gathered(rig.asset.render_from_solve().into_iter().map(|v| v as usize))
}

#[test]
fn the_error_that_is_reported_is_that_of_the_exported_weights() {
    let (asset, poses) = bent_arm();
    let geometry = MeshGeometry::of(&asset.mesh);
    for max_influences in [1, 2, 4] {
        // Also of a fit that ends before it has converged.
        for iterations in [1, 3, 60] {
            let outcome = fitted(&asset, &poses, max_influences, iterations);
            let weights = exported(&outcome);
            assert!(weights.rows().all(|row| row.len() <= max_influences));
            let summary = outcome.example_fit.as_ref().unwrap();
            let measured = reproduced(&geometry, &weights, &poses).unwrap();
            let (reported, rigid) = (summary.rms[1], summary.rigid_rms.unwrap());
            println!(
                "{max_influences} influences, {iterations} iterations: {reported:.2e} reported, {measured:.2e} measured, {rigid:.2e} with rigid motions"
            );
            // Other best motions for the same weights are possible only within the stiffness term.
            assert!((reported / measured - 1.0).abs() < 0.05, "{reported} against {measured}");
            assert!(rigid >= 0.9 * reported, "rigid motions are affine: {rigid} against {reported}");
        }
    }
}

/// The largest weights of every vertex, normalised.
fn cut_to(limit: usize, weights: &Weights) -> Weights {
    let row = |row: &[Influence]| {
        let mut row = row.to_vec();
        row.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        row.truncate(limit);
        let sum: f32 = row.iter().map(|influence| influence.weight).sum();
        row.iter_mut().for_each(|influence| influence.weight /= sum);
        row.sort_by_key(|influence| influence.column);
        row
    };
    Weights::new(weights.columns(), weights.rows().map(row)).unwrap()
}

#[test]
fn a_fit_within_two_influences_is_better_than_one_that_is_cut_afterwards() {
    let (asset, poses) = bent_arm();
    let geometry = MeshGeometry::of(&asset.mesh);
    let within = exported(&fitted(&asset, &poses, 2, 100));
    let whole = fitted(&asset, &poses, 8, 100);
    let cut = cut_to(2, &exported(&whole));
    let [within, cut] = [&within, &cut].map(|weights| reproduced(&geometry, weights, &poses).unwrap());
    println!("two influences: {within:.2e} fitted, {cut:.2e} cut");
    assert!(within < cut, "{within} against {cut}");
}

#[test]
fn a_fit_that_did_not_converge_says_so() {
    let (asset, poses) = bent_arm();
    let warns = |outcome: &Outcome| {
        outcome.report.warnings().iter().any(|warning| matches!(warning, Warning::FitNotConverged { .. }))
    };
    let short = fitted(&asset, &poses, 4, 2);
    assert!(!short.convergence.unwrap().converged);
    assert!(warns(&short), "{:?}", short.report);
    let long = fitted(&asset, &poses, 4, 1000);
    assert!(long.convergence.unwrap().converged);
    assert!(!warns(&long), "{:?}", long.report);
}
