//! Functions as smooth as they can be between 0 and 1, where some of their values are given.
//!
//! In: stiffness `L` and masses `M` of a surface or a lattice, and [`BoundaryConditions`] values for any number of columns, at unknowns or between them. Out: for each
//! column the minimum of `½ xᵀ (L M⁻¹ L) x` within 0..=1 ([`BoundedBiharmonicProblem::minimise`]), and a [`Convergence`] that says how far from it
//! the answer is. Source: bounded biharmonic weights (Jacobson et al. 2011), solved by `active_set`ing between bounds.
//! Cost: per column ten to forty rounds over the unknowns where it is neither 0 nor 1, of which half take a factorisation and the
//! others a few solves with the last (`schur_update`).
//!
//! Where bounds are met is guessed from a smaller problem made of clusters (`coarse`), and there from a still smaller one.
//! The guess saves time only: what is found is the one minimum there is. Measured with 25 points on 5,000 unknowns, starting with
//! everything free takes 17 rounds over 0.7 of the unknowns each; from a fair guess, 2 to 7 rounds over 0.2 of them.
//!
//! Unknowns are put into an order of elimination once (`nested_dissection`), which serves every part that is cut out: with 25 bones on a skin of 20,000
//! vertices 0.9 instead of 1.5 s, of 80,000 and on lattices about the same as ordering each part by itself.
//!
//! Where rounds go, and what does not save them (25 bones, 11,700 unknowns of a lattice): begun one ring too small or too large, a support
//! still takes about twelve, so better guesses than clusters give are not worth their price. Freeing one to three rings around whoever is
//! pulled, putting back only the worst of those below zero, or both: 21 to 46 rounds at most instead of 26 to 30, at best a
//! fifth sooner on skins, and then a third later on lattices. Allowing ten times the pull ends a round or two sooner, and is 0.0025 to 0.009 off. Conjugate
//! gradients with the last factor in place of a new one, where few states changed: ten to twenty-five iterations for each of the last rounds, which
//! are as dear as a factor on lattices and dearer on skins; bordering the last factor is exact and takes a solve for each change.
//!
//! Tried and rejected: ADMM on one factorisation of the whole, over-relaxed, with the best of nine penalties. Sixty iterations
//! left errors of 0.06 on the same mesh, and as a start for pivoting it saves less than the clusters do.

mod active_set;
mod boundary_conditions;
mod coarse;
mod nested_dissection;
mod quadratic;
mod schur_update;

pub use boundary_conditions::{BoundaryConditions, SampleConstraint};
pub use quadratic::Quadratic;

use active_set::{Room, State, pivot};

use super::sparse::Symmetric;
use crate::math::sort_by_keys;

/// Below this size a problem is begun with everything free. Larger: slower. Smaller: guesses from a few dozen clusters.
const SMALLEST: usize = 1200;

/// Where clusters have no more than this, their unknowns begin at zero. Larger: supports must grow ring by ring. Smaller:
/// they begin too large, which costs as much.
const FAINT: f64 = 3e-3;

/// How far a minimum was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use = "an answer that did not converge must not be taken for one that did"]
pub struct Convergence {
    /// Rounds on the full problem, each a solve for all that was free.
    pub iterations: usize,
    /// The largest violation of the conditions for a minimum (Karush, Kuhn, Tucker): how far any unknown lies outside its
    /// bounds, or would move if it alone were let go.
    pub residual: f64,
    /// Whether that is as small as was asked for.
    pub converged: bool,
}

impl Convergence {
    /// What is true of both of two answers.
    pub fn and(self, other: Self) -> Self {
        Self {
            iterations: self.iterations.max(other.iterations),
            residual: self.residual.max(other.residual),
            converged: self.converged && other.converged,
        }
    }

    /// Of no answer at all.
    pub const NOTHING: Self = Self { iterations: 0, residual: 0.0, converged: true };
}

/// Where each unknown is in an order.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
    place
}

/// One size of the problem, its unknowns in the order they are eliminated in.
struct Level {
    quadratic: Quadratic,
    given: BoundaryConditions,
    /// How stiff each pin is.
    strengths: Vec<f64>,
    /// Unknowns that no given value reaches; they stay at zero.
    unreached: Vec<u32>,
    /// Which of the next level's unknowns each of these belongs to; none on the last.
    cluster_of: Vec<u32>,
    /// The unknowns by the numbers they came with.
    order: Vec<u32>,
}

/// The problem, ready for any of its columns.
pub struct BoundedBiharmonicProblem {
    levels: Vec<Level>,
    rooms: Vec<Room>,
}

