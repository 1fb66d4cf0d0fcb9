//! Functions as smooth as they can be between 0 and 1, where some of their values are given.
//!
//! In: stiffness `L` and masses `M` of a surface or a lattice, and [`Given`] values for any number of columns. Out: for each
//! column the minimum of `½ xᵀ (L M⁻¹ L) x` within 0..=1 ([`Smoothest::minimise`]), and a [`Convergence`] that says how far from it
//! the answer is. Source: bounded biharmonic weights (Jacobson et al. 2011), solved by `pivot`ing between bounds.
//! Cost: per column ten to forty factorisations over the unknowns where it is neither 0 nor 1.
//!
//! Where bounds are met is guessed from a smaller problem made of clusters (`coarse`), and there from a still smaller one.
//! The guess saves time only: what is found is the one minimum there is. Measured with 25 points on 5,000 unknowns, starting with
//! everything free takes 17 rounds over 0.7 of the unknowns each; from a fair guess, 2 to 7 rounds over 0.2 of them.
//!
//! Unknowns are put into an order of elimination once (`dissect`), which serves every part that is cut out: with 25 bones on a skin of 20,000
//! vertices 0.9 instead of 1.5 s, of 80,000 and on lattices about the same as ordering each part by itself.
//!
//! Where rounds go, and what does not save them (25 bones, 11,700 unknowns of a lattice): begun one ring too small or too large, a support
//! still takes about twelve, so better guesses than clusters give are not worth their price. Freeing one to three rings around whoever is
//! pulled, putting back only the worst of those below zero, or both: 21 to 46 rounds at most instead of 26 to 30, at best a
//! fifth sooner on skins, and then a third later on lattices. Allowing ten times the pull ends a round or two sooner, and is 0.0025 to 0.009 off. Not tried: descent preconditioned by an old factor.
//!
//! Tried and rejected: ADMM on one factorisation of the whole, over-relaxed, with the best of nine penalties. Sixty iterations
//! left errors of 0.06 on the same mesh, and as a start for pivoting it saves less than the clusters do.

mod coarse;
mod dissect;
mod pivot;
mod quadratic;

pub use quadratic::Quadratic;

use pivot::{Room, State, pivot};

use super::sparse::Symmetric;

/// Below this size a problem is begun with everything free. Larger: slower. Smaller: guesses from a few dozen clusters.
const SMALLEST: usize = 1200;

/// Where clusters have no more than this, their unknowns begin at zero. Larger: supports must grow ring by ring. Smaller:
/// they begin too large, which costs as much.
const FAINT: f64 = 3e-3;

/// How far a minimum was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use = "an answer that did not converge must not be taken for one that did"]
pub struct Convergence {
    /// Factorisations on the full problem.
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

/// Values that columns have at some of the unknowns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    starts: Vec<u32>,
    shares: Vec<(u32, f64)>,
    is_given: Vec<bool>,
}

impl Given {
    /// For `size` unknowns; `of` names the columns that are not zero at one of them, with their values in 0..=1, or
    /// nothing where no column is given.
    pub fn new(size: usize, mut of: impl FnMut(usize) -> Option<Vec<(u32, f64)>>) -> Self {
        let mut given = Self { starts: vec![0], ..Self::default() };
        for unknown in 0..size {
            let shares = of(unknown);
            given.is_given.push(shares.is_some());
            given.shares.extend(shares.into_iter().flatten());
            given.starts.push(given.shares.len() as u32);
        }
        given
    }

    /// Whether columns are given at an unknown.
    pub fn is_given(&self, unknown: usize) -> bool {
        self.is_given[unknown]
    }

    /// The columns that are not zero there.
    pub fn shares(&self, unknown: usize) -> &[(u32, f64)] {
        &self.shares[self.starts[unknown] as usize..self.starts[unknown + 1] as usize]
    }

    /// Of all unknowns one after the other.
    pub fn all_shares(&self) -> &[(u32, f64)] {
        &self.shares
    }

    /// The same with the unknowns in another order.
    fn reordered(&self, order: &[u32]) -> Self {
        Self::new(order.len(), |new| {
            let old = order[new] as usize;
            self.is_given(old).then(|| self.shares(old).to_vec())
        })
    }

