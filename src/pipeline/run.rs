//! Runs the stages a recipe needs and keeps what later runs can use again.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;

use super::atlas::{AtlasStages, Covering, Inputs};
use super::handles::{self, HeldKey};
use super::learning::{Class, FirstKey, Interrupted, Lessons};
use super::{Method, Recipe, RecipeError};
use crate::model::skeleton::Evidence;
use crate::model::{Asset, Rig, RigError, Skeleton, SkeletonError, Weights};
use crate::operators::Operators;
use crate::operators::qp::Convergence;
use crate::progress::{Cancelled, Progress};
use crate::report::{Report, Warning};
use crate::weigh::{self, Atlas, Biharmonic, Distance, Energy, ExampleError, Glow, Handle, Heat, Learning};

/// The steps from a character as read to one that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Topology, normals and the search tree of the mesh.
    Measure,
    /// Which joints deform, and their bones.
    Skeleton,
    /// The mesh cut up at the joints.
    Segment,
    /// How far vertices are from the cuts.
    Distance,
    /// Weights per bone.
    Weigh,
    /// Weights per joint, pruned.
    Finish,
}

impl Stage {
    /// In the order they run.
    pub const ALL: [Self; 6] =
        [Self::Measure, Self::Skeleton, Self::Segment, Self::Distance, Self::Weigh, Self::Finish];

    /// A stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measure => "measure",
            Self::Skeleton => "skeleton",
            Self::Segment => "segment",
            Self::Distance => "distance",
            Self::Weigh => "weigh",
            Self::Finish => "finish",
        }
    }
}

/// Watches a run: hears of progress, may end it, and owns the clock (the browser has another one).
pub trait Observer {
    /// A stage has come so far (0 to 1). False cancels the run.
    fn progress(&mut self, stage: Stage, share: f64) -> bool;

    /// Seconds since some fixed moment.
    fn seconds(&self) -> f64;

    /// Learning has come so far; `so_far` gives the weights per bone as they are. False ends it there: what was learned
    /// is used, and nothing is cancelled.
    fn learned(&mut self, energy: &Energy, so_far: &dyn Fn() -> Weights) -> bool {
        let _ = (energy, so_far);
        true
    }
}

/// Watches nothing.
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: Stage, _: f64) -> bool {
        true
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

/// How long a stage took; stages answered from memory are not listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// Which.
    pub stage: Stage,
    /// How long.
    pub seconds: f64,
}

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
    pub lessons: Option<Arc<Lessons>>,
    /// The stages that really ran.
    pub times: Vec<StageTime>,
}

/// Why a run gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The recipe makes no sense.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// There is nothing to bind to.
    #[error("the model has no skeleton; give one beside it, or handles on the skin and the method bbw")]
    NoSkeleton,
    /// Nothing of the skeleton can drive the mesh.
    #[error(
        "no joint of the skeleton lies in or near the mesh (the mesh is {mesh:.3} large, the skeleton {skeleton:.3}, \
         their middles {apart:.3} apart); scale or move one of them"
    )]
    SkeletonElsewhere {
        /// Diagonal of the mesh.
        mesh: f32,
        /// Diagonal of the skeleton.
        skeleton: f32,
        /// Distance between their middles.
        apart: f32,
    },
    /// Every joint is switched off.
    #[error("every joint is switched off; let at least one deform the skin")]
    NothingDeforms,
    /// There is nothing to bind.
    #[error("the model has no triangles to bind")]
    NoTriangles,
    /// A joint the recipe names is not there.
    #[error("the recipe names a joint '{name}' that the skeleton does not have; {hint}")]
    UnknownJoint {
        /// As named.
        name: String,
        /// What was probably meant.
        hint: String,
    },
    /// A handle would be called as a joint is.
    #[error("the handle '{name}' is called as a joint is; give it another name")]
    HandleNamedAsJoint {
        /// Of both.
        name: String,
    },
    /// A region of vertices that are not there, or hang rigidly on a joint.
    #[error(
        "the handle '{handle}' names vertex {vertex} of {vertices}, which is not there or hangs rigidly on a joint; leave it out"
    )]
    HandleVertex {
        /// Its name.
        handle: String,
        /// As it names it.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// Handles make no joints of a skeleton: a place is out of all bounds.
    #[error(transparent)]
    Skeleton(SkeletonError),
    /// The examples cannot be learned from.
    #[error(transparent)]
    Examples(ExampleError),
    /// The observer ended it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A stage gave weights that do not fit: our bug.
    #[error(transparent)]
    Rig(#[from] RigError),
}

impl From<ExampleError> for PipelineError {
    fn from(error: ExampleError) -> Self {
        match error {
            ExampleError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Examples(other),
        }
    }
}

/// The latest answer of a stage, and what it answered.
pub(super) struct Cached<K, V> {
    pub(super) key: K,
    pub(super) value: Arc<V>,
    pub(super) report: Report,
}

// Derived, it would ask for answers that can be copied.
impl<K: Clone, V> Clone for Cached<K, V> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), value: self.value.clone(), report: self.report.clone() }
    }
}

