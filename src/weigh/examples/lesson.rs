//! Learning one iteration after the other, so that somebody can look, and stop, in between.
//!
//! In: weights to begin with and examples. Out: after every call of `go_on` the best so far, as [`Learned`]. Whoever cannot be
//! interrupted while he computes (WebAssembly) ends a call after a while and goes on with the next: the answer
//! is the same as of one long call. Cost: that of the iterations; what a pause keeps is the fit itself.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::fit::{Fit, Kept, Room, Transform};
use super::{
    BEGUN, Energy, ExampleError, Learned, Learning, Watching, check_examples, prepared, renumbered,
    weights_of,
};
use crate::model::{Skeleton, Weights};
use crate::operators::qp::Convergence;
use crate::operators::{Operators, edge_groups};
use crate::progress::{Cancelled, Progress};
use crate::report::Report;
use crate::weigh::biharmonic::{Biharmonic, Handle, anchors, biharmonic_with, handles_of};

/// E has come to rest when [`WINDOW`] iterations lower it by less than this share. Larger: stops while weights still move.
/// Smaller: a long tail that nobody sees.
const AT_REST: f64 = 1e-3;

/// So many, because the one after a step in vain is a short one.
const WINDOW: usize = 4;

/// A mean distance of this many diagonals from the examples is none.
const EXACT: f64 = 1e-6;

/// Sweeps over all vertices per iteration. More: motions wait longer for weights to settle. Fewer: the reverse.
const SWEEPS: usize = 2;

/// Steps that help are prolonged, at most so many times: motions and weights otherwise creep after each other. Without, a folded
/// card had 0.7 of its weights decided after 60 iterations; so, all of them after 20. Larger: more steps in vain.
const MOST_FURTHER: f64 = 50.0;

/// A fit between two iterations.
pub(super) struct Lesson {
    fit: Fit,
    options: Learning,
    groups: usize,
    room: Room,
    /// Before the last step, to prolong it.
    last: Kept,
    /// How far to prolong the next.
    further: f64,
    initial: Weights,
    before: f64,
    first_motions: Vec<Vec<Transform>>,
    place: Place,
    energy: Vec<Energy>,
    convergence: Convergence,
}

/// How lengths of a fit become the mesh's.
#[derive(Clone, Copy, Debug)]
struct Place {
    middle: DVec3,
    size: f64,
}

impl Lesson {
    /// Motions for `initial` weights; `given` vertices keep their handle.
    pub(super) fn begin(
        operators: &Operators,
        initial: &Weights,
        given: &[(u32, u32)],
        examples: &[Vec<Vec3>],
        options: &Learning,
    ) -> Self {
        let mut fit = prepared(operators, given, examples, initial, options);
        let groups = if options.groups == 0 { 2 * initial.columns() } else { options.groups };
        fit.group_of_edge = edge_groups(&fit.weights, fit.handles, &fit.edges, groups);
        fit.begin();
        fit.step_motions();
        let (low, high) = operators.mesh().bounds();
        let size = f64::from(operators.mesh().diagonal());
        let last = fit.kept();
        Self {
            options: *options,
            groups,
            room: Room::default(),
            further: 0.0,
            initial: initial.clone(),
            before: fit.rms(),
            first_motions: last.transforms.clone(),
            last,
            place: Place {
                middle: (0.5 * (low + high)).as_dvec3(),
                size: if size > 0.0 { size } else { 1.0 },
            },
            energy: vec![fit.energy()],
            convergence: Convergence { iterations: 0, residual: 1.0, converged: false },
            fit,
        }
    }

    /// Iterates until E is at rest, all iterations are done, or `on_iteration` answers false; whether there is nothing more to do.
    pub(super) fn go_on(
        &mut self,
        progress: &mut Progress<'_>,
        on_iteration: &mut dyn FnMut(&Energy, &dyn Fn() -> Weights) -> bool,
    ) -> Result<bool, Cancelled> {
        progress.span(BEGUN, 1.0);
        let most = self.options.iterations;
        while !self.convergence.converged && self.convergence.iterations < most {
            progress.step(self.convergence.iterations, most)?;
            let now = self.iterate();
            let so_far = || weights_of(&self.fit);
            if !on_iteration(&now, &so_far) {
                return Ok(self.convergence.converged || self.convergence.iterations == most);
            }
        }
        progress.step(most, most)?;
        Ok(true)
    }

