//! Which unknowns rest on their bounds: one quadratic, one column of given values.
//!
//! Source: block principal pivoting (Júdice and Pires 1994; for bounds on both sides Portugal et al. 1994). Every unknown is
//! free or on a bound. Solve for the free ones, then let all that contradict their state change it at once; when that
//! goes round in circles, only one of them at a time, which cannot. The end is the exact minimum.
//! Cost: a factorisation over the free unknowns for every change of many states, and a few solves with the last one where few change
//! (`border`). Weights are local, so the free ones are a fraction of all: far from a handle everything rests on zero and is never touched.

use super::schur_update::SchurUpdate;
use super::{Convergence, Quadratic, SampleConstraint};
use crate::operators::sparse::{Factor, Symbolic, Symmetric};

/// An unknown may leave its bounds by this much, and is then put back on them. Larger: weights step where they should
/// vanish. Smaller: where a function leaves its bound tangentially, nearly everything takes part in ripples far below
/// what anyone sees: at 1e-6, supports are three times as large.
const LEEWAY: f64 = 1e-4;

/// An unknown stays on its bound unless it alone would move off by more than this. Larger: supports are too small by a
/// ring. Smaller: rounds are spent on rings that change nothing. With this, answers were within 1e-4 of the minimum.
const PULL: f64 = 1e-5;

/// Rounds after which the answer is what there is. Ten to forty are usual: where a support must grow, it does so by a ring or two each.
const MOST_ROUNDS: usize = 120;

/// How far one that is free may be from its place where it was found without a new factor. Larger: rounding of many changes adds up. Smaller:
/// factors are made for nothing.
const UNREST: f64 = 1e-9;

/// Where an unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    BoundaryConditions,
    Low,
    High,
    Free,
}

/// Room to work in, for any number of columns of one quadratic.
pub(super) struct Room {
    pub(super) states: Vec<State>,
    /// Zero wherever nothing else is known.
    pub(super) values: Vec<f64>,
    /// How springs at pins push each unknown; zero wherever none does.
    pub(super) pushes: Vec<f64>,
    /// The unknowns around pins, which have no bounds.
    is_loose: Vec<bool>,
    /// Where each unknown is among those that were factored last, or `u32::MAX`.
    place: Vec<u32>,
    /// Their factor.
    pub(super) factored: Option<SchurUpdate>,
    marks: Vec<u32>,
    mark: u32,
}

impl Room {
    pub(super) fn new(size: usize, pins: &[SampleConstraint]) -> Self {
        let mut is_loose = vec![false; size];
        pins.iter().flat_map(|pin| &pin.at).for_each(|&(i, _)| is_loose[i as usize] = true);
        Self {
            pushes: vec![0.0; size],
            is_loose,
            states: vec![State::Low; size],
            values: vec![0.0; size],
            place: vec![u32::MAX; size],
            factored: None,
            marks: vec![0; size],
            mark: 0,
        }
    }

    /// What drives an unknown to more, where everything is as it is.
    pub(super) fn force(&self, quadratic: &Quadratic, i: usize) -> f64 {
        self.pushes[i] - quadratic.row_times(i, &self.values)
    }

    /// Where an unknown is among those that were factored last, or `u32::MAX`.
    pub(super) fn place_of(&self, i: u32) -> u32 {
        self.place[i as usize]
    }

    /// Forgets the last factor.
    fn clear(&mut self) {
        if let Some(factored) = self.factored.take() {
            factored.unknowns().iter().for_each(|&i| self.place[i as usize] = u32::MAX);
        }
    }
}

/// What contradicts its state.
struct Contradictions {
    all: Vec<u32>,
    /// The largest of them, in units of the unknowns.
    residual: f64,
    /// How far one that is free would move if it alone were solved for: rounding.
    unrest: f64,
}

