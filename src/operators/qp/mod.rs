//! Bounded biharmonic functions: the smoothest functions between 0 and 1 with given values at some
//! places (docs/theory/biharmonic.md#solver).
//!
//! In: stiffness `L` and masses `M` of a surface or a lattice, and [`BoundaryConditions`] for any
//! number of columns, at unknowns or between them. Out: for each column the minimum of `½ xᵀ (L M⁻¹
//! L) x` with 0 ≤ x ≤ 1 ([`BoundedBiharmonicProblem::minimise`]), and its KKT residual
//! ([`Convergence`]). Source: bounded biharmonic weights (Jacobson et al. 2011), solved by an
//! active-set method (`active_set`). Cost: ten to forty rounds per column over the unknowns that
//! are neither 0 nor 1. Half of the rounds need a factorisation, the others a few solves with the
//! previous one (`schur_update`).
//!
//! Initial states come from a smaller problem on clusters of unknowns (`coarse`), recursively. They
//! save time only: the problem is strictly convex, and the minimum is unique. Measured with 25
//! points on 5,000 unknowns: starting with all unknowns free takes 17 rounds over 0.7 of the
//! unknowns each; from good initial states, 2 to 7 rounds over 0.2 of them.
//!
//! Unknowns are ordered once by `nested_dissection`, and the order serves every subset of free
//! unknowns. With 25 bones on a surface of 20,000 vertices this takes 0.9 instead of 1.5 s; with
//! 80,000 vertices and on lattices about the same as ordering each subset by itself.
//!
//! What does not save rounds (25 bones, 11,700 unknowns of a lattice):
//! - Better initial states: a support that starts one ring too small or too large still takes about
//!   twelve rounds.
//! - Freeing one to three rings around unknowns with a violated multiplier, fixing only the worst
//!   of those below zero, or both: at most 21 to 46 rounds instead of 26 to 30, at best a fifth
//!   faster on surfaces, and then a third slower on lattices.
//! - A tolerance ten times as large: one or two rounds less, with errors of 0.0025 to 0.009.
//! - Conjugate gradients with the previous factor as preconditioner, where few states changed: ten
//!   to twenty-five iterations for each of the last rounds, as expensive as a factorisation on
//!   lattices and more expensive on surfaces. The Schur complement is exact and takes one solve per
//!   change.
//! - ADMM with one factorisation of the whole matrix, over-relaxed, with the best of nine
//!   penalties: errors of 0.06 after sixty iterations on the same mesh. As a start for the active
//!   set it saves less than the clusters do.

mod active_set;
mod boundary_conditions;
mod coarse;
mod nested_dissection;
mod quadratic;
mod schur_update;

pub use boundary_conditions::{BoundaryConditions, SampleConstraint};
pub use quadratic::Quadratic;

use active_set::{State, Workspace};

use super::sparse::Symmetric;
use crate::math::sort_by_keys;

/// Problems up to this size start with all unknowns free. Larger: slower. Smaller: initial states
/// come from a few dozen clusters.
const COARSEST_SIZE: usize = 1200;

/// Cluster values up to this start at zero. Larger: supports must grow ring by ring. Smaller:
/// supports start too large, which costs as much.
const SUPPORT_THRESHOLD: f64 = 3e-3;

/// Convergence of a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use = "an answer that did not converge must not be taken for one that did"]
pub struct Convergence {
    /// Rounds on the full problem, each with one solve for all free unknowns.
    pub iterations: usize,
    /// KKT residual: the largest amount by which any unknown is outside its bounds, or by which an
    /// unknown at a bound would move if it alone were freed.
    pub residual: f64,
    /// Whether the residual is within the tolerances.
    pub converged: bool,
}

impl Convergence {
    /// The worse of two solutions, by each measure.
    pub fn and(self, other: Self) -> Self {
        Self {
            iterations: self.iterations.max(other.iterations),
            residual: self.residual.max(other.residual),
            converged: self.converged && other.converged,
        }
    }

    /// The neutral element of [`Convergence::and`].
    pub const NONE: Self = Self { iterations: 0, residual: 0.0, converged: true };
}

/// The inverse of a permutation.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut index = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| index[old as usize] = new as u32);
    index
}

/// The problem at one resolution, its unknowns in elimination order.
struct Level {
    quadratic: Quadratic,
    conditions: BoundaryConditions,
    /// Stiffness of the spring of each sample constraint.
    stiffnesses: Vec<f64>,
    /// Unknowns that are not connected to any boundary condition; they stay at zero.
    unreached: Vec<u32>,
    /// The unknown of the next coarser level to which each unknown belongs; empty on the last
    /// level.
    cluster_of: Vec<u32>,
    /// The original index of each unknown.
    order: Vec<u32>,
}

/// The prepared problem, for any of its columns.
pub struct BoundedBiharmonicProblem {
    levels: Vec<Level>,
    workspaces: Vec<Workspace>,
}