/// What the skeleton stage depends on.
pub(super) type SkeletonKey = BTreeMap<String, bool>;

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
    Examples(Learning, u64),
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

/// An asset and everything computed for it so far. A clone shares that, and goes its own way from there.
#[derive(Clone)]
pub struct Pipeline {
    asset: Arc<Asset>,
    operators: Option<Arc<Operators>>,
    skeleton: Option<Cached<SkeletonKey, Skeleton>>,
    /// The same with joints for handles.
    held: Option<Cached<HeldKey, Skeleton>>,
    atlas: AtlasStages,
    bone_weights: Option<Cached<WeighKey, BoneWeights>>,
    interrupted: Interrupted<WeighKey>,
    /// What learning begins with.
    first_weights: Option<Cached<FirstKey, Weights>>,
    /// Poses to learn from, and how often they were changed.
    examples: (Arc<Vec<Vec<Vec3>>>, u64),
}

/// What weighing gives.
pub(super) struct BoneWeights {
    pub(super) weights: Weights,
    pub(super) covering: Option<Covering>,
    pub(super) convergence: Option<Convergence>,
    pub(super) lessons: Option<Arc<Lessons>>,
}

impl Pipeline {
    /// Nothing is computed yet.
    pub fn new(asset: Arc<Asset>) -> Self {
        Self {
            asset,
            operators: None,
            skeleton: None,
            held: None,
            atlas: AtlasStages::default(),
            bone_weights: None,
            interrupted: Interrupted::default(),
            first_weights: None,
            examples: Default::default(),
        }
    }

    /// Takes other poses to learn from: one position per solve vertex in each.
    pub fn set_examples(&mut self, examples: impl Into<Arc<Vec<Vec<Vec3>>>>) {
        self.examples = (examples.into(), self.examples.1 + 1);
    }

    /// The poses to learn from.
    pub fn examples(&self) -> &Arc<Vec<Vec<Vec3>>> {
        &self.examples.0
    }

    /// Whether the last run was ended by its observer while there was more to learn; the next by the same recipe goes on with it.
    pub fn is_learning(&self) -> bool {
        self.interrupted.is_some()
    }

    /// What was learned so far is the answer.
    pub fn end_learning(&mut self) {
        self.interrupted = Interrupted::default();
    }

    /// What was learned by the last run, if it was by examples.
    pub fn lessons(&self) -> Option<&Lessons> {
        self.bone_weights.as_ref()?.value.lessons.as_deref()
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
        let operators = self.measure(&mut run)?;
        let skeleton = self.hold(recipe, &operators, &mut run)?;
        let bone_weights = self.weigh(recipe, &operators, &skeleton, &mut run)?;
        let joint_weights = run.stage(Stage::Finish, |_| {
            Ok(weigh::finish(&bone_weights.weights, &skeleton, recipe.max_influences))
        })?;
        let rig = Rig::new(self.asset.clone(), (*skeleton).clone(), &joint_weights)?;
        let mut report = Report::default();
        let parts =
            [self.skeleton.as_ref().map(|c| &c.report), self.bone_weights.as_ref().map(|c| &c.report)];
        parts.into_iter().flatten().for_each(|part| report.absorb(part.clone()));
        if recipe.handles.len() > recipe.used_handles().len() {
            let (handles, method) = (recipe.handles.len(), recipe.method.name());
            report.warn(Warning::HandlesIgnored { handles, method });
        }
        let BoneWeights { covering, convergence, lessons, .. } = &*bone_weights;
        let (covering, lessons) = (covering.clone(), lessons.clone());
        Ok(Outcome { rig, report, covering, convergence: *convergence, lessons, times: run.times })
    }