    /// What clusters of unknowns have: the mean of those in it that are given.
    fn gathered(&self, cluster_of: &[u32], count: usize) -> Self {
        let mut sums: Vec<Vec<(u32, f64)>> = vec![Vec::new(); count];
        let mut members = vec![0.0; count];
        for unknown in (0..cluster_of.len()).filter(|&i| self.is_given[i]) {
            let cluster = cluster_of[unknown] as usize;
            members[cluster] += 1.0;
            for &(column, share) in self.shares(unknown) {
                match sums[cluster].iter_mut().find(|sum| sum.0 == column) {
                    Some(sum) => sum.1 += share,
                    None => sums[cluster].push((column, share)),
                }
            }
        }
        Self::new(count, |cluster| {
            let whole = members[cluster];
            (whole > 0.0).then(|| sums[cluster].iter().map(|&(column, sum)| (column, sum / whole)).collect())
        })
    }
}

/// One size of the problem, its unknowns in the order they are eliminated in.
struct Level {
    quadratic: Quadratic,
    given: Given,
    /// Unknowns that no given value reaches; they stay at zero.
    unreached: Vec<u32>,
    /// Which of the next level's unknowns each of these belongs to; none on the last.
    cluster_of: Vec<u32>,
    /// The unknowns by the numbers they came with.
    order: Vec<u32>,
}

/// The problem, ready for any of its columns.
pub struct Smoothest {
    levels: Vec<Level>,
    rooms: Vec<Room>,
}

impl Smoothest {
    /// From stiffness (rows sum to zero, nothing off the diagonal above it), masses (above zero) and what is given.
    ///
    /// # Panics
    /// When their sizes differ.
    pub fn new(stiffness: &Symmetric, masses: &[f64], given: Given) -> Self {
        let size = stiffness.size();
        assert_eq!(given.is_given.len(), size, "every unknown is given or not");
        let mut levels: Vec<Level> = Vec::new();
        let (mut stiffness, mut masses, mut given) = (stiffness.clone(), masses.to_vec(), given);
        loop {
            let order = dissect::elimination_order(&Quadratic::bilaplacian(&stiffness, &masses));
            stiffness = stiffness.reordered(&order);
            masses = order.iter().map(|&i| masses[i as usize]).collect();
            given = given.reordered(&order);
            if let Some(last) = levels.last_mut() {
                let mut place = vec![0; order.len()];
                order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
                last.cluster_of.iter_mut().for_each(|cluster| *cluster = place[*cluster as usize]);
            }
            let quadratic = Quadratic::bilaplacian(&stiffness, &masses);
            let rows = Quadratic::of(&stiffness);
            let (cluster_of, count) = coarse::clusters(&rows);
            let unreached = unreached(&rows, &given);
            let is_last = rows.size() <= SMALLEST || 2 * count > rows.size();
            if is_last {
                levels.push(Level { quadratic, given, unreached, cluster_of: Vec::new(), order });
                break;
            }
            let next = given.gathered(&cluster_of, count);
            (stiffness, masses) = coarse::gathered(&rows, &masses, &cluster_of, count);
            let given = std::mem::replace(&mut given, next);
            levels.push(Level { quadratic, given, unreached, cluster_of, order });
        }
        let rooms = levels.iter().map(|level| Room::new(level.quadratic.size())).collect();
        Self { levels, rooms }
    }

    /// The smoothest function that one column can be, as (unknown, value) where it is above zero, unknowns ascending.
    pub fn minimise(&mut self, column: u32) -> (Vec<(u32, f64)>, Convergence) {
        let mut record = Convergence::NOTHING;
        let mut support = Vec::new();
        for at in (0..self.levels.len()).rev() {
            let Level { quadratic, given, unreached, .. } = &self.levels[at];
            let states = self.guess(at, &support);
            support.iter().for_each(|&i: &u32| {
                if let Some(room) = self.rooms.get_mut(at + 1) {
                    room.values[i as usize] = 0.0;
                }
            });
            let room = &mut self.rooms[at];
            room.states = states;
            let mut sources = Vec::new();
            for i in (0..quadratic.size()).filter(|&i| given.is_given(i)) {
                room.states[i] = State::Given;
                if let Some(&(_, share)) = given.shares(i).iter().find(|share| share.0 == column) {
                    room.values[i] = share;
                    sources.push(i as u32);
                }
            }
            unreached.iter().for_each(|&i| room.states[i as usize] = State::Given);
            (support, record) = pivot(quadratic, &sources, room);
        }
        let (values, order) = (&mut self.rooms[0].values, &self.levels[0].order);
        let found = support.iter().map(|&i| (order[i as usize], std::mem::take(&mut values[i as usize])));
        let mut found: Vec<(u32, f64)> = found.filter(|&(_, value)| value > 0.0).collect();
        found.sort_unstable_by_key(|&(i, _)| i);
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

/// The unknowns that are not connected to any that is given.
fn unreached(stiffness: &Quadratic, given: &Given) -> Vec<u32> {
    let mut is_reached = given.is_given.clone();
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