impl BoundedBiharmonicProblem {
    /// From a stiffness matrix (rows sum to zero, no positive off-diagonal entry), masses
    /// (positive) and boundary conditions.
    ///
    /// # Panics
    /// If their sizes differ.
    pub fn new(stiffness: &Symmetric, masses: &[f64], conditions: BoundaryConditions) -> Self {
        let size = stiffness.size();
        assert_eq!(conditions.is_fixed.len(), size, "every unknown is given or not");
        let mut levels: Vec<Level> = Vec::new();
        let (mut stiffness, mut masses, mut conditions) = (stiffness.clone(), masses.to_vec(), conditions);
        loop {
            let (quadratic, stiffnesses) =
                Quadratic::bilaplacian(&stiffness, &masses).with_samples(&conditions.samples);
            let order = nested_dissection::elimination_order(&quadratic);
            let quadratic = quadratic.reordered(&order);
            let rows = Quadratic::of(&stiffness.reordered(&order));
            masses = order.iter().map(|&i| masses[i as usize]).collect();
            conditions = conditions.reordered(&order);
            if let Some(last) = levels.last_mut() {
                let index = inverse(&order);
                last.cluster_of.iter_mut().for_each(|cluster| *cluster = index[*cluster as usize]);
            }
            let (mut cluster_of, count) = coarse::clusters(&rows);
            let unreached = unreached(&rows, &conditions);
            let is_last = rows.size() <= COARSEST_SIZE || 2 * count > rows.size();
            let next = conditions.coarsened(&cluster_of, count);
            (stiffness, masses) = coarse::coarsened(&rows, &masses, &cluster_of, count);
            if is_last {
                cluster_of.clear();
            }
            let conditions = std::mem::replace(&mut conditions, next);
            levels.push(Level { quadratic, conditions, stiffnesses, unreached, cluster_of, order });
            if is_last {
                break;
            }
        }
        let workspaces = levels
            .iter()
            .map(|level| Workspace::new(level.quadratic.size(), &level.conditions.samples))
            .collect();
        Self { levels, workspaces }
    }

    /// The minimum for one column, as (unknown, value) where it is not zero, unknowns ascending.
    /// Unknowns around sample points may be slightly negative or above one.
    pub fn minimise(&mut self, column: u32) -> (Vec<(u32, f64)>, Convergence) {
        let mut record = Convergence::NONE;
        let mut support = Vec::new();
        for at in (0..self.levels.len()).rev() {
            let states = self.initial_states(at, &support);
            support.iter().for_each(|&i: &u32| {
                if let Some(workspace) = self.workspaces.get_mut(at + 1) {
                    workspace.values[i as usize] = 0.0;
                }
            });
            let workspace = &mut self.workspaces[at];
            workspace.states = states;
            let sources = self.levels[at].load_conditions(column, workspace);
            (support, record) = active_set::minimise(&self.levels[at].quadratic, &sources, workspace);
            sources.iter().for_each(|&i| workspace.spring_forces[i as usize] = 0.0);
        }
        let (values, order) = (&mut self.workspaces[0].values, &self.levels[0].order);
        let found = support.iter().map(|&i| (order[i as usize], std::mem::take(&mut values[i as usize])));
        let mut found: Vec<(u32, f64)> = found.filter(|&(_, value)| value != 0.0).collect();
        sort_by_keys(&mut found, |&(i, _)| i.into());
        (found, record)
    }

    /// Initial states of a level, from the solution of the next coarser one.
    fn initial_states(&self, at: usize, found: &[u32]) -> Vec<State> {
        let size = self.levels[at].quadratic.size();
        let (Some(smaller), Some(workspace)) = (self.levels.get(at + 1), self.workspaces.get(at + 1)) else {
            return vec![State::Free; size];
        };
        let mut states = vec![State::Low; smaller.quadratic.size()];
        for &i in found.iter().filter(|&&i| workspace.values[i as usize] > SUPPORT_THRESHOLD) {
            states[i as usize] = State::Free;
        }
        self.levels[at].cluster_of.iter().map(|&cluster| states[cluster as usize]).collect()
    }
}

impl Level {
    /// Copies the boundary conditions of a column into a workspace, and returns the unknowns where
    /// they are not zero.
    fn load_conditions(&self, column: u32, workspace: &mut Workspace) -> Vec<u32> {
        let of_column = |values: &[(u32, f64)]| values.iter().find(|value| value.0 == column).map(|s| s.1);
        let mut sources = Vec::new();
        for i in (0..self.quadratic.size()).filter(|&i| self.conditions.is_fixed(i)) {
            workspace.states[i] = State::Fixed;
            if let Some(value) = of_column(self.conditions.values(i)) {
                workspace.values[i] = value;
                sources.push(i as u32);
            }
        }
        for (sample, spring_stiffness) in self.conditions.samples.iter().zip(&self.stiffnesses) {
            if let Some(value) = of_column(&sample.columns) {
                for &(i, weight) in &sample.at {
                    workspace.spring_forces[i as usize] += spring_stiffness * weight * value;
                    sources.push(i);
                }
            }
        }
        self.unreached.iter().for_each(|&i| workspace.states[i as usize] = State::Fixed);
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

/// The unknowns that are not connected to any boundary condition.
fn unreached(stiffness: &Quadratic, conditions: &BoundaryConditions) -> Vec<u32> {
    let mut is_reached = conditions.is_fixed.clone();
    conditions.samples.iter().flat_map(|sample| &sample.at).for_each(|&(i, _)| is_reached[i as usize] = true);
    let mut pending: Vec<usize> = (0..stiffness.size()).filter(|&i| is_reached[i]).collect();
    while let Some(i) = pending.pop() {
        for (j, _) in stiffness.row(i).filter(|&(_, value)| value < 0.0) {
            if !std::mem::replace(&mut is_reached[j], true) {
                pending.push(j);
            }
        }
    }
    (0..stiffness.size() as u32).filter(|&i| !is_reached[i as usize]).collect()
}
