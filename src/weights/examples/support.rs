//! The limit of influences within a fit: the support of every vertex.
//!
//! In: weights of any number of handles per vertex. Out: the handles that may move each vertex, at
//! most as many as files store, and the weights without the others. The fit goes on with these, so
//! that what is dropped is made up for, and the error that is reported is that of the file. Cost: a
//! pass over the weights.

use super::fit::Fit;
use crate::math::sort_few;

impl Fit {
    /// Keeps the `limit` largest weights of every vertex. Later steps change only these. Returns
    /// whether any weight was dropped.
    pub(super) fn limit_support(&mut self, limit: usize) -> bool {
        self.support = vec![true; self.weights.len()];
        let mut drops_any = false;
        if self.handles <= limit {
            return drops_any;
        }
        let rows = self.weights.chunks_mut(self.handles).zip(self.support.chunks_mut(self.handles));
        for (row, support) in rows {
            let mut largest: Vec<usize> = (0..row.len()).collect();
            sort_few(&mut largest, |&a, &b| row[b].total_cmp(&row[a]).then(a.cmp(&b)));
            for &dropped in &largest[limit.max(1)..] {
                drops_any |= row[dropped] > 0.0;
                (row[dropped], support[dropped]) = (0.0, false);
            }
            let sum: f64 = row.iter().sum();
            if sum > 0.0 {
                row.iter_mut().for_each(|weight| *weight /= sum);
            }
        }
        self.pose();
        drops_any
    }

    /// Whether a limit is in force.
    pub(super) fn is_limited(&self) -> bool {
        !self.support.is_empty()
    }

    /// The handles that may move a vertex.
    pub(super) fn may_move(&self, vertex: usize) -> impl Fn(usize) -> bool + use<'_> {
        let support = self.support.get(vertex * self.handles..(vertex + 1) * self.handles);
        move |handle| support.is_none_or(|support| support[handle])
    }
}
