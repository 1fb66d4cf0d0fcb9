//! Example fitting in the pipeline: interrupted and continued, stopped, and reported by example.

use std::sync::Arc;

use glam::Vec3;
use pliant::model::{Asset, Weights};
use pliant::pipeline::{ExampleFitSummary, Method, Observer, Outcome, Pipeline, Recipe, Silent, Stage};
use pliant::samples::{self, SampleCharacter};
use pliant::weights::Energy;

/// Stops after every iteration, and records the progress.
#[derive(Default)]
struct StopAfterEachIteration {
    fractions: Vec<f64>,
    iterations: usize,
}

impl Observer for StopAfterEachIteration {
    fn progress(&mut self, stage: Stage, fraction: f64) -> bool {
        if stage == Stage::Weights {
            self.fractions.push(fraction);
        }
        true
    }

    fn seconds(&self) -> f64 {
        0.0
    }

    fn fit_iteration(&mut self, _: &Energy, so_far: &dyn Fn() -> Weights) -> bool {
        self.iterations += 1;
        so_far().assert_well_formed();
        false
    }
}

fn asset() -> Arc<Asset> {
    Arc::new(samples::make(SampleCharacter::Cylinder, 300).unwrap().into_asset("cylinder"))
}

/// The cylinder folded at its middle, by some angles.
fn folded(asset: &Asset, angles: &[f32]) -> Vec<Vec<Vec3>> {
    let (low, high) = asset.mesh.bounds();
    let middle = 0.5 * (low + high);
    let longest = (high - low).max_position();
    let axis = if longest == 2 { Vec3::X } else { Vec3::Z };
    let fold = |angle: f32, at: Vec3| {
        let from = at - middle;
        if from[longest] > 0.0 { middle + glam::Quat::from_axis_angle(axis, angle) * from } else { at }
    };
    let pose = |&angle: &f32| asset.mesh.positions().iter().map(|&at| fold(angle, at)).collect();
    angles.iter().map(pose).collect()
}

fn recipe(iterations: usize) -> Recipe {
    let mut recipe = Recipe { method: Method::Examples, ..Recipe::default() };
    recipe.examples.iterations = iterations;
    recipe
}

fn summary(outcome: &Outcome) -> &ExampleFitSummary {
    outcome.example_fit.as_deref().unwrap()
}

#[test]
fn a_fit_interrupted_after_every_iteration_has_the_same_result() {
    let asset = asset();
    let examples = folded(&asset, &[0.6, -0.9]);
    let mut steady = Pipeline::new(asset.clone());
    steady.set_examples(examples.clone());
    let whole = steady.run(&recipe(8), &mut Silent).unwrap();
    assert!(!steady.has_unfinished_fit() && summary(&whole).is_over);

    let mut broken = Pipeline::new(asset);
    broken.set_examples(examples);
    let mut observer = StopAfterEachIteration::default();
    let mut last = broken.run(&recipe(8), &mut observer).unwrap();
    while broken.has_unfinished_fit() {
        assert!(!summary(&last).is_over);
        last = broken.run(&recipe(8), &mut observer).unwrap();
    }
    assert!(observer.iterations > 1, "it was never interrupted");
    assert_eq!(summary(&last).energy, summary(&whole).energy);
    assert_eq!(last.rig.weights(), whole.rig.weights());
}

#[test]
fn the_result_of_a_stopped_fit_is_final() {
    let asset = asset();
    let mut pipeline = Pipeline::new(asset.clone());
    pipeline.set_examples(folded(&asset, &[0.6, -0.9]));
    let stopped = pipeline.run(&recipe(8), &mut StopAfterEachIteration::default()).unwrap();
    pipeline.drop_unfinished_fit();
    let again = pipeline.run(&recipe(8), &mut Silent).unwrap();
    assert_eq!(summary(&again).energy, summary(&stopped).energy);
    // A fit of as many iterations from the beginning has the same result.
    let mut other = Pipeline::new(asset.clone());
    other.set_examples(folded(&asset, &[0.6, -0.9]));
    let same = other.run(&recipe(1), &mut Silent).unwrap();
    assert_eq!(same.rig.weights(), stopped.rig.weights());
}

#[test]
fn initial_weights_are_computed_once_for_all_examples() {
    let asset = asset();
    let mut pipeline = Pipeline::new(asset.clone());
    let mut first_share = |angles: &[f32]| {
        pipeline.set_examples(folded(&asset, angles));
        let mut observer = StopAfterEachIteration::default();
        pipeline.run(&recipe(2), &mut observer).unwrap();
        observer.fractions.into_iter().fold(1.0, f64::min)
    };
    assert!(first_share(&[0.5]) < 0.05);
    assert!(first_share(&[0.7, -0.3]) >= 0.1);
}

#[test]
fn every_example_is_reproduced_with_the_reported_error() {
    let asset = asset();
    let mut pipeline = Pipeline::new(asset.clone());
    let examples = folded(&asset, &[0.6, -0.9]);
    pipeline.set_examples(examples.clone());
    let outcome = pipeline.run(&recipe(8), &mut Silent).unwrap();
    let report = summary(&outcome);
    let rest = asset.mesh.positions();
    for (stage, is_final) in [(0, false), (1, true)] {
        let mut squares = 0.0;
        for (k, example) in examples.iter().enumerate() {
            let found = report.reproduced(is_final, k, rest).unwrap();
            let apart = |(p, q): (&Vec3, &Vec3)| f64::from(p.distance_squared(*q));
            let mean = found.positions.iter().zip(example).map(apart).sum::<f64>() / rest.len() as f64;
            let rms = mean.sqrt() / f64::from(asset.mesh.diagonal());
            assert!((rms - report.rms_by_example[k][stage]).abs() < 1e-6, "{rms}");
            squares += mean / f64::from(asset.mesh.diagonal()).powi(2);
        }
        let rms = (squares / examples.len() as f64).sqrt();
        assert!(
            (rms - report.rms[stage]).abs() < 1e-4 * report.rms[0],
            "{rms} instead of {}",
            report.rms[stage]
        );
    }
    assert!(report.rms[1] < 0.5 * report.rms[0], "{:?}", report.rms);
    assert!(report.reproduced(true, examples.len(), rest).is_none());
}