/// Minimises `½ xᵀ Q x` less what pushes it within 0..=1 from the states in `room`; `sources` are the unknowns that are pushed, and
/// those whose values in `room` are given and not zero. Leaves states and values there, and returns which unknowns may be other than zero.
pub(super) fn pivot(quadratic: &Quadratic, sources: &[u32], room: &mut Room) -> (Vec<u32>, Convergence) {
    let mut free: Vec<u32> =
        (0..quadratic.size() as u32).filter(|&i| room.states[i as usize] == State::Free).collect();
    let mut high: Vec<u32> =
        (0..quadratic.size() as u32).filter(|&i| room.states[i as usize] == State::High).collect();
    let mut circles = Circles::default();
    let mut changed = Vec::new();
    let mut rounds = 0;
    loop {
        rounds += 1;
        high.iter().for_each(|&i| room.values[i as usize] = 1.0);
        let Some(wrong) = round(quadratic, &changed, &free, &high, sources, room) else {
            // Not positive definite but for rounding: nothing to go on with.
            let record = Convergence { iterations: rounds, residual: f64::INFINITY, converged: false };
            return finish(free, high, sources, room, record);
        };
        let converged = wrong.all.is_empty();
        if converged || rounds == MOST_ROUNDS {
            let record = Convergence { iterations: rounds, residual: wrong.residual, converged };
            return finish(free, high, sources, room, record);
        }
        changed = wrong.all;
        if circles.is_caught(&changed) {
            changed.drain(..changed.len() - 1);
        }
        circles.note(&changed);
        change(&changed, &mut free, &mut high, room);
    }
}

/// Tells when changes of everything at once come back to where they were. That there are no fewer contradictions is no sign of it: a support that grows
/// down a limb has a ring of them all the way.
#[derive(Default)]
struct Circles {
    /// Numbers that stand for everyone who is free: now, and before.
    now: u64,
    past: Vec<u64>,
    /// How many contradictions there were where a circle was met; it is left when there are fewer.
    met_at: Option<usize>,
}

impl Circles {
    /// Whether changing all of these would lead back, or did a while ago and nothing has become better since.
    fn is_caught(&mut self, changed: &[u32]) -> bool {
        self.met_at = self.met_at.filter(|&met_at| changed.len() >= met_at);
        if self.met_at.is_none() && self.past.contains(&self.after(changed)) {
            self.met_at = Some(changed.len());
        }
        self.met_at.is_some()
    }

    /// Takes note of changes that are made.
    fn note(&mut self, changed: &[u32]) {
        self.past.push(self.now);
        self.now = self.after(changed);
    }

    fn after(&self, changed: &[u32]) -> u64 {
        changed.iter().fold(self.now, |number, &i| number ^ scattered(i))
    }
}

