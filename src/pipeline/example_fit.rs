//! Example fitting as a stage that can be interrupted and continued.

use std::cell::RefCell;
use std::sync::Arc;

use glam::Vec3;

use super::PipelineError;
use super::cache::{Cached, SkeletonKey};
use super::stage::{Observer, Stage};
use super::weights::BoneWeights;
use crate::model::{Skeleton, Weights};
use crate::operators::MeshGeometry;
use crate::operators::qp::Convergence;
use crate::progress::Progress;
use crate::report::{Report, Warning};
use crate::weights::{
    Energy, FitLimits, FitObserver, Handle, JointFitSession, Reproductions, checked_examples, initial_weights,
};

/// The course and the result of an example fit.
#[derive(Clone, Debug)]
pub struct ExampleFitSummary {
    /// The energy before the first iteration and after each one.
    pub energy: Vec<Energy>,
    /// The root mean square distance from the examples as a fraction of the mesh's diagonal, at
    /// first and in the end.
    pub rms: [f64; 2],
    /// As the second of `rms`, if joints only turn and move, as in clips; of a finished fit.
    pub rigid_rms: Option<f64>,
    /// The same for each example.
    pub rms_by_example: Vec<[f64; 2]>,
    /// Whether the fit is finished; else the observer stopped it.
    pub is_over: bool,
    examples: Arc<Vec<Vec<Vec3>>>,
    reproductions: Reproductions,
}

/// An example as weights and their best motions reproduce it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reproduced {
    /// One per solve vertex.
    pub positions: Vec<Vec3>,
    /// The distance of each from the example, in mesh units.
    pub errors: Vec<f32>,
}

impl ExampleFitSummary {
    /// An example reproduced with the initial or the final weights; `None` if there is no such
    /// example.
    pub fn reproduced(&self, is_final: bool, example: usize, rest: &[Vec3]) -> Option<Reproduced> {
        let target = self.examples.get(example)?;
        let positions = self.reproductions.positions(is_final, example, rest);
        let errors = positions.iter().zip(target).map(|(p, q)| p.distance(*q)).collect();
        Some(Reproduced { positions, errors })
    }
}

/// What the initial weights depend on.
pub(super) type FirstKey = (SkeletonKey, Vec<Handle>);

/// The inputs of a fit.
pub(super) struct FitInputs<'a> {
    pub(super) geometry: &'a MeshGeometry,
    pub(super) skeleton: &'a Skeleton,
    pub(super) deforms: &'a SkeletonKey,
    /// The handles of the skeleton's points.
    pub(super) points: &'a [Handle],
    pub(super) examples: &'a Arc<Vec<Vec<Vec3>>>,
    pub(super) limits: FitLimits<'a>,
}

/// A fit between two calls.
pub(super) struct UnfinishedFit {
    session: JointFitSession,
    /// The examples as they are fitted.
    examples: Arc<Vec<Vec<Vec3>>>,
    /// Its time so far.
    seconds: f64,
}

/// An interrupted fit and its key. It is not cloned with a pipeline.
pub(super) struct InterruptedFit<K>(Option<(K, UnfinishedFit)>);

impl<K> Default for InterruptedFit<K> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K> Clone for InterruptedFit<K> {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl<K: PartialEq> InterruptedFit<K> {
    pub(super) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Takes the interrupted fit if it has this `key`, else drops it.
    pub(super) fn take(&mut self, key: &K) -> Option<UnfinishedFit> {
        self.0.take().filter(|(of, _)| of == key).map(|(_, unfinished)| unfinished)
    }

