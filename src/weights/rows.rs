//! Construction of weight rows with valid values.

use crate::model::{Influence, Weights};

/// Weights below this fraction of a row are dropped. Larger: weights have a visible step where the
/// influence of a bone ends. Smaller: every vertex has an influence of every bone.
pub(super) const MIN_SHARE: f64 = 1e-6;

/// Collects one row per vertex.
#[derive(Default)]
pub(super) struct Rows {
    influences: Vec<Influence>,
    ends: Vec<usize>,
}

impl Rows {
    /// Appends a row from `shares`: (column, share) in ascending order of columns, none negative,
    /// at least one positive. They are normalised, and tiny ones are dropped.
    pub(super) fn push(&mut self, shares: &[(u32, f64)]) {
        let sum_of_shares: f64 = shares.iter().map(|&(_, share)| share).sum();
        let least = MIN_SHARE * sum_of_shares;
        let kept = || shares.iter().filter(|&&(_, share)| share >= least && share > 0.0);
        let sum: f64 = kept().map(|&(_, share)| share).sum();
        let start = self.influences.len();
        self.influences
            .extend(kept().map(|&(column, share)| Influence { column, weight: (share / sum) as f32 }));
        absorb_rounding_error(&mut self.influences[start..]);
        self.ends.push(self.influences.len());
    }

    /// The rows as weights with `columns` columns.
    pub(super) fn into_weights(self, columns: usize) -> Weights {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let rows = starts.zip(&self.ends).map(|(start, &end)| &self.influences[start..end]);
        match Weights::new(columns, rows) {
            Ok(weights) => weights,
            Err(error) => panic!("a method made rows that are no weights: {error}"),
        }
    }
}

/// Adds the rounding error of f32 to the largest weight, so that the row sums to one.
fn absorb_rounding_error(row: &mut [Influence]) {
    let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
    let largest = row.iter_mut().reduce(|best, i| if i.weight > best.weight { i } else { best });
    if let Some(largest) = largest {
        largest.weight = (f64::from(largest.weight) + 1.0 - sum) as f32;
    }
}
