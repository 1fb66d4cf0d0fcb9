//! The active-set method, for one quadratic and one column (docs/theory/biharmonic.md#solver).
//!
//! Source: block principal pivoting (Júdice and Pires 1994; for two-sided bounds Portugal et al.
//! 1994). Every unknown is free, at the lower bound or at the upper bound. Each round solves for
//! the free unknowns, then changes the state of all unknowns that violate the optimality
//! conditions. If the states repeat, only one unknown changes per round, which cannot cycle. The
//! result is the exact minimum up to [`BOUND_TOLERANCE`] and [`MULTIPLIER_TOLERANCE`]. Cost: a
//! factorisation over the free unknowns if many states change, and a few solves with the previous
//! one if few do (`schur_update`). Weights are local, so the free unknowns are a fraction of all:
//! far from a handle all unknowns are zero and are never visited.

use super::schur_update::SchurUpdate;
use super::{Convergence, Quadratic, SampleConstraint};
use crate::math::larger_f64;
use crate::operators::sparse::{Factor, Symbolic, Symmetric};

/// Largest amount by which a free unknown may leave its bounds; it is clamped in the end. Larger:
/// weights have a step where they should vanish. Smaller: where a function approaches its bound
/// tangentially, nearly all unknowns become free for invisible ripples: at 1e-6, supports are three
/// times as large.
const BOUND_TOLERANCE: f64 = 1e-4;

/// Largest displacement of an unknown at a bound if it alone were freed, below which it stays.
/// Larger: supports are too small by a ring. Smaller: rounds are spent on rings that change
/// nothing. With this value, solutions were within 1e-4 of the minimum.
const MULTIPLIER_TOLERANCE: f64 = 1e-5;

/// Largest number of rounds. Ten to forty are usual: a support that must grow does so by one or two
/// rings per round.
const MAX_ROUNDS: usize = 120;

/// Largest residual of a free unknown after an update without a new factorisation, as a
/// displacement. Larger: rounding errors of many updates accumulate. Smaller: unnecessary
/// factorisations.
const STATIONARITY_TOLERANCE: f64 = 1e-9;

/// The state of an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Fixed,
    Low,
    High,
    Free,
}

/// Buffers and state for any number of columns of one quadratic.
pub(super) struct Workspace {
    pub(super) states: Vec<State>,
    /// Current values; zero wherever nothing else is known.
    pub(super) values: Vec<f64>,
    /// Forces of the springs of sample constraints on each unknown.
    pub(super) spring_forces: Vec<f64>,
    /// The unknowns around sample points, which have no bounds.
    is_unbounded: Vec<bool>,
    /// The index of each unknown in the last factorisation, or `u32::MAX`.
    index: Vec<u32>,
    /// The last factorisation.
    pub(super) factored: Option<SchurUpdate>,
    marks: Vec<u32>,
    mark: u32,
}

impl Workspace {
    pub(super) fn new(size: usize, samples: &[SampleConstraint]) -> Self {
        let mut is_unbounded = vec![false; size];
        samples.iter().flat_map(|sample| &sample.at).for_each(|&(i, _)| is_unbounded[i as usize] = true);
        Self {
            spring_forces: vec![0.0; size],
            is_unbounded,
            states: vec![State::Low; size],
            values: vec![0.0; size],
            index: vec![u32::MAX; size],
            factored: None,
            marks: vec![0; size],
            mark: 0,
        }
    }

    /// The negative gradient at an unknown.
    #[inline]
    pub(super) fn force(&self, quadratic: &Quadratic, i: usize) -> f64 {
        self.spring_forces[i] - quadratic.row_times(i, &self.values)
    }

    /// The index of an unknown in the last factorisation, or `u32::MAX`.
    pub(super) fn index_of(&self, i: u32) -> u32 {
        self.index[i as usize]
    }

    /// Drops the last factorisation.
    fn clear(&mut self) {
        if let Some(factored) = self.factored.take() {
            factored.unknowns().iter().for_each(|&i| self.index[i as usize] = u32::MAX);
        }
    }
}

/// The unknowns whose state violates the optimality conditions.
struct Violations {
    all: Vec<u32>,
    /// The largest violation, in units of the unknowns.
    residual: f64,
    /// The largest displacement of a free unknown if it alone were solved for: rounding.
    stationarity: f64,
}

