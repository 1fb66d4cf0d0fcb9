//! Solves again after few states changed, with the previous factorisation and a Schur complement.
//!
//! In: a factorisation `A` over the unknowns that were free then, and the changes since. Out: the
//! exact displacements of all unknowns that are free now. Method: an unknown that became free
//! borders `A` by a row and a column; an unknown that became bound has a Lagrange multiplier. Both
//! are columns of `D`. With `Z = A⁻¹ D`, solved once per column, the rest is a dense system of the
//! size of the changes, the Schur complement (for changing active sets: Gill, Murray, Saunders,
//! Wright 1987). Cost: one solve per new change and one for the right-hand side. The last rounds of
//! the active-set method change one to thirty of several thousand unknowns: 19 bones on a surface
//! of 80,000 vertices take 393 factorisations instead of 691 and two thirds of the time, with the
//! same weights.

use super::Quadratic;
use super::active_set::{State, Workspace};
use crate::operators::sparse::Factor;

/// Largest number of new changes per round, relative to the mean number of entries in a column of
/// the factor. Larger: a new factorisation would be cheaper than so many solves. Smaller:
/// factorisations where a few solves would do.
const CHANGES_PER_COLUMN_ENTRY: f64 = 0.25;

/// Largest number of changes. Larger: memory, and a dense system that takes as long as a
/// factorisation.
const MAX_CHANGES: usize = 160;

/// A factorisation and the changes since it was made.
pub(super) struct SchurUpdate {
    factor: Factor,
    /// The unknowns of the factorisation, ascending. Their indices are in the workspace.
    unknowns: Vec<u32>,
    /// The unknowns whose state differs from the factorisation, or did for a while.
    changed: Vec<u32>,
    /// `Z`: one column for each changed unknown, as long as `unknowns`.
    columns: Vec<f64>,
}

impl SchurUpdate {
    /// A factorisation without changes. The workspace has the indices of `unknowns`.
    pub(super) fn new(factor: Factor, unknowns: Vec<u32>) -> Self {
        Self { factor, unknowns, changed: Vec::new(), columns: Vec::new() }
    }

    /// The unknowns of the factorisation.
    pub(super) fn unknowns(&self) -> &[u32] {
        &self.unknowns
    }

    /// Solves for all unknowns that are free now, after the states of `changed` have changed.
    /// Returns false if a new factorisation is better; values are then unchanged.
    pub(super) fn update(
        &mut self,
        quadratic: &Quadratic,
        changed: &[u32],
        workspace: &mut Workspace,
    ) -> bool {
        let size = self.unknowns.len();
        let new: Vec<u32> = changed.iter().copied().filter(|i| !self.changed.contains(i)).collect();
        let numbers = self.factor.entry_count() as f64 / size.max(1) as f64;
        if size == 0
            || new.len() as f64 > CHANGES_PER_COLUMN_ENTRY * numbers
            || self.changed.len() + new.len() > MAX_CHANGES
        {
            return false;
        }
        let is_bound = |i: u32| workspace.states[i as usize] != State::Free;
        let mut solved = vec![0.0; size * (new.len() + 1)];
        for (column, &i) in solved.chunks_exact_mut(size).zip(&new) {
            update_column(quadratic, i, workspace, column);
        }
        for (right, &i) in solved[size * new.len()..].iter_mut().zip(&self.unknowns) {
            // A multiplier balances any force.
            *right = if is_bound(i) { 0.0 } else { workspace.force(quadratic, i as usize) };
        }
        self.factor.solve(&mut solved);
        let rest = solved.split_off(size * new.len());
        self.columns.extend(solved);
        self.changed.extend(new);
        // Unknowns that differ from the factorisation: free and not in it, or in it and not free.
        let differs =
            |&at: &usize| (workspace.index_of(self.changed[at]) == u32::MAX) != is_bound(self.changed[at]);
        let active: Vec<usize> = (0..self.changed.len()).filter(differs).collect();
        let Some(solution) = self.solve_schur_complement(quadratic, &active, &rest, workspace) else {
            return false;
        };
        let mut displacements = rest;
        for (&at, amount) in active.iter().zip(&solution) {
            let column = &self.columns[at * size..][..size];
            displacements.iter_mut().zip(column).for_each(|(to, from)| *to -= amount * from);
        }
        for (&i, displacement) in self
            .unknowns
            .iter()
            .zip(&displacements)
            .filter(|&(&i, _)| workspace.states[i as usize] == State::Free)
        {
            workspace.values[i as usize] += displacement;
        }
        for (&at, amount) in active.iter().zip(&solution) {
            let i = self.changed[at];
            if workspace.index_of(i) == u32::MAX {
                workspace.values[i as usize] += amount;
            }
        }
        true
    }

    /// Solves the Schur complement: the displacements of unknowns that became free and the
    /// multipliers of those that became bound, where `rest` is the displacement of the others
    /// alone.
    fn solve_schur_complement(
        &self,
        quadratic: &Quadratic,
        active: &[usize],
        rest: &[f64],
        workspace: &Workspace,
    ) -> Option<Vec<f64>> {
        let count = active.len();
        let mut system = vec![0.0; count * count];
        let mut right = Vec::with_capacity(count);
        for (row, &at) in active.iter().enumerate() {
            let i = self.changed[at];
            right.push(match workspace.index_of(i) {
                u32::MAX => {
                    workspace.force(quadratic, i as usize) - row_product(quadratic, i, workspace, rest)
                }
                index => -rest[index as usize],
            });
            // The lower triangle.
            for (column, &other) in active[..=row].iter().enumerate() {
                let schur_entry = self.schur_entry(quadratic, i, other, workspace);
                system[row * count + column] = schur_entry;
            }
        }
        solve_dense(&mut system, &mut right).then_some(right)
    }

