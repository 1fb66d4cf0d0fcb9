//! Solving again after a few unknowns became free or came to rest, with the factor that was made before.
//!
//! In: a factor `A` over the unknowns that were free then, and who changed since. Out: what the values of all that are free now must change by,
//! exactly. Method: whoever became free borders `A` by a row and a column; whoever came to rest has a multiplier that holds it. Both are
//! columns `D`, and with `Z = A⁻¹ D`, solved once for each of them, what is left is a dense system as small as there are changes
//! (block elimination; for sets that change: Gill, Murray, Saunders, Wright 1987). Cost: a solve with the factor for every new
//! change and one for the rest. The last rounds of pivoting change one to thirty of several thousand unknowns: with it, 19 bones
//! on a skin of 80,000 vertices take 393 factorisations instead of 691 and two thirds of the time, and the same weights.

use super::Quadratic;
use super::active_set::{Room, State};
use crate::operators::sparse::Factor;

/// New changes that are solved for, for every number that a column of the factor has on average. Larger: a new factor were
/// cheaper than so many solves. Smaller: it is made where a few solves would do.
const CHANGES_PER_NUMBER: f64 = 0.25;

/// Changes kept at most. Larger: memory, and a dense system that takes as long as the factor.
const MOST_CHANGES: usize = 160;

/// A factor and what changed since it was made.
pub(super) struct SchurUpdate {
    factor: Factor,
    /// Whom it was made for, ascending; their places are in the room.
    unknowns: Vec<u32>,
    /// Who is, or was for a while, in another state than then.
    changed: Vec<u32>,
    /// `Z`: one column for each of them, as long as the unknowns.
    columns: Vec<f64>,
}

impl SchurUpdate {
    /// Nothing has changed yet. `room` has the places of `unknowns`.
    pub(super) fn new(factor: Factor, unknowns: Vec<u32>) -> Self {
        Self { factor, unknowns, changed: Vec::new(), columns: Vec::new() }
    }

    /// Whom the factor was made for.
    pub(super) fn unknowns(&self) -> &[u32] {
        &self.unknowns
    }

    /// Solves for all that are free now, after `changed` have. False when a new factor is the better way; values are then as they were.
    pub(super) fn follow(&mut self, quadratic: &Quadratic, changed: &[u32], room: &mut Room) -> bool {
        let size = self.unknowns.len();
        let new: Vec<u32> = changed.iter().copied().filter(|i| !self.changed.contains(i)).collect();
        let numbers = self.factor.numbers() as f64 / size.max(1) as f64;
        if size == 0
            || new.len() as f64 > CHANGES_PER_NUMBER * numbers
            || self.changed.len() + new.len() > MOST_CHANGES
        {
            return false;
        }
        let is_held = |i: u32| room.states[i as usize] != State::Free;
        let mut solved = vec![0.0; size * (new.len() + 1)];
        for (column, &i) in solved.chunks_exact_mut(size).zip(&new) {
            border(quadratic, i, room, column);
        }
        for (right, &i) in solved[size * new.len()..].iter_mut().zip(&self.unknowns) {
            // Where a multiplier holds, it takes what there is.
            *right = if is_held(i) { 0.0 } else { room.force(quadratic, i as usize) };
        }
        self.factor.solve(&mut solved);
        let rest = solved.split_off(size * new.len());
        self.columns.extend(solved);
        self.changed.extend(new);
        // Who differs from what the factor was made for: free and not in it, or in it and not free.
        let differs =
            |&at: &usize| (room.place_of(self.changed[at]) == u32::MAX) != is_held(self.changed[at]);
        let active: Vec<usize> = (0..self.changed.len()).filter(differs).collect();
        let Some(shares) = self.shares(quadratic, &active, &rest, room) else { return false };
        let mut moves = rest;
        for (&at, share) in active.iter().zip(&shares) {
            let column = &self.columns[at * size..][..size];
            moves.iter_mut().zip(column).for_each(|(to, from)| *to -= share * from);
        }
        for (&i, by) in
            self.unknowns.iter().zip(&moves).filter(|&(&i, _)| room.states[i as usize] == State::Free)
        {
            room.values[i as usize] += by;
        }
        for (&at, share) in active.iter().zip(&shares) {
            let i = self.changed[at];
            if room.place_of(i) == u32::MAX {
                room.values[i as usize] += share;
            }
        }
        true
    }

    /// How far whoever became free must move, and how strongly whoever came to rest is held, where the others by themselves would move by `rest`.
    fn shares(&self, quadratic: &Quadratic, active: &[usize], rest: &[f64], room: &Room) -> Option<Vec<f64>> {
        let count = active.len();
        let mut system = vec![0.0; count * count];
        let mut right = Vec::with_capacity(count);
        for (row, &at) in active.iter().enumerate() {
            let i = self.changed[at];
            right.push(match room.place_of(i) {
                u32::MAX => room.force(quadratic, i as usize) - across(quadratic, i, room, rest),
                place => -rest[place as usize],
            });
            // The lower triangle.
            for (column, &other) in active[..=row].iter().enumerate() {
                let between = self.between(quadratic, i, other, room);
                system[row * count + column] = between;
            }
        }
        solve_dense(&mut system, &mut right).then_some(right)
    }

    /// The entry of the dense system between a changed unknown and another one.
    fn between(&self, quadratic: &Quadratic, i: u32, other: usize, room: &Room) -> f64 {
        let size = self.unknowns.len();
        let column = &self.columns[other * size..][..size];
        match room.place_of(i) {
            u32::MAX => {
                let own = self.changed[other];
                let is_bordering = room.place_of(own) == u32::MAX;
                let direct = if is_bordering { quadratic.entry(i, own) } else { 0.0 };
                direct - across(quadratic, i, room, column)
            }
            place => -column[place as usize],
        }
    }
}

