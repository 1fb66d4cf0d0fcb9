//! ExampleFit from examples as a stage: a lesson that can be interrupted, looked at, and taken up again.

use std::cell::RefCell;
use std::sync::Arc;

use glam::Vec3;

use super::PipelineError;
use super::memory::{Cached, SkeletonKey};
use super::stage::{Observer, Stage};
use super::weights::BoneWeights;
use crate::model::{Skeleton, Weights};
use crate::operators::MeshGeometry;
use crate::progress::Progress;
use crate::report::Report;
use crate::weights::{
    Energy, ExampleFit, FitObserver, Handle, JointFitSession, Reproductions, check_examples, first_weights,
};

/// How learning from examples went.
#[derive(Clone, Debug)]
pub struct ExampleFitSummary {
    /// After every iteration, the first being what it began with.
    pub energy: Vec<Energy>,
    /// The root mean square distance from the examples as a share of the mesh's diagonal, at first and in the end.
    pub rms: [f64; 2],
    /// The same for each example.
    pub rms_by_example: Vec<[f64; 2]>,
    /// Whether there is nothing more to learn; else somebody stopped it.
    pub is_over: bool,
    examples: Arc<Vec<Vec<Vec3>>>,
    reproductions: Reproductions,
}

/// An example as weights and their best motions reproduce it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reproduced {
    /// One per solve vertex.
    pub positions: Vec<Vec3>,
    /// How far each is from the example, in the mesh's units.
    pub errors: Vec<f32>,
}

impl ExampleFitSummary {
    /// An example by the weights that learning began with, or by those it ended with; none when there is no such example.
    pub fn reproduced(&self, is_final: bool, example: usize, rest: &[Vec3]) -> Option<Reproduced> {
        let wanted = self.examples.get(example)?;
        let positions = self.reproductions.positions(is_final, example, rest);
        let errors = positions.iter().zip(wanted).map(|(p, q)| p.distance(*q)).collect();
        Some(Reproduced { positions, errors })
    }
}

/// What it begins with depends on.
pub(super) type FirstKey = (SkeletonKey, Vec<Handle>);

/// What a lesson is about.
pub(super) struct FitInputs<'a> {
    pub(super) geometry: &'a MeshGeometry,
    pub(super) skeleton: &'a Skeleton,
    pub(super) deforms: &'a SkeletonKey,
    /// What the skeleton's points hold.
    pub(super) points: &'a [Handle],
    pub(super) examples: &'a Arc<Vec<Vec<Vec3>>>,
    pub(super) options: &'a ExampleFit,
}

/// A lesson between two calls.
pub(super) struct Ongoing {
    lesson: JointFitSession,
    /// How long it has taken.
    seconds: f64,
}

/// A lesson that was interrupted, and what it was an answer to. Whoever clones a pipeline begins his own.
pub(super) struct Interrupted<K>(Option<(K, Ongoing)>);

impl<K> Default for Interrupted<K> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K> Clone for Interrupted<K> {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl<K: PartialEq> Interrupted<K> {
    pub(super) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// The one that answers `key`; nobody will ask for another any more.
    pub(super) fn take(&mut self, key: &K) -> Option<Ongoing> {
        self.0.take().filter(|(of, _)| of == key).map(|(_, ongoing)| ongoing)
    }

    pub(super) fn keep(&mut self, key: K, ongoing: Option<Ongoing>) {
        self.0 = ongoing.map(|ongoing| (key, ongoing));
    }
}

impl FitInputs<'_> {
    /// Begins or goes on until there is nothing more to learn or the observer has heard enough: weights, seconds taken so far, and the lesson
    /// if more can be learned. What it begins with does not depend on the examples, and is kept in `first`.
    pub(super) fn teach(
        &self,
        interrupted: Option<Ongoing>,
        first: &mut Option<Cached<FirstKey, Weights>>,
        report: &mut Report,
        observer: &mut dyn Observer,
    ) -> Result<(BoneWeights, f64, Option<Ongoing>), PipelineError> {
        let start = observer.seconds();
        observer.weighs(self.skeleton.bones().len());
        // Progress and iterations are heard by the same ear.
        let ear = RefCell::new(&mut *observer);
        let mut listener = |share| ear.borrow_mut().progress(Stage::Weigh, share);
        let mut on_iteration =
            |energy: &Energy, so_far: &dyn Fn() -> Weights| ear.borrow_mut().learned(energy, so_far);
        let progress = &mut Progress::new(&mut listener);
        let mut watching = FitObserver { report, progress, on_iteration: &mut on_iteration };
        let mut ongoing = match interrupted {
            Some(ongoing) => ongoing,
            None => Ongoing { lesson: self.begin(first, &mut watching)?, seconds: 0.0 },
        };
        let is_over = ongoing.lesson.go_on(&mut watching)?;
        ongoing.seconds += observer.seconds() - start;
        let learned = ongoing.lesson.learned();
        let mut lessons = ExampleFitSummary {
            energy: learned.energy,
            rms: learned.rms,
            rms_by_example: Vec::new(),
            is_over,
            examples: self.examples.clone(),
            reproductions: learned.reproductions,
        };
        lessons.rms_by_example = (0..self.examples.len())
            .map(|example| [false, true].map(|is_final| self.rms(&lessons, is_final, example)))
            .collect();
        let found = BoneWeights {
            weights: learned.weights,
            covering: None,
            convergence: Some(learned.convergence),
            lessons: Some(Arc::new(lessons)),
        };
        Ok((found, ongoing.seconds, (!is_over).then_some(ongoing)))
    }

    fn begin(
        &self,
        first: &mut Option<Cached<FirstKey, Weights>>,
        watching: &mut FitObserver<'_, '_>,
    ) -> Result<JointFitSession, PipelineError> {
        let Self { geometry, skeleton, deforms, points, examples, options } = *self;
        // The long wait must not end in a refusal.
        check_examples(geometry, examples)?;
        let known = first.take().filter(|known| known.key.0 == *deforms && known.key.1 == points);
        let known = match known {
            Some(known) => known,
            None => {
                let mut report = Report::default();
                let value = first_weights(geometry, skeleton, points, &mut report, watching.progress)?;
                Cached { key: (deforms.clone(), points.to_vec()), value: Arc::new(value), report }
            }
        };
        let Cached { value, report, .. } = first.insert(known);
        watching.report.absorb(report.clone());
        Ok(JointFitSession::begin(geometry, (skeleton, points), value.clone(), examples, options)?)
    }

    fn rms(&self, lessons: &ExampleFitSummary, is_final: bool, example: usize) -> f64 {
        let mesh = self.geometry.mesh();
        let Some(found) = lessons.reproduced(is_final, example, mesh.positions()) else { return 0.0 };
        let sum: f64 = found.errors.iter().map(|&error| f64::from(error).powi(2)).sum();
        let size = f64::from(mesh.diagonal());
        let mean = (sum / found.errors.len().max(1) as f64).sqrt();
        if size > 0.0 { mean / size } else { mean }
    }
}