    fn measure(&mut self, run: &mut Run<'_>) -> Result<Arc<Operators>, PipelineError> {
        if let Some(operators) = &self.operators {
            return Ok(operators.clone());
        }
        let operators = run.stage(Stage::Measure, |_| {
            let operators = Operators::of(&self.asset.mesh);
            // Asked for here, so that the time they take is this stage's.
            operators.normals();
            operators.topology();
            operators.bvh();
            Ok(Arc::new(operators))
        })?;
        self.operators = Some(operators.clone());
        Ok(operators)
    }

    /// The skeleton with a joint for every handle that the recipe's method weighs.
    fn hold(
        &mut self,
        recipe: &Recipe,
        operators: &Operators,
        run: &mut Run<'_>,
    ) -> Result<Arc<Skeleton>, PipelineError> {
        let placed = recipe.used_handles();
        let decided = match self.decide_skeleton(recipe, run) {
            // Handles hold the skin without any.
            Err(PipelineError::NoSkeleton) if !placed.is_empty() => None,
            decided => Some(decided?),
        };
        if let Some(decided) = decided.as_ref().filter(|_| placed.is_empty()) {
            let holds = !decided.bones().is_empty();
            return if holds {
                Ok(decided.clone())
            } else {
                Err(self.nothing_deforms(decided, &recipe.deforms))
            };
        }
        let is_same =
            |cached: &&Cached<HeldKey, Skeleton>| cached.key.0 == recipe.deforms && cached.key.1 == placed;
        if let Some(cached) = self.held.as_ref().filter(is_same) {
            return Ok(cached.value.clone());
        }
        let held = handles::add_handles(&self.asset, operators, decided.as_deref(), placed)?;
        let (key, value) = ((recipe.deforms.clone(), placed.to_vec()), Arc::new(held));
        self.held = Some(Cached { key, value: value.clone(), report: Report::default() });
        Ok(value)
    }

    fn decide_skeleton(
        &mut self,
        recipe: &Recipe,
        run: &mut Run<'_>,
    ) -> Result<Arc<Skeleton>, PipelineError> {
        if let Some(cached) = self.skeleton.as_ref().filter(|cached| cached.key == recipe.deforms) {
            return Ok(cached.value.clone());
        }
        let mut skeleton = self.asset.skeleton.clone().ok_or(PipelineError::NoSkeleton)?;
        check_names(&skeleton, recipe.deforms.keys())?;
        let mut report = Report::default();
        run.stage(Stage::Skeleton, |_| {
            let evidence = Evidence {
                mesh: Some(&self.asset.mesh),
                stored_weights: self.asset.stored_weights.as_ref(),
                overrides: Some(&recipe.deforms),
            };
            skeleton.decide(&evidence, &mut report);
            Ok(())
        })?;
        let value = Arc::new(skeleton);
        self.skeleton = Some(Cached { key: recipe.deforms.clone(), value: value.clone(), report });
        Ok(value)
    }

    fn nothing_deforms(&self, skeleton: &Skeleton, overrides: &SkeletonKey) -> PipelineError {
        if overrides.values().any(|&on| !on) {
            return PipelineError::NothingDeforms;
        }
        let heads: Vec<glam::Vec3> = skeleton.joints().iter().map(crate::model::Joint::head).collect();
        let (low, high) = crate::model::bounds_of(&heads);
        let (mesh_low, mesh_high) = self.asset.mesh.bounds();
        PipelineError::SkeletonElsewhere {
            mesh: self.asset.mesh.diagonal(),
            skeleton: low.distance(high),
            apart: (low + high).distance(mesh_low + mesh_high) / 2.0,
        }
    }

