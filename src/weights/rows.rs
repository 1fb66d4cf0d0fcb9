//! Rows of weights, made well-formed as they are written.

use crate::model::{Influence, Weights};

/// A smaller share than this is dropped. Larger: weights step visibly where a bone's reach ends. Smaller:
/// every vertex drags along every bone there is.
pub(super) const LEAST_SHARE: f64 = 1e-6;

/// Collects one row per vertex.
#[derive(Default)]
pub(super) struct Rows {
    influences: Vec<Influence>,
    ends: Vec<usize>,
}

impl Rows {
    /// Appends a row from `shares`: (column, share) in ascending order of columns, none negative, at
    /// least one above zero. They need not sum to one; tiny ones are dropped.
    pub(super) fn push(&mut self, shares: &[(u32, f64)]) {
        let whole: f64 = shares.iter().map(|&(_, share)| share).sum();
        let least = LEAST_SHARE * whole;
        let kept = || shares.iter().filter(|&&(_, share)| share >= least && share > 0.0);
        let sum: f64 = kept().map(|&(_, share)| share).sum();
        let start = self.influences.len();
        self.influences
            .extend(kept().map(|&(column, share)| Influence { column, weight: (share / sum) as f32 }));
        settle(&mut self.influences[start..]);
        self.ends.push(self.influences.len());
    }

    /// The rows as weights over `columns` columns.
    pub(super) fn into_weights(self, columns: usize) -> Weights {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let rows = starts.zip(&self.ends).map(|(start, &end)| &self.influences[start..end]);
        match Weights::new(columns, rows) {
            Ok(weights) => weights,
            Err(error) => panic!("a method made rows that are no weights: {error}"),
        }
    }
}

/// Lets the largest weight absorb what rounding to f32 took or gave, so that the row sums to one.
fn settle(row: &mut [Influence]) {
    let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
    let largest = row.iter_mut().reduce(|best, i| if i.weight > best.weight { i } else { best });
    if let Some(largest) = largest {
        largest.weight = (f64::from(largest.weight) + 1.0 - sum) as f32;
    }
}
