//! A fit that can be interrupted between iterations.
//!
//! In: initial weights and examples. Out: after every call of `run` the best result so far, as
//! [`FittedWeights`]. A caller that cannot be interrupted while it computes (WebAssembly) stops a
//! call after a while and continues with the next one; the result is the same as that of one long
//! call. Cost: that of the iterations. Between calls only the fit itself is stored.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::descent::Descent;
use super::fit::Transform;
use super::{
    Energy, ExampleError, FitLimits, FitObserver, FittedWeights, INITIAL_PROGRESS, check_examples, prepared,
    renumbered, weights_of,
};
use crate::model::{Skeleton, Weights};
use crate::operators::MeshGeometry;
use crate::operators::qp::Convergence;
use crate::progress::{Cancelled, Progress};
use crate::report::Report;
use crate::weights::biharmonic::{Biharmonic, Handle, biharmonic_with, fixed_vertices, handles_of};

/// A fit between two iterations.
pub(super) struct FitSession {
    descent: Descent,
    initial: Weights,
    before: f64,
    first_motions: Vec<Vec<Transform>>,
    normalisation: Normalisation,
    max_influences: usize,
}

/// Share of the iterations after which influences are limited at the latest. Larger: too few are left
/// to make up for what is dropped. Smaller: handles are chosen before the fit has found them.
const UNLIMITED_SHARE: f64 = 0.6;

/// The transform from lengths of a fit to those of the mesh.
#[derive(Clone, Copy, Debug)]
struct Normalisation {
    centre: DVec3,
    size: f64,
}

impl FitSession {
    /// Computes motions for the `initial` weights. `fixed` are fixed vertices and their handles.
    pub(super) fn begin(
        geometry: &MeshGeometry,
        initial: &Weights,
        fixed: &[(u32, u32)],
        examples: &[Vec<Vec3>],
        FitLimits { options, max_influences }: FitLimits<'_>,
    ) -> Self {
        let descent = Descent::begin(prepared(geometry, fixed, examples, initial, options));
        let (low, high) = geometry.mesh().bounds();
        let size = f64::from(geometry.mesh().diagonal());
        Self {
            initial: initial.clone(),
            before: descent.fit.rms(),
            first_motions: descent.fit.transforms.clone(),
            normalisation: Normalisation {
                centre: (0.5 * (low + high)).as_dvec3(),
                size: if size > 0.0 { size } else { 1.0 },
            },
            max_influences,
            descent,
        }
    }

    /// Iterates until E converges, all iterations are done, or `on_iteration` returns false.
    /// Returns whether the fit is finished.
    pub(super) fn run(
        &mut self,
        progress: &mut Progress<'_>,
        on_iteration: &mut dyn FnMut(&Energy, &dyn Fn() -> Weights) -> bool,
    ) -> Result<bool, Cancelled> {
        progress.span(INITIAL_PROGRESS, 1.0);
        let descent = &mut self.descent;
        let most = descent.fit.options.iterations;
        let unlimited = (UNLIMITED_SHARE * most as f64).ceil() as usize;
        loop {
            let Convergence { iterations, converged, .. } = descent.convergence;
            if !descent.fit.is_limited() && (converged || iterations >= unlimited) {
                descent.limit_influences(self.max_influences);
            }
            if iterations == most || (descent.convergence.converged && descent.fit.is_limited()) {
                progress.step(most, most)?;
                return Ok(true);
            }
            progress.step(iterations, most)?;
            let now = descent.iterate();
            let so_far = || weights_of(&descent.fit);
            if !on_iteration(&now, &so_far) {
                return Ok(false);
            }
        }
    }

    /// The best result so far, with limited influences; of a finished fit with the error of rigid
    /// motions.
    pub(super) fn result(&mut self, is_finished: bool) -> FittedWeights {
        let Descent { fit, energy, convergence, .. } = &mut self.descent;
        let is_limited = fit.is_limited();
        let state = fit.snapshot();
        if !is_limited && fit.limit_support(self.max_influences) {
            fit.step_motions();
        }
        let weights = weights_of(fit);
        let motions = [self.first_motions.clone(), fit.transforms.clone()];
        let result = FittedWeights {
            initial: self.initial.clone(),
            energy: energy.clone(),
            convergence: *convergence,
            rms: [self.before, fit.rms()],
            errors: (0..motions[0].len()).map(|example| fit.errors(example)).collect(),
            reproductions: Reproductions {
                weights: [self.initial.clone(), weights.clone()],
                motions,
                normalisation: self.normalisation,
            },
            weights,
            rigid_rms: is_finished.then(|| fit.rigid_rms()),
        };
        fit.restore(state);
        if !is_limited {
            fit.support.clear();
        }
        result
    }
}