    pub(super) fn keep(&mut self, key: K, unfinished: Option<UnfinishedFit>) {
        self.0 = unfinished.map(|unfinished| (key, unfinished));
    }
}

impl FitInputs<'_> {
    /// Starts or continues a fit until it is finished or the observer stops it. Returns the
    /// weights, the seconds taken so far, and the fit if it is not finished. The initial weights do
    /// not depend on the examples and are cached in `first`.
    pub(super) fn run(
        &self,
        interrupted: Option<UnfinishedFit>,
        first: &mut Option<Cached<FirstKey, Weights>>,
        report: &mut Report,
        observer: &mut dyn Observer,
    ) -> Result<(BoneWeights, f64, Option<UnfinishedFit>), PipelineError> {
        let start = observer.seconds();
        observer.solving_handles(self.skeleton.bones().len());
        // Both callbacks borrow the observer.
        let shared_observer = RefCell::new(&mut *observer);
        let mut listener = |share| shared_observer.borrow_mut().progress(Stage::Weights, share);
        let mut on_iteration = |energy: &Energy, so_far: &dyn Fn() -> Weights| {
            shared_observer.borrow_mut().fit_iteration(energy, so_far)
        };
        let progress = &mut Progress::new(&mut listener);
        let mut fit_observer = FitObserver { report, progress, on_iteration: &mut on_iteration };
        let mut unfinished = match interrupted {
            Some(unfinished) => unfinished,
            None => self.begin(first, &mut fit_observer)?,
        };
        let is_over = unfinished.session.run(&mut fit_observer)?;
        let result = unfinished.session.result(is_over);
        if is_over && !result.convergence.converged {
            let Convergence { iterations, residual, .. } = result.convergence;
            fit_observer.report.warn(Warning::FitNotConverged { iterations, residual });
        }
        unfinished.seconds += observer.seconds() - start;
        let mut example_fit = ExampleFitSummary {
            energy: result.energy,
            rms: result.rms,
            rigid_rms: result.rigid_rms,
            rms_by_example: Vec::new(),
            is_over,
            examples: unfinished.examples.clone(),
            reproductions: result.reproductions,
        };
        example_fit.rms_by_example = (0..self.examples.len())
            .map(|example| [false, true].map(|is_final| self.rms(&example_fit, is_final, example)))
            .collect();
        let found = BoneWeights {
            weights: result.weights,
            region_overlay: None,
            convergence: Some(result.convergence),
            example_fit: Some(Arc::new(example_fit)),
        };
        Ok((found, unfinished.seconds, (!is_over).then_some(unfinished)))
    }

    fn begin(
        &self,
        first: &mut Option<Cached<FirstKey, Weights>>,
        fit_observer: &mut FitObserver<'_, '_>,
    ) -> Result<UnfinishedFit, PipelineError> {
        let Self { geometry, skeleton, deforms, points, examples, limits } = *self;
        // Checked before the initial weights are computed, which takes long.
        let examples = checked_examples(geometry, examples, fit_observer.report)?;
        let known = first.take().filter(|known| known.key.0 == *deforms && known.key.1 == points);
        let known = match known {
            Some(known) => known,
            None => {
                let mut report = Report::default();
                let value = initial_weights(geometry, skeleton, points, &mut report, fit_observer.progress)?;
                Cached { key: (deforms.clone(), points.to_vec()), value: Arc::new(value), report }
            }
        };
        let Cached { value, report, .. } = first.insert(known);
        fit_observer.report.absorb(report.clone());
        let session = JointFitSession::begin(geometry, (skeleton, points), value.clone(), &examples, limits)?;
        Ok(UnfinishedFit { session, examples: Arc::new(examples), seconds: 0.0 })
    }

    fn rms(&self, example_fit: &ExampleFitSummary, is_final: bool, example: usize) -> f64 {
        let mesh = self.geometry.mesh();
        let Some(found) = example_fit.reproduced(is_final, example, mesh.positions()) else { return 0.0 };
        let sum: f64 = found.errors.iter().map(|&error| f64::from(error).powi(2)).sum();
        let size = f64::from(mesh.diagonal());
        let mean = (sum / found.errors.len().max(1) as f64).sqrt();
        if size > 0.0 { mean / size } else { mean }
    }
}