    fn weigh(
        &mut self,
        recipe: &Recipe,
        operators: &Operators,
        skeleton: &Skeleton,
        run: &mut Run<'_>,
    ) -> Result<Arc<BoneWeights>, PipelineError> {
        let (deforms, options) = (recipe.deforms.clone(), MethodOptions::of(recipe, self.examples.1));
        let points = handles::held(&self.asset, recipe.used_handles())?;
        let key = WeighKey { deforms, options, points };
        let interrupted = self.interrupted.take(&key);
        let cached = self.bone_weights.as_ref().filter(|cached| cached.key == key);
        if let Some(cached) = cached.filter(|_| interrupted.is_none()) {
            return Ok(cached.value.clone());
        }
        let mut report = Report::default();
        let border_edges = operators.topology().border_edges();
        if border_edges > 0 {
            report.warn(Warning::OpenMesh { border_edges });
        }
        let found = match &key.options {
            MethodOptions::Atlas(options) => {
                check_names(skeleton, options.k_joints.keys())?;
                let inputs = Inputs { operators, skeleton, deforms: &recipe.deforms };
                let (weights, covering) = self.atlas.weigh(&inputs, options, &mut report, run)?;
                BoneWeights { weights, covering: Some(covering), convergence: None, lessons: None }
            }
            MethodOptions::Distance(options) => {
                run.weigh(|progress| weigh::distance(operators, skeleton, options, &mut report, progress))?
            }
            MethodOptions::Heat(options) => {
                run.weigh(|progress| weigh::bone_heat(operators, skeleton, options, &mut report, progress))?
            }
            MethodOptions::Glow(options) => {
                run.weigh(|progress| weigh::bone_glow(operators, skeleton, options, &mut report, progress))?
            }
            MethodOptions::Bbw(options) => {
                let found = run.stage(Stage::Weigh, |progress| {
                    weigh::biharmonic_with(operators, skeleton, &key.points, options, &mut report, progress)
                })?;
                let convergence = Some(found.convergence);
                BoneWeights { weights: found.weights, covering: None, convergence, lessons: None }
            }
            MethodOptions::Examples(options, _) => {
                if let Some(cached) = cached.filter(|_| interrupted.is_some()) {
                    report = cached.report.clone();
                }
                let (deforms, points, examples) = (&recipe.deforms, &key.points, &self.examples.0);
                let class = Class { operators, skeleton, deforms, points, examples, options };
                let first = &mut self.first_weights;
                let (found, seconds, ongoing) = class.teach(interrupted, first, &mut report, run.observer)?;
                run.times.push(StageTime { stage: Stage::Weigh, seconds });
                self.interrupted.keep(key.clone(), ongoing);
                found
            }
        };
        let value = Arc::new(found);
        self.bone_weights = Some(Cached { key, value: value.clone(), report });
        Ok(value)
    }
}

fn check_names<'a>(
    skeleton: &Skeleton,
    mut named: impl Iterator<Item = &'a String>,
) -> Result<(), PipelineError> {
    match named.find(|name| skeleton.find(name).is_none()) {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
            let hint = super::recipe::hint(name, &names);
            Err(PipelineError::UnknownJoint { name: name.clone(), hint })
        }
    }
}

/// One run under way.
pub(super) struct Run<'a> {
    observer: &'a mut dyn Observer,
    times: Vec<StageTime>,
}

impl Run<'_> {
    /// Weighs by a method that has no stages of its own.
    fn weigh(
        &mut self,
        work: impl FnOnce(&mut Progress<'_>) -> Result<Weights, Cancelled>,
    ) -> Result<BoneWeights, Cancelled> {
        Ok(BoneWeights {
            weights: self.stage(Stage::Weigh, work)?,
            covering: None,
            convergence: None,
            lessons: None,
        })
    }

    pub(super) fn stage<T>(
        &mut self,
        stage: Stage,
        work: impl FnOnce(&mut Progress<'_>) -> Result<T, Cancelled>,
    ) -> Result<T, Cancelled> {
        let observer = &mut *self.observer;
        let start = observer.seconds();
        if !observer.progress(stage, 0.0) {
            return Err(Cancelled);
        }
        let mut listener = |share| observer.progress(stage, share);
        let result = work(&mut Progress::new(&mut listener))?;
        if !observer.progress(stage, 1.0) {
            return Err(Cancelled);
        }
        self.times.push(StageTime { stage, seconds: observer.seconds() - start });
        Ok(result)
    }
}
