//! The stage that computes weights per bone by the method of a recipe, with caching.
//!
//! In: the geometry of the mesh, the skeleton, and example poses. Out: weights per bone, and
//! additional results of the method.

use std::sync::Arc;

use glam::Vec3;

use super::atlas::{AtlasStages, Inputs};
use super::cache::{Cached, SkeletonKey};
use super::example_fit::{ExampleFitSummary, FirstKey, FitInputs, InterruptedFit, UnfinishedFit};
use super::handles;
use super::skeleton::check_names;
use super::stage::{Run, Stage, StageTime};
use super::{Method, PipelineError, Recipe};
use crate::model::{Asset, RegionOverlay, Skeleton, Weights};
use crate::operators::MeshGeometry;
use crate::operators::qp::Convergence;
use crate::report::{Report, Warning};
use crate::weights::{
    self, Atlas, Biharmonic, Distance, ExampleFit, Glow, Handle, Heat, LoosePartWeights, LooseParts,
};

/// What the weights per bone depend on, beyond the mesh.
#[derive(Clone, PartialEq)]
struct WeightsKey {
    deforms: SkeletonKey,
    options: MethodOptions,
    /// The handles; their names do not matter.
    points: Vec<Handle>,
}

#[derive(Clone, PartialEq)]
enum MethodOptions {
    Atlas(Atlas),
    Distance(Distance),
    Heat(Heat),
    Glow(Glow),
    Bbw(Biharmonic),
    /// With the number of changes of the examples.
    Examples(ExampleFit, u64),
}

impl MethodOptions {
    fn of(recipe: &Recipe, examples: u64) -> Self {
        match recipe.method {
            // Without stored weights, which do not come here, the source method is the atlas.
            Method::Source | Method::Atlas => Self::Atlas(recipe.atlas.clone()),
            Method::Distance => Self::Distance(recipe.distance),
            Method::Heat => Self::Heat(recipe.heat),
            Method::Glow => Self::Glow(recipe.glow),
            Method::Bbw => Self::Bbw(recipe.bbw),
            Method::Examples => {
                let limit = recipe.max_influences;
                Self::Examples(ExampleFit { max_influences: limit, ..recipe.examples }, examples)
            }
        }
    }
}

/// The result of a method.
pub(super) struct BoneWeights {
    pub(super) weights: Weights,
    pub(super) region_overlay: Option<RegionOverlay>,
    pub(super) convergence: Option<Convergence>,
    pub(super) example_fit: Option<Arc<ExampleFitSummary>>,
}

impl From<Weights> for BoneWeights {
    fn from(weights: Weights) -> Self {
        Self { weights, region_overlay: None, convergence: None, example_fit: None }
    }
}

/// The inputs of a method.
pub(super) struct WeightsInputs<'a> {
    pub(super) asset: &'a Asset,
    pub(super) geometry: &'a MeshGeometry,
    pub(super) skeleton: &'a Skeleton,
}

/// The cached results of earlier runs.
#[derive(Clone, Default)]
pub(super) struct WeightsStages {
    atlas: AtlasStages,
    found: Option<Cached<WeightsKey, BoneWeights>>,
    interrupted: InterruptedFit<WeightsKey>,
    /// The initial weights of example fitting.
    first: Option<Cached<FirstKey, Weights>>,
    loose_parts: Option<(SkeletonKey, Arc<LooseParts>)>,
    /// Example poses, and the number of their changes.
    examples: (Arc<Vec<Vec<Vec3>>>, u64),
}

impl WeightsStages {
    /// Sets the example poses.
    pub(super) fn set_examples(&mut self, examples: Arc<Vec<Vec<Vec3>>>) {
        self.examples = (examples, self.examples.1 + 1);
    }

    pub(super) fn examples(&self) -> &Arc<Vec<Vec<Vec3>>> {
        &self.examples.0
    }

    pub(super) fn has_unfinished_fit(&self) -> bool {
        self.interrupted.is_some()
    }

    pub(super) fn drop_unfinished_fit(&mut self) {
        self.interrupted = InterruptedFit::default();
    }

    pub(super) fn example_fit(&self) -> Option<&ExampleFitSummary> {
        self.found.as_ref()?.value.example_fit.as_deref()
    }

    /// The warnings about the last weights.
    pub(super) fn report(&self) -> Option<&Report> {
        self.found.as_ref().map(|cached| &cached.report)
    }