/// The initial weights of a fit for a skeleton: biharmonic weights per bone. `points` are the
/// handles of its points.
///
/// # Errors
/// If `progress` cancels.
pub fn initial_weights(
    geometry: &MeshGeometry,
    skeleton: &Skeleton,
    points: &[Handle],
    report: &mut Report,
    progress: &mut Progress<'_>,
) -> Result<Weights, Cancelled> {
    progress.span(0.0, INITIAL_PROGRESS);
    Ok(biharmonic_with(geometry, skeleton, points, &Biharmonic::default(), report, progress)?.weights)
}

/// A fit for the joints of a skeleton. The bones of one joint move together, so they are fitted as
/// one, and the weights are in the column of the first one.
pub struct JointFitSession {
    session: FitSession,
    by_bones: Arc<Weights>,
    /// The first bone of every joint that has one.
    first_bones: Vec<u32>,
}

impl JointFitSession {
    /// Starts from weights per bone, usually those of [`initial_weights`]. `points` are the handles
    /// of the skeleton's points.
    ///
    /// # Errors
    /// If an example does not fit the mesh.
    pub fn begin(
        geometry: &MeshGeometry,
        (skeleton, points): (&Skeleton, &[Handle]),
        by_bones: Arc<Weights>,
        examples: &[Vec<Vec3>],
        limits: FitLimits<'_>,
    ) -> Result<Self, ExampleError> {
        check_examples(geometry, examples)?;
        // Bones are ordered by their joints.
        let bones = skeleton.bones();
        let first_bones: Vec<u32> = (0..bones.len())
            .filter(|&b| b == 0 || bones[b].joint != bones[b - 1].joint)
            .map(|b| b as u32)
            .collect();
        let joint_of = |bone: u32| first_bones.partition_point(|&first| first <= bone) as u32 - 1;
        let initial = renumbered(&by_bones, first_bones.len(), &joint_of);
        let mut fixed = fixed_vertices(geometry, &handles_of(skeleton, points));
        fixed.iter_mut().for_each(|(_, bone)| *bone = joint_of(*bone));
        let session = FitSession::begin(geometry, &initial, &fixed, examples, limits);
        Ok(Self { session, by_bones, first_bones })
    }

    /// Iterates until the fit is finished or the observer stops it. Returns whether the fit is
    /// finished.
    ///
    /// # Errors
    /// If the observer cancels.
    pub fn run(&mut self, observer: &mut FitObserver<'_, '_>) -> Result<bool, Cancelled> {
        let (first_bones, bones) = (&self.first_bones, self.by_bones.columns());
        let of_bones =
            |weights: &Weights| renumbered(weights, bones, &|joint: u32| first_bones[joint as usize]);
        let on_iteration = &mut *observer.on_iteration;
        let mut on_iteration_by_bone =
            |energy: &Energy, so_far: &dyn Fn() -> Weights| on_iteration(energy, &|| of_bones(&so_far()));
        self.session.run(observer.progress, &mut on_iteration_by_bone)
    }

    /// The best result so far, per bone, with limited influences; of a finished fit with the error of
    /// rigid motions.
    pub fn result(&mut self, is_finished: bool) -> FittedWeights {
        let mut result = self.session.result(is_finished);
        let first_of = |joint: u32| self.first_bones[joint as usize];
        result.weights = renumbered(&result.weights, self.by_bones.columns(), &first_of);
        result.initial = (*self.by_bones).clone();
        result
    }
}

/// Weights and their best motions for the examples: at first, and in the end.
#[derive(Clone, Debug)]
pub struct Reproductions {
    weights: [Weights; 2],
    motions: [Vec<Vec<Transform>>; 2],
    normalisation: Normalisation,
}

impl Reproductions {
    /// The positions that reproduce an example, for vertices at `rest`.
    pub fn positions(&self, is_final: bool, example: usize, rest: &[Vec3]) -> Vec<Vec3> {
        let Normalisation { centre, size } = self.normalisation;
        let (weights, motions) = (&self.weights[usize::from(is_final)], &self.motions[usize::from(is_final)]);
        let moved = |(row, at): (&[crate::model::Influence], &Vec3)| {
            let at = (at.as_dvec3() - centre) / size;
            let motion = |column: u32| {
                let [x, y, z, shift] = motions[example][column as usize];
                x * at.x + y * at.y + z * at.z + shift
            };
            let sum: DVec3 = row.iter().map(|i| motion(i.column) * f64::from(i.weight)).sum();
            (sum * size + centre).as_vec3()
        };
        weights.rows().zip(rest).map(moved).collect()
    }
}
