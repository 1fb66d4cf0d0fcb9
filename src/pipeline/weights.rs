//! The stage that computes weights per bone by the method of a recipe, with caching.
//!
//! In: the geometry of the mesh, the skeleton, and example poses. Out: weights per bone, and
//! additional results of the method.

use std::collections::BTreeMap;
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
    self, Atlas, Biharmonic, Distance, ExampleFit, FitLimits, Glow, Handle, Heat, LoosePartWeights,
    LooseParts, PartMotion,
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
    /// With the number of changes of the labels.
    Atlas(Atlas, u64),
    Distance(Distance),
    Heat(Heat),
    Glow(Glow),
    Bbw(Biharmonic),
    /// With the number of changes of the examples, and the largest number of influences.
    Examples(ExampleFit, u64, usize),
}

impl MethodOptions {
    fn of(recipe: &Recipe, examples: u64, labels: u64) -> Self {
        match recipe.method {
            // Without stored weights, which do not come here, the source method is the atlas.
            Method::Source | Method::Atlas => Self::Atlas(recipe.atlas.clone(), labels),
            Method::Distance => Self::Distance(recipe.distance),
            Method::Heat => Self::Heat(recipe.heat),
            Method::Glow => Self::Glow(recipe.glow),
            Method::Bbw => Self::Bbw(recipe.bbw),
            Method::Examples => Self::Examples(recipe.examples, examples, recipe.max_influences),
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

/// What loose parts depend on, beyond the mesh.
type LoosePartsKey = (SkeletonKey, BTreeMap<String, PartMotion>);

/// The cached results of earlier runs.
#[derive(Clone, Default)]
pub(super) struct WeightsStages {
    atlas: AtlasStages,
    found: Option<Cached<WeightsKey, BoneWeights>>,
    interrupted: InterruptedFit<WeightsKey>,
    /// The initial weights of example fitting.
    first: Option<Cached<FirstKey, Weights>>,
    loose_parts: Option<(LoosePartsKey, Arc<LooseParts>)>,
    /// Example poses, and the number of their changes.
    examples: (Arc<Vec<Vec<Vec3>>>, u64),
    /// The joint of every solve vertex, if it was given, and the number of changes.
    labels: (Option<Arc<Vec<u32>>>, u64),
}

impl WeightsStages {
    /// Sets the example poses.
    pub(super) fn set_examples(&mut self, examples: Arc<Vec<Vec<Vec3>>>) {
        self.examples = (examples, self.examples.1 + 1);
    }

    /// Sets or removes the joints of solve vertices.
    pub(super) fn set_labels(&mut self, labels: Option<Vec<u32>>) {
        self.labels = (labels.map(Arc::new), self.labels.1 + 1);
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
        let (deforms, options) =
            (recipe.deforms.clone(), MethodOptions::of(recipe, self.examples.1, self.labels.1));
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
    /// of handles, of example poses and of labels are not changed: they are what the user asked
    /// for, on every part. It is an error if the recipe names a part that does not exist.
    pub(super) fn loose_parts(
        &mut self,
        recipe: &Recipe,
        inputs: &WeightsInputs<'_>,
    ) -> Result<Option<Arc<LooseParts>>, PipelineError> {
        let is_asked_for = recipe.loose_parts == LoosePartWeights::Body
            && recipe.method != Method::Examples
            && (self.labels.0.is_none() || recipe.method != Method::Atlas)
            && recipe.used_handles().is_empty();
        if !is_asked_for {
            return Ok(None);
        }
        let key = (recipe.deforms.clone(), recipe.loose_part_motions.clone());
        if self.loose_parts.as_ref().is_none_or(|(known, _)| *known != key) {
            let render = inputs.asset.render_from_solve();
            let is_named = |name: &str, index: usize, first: u32| {
                let parts = &inputs.asset.render.parts;
                let vertex = render[first as usize];
                let part = parts.iter().find(|part| part.vertices.contains(&vertex));
                name == index.to_string() || part.is_some_and(|part| part.name == name)
            };
            let motions = &recipe.loose_part_motions;
            let found = LooseParts::moving(inputs.geometry, inputs.skeleton.bones(), |index, first| {
                // An index comes before the name of a mesh.
                let by_index = motions.get(&index.to_string());
                let named = || motions.iter().find(|(name, _)| is_named(name, index, first));
                by_index.or_else(|| named().map(|(_, motion)| motion)).copied()
            });
            let exists = |name: &String| {
                found.parts().iter().enumerate().any(|(at, part)| is_named(name, at, part.vertices[0]))
            };
            if let Some(name) = motions.keys().find(|name| !exists(name)) {
                return Err(PipelineError::UnknownLoosePart {
                    name: name.clone(),
                    parts: found.parts().len(),
                });
            }
            self.loose_parts = Some((key, Arc::new(found)));
        }
        let found = self.loose_parts.as_ref().map(|(_, found)| found.clone());
        Ok(found.filter(|found| !found.parts().is_empty()))
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
            MethodOptions::Atlas(options, _) => {
                check_names(skeleton, options.k_joints.keys())?;
                let labels = self.labels.0.as_ref().map(|labels| labels.as_slice());
                let inputs = Inputs { geometry, skeleton, deforms: &key.deforms, labels };
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
            MethodOptions::Examples(options, _, max_influences) => {
                let limits = FitLimits { options, max_influences: *max_influences };
                let (deforms, points, examples) = (&key.deforms, &key.points, &self.examples.0);
                let fit_inputs = FitInputs { geometry, skeleton, deforms, points, examples, limits };
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
