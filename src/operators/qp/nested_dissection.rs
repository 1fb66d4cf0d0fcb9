//! An elimination order by nested dissection, which serves all submatrices of a quadratic.
//!
//! In: rows of a [`Quadratic`]. Out: its unknowns in elimination order. Method: nested dissection
//! (George 1973) with level sets as separators. The unknowns at one graph distance from a
//! peripheral unknown divide the rest in two, and are eliminated after both. Limbs are long and
//! thin, so level sets are small. Cost: a few passes over the entries per bisection. The fill-in of
//! a submatrix is at most that of the whole matrix, so one order serves all of them: ordering each
//! by itself took a quarter of the time.

use super::Quadratic;

/// Largest subset that is not divided. Larger: more fill-in. Smaller: supernodes too narrow to be
/// fast.
const MAX_LEAF: usize = 80;

/// Smallest wanted size of either side of a separator, as a fraction of the subset.
const MIN_SIDE: f64 = 0.3;

/// The unknowns in elimination order.
pub(super) fn elimination_order(quadratic: &Quadratic) -> Vec<u32> {
    let size = quadratic.size();
    let mut dissection =
        Dissection { quadratic, subset_of: vec![0; size], seen: vec![0; size], subsets: 0, searches: 0 };
    let mut order = Vec::with_capacity(size);
    // Filled from the end and reversed: separators come after what they separate.
    let mut pending = vec![(0..size as u32).collect::<Vec<u32>>()];
    while let Some(subset) = pending.pop() {
        dissection.subsets += 1;
        subset.iter().for_each(|&i| dissection.subset_of[i as usize] = dissection.subsets);
        dissection.divide(&subset, &mut order, &mut pending);
    }
    order.reverse();
    order
}

struct Dissection<'q> {
    quadratic: &'q Quadratic,
    /// The subset of each unknown. Searches stay in one subset.
    subset_of: Vec<u32>,
    seen: Vec<u32>,
    subsets: u32,
    searches: u32,
}

impl Dissection<'_> {
    /// Appends the separator of a subset to `order`, and both sides to `pending`.
    fn divide(&mut self, subset: &[u32], order: &mut Vec<u32>, pending: &mut Vec<Vec<u32>>) {
        let Some(&first) = subset.first() else { return };
        let (reached, _) = self.levels(first);
        let (reached, ends) = self.levels(reached[reached.len() - 1]);
        if reached.len() < subset.len() {
            // Not connected: each connected piece by itself.
            let dissection = self.searches;
            let rest = subset.iter().copied().filter(|&i| self.seen[i as usize] != dissection).collect();
            pending.extend([rest, reached]);
        } else if reached.len() <= MAX_LEAF || ends.len() < 3 {
            order.extend(reached.iter().rev());
        } else {
            let least = (MIN_SIDE * reached.len() as f64) as usize;
            let start = |level: usize| if level == 0 { 0 } else { ends[level - 1] };
            // The smallest level set near the middle.
            let beyond = |level: usize| {
                let smaller = start(level).min(reached.len() - ends[level]);
                (ends[level] - start(level)) + 4 * least.saturating_sub(smaller)
            };
            let thinnest = (1..ends.len() - 1).min_by_key(|&level| beyond(level)).unwrap_or(1);
            let (low, high) = (start(thinnest), ends[thinnest]);
            order.extend(reached[low..high].iter().rev());
            pending.extend([reached[..low].to_vec(), reached[high..].to_vec()]);
        }
    }

    /// Breadth-first search within a subset: the unknowns by distance from `first`, and the end of
    /// each level.
    fn levels(&mut self, first: u32) -> (Vec<u32>, Vec<usize>) {
        self.searches += 1;
        let (dissection, subset) = (self.searches, self.subset_of[first as usize]);
        self.seen[first as usize] = dissection;
        let (mut reached, mut ends, mut from) = (vec![first], Vec::new(), 0);
        while from < reached.len() {
            let end = reached.len();
            ends.push(end);
            for at in from..end {
                for (j, _) in self.quadratic.row(reached[at] as usize) {
                    if self.subset_of[j] == subset && self.seen[j] != dissection {
                        self.seen[j] = dissection;
                        reached.push(j as u32);
                    }
                }
            }
            from = end;
        }
        (reached, ends)
    }
}
