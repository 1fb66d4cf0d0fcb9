//! ExampleFit one iteration after the other, so that somebody can look, and stop, in between.
//!
//! In: weights to begin with and examples. Out: after every call of `go_on` the best so far, as
//! [`FittedWeights`]. Whoever cannot be interrupted while he computes (WebAssembly) ends a call
//! after a while and goes on with the next: the answer is the same as of one long call. Cost: that
//! of the iterations; what a pause keeps is the fit itself.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::descent::Descent;
use super::fit::Transform;
use super::{
    BEGUN, Energy, ExampleError, ExampleFit, FitObserver, FittedWeights, check_examples, prepared,
    renumbered, weights_of,
};
use crate::model::{Skeleton, Weights};
use crate::operators::MeshGeometry;
use crate::progress::{Cancelled, Progress};
use crate::report::Report;
use crate::weights::biharmonic::{Biharmonic, Handle, anchors, biharmonic_with, handles_of};

/// A fit between two iterations.
pub(super) struct FitSession {
    descent: Descent,
    initial: Weights,
    before: f64,
    first_motions: Vec<Vec<Transform>>,
    place: Place,
}

/// How lengths of a fit become the mesh's.
#[derive(Clone, Copy, Debug)]
struct Place {
    middle: DVec3,
    size: f64,
}

impl FitSession {
    /// Motions for `initial` weights; `given` vertices keep their handle.
    pub(super) fn begin(
        geometry: &MeshGeometry,
        initial: &Weights,
        given: &[(u32, u32)],
        examples: &[Vec<Vec3>],
        options: &ExampleFit,
    ) -> Self {
        let descent = Descent::begin(prepared(geometry, given, examples, initial, options));
        let (low, high) = geometry.mesh().bounds();
        let size = f64::from(geometry.mesh().diagonal());
        Self {
            initial: initial.clone(),
            before: descent.fit.rms(),
            first_motions: descent.fit.transforms.clone(),
            place: Place {
                middle: (0.5 * (low + high)).as_dvec3(),
                size: if size > 0.0 { size } else { 1.0 },
            },
            descent,
        }
    }

    /// Iterates until E is at rest, all iterations are done, or `on_iteration` answers false;
    /// whether there is nothing more to do.
    pub(super) fn go_on(
        &mut self,
        progress: &mut Progress<'_>,
        on_iteration: &mut dyn FnMut(&Energy, &dyn Fn() -> Weights) -> bool,
    ) -> Result<bool, Cancelled> {
        progress.span(BEGUN, 1.0);
        let descent = &mut self.descent;
        let most = descent.fit.options.iterations;
        while !descent.convergence.converged && descent.convergence.iterations < most {
            progress.step(descent.convergence.iterations, most)?;
            let now = descent.iterate();
            let so_far = || weights_of(&descent.fit);
            if !on_iteration(&now, &so_far) {
                return Ok(descent.convergence.converged || descent.convergence.iterations == most);
            }
        }
        progress.step(most, most)?;
        Ok(true)
    }

    /// The best so far.
    pub(super) fn learned(&self) -> FittedWeights {
        let Descent { fit, energy, convergence, .. } = &self.descent;
        let weights = weights_of(fit);
        let motions = [self.first_motions.clone(), fit.transforms.clone()];
        FittedWeights {
            initial: self.initial.clone(),
            energy: energy.clone(),
            convergence: *convergence,
            rms: [self.before, fit.rms()],
            errors: (0..motions[0].len()).map(|example| fit.errors(example)).collect(),
            reproductions: Reproductions {
                weights: [self.initial.clone(), weights.clone()],
                motions,
                place: self.place,
            },
            weights,
        }
    }
}

/// What learning for a skeleton begins with: biharmonic weights per bone. `points` are what its
/// points hold.
///
/// # Errors
/// When `progress` cancels.
pub fn first_weights(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    points: &[Handle],
    report: &mut Report,
    progress: &mut Progress<'_>,
) -> Result<Weights, Cancelled> {
    progress.span(0.0, BEGUN);
    Ok(biharmonic_with(geometry, skeleton, points, &Biharmonic::default(), report, progress)?.weights)
}