/// Different for every unknown, and as different as can be (the last step of SplitMix64).
fn scattered(i: u32) -> u64 {
    let mut bits = (u64::from(i) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// Solves for the free unknowns and looks at what contradicts that; none when they cannot be solved for.
fn round(
    quadratic: &Quadratic,
    changed: &[u32],
    free: &[u32],
    high: &[u32],
    sources: &[u32],
    room: &mut Room,
) -> Option<Contradictions> {
    if let Some(mut factored) = room.factored.take() {
        let is_followed = factored.follow(quadratic, changed, room);
        room.factored = Some(factored);
        if is_followed {
            let wrong = contradictions(quadratic, free, high, sources, room);
            if wrong.unrest <= UNREST {
                return Some(wrong);
            }
        }
        room.clear();
    }
    solve_free(quadratic, free, room).then(|| contradictions(quadratic, free, high, sources, room))
}

/// Solves for the free unknowns with a new factor, all others as they are.
pub(super) fn solve_free(quadratic: &Quadratic, free: &[u32], room: &mut Room) -> bool {
    free.iter().enumerate().for_each(|(place, &i)| room.place[i as usize] = place as u32);
    free.iter().for_each(|&i| room.values[i as usize] = 0.0);
    let mut right: Vec<f64> = free.iter().map(|&i| room.force(quadratic, i as usize)).collect();
    let Some(factor) = factor(&quadratic.cut_out(free, &room.place)) else {
        free.iter().for_each(|&i| room.place[i as usize] = u32::MAX);
        return false;
    };
    factor.solve(&mut right);
    free.iter().zip(&right).for_each(|(&i, &x)| room.values[i as usize] = x);
    room.factored = Some(SchurUpdate::new(factor, free.to_vec()));
    right.iter().all(|x| x.is_finite())
}

/// Factors a matrix that is positive definite but for rounding, with as little on its diagonal as that takes.
fn factor(matrix: &Symmetric) -> Option<Factor> {
    // Unknowns were put into the order of elimination once for all.
    let symbolic = Symbolic::in_order(matrix).ok()?;
    if let Ok(factor) = symbolic.factor(matrix) {
        return Some(factor);
    }
    /// Shares of the diagonal. Slivers and needles of hostile meshes have needed the second.
    const STEADIED: [f64; 3] = [1e-12, 1e-9, 1e-6];
    STEADIED.iter().find_map(|share| {
        let addends: Vec<f64> = matrix.diagonal().map(|entry| share * entry + f64::MIN_POSITIVE).collect();
        symbolic.factor(&matrix.plus_diagonal(&addends)).ok()
    })
}

/// Who left the bounds, and who is pulled off one.
fn contradictions(
    quadratic: &Quadratic,
    free: &[u32],
    high: &[u32],
    sources: &[u32],
    room: &mut Room,
) -> Contradictions {
    let mut found = Contradictions { all: Vec::new(), residual: 0.0, unrest: 0.0 };
    for &i in free {
        if room.is_loose[i as usize] {
            continue;
        }
        let x = room.values[i as usize];
        let beyond = (-x).max(x - 1.0);
        found.residual = found.residual.max(beyond);
        if beyond > LEEWAY {
            found.all.push(i);
        }
    }
    room.mark += 1;
    for &near in free.iter().chain(high).chain(sources) {
        for (i, _) in quadratic.row(near as usize) {
            if std::mem::replace(&mut room.marks[i], room.mark) == room.mark {
                continue;
            }
            if room.states[i] == State::BoundaryConditions {
                continue;
            }
            let pull = room.force(quadratic, i) / quadratic.diagonal(i);
            let pull = match room.states[i] {
                State::Low if room.is_loose[i] => pull.abs(),
                State::High => -pull,
                State::Free => {
                    found.unrest = found.unrest.max(pull.abs());
                    continue;
                }
                _ => pull,
            };
            found.residual = found.residual.max(pull);
            if pull > PULL {
                found.all.push(i as u32);
            }
        }
    }
    found.residual = found.residual.max(found.unrest);
    found.all.sort_unstable();
    found
}

/// Gives every unknown in `changed` another state.
fn change(changed: &[u32], free: &mut Vec<u32>, high: &mut Vec<u32>, room: &mut Room) {
    for &i in changed {
        let i = i as usize;
        room.states[i] = match room.states[i] {
            State::Free if room.values[i] < 0.5 => State::Low,
            State::Free => State::High,
            _ => State::Free,
        };
        room.values[i] = 0.0;
    }
    let was_elsewhere = |list: &[u32], i: &&u32| list.binary_search(i).is_err();
    let new_free: Vec<u32> = changed.iter().filter(|i| was_elsewhere(free, i)).copied().collect();
    let new_high: Vec<u32> =
        changed.iter().filter(|&&i| room.states[i as usize] == State::High).copied().collect();
    free.extend(new_free);
    free.retain(|&i| room.states[i as usize] == State::Free);
    free.sort_unstable();
    high.extend(new_high);
    high.retain(|&i| room.states[i as usize] == State::High);
    high.sort_unstable();
}

fn finish(
    mut free: Vec<u32>,
    high: Vec<u32>,
    sources: &[u32],
    room: &mut Room,
    record: Convergence,
) -> (Vec<u32>, Convergence) {
    room.clear();
    for &i in &free {
        let x = &mut room.values[i as usize];
        let bounded = if room.is_loose[i as usize] { *x } else { x.clamp(0.0, 1.0) };
        *x = if x.is_finite() { bounded } else { 0.0 };
    }
    free.extend(high);
    free.extend_from_slice(sources);
    (free, record)
}