/// Minimises `½ xᵀ Q x − fᵀ x`, with `f` the spring forces, for 0 ≤ x ≤ 1 from the states in
/// `workspace`. `sources` are the unknowns with a spring force or a given value that is not zero.
/// States and values are left in `workspace`. Returns the unknowns that may be other than zero.
pub(super) fn minimise(
    quadratic: &Quadratic,
    sources: &[u32],
    workspace: &mut Workspace,
) -> (Vec<u32>, Convergence) {
    let mut free: Vec<u32> =
        (0..quadratic.size() as u32).filter(|&i| workspace.states[i as usize] == State::Free).collect();
    let mut high: Vec<u32> =
        (0..quadratic.size() as u32).filter(|&i| workspace.states[i as usize] == State::High).collect();
    let mut cycles = CycleDetector::default();
    let mut changed = Vec::new();
    let mut rounds = 0;
    loop {
        rounds += 1;
        high.iter().for_each(|&i| workspace.values[i as usize] = 1.0);
        let Some(violations) = round(quadratic, &changed, &free, &high, sources, workspace) else {
            // Not positive definite because of rounding: there is no solution.
            let record = Convergence { iterations: rounds, residual: f64::INFINITY, converged: false };
            return finish(free, high, sources, workspace, record);
        };
        let converged = violations.all.is_empty();
        if converged || rounds == MAX_ROUNDS {
            let record = Convergence { iterations: rounds, residual: violations.residual, converged };
            return finish(free, high, sources, workspace, record);
        }
        changed = violations.all;
        if cycles.is_cycle(&changed) {
            changed.drain(..changed.len() - 1);
        }
        cycles.record(&changed);
        change(&changed, &mut free, &mut high, workspace);
    }
}

/// Detects cycles of block changes. The number of violations is no criterion: a support that grows
/// along a limb has a constant number of them.
#[derive(Default)]
struct CycleDetector {
    /// Hashes of the set of free unknowns: current and past.
    now: u64,
    past: Vec<u64>,
    /// Number of violations when a cycle was found; single changes end when there are fewer.
    found_at: Option<usize>,
}

impl CycleDetector {
    /// Whether changing all of these would repeat an earlier set, or did so before and the number
    /// of violations has not decreased since.
    fn is_cycle(&mut self, changed: &[u32]) -> bool {
        self.found_at = self.found_at.filter(|&found_at| changed.len() >= found_at);
        if self.found_at.is_none() && self.past.contains(&self.hash_after(changed)) {
            self.found_at = Some(changed.len());
        }
        self.found_at.is_some()
    }

    /// Records changes that are made.
    fn record(&mut self, changed: &[u32]) {
        self.past.push(self.now);
        self.now = self.hash_after(changed);
    }

    fn hash_after(&self, changed: &[u32]) -> u64 {
        changed.iter().fold(self.now, |number, &i| number ^ hash_index(i))
    }
}

