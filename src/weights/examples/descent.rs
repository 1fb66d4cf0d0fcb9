//! One iteration after the other: weights, groups, motions, and a longer step where that helps.
//!
//! In: a [`Fit`] with weights to begin with. Out: the same with a lower `E`, after every iteration.
//! Cost: that of the three steps, or twice that where a longer step was in vain.

use super::Energy;
use super::fit::{Fit, Transform};
use super::rows::Room;
use crate::operators::edge_groups;
use crate::operators::qp::Convergence;

/// E has come to rest when [`WINDOW`] iterations lower it by less than this share. Larger: stops
/// while weights still move. Smaller: a long tail that nobody sees.
const AT_REST: f64 = 1e-3;

/// So many, because the one after a step in vain is a short one.
const WINDOW: usize = 4;

/// A mean distance of this many diagonals from the examples is none.
const EXACT: f64 = 1e-6;

/// Sweeps over all vertices per iteration. More: motions wait longer for weights to settle. Fewer:
/// the reverse.
const SWEEPS: usize = 2;

/// Steps that help are prolonged, at most so many times: motions and weights otherwise creep after
/// each other. Without, a folded card had 0.7 of its weights decided after 60 iterations; so, all
/// of them after 16. Tried instead: mixing the last 4, 8 or 16 steps (Anderson 1965), which needed
/// 91 there and gained nothing elsewhere. Larger: more steps in vain.
const MOST_FURTHER: f64 = 50.0;

/// A fit on its way down.
pub(super) struct Descent {
    pub(super) fit: Fit,
    groups: usize,
    room: Room,
    /// The motions before the last step, to prolong it.
    last: Vec<Vec<Transform>>,
    /// How far to prolong the next.
    further: f64,
    pub(super) energy: Vec<Energy>,
    pub(super) convergence: Convergence,
}

impl Descent {
    /// Motions for the weights that `fit` has.
    pub(super) fn begin(mut fit: Fit) -> Self {
        let groups = if fit.options.groups == 0 { 2 * fit.handles } else { fit.options.groups };
        fit.group_of_edge = edge_groups(&fit.weights, fit.handles, &fit.edges, groups);
        fit.begin();
        fit.step_motions();
        fit.begin_sparsity();
        Self {
            groups,
            room: Room::default(),
            last: fit.transforms.clone(),
            further: 0.0,
            energy: vec![fit.energy()],
            convergence: Convergence { iterations: 0, residual: 1.0, converged: false },
            fit,
        }
    }

    /// One more. E does not grow.
    pub(super) fn iterate(&mut self) -> Energy {
        let iteration = self.convergence.iterations;
        let before = self.energy[self.energy.len() - 1];
        let lowered = self.fit.lower_sparsity();
        let before = before.data + before.arap + before.sparsity * lowered;
        let start = self.fit.kept();
        self.fit.extrapolate(&self.last, self.further);
        let mut now = self.improve(iteration);
        if now.total > before && self.further > 0.0 {
            // Too far: from where it was, by the plain step, which never makes E grow.
            self.fit.restore(start);
            now = self.improve(iteration);
            self.last.clone_from(&self.fit.transforms);
            self.further = 0.0;
        } else {
            self.last = start.transforms;
            self.further = (1.5 * self.further + 0.5).min(MOST_FURTHER);
        }
        self.energy.push(now);
        let earlier = self.energy[self.energy.len().saturating_sub(WINDOW + 1)].total;
        let residual = if earlier > 0.0 { (earlier - now.total) / earlier } else { 0.0 };
        let is_at_rest = iteration + 1 >= WINDOW && residual < AT_REST;
        self.convergence = Convergence {
            iterations: iteration + 1,
            residual,
            converged: is_at_rest || (self.fit.options.data > 0.0 && self.fit.rms() < EXACT),
        };
        now
    }

    /// Weights, groups and motions, each once. E does not grow.
    fn improve(&mut self, iteration: usize) -> Energy {
        let fit = &mut self.fit;
        for sweep in 0..SWEEPS {
            fit.step_weights((iteration * SWEEPS + sweep) % 2 == 1, &mut self.room);
        }
        // Weights change less and less, and so do groups.
        if iteration.is_power_of_two() {
            fit.regroup(edge_groups(&fit.weights, fit.handles, &fit.edges, self.groups));
        }
        fit.step_motions();
        fit.energy()
    }
}