    /// The entry of the Schur complement for two changed unknowns.
    fn schur_entry(&self, quadratic: &Quadratic, i: u32, other: usize, workspace: &Workspace) -> f64 {
        let size = self.unknowns.len();
        let column = &self.columns[other * size..][..size];
        match workspace.index_of(i) {
            u32::MAX => {
                let own = self.changed[other];
                let is_bordering = workspace.index_of(own) == u32::MAX;
                let direct = if is_bordering { quadratic.entry(i, own) } else { 0.0 };
                direct - row_product(quadratic, i, workspace, column)
            }
            index => -column[index as usize],
        }
    }
}

/// The column of `D` of an unknown: its matrix row if it became free, a unit vector if it became
/// bound.
fn update_column(quadratic: &Quadratic, i: u32, workspace: &Workspace, into: &mut [f64]) {
    match workspace.index_of(i) {
        u32::MAX => {
            for (j, value) in quadratic.row(i as usize) {
                if let Some(entry) = into.get_mut(workspace.index_of(j as u32) as usize) {
                    *entry = value;
                }
            }
        }
        index => into[index as usize] = 1.0,
    }
}

/// The matrix row of an unknown times a vector over the unknowns of the factorisation.
fn row_product(quadratic: &Quadratic, i: u32, workspace: &Workspace, vector: &[f64]) -> f64 {
    let of = |(j, value): (usize, f64)| {
        vector.get(workspace.index_of(j as u32) as usize).map_or(0.0, |x| value * x)
    };
    quadratic.row(i as usize).map(of).sum()
}

/// Solves with a symmetric quasi-definite matrix, given by the rows of its lower triangle. Its
/// factorisation needs no pivoting in any order (Vanderbei 1995). Returns false if a pivot vanishes
/// by rounding.
fn solve_dense(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let count = right.len();
    for at in 0..count {
        let pivot = matrix[at * count + at];
        if !(pivot.abs() > f64::MIN_POSITIVE && pivot.is_finite()) {
            return false;
        }
        let below: Vec<f64> = (at + 1..count).map(|row| matrix[row * count + at]).collect();
        for (offset, entry) in below.iter().enumerate() {
            let (row, amount) = (at + 1 + offset, entry / pivot);
            let entries = &mut matrix[row * count + at + 1..=row * count + row];
            entries.iter_mut().zip(&below).for_each(|(to, from)| *to -= amount * from);
            right[row] -= amount * right[at];
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

    /// Width of a square grid of unknowns.
    const WIDTH: u32 = 12;

    fn grid() -> Quadratic {
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

    fn set(workspace: &mut Workspace, unknowns: &[u32], state: State) {
        for &i in unknowns {
            workspace.states[i as usize] = state;
            workspace.values[i as usize] = if state == State::High { 1.0 } else { 0.0 };
        }
    }

    #[test]
    fn values_after_changes_are_those_of_a_new_factor() {
        let grid = grid();
        let mut workspace = Workspace::new(grid.size(), &[]);
        set(&mut workspace, &(20..100).collect::<Vec<u32>>(), State::Free);
        set(&mut workspace, &[60], State::Fixed);
        workspace.values[60] = 1.0;
        set(&mut workspace, &[130], State::High);
        let free = |workspace: &Workspace| -> Vec<u32> {
            (0..grid.size() as u32).filter(|&i| workspace.states[i as usize] == State::Free).collect()
        };
        let initial = free(&workspace);
        assert!(solve_free(&grid, &initial, &mut workspace));
        let mut updated = workspace.factored.take().expect("something was factored");
        // Freed, bound at either bound, freed again, bound again, and from one bound to the other.
        let steps: [&[(u32, State)]; 4] = [
            &[(100, State::Free), (101, State::Free), (25, State::Low)],
            &[(130, State::Free), (33, State::High), (25, State::Free)],
            &[(100, State::Low), (33, State::Free), (34, State::Low), (102, State::Free)],
            &[(130, State::Low), (25, State::Low)],
        ];
        for step in steps {
            step.iter().for_each(|&(i, state)| set(&mut workspace, &[i], state));
            let changed: Vec<u32> = step.iter().map(|&(i, _)| i).collect();
            assert!(updated.update(&grid, &changed, &mut workspace), "{step:?}");
            let mut fresh = Workspace::new(grid.size(), &[]);
            (fresh.states, fresh.values) = (workspace.states.clone(), workspace.values.clone());
            assert!(solve_free(&grid, &free(&workspace), &mut fresh));
            let off =
                workspace.values.iter().zip(&fresh.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-10, "{off} after {step:?}");
        }
    }

    #[test]
    fn many_changes_are_left_to_a_new_factor() {
        let grid = grid();
        let mut workspace = Workspace::new(grid.size(), &[]);
        let initial: Vec<u32> = (20..60).collect();
        set(&mut workspace, &initial, State::Free);
        assert!(solve_free(&grid, &initial, &mut workspace));
        let (mut updated, before) =
            (workspace.factored.take().expect("something was factored"), workspace.values.clone());
        let changed: Vec<u32> = (60..140).collect();
        set(&mut workspace, &changed, State::Free);
        assert!(!updated.update(&grid, &changed, &mut workspace));
        assert_eq!(workspace.values, before);
    }
}