/// The column of `D` that an unknown has: its own row where it became free, and one where it came to rest.
fn border(quadratic: &Quadratic, i: u32, room: &Room, into: &mut [f64]) {
    match room.place_of(i) {
        u32::MAX => {
            for (j, value) in quadratic.row(i as usize) {
                if let Some(entry) = into.get_mut(room.place_of(j as u32) as usize) {
                    *entry = value;
                }
            }
        }
        place => into[place as usize] = 1.0,
    }
}

/// The row of an unknown times a vector over those the factor was made for.
fn across(quadratic: &Quadratic, i: u32, room: &Room, vector: &[f64]) -> f64 {
    let of =
        |(j, value): (usize, f64)| vector.get(room.place_of(j as u32) as usize).map_or(0.0, |x| value * x);
    quadratic.row(i as usize).map(of).sum()
}

/// Solves with a symmetric matrix of which the lower triangle is given by rows: positive for some unknowns and negative for the others, which
/// needs no pivoting in whatever order they come (Vanderbei 1995). False when rounding left nothing to divide by.
fn solve_dense(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let count = right.len();
    for at in 0..count {
        let pivot = matrix[at * count + at];
        if !(pivot.abs() > f64::MIN_POSITIVE && pivot.is_finite()) {
            return false;
        }
        let below: Vec<f64> = (at + 1..count).map(|row| matrix[row * count + at]).collect();
        for (offset, entry) in below.iter().enumerate() {
            let (row, share) = (at + 1 + offset, entry / pivot);
            let entries = &mut matrix[row * count + at + 1..=row * count + row];
            entries.iter_mut().zip(&below).for_each(|(to, from)| *to -= share * from);
            right[row] -= share * right[at];
        }
    }
    for at in (0..count).rev() {
        let below: f64 = (at + 1..count).map(|row| matrix[row * count + at] * right[row]).sum();
        right[at] = (right[at] - below) / matrix[at * count + at];
    }
    right.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::qp::active_set::solve_free;
    use crate::operators::sparse::Symmetric;

    /// A square net, as wide as that.
    const WIDTH: u32 = 12;

    fn net() -> Quadratic {
        let at = |x: u32, y: u32| y * WIDTH + x;
        let mut entries = Vec::new();
        for (x, y) in (0..WIDTH).flat_map(|y| (0..WIDTH).map(move |x| (x, y))) {
            for (a, b) in [(at(x, y), at(x + 1, y)), (at(x, y), at(x, y + 1))] {
                if b < WIDTH * WIDTH && (b != a + 1 || x + 1 < WIDTH) {
                    entries.extend([(a, b, -1.0), (a, a, 1.0), (b, b, 1.0)]);
                }
            }
        }
        let size = (WIDTH * WIDTH) as usize;
        Quadratic::bilaplacian(&Symmetric::from_entries(size, &entries), &vec![1.0; size])
    }

    fn set(room: &mut Room, unknowns: &[u32], state: State) {
        for &i in unknowns {
            room.states[i as usize] = state;
            room.values[i as usize] = if state == State::High { 1.0 } else { 0.0 };
        }
    }

    #[test]
    fn values_after_changes_are_those_of_a_new_factor() {
        let net = net();
        let mut room = Room::new(net.size(), &[]);
        set(&mut room, &(20..100).collect::<Vec<u32>>(), State::Free);
        set(&mut room, &[60], State::BoundaryConditions);
        room.values[60] = 1.0;
        set(&mut room, &[130], State::High);
        let free = |room: &Room| -> Vec<u32> {
            (0..net.size() as u32).filter(|&i| room.states[i as usize] == State::Free).collect()
        };
        let begun = free(&room);
        assert!(solve_free(&net, &begun, &mut room));
        let mut followed = room.factored.take().expect("something was factored");
        // Freed, held at either bound, freed again, held again, and from one bound to the other.
        let steps: [&[(u32, State)]; 4] = [
            &[(100, State::Free), (101, State::Free), (25, State::Low)],
            &[(130, State::Free), (33, State::High), (25, State::Free)],
            &[(100, State::Low), (33, State::Free), (34, State::Low), (102, State::Free)],
            &[(130, State::Low), (25, State::Low)],
        ];
        for step in steps {
            step.iter().for_each(|&(i, state)| set(&mut room, &[i], state));
            let changed: Vec<u32> = step.iter().map(|&(i, _)| i).collect();
            assert!(followed.follow(&net, &changed, &mut room), "{step:?}");
            let mut anew = Room::new(net.size(), &[]);
            (anew.states, anew.values) = (room.states.clone(), room.values.clone());
            assert!(solve_free(&net, &free(&room), &mut anew));
            let off = room.values.iter().zip(&anew.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-10, "{off} after {step:?}");
        }
    }

    #[test]
    fn many_changes_are_left_to_a_new_factor() {
        let net = net();
        let mut room = Room::new(net.size(), &[]);
        let begun: Vec<u32> = (20..60).collect();
        set(&mut room, &begun, State::Free);
        assert!(solve_free(&net, &begun, &mut room));
        let (mut followed, before) =
            (room.factored.take().expect("something was factored"), room.values.clone());
        let changed: Vec<u32> = (60..140).collect();
        set(&mut room, &changed, State::Free);
        assert!(!followed.follow(&net, &changed, &mut room));
        assert_eq!(room.values, before);
    }
}
