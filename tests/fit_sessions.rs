//! ExampleFit in the pipeline: interrupted and taken up again, stopped, looked at example by example.

use std::sync::Arc;

use glam::Vec3;
use pliant::model::{Asset, Weights};
use pliant::pipeline::{ExampleFitSummary, Method, Observer, Outcome, Pipeline, Recipe, Silent, Stage};
use pliant::samples::{self, SampleCharacter};
use pliant::weights::Energy;

/// Interrupts after every iteration, and notes how far learning was.
#[derive(Default)]
struct Impatient {
    shares: Vec<f64>,
    iterations: usize,
}

impl Observer for Impatient {
    fn progress(&mut self, stage: Stage, share: f64) -> bool {
        if stage == Stage::Weights {
            self.shares.push(share);
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

fn lessons(outcome: &Outcome) -> &ExampleFitSummary {
    outcome.example_fit.as_deref().unwrap()
}

#[test]
fn a_lesson_interrupted_after_every_step_ends_where_one_without_a_break_does() {
    let asset = asset();
    let examples = folded(&asset, &[0.6, -0.9]);
    let mut steady = Pipeline::new(asset.clone());
    steady.set_examples(examples.clone());
    let whole = steady.run(&recipe(8), &mut Silent).unwrap();
    assert!(!steady.has_unfinished_fit() && lessons(&whole).is_over);

    let mut broken = Pipeline::new(asset);
    broken.set_examples(examples);
    let mut observer = Impatient::default();
    let mut last = broken.run(&recipe(8), &mut observer).unwrap();
    while broken.has_unfinished_fit() {
        assert!(!lessons(&last).is_over);
        last = broken.run(&recipe(8), &mut observer).unwrap();
    }
    assert!(observer.iterations > 1, "it was never interrupted");
    assert_eq!(lessons(&last).energy, lessons(&whole).energy);
    assert_eq!(last.rig.weights(), whole.rig.weights());
}

#[test]
fn what_was_learned_when_it_is_ended_is_the_answer_from_then_on() {
    let asset = asset();
    let mut pipeline = Pipeline::new(asset.clone());
    pipeline.set_examples(folded(&asset, &[0.6, -0.9]));
    let stopped = pipeline.run(&recipe(8), &mut Impatient::default()).unwrap();
    pipeline.drop_unfinished_fit();
    let again = pipeline.run(&Recipe { max_influences: 3, ..recipe(8) }, &mut Silent).unwrap();
    assert_eq!(lessons(&again).energy, lessons(&stopped).energy);
    // Whoever learns as long from the beginning ends there, too.
    let mut other = Pipeline::new(asset.clone());
    other.set_examples(folded(&asset, &[0.6, -0.9]));
    let same = other.run(&recipe(1), &mut Silent).unwrap();
    assert_eq!(same.rig.weights(), stopped.rig.weights());
}

#[test]
fn what_learning_begins_with_is_found_once_for_all_examples() {
    let asset = asset();
    let mut pipeline = Pipeline::new(asset.clone());
    let mut first_share = |angles: &[f32]| {
        pipeline.set_examples(folded(&asset, angles));
        let mut observer = Impatient::default();
        pipeline.run(&recipe(2), &mut observer).unwrap();
        observer.shares.into_iter().fold(1.0, f64::min)
    };
    assert!(first_share(&[0.5]) < 0.05);
    assert!(first_share(&[0.7, -0.3]) >= 0.1);
}

#[test]
fn every_example_is_reproduced_with_the_error_that_is_told() {
    let asset = asset();
    let mut pipeline = Pipeline::new(asset.clone());
    let examples = folded(&asset, &[0.6, -0.9]);
    pipeline.set_examples(examples.clone());
    let outcome = pipeline.run(&recipe(8), &mut Silent).unwrap();
    let told = lessons(&outcome);
    let rest = asset.mesh.positions();
    for (stage, is_final) in [(0, false), (1, true)] {
        let mut squares = 0.0;
        for (k, example) in examples.iter().enumerate() {
            let found = told.reproduced(is_final, k, rest).unwrap();
            let apart = |(p, q): (&Vec3, &Vec3)| f64::from(p.distance_squared(*q));
            let mean = found.positions.iter().zip(example).map(apart).sum::<f64>() / rest.len() as f64;
            let rms = mean.sqrt() / f64::from(asset.mesh.diagonal());
            assert!((rms - told.rms_by_example[k][stage]).abs() < 1e-6, "{rms}");
            squares += mean / f64::from(asset.mesh.diagonal()).powi(2);
        }
        let rms = (squares / examples.len() as f64).sqrt();
        assert!((rms - told.rms[stage]).abs() < 1e-4 * told.rms[0], "{rms} instead of {}", told.rms[stage]);
    }
    assert!(told.rms[1] < 0.5 * told.rms[0], "{:?}", told.rms);
    assert!(told.reproduced(true, examples.len(), rest).is_none());
}
