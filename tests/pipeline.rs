//! The staged run: caching, progress and cancellation.

use std::sync::Arc;

use glam::Vec3;
use pliant::distance::Metric;
use pliant::model::{Asset, Joint, Skeleton};
use pliant::pipeline::{Method, Observer, Outcome, Pipeline, PipelineError, Recipe, Silent, Stage};
use pliant::samples::{self, SampleCharacter};

fn arm() -> Asset {
    samples::make(SampleCharacter::Arm, 400).unwrap().into_asset("arm")
}

/// Records progress, and may cancel at a stage.
#[derive(Default)]
struct Notes {
    reported: Vec<(Stage, f64)>,
    end_at: Option<Stage>,
}

impl Observer for Notes {
    fn progress(&mut self, stage: Stage, fraction: f64) -> bool {
        self.reported.push((stage, fraction));
        self.end_at != Some(stage)
    }

    fn seconds(&self) -> f64 {
        self.reported.len() as f64
    }
}

fn stages(outcome: &Outcome) -> Vec<Stage> {
    outcome.times.iter().map(|time| time.stage).collect()
}

#[test]
fn a_change_runs_only_the_stages_that_depend_on_it() {
    let mut pipeline = Pipeline::new(Arc::new(arm()));
    let mut recipe = Recipe::default();
    let mut ran = |recipe: &Recipe| stages(&pipeline.run(recipe, &mut Silent).unwrap());
    assert_eq!(ran(&recipe), Stage::ALL);
    assert_eq!(ran(&recipe), [Stage::Finish]);
    recipe.max_influences = 2;
    assert_eq!(ran(&recipe), [Stage::Finish]);
    recipe.atlas.k = 1.5;
    assert_eq!(ran(&recipe), [Stage::Weights, Stage::Finish]);
    recipe.atlas.overlap_distance = Some(Metric::Dijkstra);
    assert_eq!(ran(&recipe), [Stage::Distance, Stage::Weights, Stage::Finish]);
    recipe.atlas.overlap_distance = None;
    assert_eq!(ran(&recipe), [Stage::Weights, Stage::Finish]);
    recipe.method = Method::Distance;
    assert_eq!(ran(&recipe), [Stage::Weights, Stage::Finish]);
    recipe.method = Method::Atlas;
    assert_eq!(ran(&recipe), [Stage::Weights, Stage::Finish]);
    let last = arm().skeleton.unwrap().joints().last().unwrap().name.clone();
    recipe.deforms.insert(last, false);
    let all_but_measuring = &Stage::ALL[1..];
    assert_eq!(ran(&recipe), all_but_measuring);
}

#[test]
fn cached_results_equal_fresh_ones() {
    let mut pipeline = Pipeline::new(Arc::new(arm()));
    let first = Recipe::default();
    let mut second = Recipe { max_influences: 2, ..Recipe::default() };
    second.atlas.k = 1.5;
    for recipe in [&first, &second, &first, &second] {
        let remembered = pipeline.run(recipe, &mut Silent).unwrap();
        let afresh = Pipeline::new(Arc::new(arm())).run(recipe, &mut Silent).unwrap();
        assert_eq!(remembered.rig.weights(), afresh.rig.weights());
        assert_eq!(remembered.report, afresh.report, "warnings are remembered too");
        remembered.rig.assert_well_formed();
    }
}

#[test]
fn a_clone_shares_the_cache_and_is_then_independent() {
    let mut first = Pipeline::new(Arc::new(arm()));
    let atlas = Recipe::default();
    let heat = Recipe { method: Method::Heat, ..Recipe::default() };
    first.run(&atlas, &mut Silent).unwrap();
    let mut second = first.clone();
    assert_eq!(stages(&second.run(&heat, &mut Silent).unwrap()), [Stage::Weights, Stage::Finish]);
    for (pipeline, recipe) in [(&mut first, &atlas), (&mut second, &heat)] {
        assert_eq!(stages(&pipeline.run(recipe, &mut Silent).unwrap()), [Stage::Finish]);
    }
}

#[test]
fn every_stage_reports_progress_from_start_to_end() {
    let mut notes = Notes::default();
    Pipeline::new(Arc::new(arm())).run(&Recipe::default(), &mut notes).unwrap();
    let mut order: Vec<Stage> = notes.reported.iter().map(|&(stage, _)| stage).collect();
    assert!(order.is_sorted(), "{order:?}");
    order.dedup();
    assert_eq!(order, Stage::ALL);
    for stage in Stage::ALL {
        let shares: Vec<f64> =
            notes.reported.iter().filter(|(s, _)| *s == stage).map(|&(_, fraction)| fraction).collect();
        assert!(shares.is_sorted(), "{stage:?}: {shares:?}");
        assert_eq!((shares.first(), shares.last()), (Some(&0.0), Some(&1.0)), "{stage:?}");
    }
}

#[test]
fn a_run_can_be_cancelled_at_any_stage_and_repeated() {
    let expected = Pipeline::new(Arc::new(arm())).run(&Recipe::default(), &mut Silent).unwrap();
    for stage in Stage::ALL {
        let mut pipeline = Pipeline::new(Arc::new(arm()));
        let mut notes = Notes { end_at: Some(stage), ..Notes::default() };
        let error = pipeline.run(&Recipe::default(), &mut notes).unwrap_err();
        assert!(matches!(error, PipelineError::Cancelled(_)), "{stage:?}: {error}");
        assert!(
            notes.reported.iter().all(|&(reported, _)| reported <= stage),
            "nothing runs after {stage:?}"
        );
        let outcome = pipeline.run(&Recipe::default(), &mut Silent).unwrap();
        assert_eq!(outcome.rig.weights(), expected.rig.weights());
    }
}

#[test]
fn an_unusable_skeleton_is_an_error_with_the_reason() {
    let run = |change: &dyn Fn(&mut Asset), recipe: &Recipe| {
        let mut asset = arm();
        change(&mut asset);
        Pipeline::new(Arc::new(asset)).run(recipe, &mut Silent).unwrap_err()
    };
    let nothing = |asset: &mut Asset| asset.skeleton = None;
    assert!(matches!(run(&nothing, &Recipe::default()), PipelineError::NoSkeleton));

    let elsewhere = |asset: &mut Asset| {
        let joints = vec![
            Joint::at("a", None, Vec3::splat(5e3)),
            Joint::at("b", Some((0, Vec3::splat(5e3))), Vec3::splat(6e3)),
        ];
        asset.set_skeleton(Skeleton::new(joints).unwrap(), Vec::new());
    };
    let error = run(&elsewhere, &Recipe::default());
    assert!(matches!(error, PipelineError::SkeletonElsewhere { .. }), "{error}");
    assert!(error.to_string().contains("scale or move"), "{error}");

    let mut recipe = Recipe::default();
    recipe.deforms.insert("nobody".into(), true);
    assert!(matches!(run(&|_| {}, &recipe), PipelineError::UnknownJoint { .. }));

    let mut recipe = Recipe::default();
    recipe.deforms.extend(arm().skeleton.unwrap().joints().iter().map(|joint| (joint.name.clone(), false)));
    assert!(matches!(run(&|_| {}, &recipe), PipelineError::NothingDeforms));

    let recipe = Recipe { max_influences: 0, ..Recipe::default() };
    assert!(matches!(run(&|_| {}, &recipe), PipelineError::Recipe(_)));
}
