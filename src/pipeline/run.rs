//! Runs the stages that a recipe needs and caches their results for later runs.

use std::borrow::Cow;
use std::sync::Arc;

use glam::Vec3;

use super::example_fit::ExampleFitSummary;
use super::skeleton::SkeletonStages;
use super::stage::{Observer, Run, Stage, StageTime};
use super::weights::{BoneWeights, WeightsInputs, WeightsStages};
use super::{Method, PipelineError, Recipe};
use crate::model::{Asset, RegionOverlay, Rig};
use crate::operators::MeshGeometry;
use crate::operators::qp::Convergence;
use crate::report::{Report, Warning};
use crate::weights::{self, LooseParts};

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// How the weights were computed.
    pub method: Method,
    /// The rigged character.
    pub rig: Rig,
    /// The warnings of every stage, also of those with a cached result.
    pub report: Report,
    /// The regions and overlaps, if the method has any.
    pub region_overlay: Option<RegionOverlay>,
    /// The parts that got their weights from the body beneath them, if there are any.
    pub loose_parts: Option<Arc<LooseParts>>,
    /// The convergence of the weights, if the method iterates.
    pub convergence: Option<Convergence>,
    /// The summary of example fitting, if the method is that.
    pub example_fit: Option<Arc<ExampleFitSummary>>,
    /// The stages that ran.
    pub times: Vec<StageTime>,
}

/// An asset and all cached results for it. A clone shares the cached results and is independent
/// afterwards.
#[derive(Clone)]
pub struct Pipeline {
    asset: Arc<Asset>,
    geometry: Option<Arc<MeshGeometry>>,
    skeleton: SkeletonStages,
    weights: WeightsStages,
}

impl Pipeline {
    /// A pipeline without cached results.
    pub fn new(asset: Arc<Asset>) -> Self {
        Self { asset, geometry: None, skeleton: SkeletonStages::default(), weights: WeightsStages::default() }
    }

    /// Sets the example poses: one position per solve vertex in each.
    pub fn set_examples(&mut self, examples: impl Into<Arc<Vec<Vec<Vec3>>>>) {
        self.weights.set_examples(examples.into());
    }

    /// The example poses.
    pub fn examples(&self) -> &Arc<Vec<Vec<Vec3>>> {
        self.weights.examples()
    }

    /// Sets the joint of every solve vertex, in place of the segmentation of [`Method::Atlas`];
    /// `None` removes them. [`labels_from_text`](super::labels_from_text) reads them.
    ///
    /// # Panics
    /// If there is not one per solve vertex.
    pub fn set_labels(&mut self, labels: Option<Vec<u32>>) {
        let vertices = self.asset.mesh.positions().len();
        assert!(labels.as_ref().is_none_or(|labels| labels.len() == vertices), "one label per vertex");
        self.weights.set_labels(labels);
    }

    /// Whether the observer stopped the last run before the fit was finished. The next run with the
    /// same recipe continues it.
    pub fn has_unfinished_fit(&self) -> bool {
        self.weights.has_unfinished_fit()
    }

    /// Drops the interrupted fit; its result so far is final.
    pub fn drop_unfinished_fit(&mut self) {
        self.weights.drop_unfinished_fit();
    }

    /// The summary of the last run, if it was an example fit.
    pub fn example_fit(&self) -> Option<&ExampleFitSummary> {
        self.weights.example_fit()
    }

    /// The asset.
    pub fn asset(&self) -> &Arc<Asset> {
        &self.asset
    }

    /// Rigs the asset by `recipe`, using cached results of earlier runs.
    ///
    /// # Errors
    /// If the recipe, the mesh or the skeleton is unusable, or the observer cancels. Cached results
    /// are kept.
    pub fn run(&mut self, recipe: &Recipe, observer: &mut dyn Observer) -> Result<Outcome, PipelineError> {
        recipe.check()?;
        if self.asset.mesh.triangles().is_empty() {
            return Err(PipelineError::NoTriangles);
        }
        let mut run = Run { observer, times: Vec::new() };
        let method = recipe.method.on(&self.asset);
        if method == Method::Source {
            return self.stored(recipe, run);
        }
        let recipe = if method == recipe.method {
            Cow::Borrowed(recipe)
        } else {
            Cow::Owned(Recipe { method, ..recipe.clone() })
        };
        let recipe = recipe.as_ref();
        let geometry = self.measure(&mut run)?;
        let skeleton = self.skeleton.with_handles(&self.asset, recipe, &geometry, &mut run)?;
        let inputs = WeightsInputs { asset: &self.asset, geometry: &geometry, skeleton: &skeleton };
        let bone_weights = self.weights.weights(recipe, &inputs, &mut run)?;
        let loose_parts = self.weights.loose_parts(recipe, &inputs)?;
        let joint_weights = run.stage(Stage::Finish, |_| {
            let attached = loose_parts.as_ref().map(|parts| parts.attach(&geometry, &bone_weights.weights));
            let bone_weights = attached.as_ref().unwrap_or(&bone_weights.weights);
            Ok(weights::finish(bone_weights, &skeleton, recipe.max_influences))
        })?;
        let rig = Rig::new(self.asset.clone(), (*skeleton).clone(), &joint_weights)?;
        let report = self.report(recipe);
        let BoneWeights { region_overlay, convergence, example_fit, .. } = &*bone_weights;
        let (region_overlay, example_fit) = (region_overlay.clone(), example_fit.clone());
        let (convergence, times) = (*convergence, run.times);
        Ok(Outcome { method, rig, report, region_overlay, loose_parts, convergence, example_fit, times })
    }

    /// The weights of the file. Nothing is computed but the classification of joints, which lists
    /// of joints show.
    fn stored(&mut self, recipe: &Recipe, mut run: Run<'_>) -> Result<Outcome, PipelineError> {
        let skeleton = self.skeleton.classify(&self.asset, recipe, &mut run)?;
        let rig = run.stage(Stage::Finish, |_| {
            Ok(Rig::from_stored_weights(self.asset.clone(), (*skeleton).clone()))
        })?;
        let rig = rig.ok_or(PipelineError::NoStoredWeights)?;
        let mut report = Report::default();
        warn_of_unused_handles(recipe, &mut report);
        Ok(Outcome {
            method: Method::Source,
            rig,
            report,
            region_overlay: None,
            loose_parts: None,
            convergence: None,
            example_fit: None,
            times: run.times,
        })
    }

    /// The warnings of all stages.
    fn report(&self, recipe: &Recipe) -> Report {
        let mut report = Report::default();
        let parts = [self.skeleton.report(), self.weights.report()];
        parts.into_iter().flatten().for_each(|part| report.absorb(part.clone()));
        warn_of_unused_handles(recipe, &mut report);
        report
    }

    fn measure(&mut self, run: &mut Run<'_>) -> Result<Arc<MeshGeometry>, PipelineError> {
        if let Some(geometry) = &self.geometry {
            return Ok(geometry.clone());
        }
        let geometry = run.stage(Stage::Measure, |_| {
            let geometry = MeshGeometry::of(&self.asset.mesh);
            // Computed here, so that their time counts for this stage.
            geometry.normals();
            geometry.topology();
            geometry.bvh();
            Ok(Arc::new(geometry))
        })?;
        self.geometry = Some(geometry.clone());
        Ok(geometry)
    }
}

fn warn_of_unused_handles(recipe: &Recipe, report: &mut Report) {
    if recipe.handles.len() > recipe.used_handles().len() {
        let (handles, method) = (recipe.handles.len(), recipe.method.name());
        report.warn(Warning::HandlesIgnored { handles, method });
    }
}
