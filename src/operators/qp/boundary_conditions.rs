//! Boundary conditions: given values at unknowns, and at sample points between them.

use super::inverse;

/// The given values of all columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundaryConditions {
    starts: Vec<u32>,
    values: Vec<(u32, f64)>,
    pub(super) is_fixed: Vec<bool>,
    pub(super) samples: Vec<SampleConstraint>,
}

/// A given value at a sample point between unknowns. The unknowns around it have no bounds: an
/// interpolated value of one with all unknowns at most one would force all of them to one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleConstraint {
    /// Unknowns, each once, with their interpolation weights.
    pub at: Vec<(u32, f64)>,
    /// The columns that are not zero at the point, with their values in 0..=1.
    pub columns: Vec<(u32, f64)>,
}

impl BoundaryConditions {
    /// For `size` unknowns. `of` returns the columns that are not zero at an unknown, with their
    /// values in 0..=1, or `None` where nothing is given.
    pub fn new(size: usize, mut of: impl FnMut(usize) -> Option<Vec<(u32, f64)>>) -> Self {
        let mut conditions = Self { starts: vec![0], ..Self::default() };
        for unknown in 0..size {
            let values = of(unknown);
            conditions.is_fixed.push(values.is_some());
            conditions.values.extend(values.into_iter().flatten());
            conditions.starts.push(conditions.values.len() as u32);
        }
        conditions
    }

    /// Whether the values at an unknown are given.
    pub fn is_fixed(&self, unknown: usize) -> bool {
        self.is_fixed[unknown]
    }

    /// The columns that are not zero at an unknown, with their values.
    pub fn values(&self, unknown: usize) -> &[(u32, f64)] {
        &self.values[self.starts[unknown] as usize..self.starts[unknown + 1] as usize]
    }

    /// The given values of all unknowns one after the other.
    pub fn all_values(&self) -> &[(u32, f64)] {
        &self.values
    }

    /// The same conditions with these sample constraints.
    #[must_use]
    pub fn with_samples(self, samples: Vec<SampleConstraint>) -> Self {
        Self { samples, ..self }
    }

    /// The sample constraints.
    pub fn samples(&self) -> &[SampleConstraint] {
        &self.samples
    }

    /// The conditions with permuted unknowns.
    pub(super) fn reordered(&self, order: &[u32]) -> Self {
        let reordered = Self::new(order.len(), |new| {
            let old = order[new] as usize;
            self.is_fixed(old).then(|| self.values(old).to_vec())
        });
        reordered.with_samples(self.renamed_samples(&inverse(order)))
    }

    /// The sample constraints with other indices of the unknowns. Weights of unknowns with the same
    /// index are added.
    fn renamed_samples(&self, index_of: &[u32]) -> Vec<SampleConstraint> {
        let renamed = |sample: &SampleConstraint| {
            let mut at: Vec<(u32, f64)> = Vec::with_capacity(sample.at.len());
            for &(unknown, value) in &sample.at {
                let index = index_of[unknown as usize];
                match at.iter_mut().find(|entry| entry.0 == index) {
                    Some(entry) => entry.1 += value,
                    None => at.push((index, value)),
                }
            }
            SampleConstraint { at, columns: sample.columns.clone() }
        };
        self.samples.iter().map(renamed).collect()
    }

    /// Conditions of clusters of unknowns: the mean over the unknowns with given values.
    pub(super) fn coarsened(&self, cluster_of: &[u32], count: usize) -> Self {
        let mut sums: Vec<Vec<(u32, f64)>> = vec![Vec::new(); count];
        let mut members = vec![0.0; count];
        for unknown in (0..cluster_of.len()).filter(|&i| self.is_fixed[i]) {
            let cluster = cluster_of[unknown] as usize;
            members[cluster] += 1.0;
            for &(column, value) in self.values(unknown) {
                match sums[cluster].iter_mut().find(|sum| sum.0 == column) {
                    Some(sum) => sum.1 += value,
                    None => sums[cluster].push((column, value)),
                }
            }
        }
        Self::new(count, |cluster| {
            let whole = members[cluster];
            (whole > 0.0).then(|| sums[cluster].iter().map(|&(column, sum)| (column, sum / whole)).collect())
        })
        .with_samples(self.renamed_samples(cluster_of))
    }
}