impl BoundedBiharmonicProblem {
    /// From stiffness (rows sum to zero, nothing off the diagonal above it), masses (above zero) and what is given.
    ///
    /// # Panics
    /// When their sizes differ.
    pub fn new(stiffness: &Symmetric, masses: &[f64], given: BoundaryConditions) -> Self {
        let size = stiffness.size();
        assert_eq!(given.is_given.len(), size, "every unknown is given or not");
        let mut levels: Vec<Level> = Vec::new();
        let (mut stiffness, mut masses, mut given) = (stiffness.clone(), masses.to_vec(), given);
        loop {
            let (quadratic, strengths) = Quadratic::bilaplacian(&stiffness, &masses).pinned(&given.pins);
            let order = nested_dissection::elimination_order(&quadratic);
            let quadratic = quadratic.reordered(&order);
            let rows = Quadratic::of(&stiffness.reordered(&order));
            masses = order.iter().map(|&i| masses[i as usize]).collect();
            given = given.reordered(&order);
            if let Some(last) = levels.last_mut() {
                let place = inverse(&order);
                last.cluster_of.iter_mut().for_each(|cluster| *cluster = place[*cluster as usize]);
            }
            let (mut cluster_of, count) = coarse::clusters(&rows);
            let unreached = unreached(&rows, &given);
            let is_last = rows.size() <= SMALLEST || 2 * count > rows.size();
            let next = given.gathered(&cluster_of, count);
            (stiffness, masses) = coarse::gathered(&rows, &masses, &cluster_of, count);
            if is_last {
                cluster_of.clear();
            }
            let given = std::mem::replace(&mut given, next);
            levels.push(Level { quadratic, given, strengths, unreached, cluster_of, order });
            if is_last {
                break;
            }
        }
        let rooms = levels.iter().map(|level| Room::new(level.quadratic.size(), &level.given.pins)).collect();
        Self { levels, rooms }
    }

    /// The smoothest function that one column can be, as (unknown, value) where it is not zero, unknowns ascending. Unknowns around pins
    /// can be a little less than zero or more than one.
    pub fn minimise(&mut self, column: u32) -> (Vec<(u32, f64)>, Convergence) {
        let mut record = Convergence::NOTHING;
        let mut support = Vec::new();
        for at in (0..self.levels.len()).rev() {
            let states = self.guess(at, &support);
            support.iter().for_each(|&i: &u32| {
                if let Some(room) = self.rooms.get_mut(at + 1) {
                    room.values[i as usize] = 0.0;
                }
            });
            let room = &mut self.rooms[at];
            room.states = states;
            let sources = self.levels[at].begin(column, room);
            (support, record) = pivot(&self.levels[at].quadratic, &sources, room);
            sources.iter().for_each(|&i| room.pushes[i as usize] = 0.0);
        }
        let (values, order) = (&mut self.rooms[0].values, &self.levels[0].order);
        let found = support.iter().map(|&i| (order[i as usize], std::mem::take(&mut values[i as usize])));
        let mut found: Vec<(u32, f64)> = found.filter(|&(_, value)| value != 0.0).collect();
        sort_by_keys(&mut found, |&(i, _)| i.into());
        (found, record)
    }

    /// Which states to begin a level with, from what was found on the smaller one.
    fn guess(&self, at: usize, found: &[u32]) -> Vec<State> {
        let size = self.levels[at].quadratic.size();
        let (Some(smaller), Some(room)) = (self.levels.get(at + 1), self.rooms.get(at + 1)) else {
            return vec![State::Free; size];
        };
        let mut states = vec![State::Low; smaller.quadratic.size()];
        for &i in found.iter().filter(|&&i| room.values[i as usize] > FAINT) {
            states[i as usize] = State::Free;
        }
        self.levels[at].cluster_of.iter().map(|&cluster| states[cluster as usize]).collect()
    }
}

impl Level {
    /// Puts what is given of a column into a room, and says where it is not zero.
    fn begin(&self, column: u32, room: &mut Room) -> Vec<u32> {
        let of_column = |shares: &[(u32, f64)]| shares.iter().find(|share| share.0 == column).map(|s| s.1);
        let mut sources = Vec::new();
        for i in (0..self.quadratic.size()).filter(|&i| self.given.is_given(i)) {
            room.states[i] = State::BoundaryConditions;
            if let Some(share) = of_column(self.given.shares(i)) {
                room.values[i] = share;
                sources.push(i as u32);
            }
        }
        for (pin, strength) in self.given.pins.iter().zip(&self.strengths) {
            if let Some(value) = of_column(&pin.columns) {
                for &(i, share) in &pin.at {
                    room.pushes[i as usize] += strength * share * value;
                    sources.push(i);
                }
            }
        }
        self.unreached.iter().for_each(|&i| room.states[i as usize] = State::BoundaryConditions);
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

/// The unknowns that are not connected to any that is given.
fn unreached(stiffness: &Quadratic, given: &BoundaryConditions) -> Vec<u32> {
    let mut is_reached = given.is_given.clone();
    given.pins.iter().flat_map(|pin| &pin.at).for_each(|&(i, _)| is_reached[i as usize] = true);
    let mut waiting: Vec<usize> = (0..stiffness.size()).filter(|&i| is_reached[i]).collect();
    while let Some(i) = waiting.pop() {
        for (j, _) in stiffness.row(i).filter(|&(_, value)| value < 0.0) {
            if !std::mem::replace(&mut is_reached[j], true) {
                waiting.push(j);
            }
        }
    }
    (0..stiffness.size() as u32).filter(|&i| !is_reached[i as usize]).collect()
}