    fn iterate(&mut self) -> Energy {
        let iteration = self.convergence.iterations;
        let start = self.fit.kept();
        let before = self.energy[self.energy.len() - 1].total;
        self.fit.extrapolate(&self.last.transforms, self.further);
        let mut now = self.improve(iteration);
        self.further = (1.5 * self.further + 0.5).min(MOST_FURTHER);
        if now.total > before {
            // Too far: from where it was, by the plain step, which never makes E grow.
            self.fit.restore(start);
            now = self.improve(iteration);
            self.further = 0.0;
            self.last = self.fit.kept();
        } else {
            self.last = start;
        }
        self.energy.push(now);
        let earlier = self.energy[self.energy.len().saturating_sub(WINDOW + 1)].total;
        let residual = if earlier > 0.0 { (earlier - now.total) / earlier } else { 0.0 };
        let is_at_rest = iteration + 1 >= WINDOW && residual < AT_REST;
        self.convergence = Convergence {
            iterations: iteration + 1,
            residual,
            converged: is_at_rest || (self.options.data > 0.0 && self.fit.rms() < EXACT),
        };
        now
    }

    /// Weights, groups and motions, each once. E does not grow.
    fn improve(&mut self, iteration: usize) -> Energy {
        let fit = &mut self.fit;
        for sweep in 0..SWEEPS {
            fit.step_weights((iteration * SWEEPS + sweep) % 2 == 1, &mut self.room);
        }
        fit.regroup(edge_groups(&fit.weights, fit.handles, &fit.edges, self.groups));
        fit.step_motions();
        fit.energy()
    }

    /// The best so far.
    pub(super) fn learned(&self) -> Learned {
        let weights = weights_of(&self.fit);
        let motions = [self.first_motions.clone(), self.fit.kept().transforms];
        Learned {
            initial: self.initial.clone(),
            energy: self.energy.clone(),
            convergence: self.convergence,
            rms: [self.before, self.fit.rms()],
            errors: (0..motions[0].len()).map(|example| self.fit.errors(example)).collect(),
            reproductions: Reproductions {
                weights: [self.initial.clone(), weights.clone()],
                motions,
                place: self.place,
            },
            weights,
        }
    }
}

/// What learning for a skeleton begins with: biharmonic weights per bone. `points` are what its points hold.
///
/// # Errors
/// When `progress` cancels.
pub fn first_weights(
    operators: &Operators,
    skeleton: &Skeleton,
    points: &[Handle],
    report: &mut Report,
    progress: &mut Progress<'_>,
) -> Result<Weights, Cancelled> {
    progress.span(0.0, BEGUN);
    Ok(biharmonic_with(operators, skeleton, points, &Biharmonic::default(), report, progress)?.weights)
}

/// A fit for the joints of a skeleton. Bones of one joint move together, so they are learned as one, and what is learned is the
/// first one's.
pub struct JointLesson {
    lesson: Lesson,
    by_bones: Arc<Weights>,
    /// The first bone of every joint that has one.
    firsts: Vec<u32>,
}

impl JointLesson {
    /// From weights per bone, those of [`first_weights`] as a rule. `points` are what the skeleton's points hold.
    ///
    /// # Errors
    /// When an example does not fit the mesh.
    pub fn begin(
        operators: &Operators,
        (skeleton, points): (&Skeleton, &[Handle]),
        by_bones: Arc<Weights>,
        examples: &[Vec<Vec3>],
        options: &Learning,
    ) -> Result<Self, ExampleError> {
        check_examples(operators, examples)?;
        // Bones are ordered by their joints.
        let bones = skeleton.bones();
        let firsts: Vec<u32> = (0..bones.len())
            .filter(|&b| b == 0 || bones[b].joint != bones[b - 1].joint)
            .map(|b| b as u32)
            .collect();
        let joint_of = |bone: u32| firsts.partition_point(|&first| first <= bone) as u32 - 1;
        let initial = renumbered(&by_bones, firsts.len(), &joint_of);
        let mut given = anchors(operators, &handles_of(skeleton, points));
        given.iter_mut().for_each(|(_, bone)| *bone = joint_of(*bone));
        let lesson = Lesson::begin(operators, &initial, &given, examples, options);
        Ok(Self { lesson, by_bones, firsts })
    }

    /// Iterates until there is nothing more to do, or whoever watches wants to look; whether there is nothing more to do.
    ///
    /// # Errors
    /// When somebody cancels.
    pub fn go_on(&mut self, watching: &mut Watching<'_, '_>) -> Result<bool, Cancelled> {
        let (firsts, bones) = (&self.firsts, self.by_bones.columns());
        let of_bones = |weights: &Weights| renumbered(weights, bones, &|joint: u32| firsts[joint as usize]);
        let on_iteration = &mut *watching.on_iteration;
        let mut heard =
            |energy: &Energy, so_far: &dyn Fn() -> Weights| on_iteration(energy, &|| of_bones(&so_far()));
        self.lesson.go_on(watching.progress, &mut heard)
    }

    /// The best so far, per bone.
    pub fn learned(&self) -> Learned {
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
