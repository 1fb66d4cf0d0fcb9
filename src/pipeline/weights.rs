//! Weights per bone by the method of a recipe, remembered with what they depend on.
//!
//! In: the mesh as measured, the skeleton that is bound, and poses to learn from. Out: weights per bone, and what the method can tell of
//! how it found them.

use std::sync::Arc;

use glam::Vec3;

use super::atlas::{AtlasStages, Covering, Inputs};
use super::example_fit::{ExampleFitSummary, FirstKey, FitInputs, Interrupted, Ongoing};
use super::handles;
use super::memory::{Cached, SkeletonKey};
use super::skeleton::check_names;
use super::stage::{Run, Stage, StageTime};
use super::{Method, PipelineError, Recipe};
use crate::model::{Asset, Skeleton, Weights};
use crate::operators::MeshGeometry;
use crate::operators::qp::Convergence;
use crate::report::{Report, Warning};
use crate::weights::{self, Atlas, Biharmonic, Distance, ExampleFit, Glow, Handle, Heat};

/// What the weights per bone depend on, beyond the skeleton.
#[derive(Clone, PartialEq)]
struct WeighKey {
    deforms: SkeletonKey,
    options: MethodOptions,
    /// What handles hold; how they are called does not matter.
    points: Vec<Handle>,
}

#[derive(Clone, PartialEq)]
enum MethodOptions {
    Atlas(Atlas),
    Distance(Distance),
    Heat(Heat),
    Glow(Glow),
    Bbw(Biharmonic),
    /// With how often examples were changed.
    Examples(ExampleFit, u64),
}

impl MethodOptions {
    fn of(recipe: &Recipe, examples: u64) -> Self {
        match recipe.method {
            Method::Atlas => Self::Atlas(recipe.atlas.clone()),
            Method::Distance => Self::Distance(recipe.distance),
            Method::Heat => Self::Heat(recipe.heat),
            Method::Glow => Self::Glow(recipe.glow),
            Method::Bbw => Self::Bbw(recipe.bbw),
            Method::Examples => Self::Examples(recipe.examples, examples),
        }
    }
}

/// What weighing gives.
pub(super) struct BoneWeights {
    pub(super) weights: Weights,
    pub(super) covering: Option<Covering>,
    pub(super) convergence: Option<Convergence>,
    pub(super) lessons: Option<Arc<ExampleFitSummary>>,
}

impl From<Weights> for BoneWeights {
    fn from(weights: Weights) -> Self {
        Self { weights, covering: None, convergence: None, lessons: None }
    }
}

/// What is weighed.
pub(super) struct Bound<'a> {
    pub(super) asset: &'a Asset,
    pub(super) geometry: &'a MeshGeometry,
    pub(super) skeleton: &'a Skeleton,
}

/// What earlier runs have found.
#[derive(Clone, Default)]
pub(super) struct WeighStages {
    atlas: AtlasStages,
    found: Option<Cached<WeighKey, BoneWeights>>,
    interrupted: Interrupted<WeighKey>,
    /// What learning begins with.
    first: Option<Cached<FirstKey, Weights>>,
    /// Poses to learn from, and how often they were changed.
    examples: (Arc<Vec<Vec<Vec3>>>, u64),
}

impl WeighStages {
    /// Takes other poses to learn from.
    pub(super) fn set_examples(&mut self, examples: Arc<Vec<Vec<Vec3>>>) {
        self.examples = (examples, self.examples.1 + 1);
    }

    pub(super) fn examples(&self) -> &Arc<Vec<Vec<Vec3>>> {
        &self.examples.0
    }

    pub(super) fn is_learning(&self) -> bool {
        self.interrupted.is_some()
    }

    pub(super) fn end_learning(&mut self) {
        self.interrupted = Interrupted::default();
    }

    pub(super) fn lessons(&self) -> Option<&ExampleFitSummary> {
        self.found.as_ref()?.value.lessons.as_deref()
    }

    /// What was odd about the latest weights.
    pub(super) fn report(&self) -> Option<&Report> {
        self.found.as_ref().map(|cached| &cached.report)
    }

    /// Weights by the recipe's method, from memory if nothing they depend on has changed.
    pub(super) fn weigh(
        &mut self,
        recipe: &Recipe,
        bound: &Bound<'_>,
        run: &mut Run<'_>,
    ) -> Result<Arc<BoneWeights>, PipelineError> {
        let (deforms, options) = (recipe.deforms.clone(), MethodOptions::of(recipe, self.examples.1));
        let points = handles::held(bound.asset, recipe.used_handles())?;
        let key = WeighKey { deforms, options, points };
        let interrupted = self.interrupted.take(&key);
        let known = self.found.as_ref().filter(|cached| cached.key == key);
        if let Some(known) = known.filter(|_| interrupted.is_none()) {
            return Ok(known.value.clone());
        }
        let mut report = known.map_or_else(|| odd_mesh(bound.geometry), |known| known.report.clone());
        let found = self.find(&key, interrupted, bound, &mut report, run)?;
        let value = Arc::new(found);
        self.found = Some(Cached { key, value: value.clone(), report });
        Ok(value)
    }

    /// By the method that `key` names.
    fn find(
        &mut self,
        key: &WeighKey,
        interrupted: Option<Ongoing>,
        bound: &Bound<'_>,
        report: &mut Report,
        run: &mut Run<'_>,
    ) -> Result<BoneWeights, PipelineError> {
        let Bound { geometry, skeleton, .. } = *bound;
        Ok(match &key.options {
            MethodOptions::Atlas(options) => {
                check_names(skeleton, options.k_joints.keys())?;
                let inputs = Inputs { geometry, skeleton, deforms: &key.deforms };
                let (weights, covering) = self.atlas.weigh(&inputs, options, report, run)?;
                BoneWeights { covering: Some(covering), ..weights.into() }
            }
            MethodOptions::Distance(options) => run
                .stage(Stage::Weigh, |progress| {
                    weights::distance(geometry, skeleton, options, report, progress)
                })?
                .into(),
            MethodOptions::Heat(options) => run
                .stage(Stage::Weigh, |progress| {
                    weights::bone_heat(geometry, skeleton, options, report, progress)
                })?
                .into(),
            MethodOptions::Glow(options) => run
                .stage(Stage::Weigh, |progress| {
                    weights::bone_glow(geometry, skeleton, options, report, progress)
                })?
                .into(),
            MethodOptions::Bbw(options) => {
                run.observer.weighs(skeleton.bones().len());
                let found = run.stage(Stage::Weigh, |progress| {
                    weights::biharmonic_with(geometry, skeleton, &key.points, options, report, progress)
                })?;
                BoneWeights { convergence: Some(found.convergence), ..found.weights.into() }
            }
            MethodOptions::Examples(options, _) => {
                let (deforms, points, examples) = (&key.deforms, &key.points, &self.examples.0);
                let class = FitInputs { geometry, skeleton, deforms, points, examples, options };
                let first = &mut self.first;
                let (found, seconds, ongoing) = class.teach(interrupted, first, report, run.observer)?;
                run.times.push(StageTime { stage: Stage::Weigh, seconds });
                self.interrupted.keep(key.clone(), ongoing);
                found
            }
        })
    }
}

/// What every method would have to say of the mesh.
fn odd_mesh(geometry: &MeshGeometry) -> Report {
    let mut report = Report::default();
    let border_edges = geometry.topology().border_edges();
    if border_edges > 0 {
        report.warn(Warning::OpenMesh { border_edges });
    }
    report
}
