//! What is known of columns before they are solved for: values at unknowns, and at places between them.

use super::inverse;

/// Values that columns have at some of the unknowns, and between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundaryConditions {
    starts: Vec<u32>,
    shares: Vec<(u32, f64)>,
    pub(super) is_given: Vec<bool>,
    pub(super) pins: Vec<SampleConstraint>,
}

/// What columns are at a place between unknowns. The unknowns around it may leave their bounds: a function that is one at a place and
/// nowhere more would have to be one at all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleConstraint {
    /// Unknowns, each once, and their shares in what a function is there.
    pub at: Vec<(u32, f64)>,
    /// The columns that are not zero there, with their values in 0..=1.
    pub columns: Vec<(u32, f64)>,
}

impl BoundaryConditions {
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

    /// The same and these pins.
    #[must_use]
    pub fn pinned(self, pins: Vec<SampleConstraint>) -> Self {
        Self { pins, ..self }
    }

    /// What is given between unknowns.
    pub fn pins(&self) -> &[SampleConstraint] {
        &self.pins
    }

    /// The same with the unknowns in another order.
    pub(super) fn reordered(&self, order: &[u32]) -> Self {
        let reordered = Self::new(order.len(), |new| {
            let old = order[new] as usize;
            self.is_given(old).then(|| self.shares(old).to_vec())
        });
        reordered.pinned(self.renamed_pins(&inverse(order)))
    }

    /// Pins with other names for the unknowns; those that have one name become one.
    fn renamed_pins(&self, name_of: &[u32]) -> Vec<SampleConstraint> {
        let renamed = |pin: &SampleConstraint| {
            let mut at: Vec<(u32, f64)> = Vec::with_capacity(pin.at.len());
            for &(unknown, share) in &pin.at {
                let name = name_of[unknown as usize];
                match at.iter_mut().find(|named| named.0 == name) {
                    Some(named) => named.1 += share,
                    None => at.push((name, share)),
                }
            }
            SampleConstraint { at, columns: pin.columns.clone() }
        };
        self.pins.iter().map(renamed).collect()
    }

    /// What clusters of unknowns have: the mean of those in it that are given.
    pub(super) fn gathered(&self, cluster_of: &[u32], count: usize) -> Self {
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
        .pinned(self.renamed_pins(cluster_of))
    }
}
