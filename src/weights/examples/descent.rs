//! The iteration: weights, groups, motions, and extended steps
//! (docs/theory/example-fitting.md#iteration).
//!
//! In: a [`Fit`] with initial weights. Out: the same with a lower `E`, after every iteration. Cost:
//! that of the three steps, or twice that if an extended step is undone.

use super::Energy;
use super::fit::{Fit, Transform};
use super::rows::RowWorkspace;
use crate::operators::edge_groups;
use crate::operators::qp::Convergence;

/// The fit has converged when [`WINDOW`] iterations lower E by less than this fraction. Larger: it
/// stops while weights still change. Smaller: a long tail without visible effect.
const ENERGY_TOLERANCE: f64 = 1e-3;

/// Number of iterations for this test: the one after an undone step is short.
const WINDOW: usize = 4;

/// Root mean square distance from the examples, in diagonals, below which they count as reproduced
/// exactly.
const RMS_TOLERANCE: f64 = 1e-6;

/// Number of sweeps over all vertices per iteration. Larger: motions are updated less often.
/// Smaller: weights are.
const SWEEPS: usize = 2;

/// Largest factor by which steps are extended; without it motions and weights follow each other
/// slowly. Without extension, a folded card had 0.7 of its weights right after 60 iterations; with
/// it, all of them after 16. Tried instead: Anderson acceleration (1965) over the last 4, 8 or 16
/// steps, which needed 91 there and gained nothing elsewhere. Larger: more undone steps.
const MAX_EXTRAPOLATION: f64 = 50.0;

/// The state of the iteration.
pub(super) struct Descent {
    pub(super) fit: Fit,
    groups: usize,
    workspace: RowWorkspace,
    /// The motions before the last step, to extend it.
    last: Vec<Vec<Transform>>,
    /// Factor by which the next step is extended.
    extrapolation: f64,
    pub(super) energy: Vec<Energy>,
    pub(super) convergence: Convergence,
    /// Number of iterations before influences were limited.
    pub(super) limited_at: Option<usize>,
}

impl Descent {
    /// Computes motions for the weights of `fit`.
    pub(super) fn begin(mut fit: Fit) -> Self {
        let groups = if fit.options.groups == 0 { 2 * fit.handles } else { fit.options.groups };
        fit.group_of_edge = edge_groups(&fit.weights, fit.handles, &fit.edges, groups);
        fit.begin();
        fit.step_motions();
        fit.init_sparsity();
        Self {
            groups,
            workspace: RowWorkspace::default(),
            last: fit.transforms.clone(),
            extrapolation: 0.0,
            energy: vec![fit.energy()],
            convergence: Convergence { iterations: 0, residual: 1.0, converged: false },
            limited_at: None,
            fit,
        }
    }

    /// Keeps at most `limit` influences per vertex from now on. `E` may grow once, here.
    pub(super) fn limit_influences(&mut self, limit: usize) {
        if !self.fit.limit_support(limit) {
            return;
        }
        self.fit.step_motions();
        self.last.clone_from(&self.fit.transforms);
        self.extrapolation = 0.0;
        let now = self.fit.energy();
        // What the limit costs belongs to the iteration before it.
        if let Some(last) = self.energy.last_mut() {
            *last = now;
        }
        self.limited_at = Some(self.convergence.iterations);
        self.convergence.converged = false;
    }

    /// One iteration. E does not grow.
    pub(super) fn iterate(&mut self) -> Energy {
        let iteration = self.convergence.iterations;
        let before = self.energy[self.energy.len() - 1];
        let lowered = self.fit.lower_sparsity();
        let before = before.data + before.arap + before.sparsity * lowered;
        let start = self.fit.snapshot();
        self.fit.extrapolate(&self.last, self.extrapolation);
        let mut now = self.improve(iteration);
        if now.total > before && self.extrapolation > 0.0 {
            // Too far: repeat without extension, which never makes E grow.
            self.fit.restore(start);
            now = self.improve(iteration);
            self.last.clone_from(&self.fit.transforms);
            self.extrapolation = 0.0;
        } else {
            self.last = start.transforms;
            self.extrapolation = (1.5 * self.extrapolation + 0.5).min(MAX_EXTRAPOLATION);
        }
        self.energy.push(now);
        let earlier = self.energy[self.energy.len().saturating_sub(WINDOW + 1)].total;
        let residual = if earlier > 0.0 { (earlier - now.total) / earlier } else { 0.0 };
        let iterations_here = iteration + 1 - self.limited_at.unwrap_or(0);
        let is_at_rest = iterations_here >= WINDOW && residual < ENERGY_TOLERANCE;
        self.convergence = Convergence {
            iterations: iteration + 1,
            residual,
            converged: is_at_rest || (self.fit.options.data > 0.0 && self.fit.rms() < RMS_TOLERANCE),
        };
        now
    }

    /// One step of weights, groups and motions. E does not grow.
    fn improve(&mut self, iteration: usize) -> Energy {
        let fit = &mut self.fit;
        for sweep in 0..SWEEPS {
            fit.step_weights((iteration * SWEEPS + sweep) % 2 == 1, &mut self.workspace);
        }
        // Weights change less and less, and so do groups.
        if iteration.is_power_of_two() {
            fit.regroup(edge_groups(&fit.weights, fit.handles, &fit.edges, self.groups));
        }
        fit.step_motions();
        fit.energy()
    }
}