/// A fit for the joints of a skeleton. Bones of one joint move together, so they are learned as
/// one, and what is learned is the first one's.
pub struct JointFitSession {
    lesson: FitSession,
    by_bones: Arc<Weights>,
    /// The first bone of every joint that has one.
    firsts: Vec<u32>,
}

impl JointFitSession {
    /// From weights per bone, those of [`first_weights`] as a rule. `points` are what the
    /// skeleton's points hold.
    ///
    /// # Errors
    /// When an example does not fit the mesh.
    pub fn begin(
        geometry: &MeshGeometry,
        (skeleton, points): (&Skeleton, &[Handle]),
        by_bones: Arc<Weights>,
        examples: &[Vec<Vec3>],
        options: &ExampleFit,
    ) -> Result<Self, ExampleError> {
        check_examples(geometry, examples)?;
        // Bones are ordered by their joints.
        let bones = skeleton.bones();
        let firsts: Vec<u32> = (0..bones.len())
            .filter(|&b| b == 0 || bones[b].joint != bones[b - 1].joint)
            .map(|b| b as u32)
            .collect();
        let joint_of = |bone: u32| firsts.partition_point(|&first| first <= bone) as u32 - 1;
        let initial = renumbered(&by_bones, firsts.len(), &joint_of);
        let mut given = anchors(geometry, &handles_of(skeleton, points));
        given.iter_mut().for_each(|(_, bone)| *bone = joint_of(*bone));
        let lesson = FitSession::begin(geometry, &initial, &given, examples, options);
        Ok(Self { lesson, by_bones, firsts })
    }

    /// Iterates until there is nothing more to do, or whoever watches wants to look; whether there
    /// is nothing more to do.
    ///
    /// # Errors
    /// When somebody cancels.
    pub fn go_on(&mut self, watching: &mut FitObserver<'_, '_>) -> Result<bool, Cancelled> {
        let (firsts, bones) = (&self.firsts, self.by_bones.columns());
        let of_bones = |weights: &Weights| renumbered(weights, bones, &|joint: u32| firsts[joint as usize]);
        let on_iteration = &mut *watching.on_iteration;
        let mut heard =
            |energy: &Energy, so_far: &dyn Fn() -> Weights| on_iteration(energy, &|| of_bones(&so_far()));
        self.lesson.go_on(watching.progress, &mut heard)
    }

    /// The best so far, per bone.
    pub fn learned(&self) -> FittedWeights {
        let mut learned = self.lesson.learned();
        let first_of = |joint: u32| self.firsts[joint as usize];
        learned.weights = renumbered(&learned.weights, self.by_bones.columns(), &first_of);
        learned.initial = (*self.by_bones).clone();
        learned
    }
}

/// Weights and the motions that come nearest to the examples with them: at first, and in the end.
#[derive(Clone, Debug)]
pub struct Reproductions {
    weights: [Weights; 2],
    motions: [Vec<Vec<Transform>>; 2],
    place: Place,
}

impl Reproductions {
    /// Where vertices that are at `rest` come to be in place of an example.
    pub fn positions(&self, is_final: bool, example: usize, rest: &[Vec3]) -> Vec<Vec3> {
        let Place { middle, size } = self.place;
        let (weights, motions) = (&self.weights[usize::from(is_final)], &self.motions[usize::from(is_final)]);
        let moved = |(row, at): (&[crate::model::Influence], &Vec3)| {
            let at = (at.as_dvec3() - middle) / size;
            let motion = |column: u32| {
                let [x, y, z, shift] = motions[example][column as usize];
                x * at.x + y * at.y + z * at.z + shift
            };
            let sum: DVec3 = row.iter().map(|i| motion(i.column) * f64::from(i.weight)).sum();
            (sum * size + middle).as_vec3()
        };
        weights.rows().zip(rest).map(moved).collect()
    }
}