/// A hash of an index (the finaliser of SplitMix64).
fn hash_index(i: u32) -> u64 {
    let mut bits = (u64::from(i) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// Solves for the free unknowns and finds the violations; `None` if the system cannot be solved.
fn round(
    quadratic: &Quadratic,
    changed: &[u32],
    free: &[u32],
    high: &[u32],
    sources: &[u32],
    workspace: &mut Workspace,
) -> Option<Violations> {
    if let Some(mut factored) = workspace.factored.take() {
        let is_updated = factored.update(quadratic, changed, workspace);
        workspace.factored = Some(factored);
        if is_updated {
            let violations = violations(quadratic, free, high, sources, workspace);
            if violations.stationarity <= STATIONARITY_TOLERANCE {
                return Some(violations);
            }
        }
        workspace.clear();
    }
    solve_free(quadratic, free, workspace).then(|| violations(quadratic, free, high, sources, workspace))
}

/// Solves for the free unknowns with a new factorisation, with all others fixed.
pub(super) fn solve_free(quadratic: &Quadratic, free: &[u32], workspace: &mut Workspace) -> bool {
    free.iter().enumerate().for_each(|(index, &i)| workspace.index[i as usize] = index as u32);
    free.iter().for_each(|&i| workspace.values[i as usize] = 0.0);
    let mut right: Vec<f64> = free.iter().map(|&i| workspace.force(quadratic, i as usize)).collect();
    let Some(factor) = factor(&quadratic.submatrix(free, &workspace.index)) else {
        free.iter().for_each(|&i| workspace.index[i as usize] = u32::MAX);
        return false;
    };
    factor.solve(&mut right);
    free.iter().zip(&right).for_each(|(&i, &x)| workspace.values[i as usize] = x);
    workspace.factored = Some(SchurUpdate::new(factor, free.to_vec()));
    right.iter().all(|x| x.is_finite())
}

/// Factorises a matrix that is positive definite up to rounding, with the smallest regularisation
/// that suffices.
fn factor(matrix: &Symmetric) -> Option<Factor> {
    // The unknowns are in elimination order already.
    let symbolic = Symbolic::in_order(matrix).ok()?;
    if let Ok(factor) = symbolic.factor(matrix) {
        return Some(factor);
    }
    /// Fractions of the diagonal that are added. Slivers and needles of degenerate meshes have
    /// needed the second.
    const REGULARISATION: [f64; 3] = [1e-12, 1e-9, 1e-6];
    REGULARISATION.iter().find_map(|share| {
        let addends: Vec<f64> = matrix.diagonal().map(|entry| share * entry + f64::MIN_POSITIVE).collect();
        symbolic.factor(&matrix.plus_diagonal(&addends)).ok()
    })
}

/// The free unknowns outside their bounds, and the unknowns at bounds with a violated multiplier.
fn violations(
    quadratic: &Quadratic,
    free: &[u32],
    high: &[u32],
    sources: &[u32],
    workspace: &mut Workspace,
) -> Violations {
    let mut found = Violations { all: Vec::new(), residual: 0.0, stationarity: 0.0 };
    for &i in free {
        if workspace.is_unbounded[i as usize] {
            continue;
        }
        let x = workspace.values[i as usize];
        let excess = larger_f64(-x, x - 1.0);
        found.residual = larger_f64(excess, found.residual);
        if excess > BOUND_TOLERANCE {
            found.all.push(i);
        }
    }
    workspace.mark += 1;
    for &near in free.iter().chain(high).chain(sources) {
        for (i, _) in quadratic.row(near as usize) {
            if std::mem::replace(&mut workspace.marks[i], workspace.mark) == workspace.mark {
                continue;
            }
            if workspace.states[i] == State::Fixed {
                continue;
            }
            let displacement = workspace.force(quadratic, i) / quadratic.diagonal(i);
            let displacement = match workspace.states[i] {
                State::Low if workspace.is_unbounded[i] => displacement.abs(),
                State::High => -displacement,
                State::Free => {
                    found.stationarity = larger_f64(displacement.abs(), found.stationarity);
                    continue;
                }
                _ => displacement,
            };
            found.residual = larger_f64(displacement, found.residual);
            if displacement > MULTIPLIER_TOLERANCE {
                found.all.push(i as u32);
            }
        }
    }
    found.residual = found.residual.max(found.stationarity);
    found.all.sort_unstable();
    found
}

/// Changes the state of every unknown in `changed`.
fn change(changed: &[u32], free: &mut Vec<u32>, high: &mut Vec<u32>, workspace: &mut Workspace) {
    for &i in changed {
        let i = i as usize;
        workspace.states[i] = match workspace.states[i] {
            State::Free if workspace.values[i] < 0.5 => State::Low,
            State::Free => State::High,
            _ => State::Free,
        };
        workspace.values[i] = 0.0;
    }
    let was_elsewhere = |list: &[u32], i: &&u32| list.binary_search(i).is_err();
    let new_free: Vec<u32> = changed.iter().filter(|i| was_elsewhere(free, i)).copied().collect();
    let new_high: Vec<u32> =
        changed.iter().filter(|&&i| workspace.states[i as usize] == State::High).copied().collect();
    free.extend(new_free);
    free.retain(|&i| workspace.states[i as usize] == State::Free);
    free.sort_unstable();
    high.extend(new_high);
    high.retain(|&i| workspace.states[i as usize] == State::High);
    high.sort_unstable();
}

fn finish(
    mut free: Vec<u32>,
    high: Vec<u32>,
    sources: &[u32],
    workspace: &mut Workspace,
    record: Convergence,
) -> (Vec<u32>, Convergence) {
    workspace.clear();
    for &i in &free {
        let x = &mut workspace.values[i as usize];
        let bounded = if workspace.is_unbounded[i as usize] { *x } else { x.clamp(0.0, 1.0) };
        *x = if x.is_finite() { bounded } else { 0.0 };
    }
    free.extend(high);
    free.extend_from_slice(sources);
    (free, record)
}
