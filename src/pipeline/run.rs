//! Runs the stages a recipe needs and keeps what later runs can use again.

use std::sync::Arc;

use glam::Vec3;

use super::atlas::Covering;
use super::example_fit::ExampleFitSummary;
use super::skeleton::SkeletonStages;
use super::stage::{Observer, Run, Stage, StageTime};
use super::weights::{BoneWeights, Bound, WeighStages};
use super::{PipelineError, Recipe};
use crate::model::{Asset, Rig};
use crate::operators::MeshGeometry;
use crate::operators::qp::Convergence;
use crate::report::{Report, Warning};
use crate::weights;

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// The character, ready to move.
    pub rig: Rig,
    /// The oddities of every stage, also of those answered from memory.
    pub report: Report,
    /// The regions behind the weights, when the method has any.
    pub covering: Option<Covering>,
    /// How far the weights are from where they would come to rest, when the method iterates.
    pub convergence: Option<Convergence>,
    /// What was learned from examples, when the method does.
    pub lessons: Option<Arc<ExampleFitSummary>>,
    /// The stages that really ran.
    pub times: Vec<StageTime>,
}

/// An asset and everything computed for it so far. A clone shares that, and goes its own way from there.
#[derive(Clone)]
pub struct Pipeline {
    asset: Arc<Asset>,
    geometry: Option<Arc<MeshGeometry>>,
    skeleton: SkeletonStages,
    weights: WeighStages,
}

impl Pipeline {
    /// Nothing is computed yet.
    pub fn new(asset: Arc<Asset>) -> Self {
        Self { asset, geometry: None, skeleton: SkeletonStages::default(), weights: WeighStages::default() }
    }

    /// Takes other poses to learn from: one position per solve vertex in each.
    pub fn set_examples(&mut self, examples: impl Into<Arc<Vec<Vec<Vec3>>>>) {
        self.weights.set_examples(examples.into());
    }

    /// The poses to learn from.
    pub fn examples(&self) -> &Arc<Vec<Vec<Vec3>>> {
        self.weights.examples()
    }

    /// Whether the last run was ended by its observer while there was more to learn; the next by the same recipe goes on with it.
    pub fn is_learning(&self) -> bool {
        self.weights.is_learning()
    }

    /// What was learned so far is the answer.
    pub fn end_learning(&mut self) {
        self.weights.end_learning();
    }

    /// What was learned by the last run, if it was by examples.
    pub fn lessons(&self) -> Option<&ExampleFitSummary> {
        self.weights.lessons()
    }

    /// What is being rigged.
    pub fn asset(&self) -> &Arc<Asset> {
        &self.asset
    }

    /// Rigs the asset by `recipe`, reusing what an earlier run has already found.
    ///
    /// # Errors
    /// When the recipe, the mesh or the skeleton give nothing to work with, or the observer cancels.
    /// What was computed before stays.
    pub fn run(&mut self, recipe: &Recipe, observer: &mut dyn Observer) -> Result<Outcome, PipelineError> {
        recipe.check()?;
        if self.asset.mesh.triangles().is_empty() {
            return Err(PipelineError::NoTriangles);
        }
        let mut run = Run { observer, times: Vec::new() };
        let geometry = self.measure(&mut run)?;
        let skeleton = self.skeleton.hold(&self.asset, recipe, &geometry, &mut run)?;
        let bound = Bound { asset: &self.asset, geometry: &geometry, skeleton: &skeleton };
        let bone_weights = self.weights.weigh(recipe, &bound, &mut run)?;
        let joint_weights = run.stage(Stage::Finish, |_| {
            Ok(weights::finish(&bone_weights.weights, &skeleton, recipe.max_influences))
        })?;
        let rig = Rig::new(self.asset.clone(), (*skeleton).clone(), &joint_weights)?;
        let report = self.report(recipe);
        let BoneWeights { covering, convergence, lessons, .. } = &*bone_weights;
        let (covering, lessons) = (covering.clone(), lessons.clone());
        Ok(Outcome { rig, report, covering, convergence: *convergence, lessons, times: run.times })
    }

    /// The oddities of all stages.
    fn report(&self, recipe: &Recipe) -> Report {
        let mut report = Report::default();
        let parts = [self.skeleton.report(), self.weights.report()];
        parts.into_iter().flatten().for_each(|part| report.absorb(part.clone()));
        if recipe.handles.len() > recipe.used_handles().len() {
            let (handles, method) = (recipe.handles.len(), recipe.method.name());
            report.warn(Warning::HandlesIgnored { handles, method });
        }
        report
    }

    fn measure(&mut self, run: &mut Run<'_>) -> Result<Arc<MeshGeometry>, PipelineError> {
        if let Some(geometry) = &self.geometry {
            return Ok(geometry.clone());
        }
        let geometry = run.stage(Stage::Measure, |_| {
            let geometry = MeshGeometry::of(&self.asset.mesh);
            // Asked for here, so that the time they take is this stage's.
            geometry.normals();
            geometry.topology();
            geometry.bvh();
            Ok(Arc::new(geometry))
        })?;
        self.geometry = Some(geometry.clone());
        Ok(geometry)
    }
}