    /// The weights by the recipe's method, from the cache if nothing they depend on has changed.
    pub(super) fn weights(
        &mut self,
        recipe: &Recipe,
        inputs: &WeightsInputs<'_>,
        run: &mut Run<'_>,
    ) -> Result<Arc<BoneWeights>, PipelineError> {
        let (deforms, options) = (recipe.deforms.clone(), MethodOptions::of(recipe, self.examples.1));
        let points = handles::handles_on_solve_mesh(inputs.asset, recipe.used_handles())?;
        let key = WeightsKey { deforms, options, points };
        let interrupted = self.interrupted.take(&key);
        let known = self.found.as_ref().filter(|cached| cached.key == key);
        if let Some(known) = known.filter(|_| interrupted.is_none()) {
            return Ok(known.value.clone());
        }
        let mut report = known.map_or_else(|| mesh_warnings(inputs.geometry), |known| known.report.clone());
        let found = self.run_method(&key, interrupted, inputs, &mut report, run)?;
        let value = Arc::new(found);
        self.found = Some(Cached { key, value: value.clone(), report });
        Ok(value)
    }

    /// The loose parts of the mesh, if their weights come from the body and there are any. Weights
    /// of handles and of example poses are not changed: they are what the user asked for, on every
    /// part.
    pub(super) fn loose_parts(
        &mut self,
        recipe: &Recipe,
        inputs: &WeightsInputs<'_>,
    ) -> Option<Arc<LooseParts>> {
        let is_asked_for = recipe.loose_parts == LoosePartWeights::Body
            && recipe.method != Method::Examples
            && recipe.used_handles().is_empty();
        if !is_asked_for {
            return None;
        }
        if self.loose_parts.as_ref().is_none_or(|(deforms, _)| *deforms != recipe.deforms) {
            let found = LooseParts::of(inputs.geometry, inputs.skeleton.bones());
            self.loose_parts = Some((recipe.deforms.clone(), Arc::new(found)));
        }
        self.loose_parts.as_ref().map(|(_, found)| found.clone()).filter(|found| !found.parts().is_empty())
    }

    /// Runs the method of `key`.
    fn run_method(
        &mut self,
        key: &WeightsKey,
        interrupted: Option<UnfinishedFit>,
        inputs: &WeightsInputs<'_>,
        report: &mut Report,
        run: &mut Run<'_>,
    ) -> Result<BoneWeights, PipelineError> {
        let WeightsInputs { geometry, skeleton, .. } = *inputs;
        Ok(match &key.options {
            MethodOptions::Atlas(options) => {
                check_names(skeleton, options.k_joints.keys())?;
                let inputs = Inputs { geometry, skeleton, deforms: &key.deforms };
                let (weights, region_overlay) = self.atlas.weights(&inputs, options, report, run)?;
                BoneWeights { region_overlay: Some(region_overlay), ..weights.into() }
            }
            MethodOptions::Distance(options) => run
                .stage(Stage::Weights, |progress| {
                    weights::distance(geometry, skeleton, options, report, progress)
                })?
                .into(),
            MethodOptions::Heat(options) => run
                .stage(Stage::Weights, |progress| {
                    weights::bone_heat(geometry, skeleton, options, report, progress)
                })?
                .into(),
            MethodOptions::Glow(options) => run
                .stage(Stage::Weights, |progress| {
                    weights::bone_glow(geometry, skeleton, options, report, progress)
                })?
                .into(),
            MethodOptions::Bbw(options) => {
                run.observer.solving_handles(skeleton.bones().len());
                let found = run.stage(Stage::Weights, |progress| {
                    weights::biharmonic_with(geometry, skeleton, &key.points, options, report, progress)
                })?;
                BoneWeights { convergence: Some(found.convergence), ..found.weights.into() }
            }
            MethodOptions::Examples(options, _) => {
                let (deforms, points, examples) = (&key.deforms, &key.points, &self.examples.0);
                let fit_inputs = FitInputs { geometry, skeleton, deforms, points, examples, options };
                let first = &mut self.first;
                let (found, seconds, unfinished) =
                    fit_inputs.run(interrupted, first, report, run.observer)?;
                run.times.push(StageTime { stage: Stage::Weights, seconds });
                self.interrupted.keep(key.clone(), unfinished);
                found
            }
        })
    }
}

/// The warnings about the mesh that all methods share.
fn mesh_warnings(geometry: &MeshGeometry) -> Report {
    let mut report = Report::default();
    let border_edges = geometry.topology().border_edges();
    if border_edges > 0 {
        report.warn(Warning::OpenMesh { border_edges });
    }
    report
}
