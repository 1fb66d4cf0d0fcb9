//! The weights of one vertex: a small quadratic problem over w ≥ 0, Σ w = 1.
//!
//! An active-set method: solve for the weights above zero, drop those that would become negative,
//! add one that would lower the objective, until nothing changes. It starts from the previous
//! weights, so it mostly ends at once.

use crate::math::larger_f64;
use crate::operators::DenseFactor;

/// A zero weight becomes free if its multiplier exceeds this, relative to the right-hand side.
const MULTIPLIER_TOLERANCE: f64 = 1e-10;

/// The solver and its buffers.
#[derive(Default)]
pub(super) struct Simplex {
    factor: DenseFactor,
    support: Vec<usize>,
    submatrix: Vec<f64>,
    right: Vec<f64>,
    ones: Vec<f64>,
    /// The weights that may be above zero.
    candidates: Vec<usize>,
    trial: Vec<f64>,
    best: Vec<f64>,
}

impl Simplex {
    /// Minimises `½ wᵀ A w − bᵀ w` over w ≥ 0, Σ w = 1, with at most `limit` weights above zero.
    /// `a` is positive definite, `w` the initial weights. Weights beyond the limit are dropped one
    /// by one, each time the one without which the minimum is lowest.
    pub(super) fn minimise(&mut self, a: &[f64], b: &[f64], limit: usize, w: &mut [f64]) {
        self.candidates.clear();
        self.candidates.extend(0..b.len());
        self.minimise_candidates(a, b, w);
        let mut trial = std::mem::take(&mut self.trial);
        let mut best = std::mem::take(&mut self.best);
        let mut kept: Vec<usize> = (0..b.len()).filter(|&j| w[j] > 0.0).collect();
        while kept.len() > limit {
            let mut least = f64::INFINITY;
            for &dropped in &kept {
                self.candidates.clear();
                self.candidates.extend(kept.iter().copied().filter(|&j| j != dropped));
                trial.clear();
                trial.extend_from_slice(w);
                trial[dropped] = 0.0;
                let rest = 1.0 - w[dropped];
                if rest > 0.0 {
                    trial.iter_mut().for_each(|share| *share /= rest);
                    self.minimise_candidates(a, b, &mut trial);
                    let cost = cost(a, b, &trial);
                    if cost < least {
                        least = cost;
                        best.clone_from(&trial);
                    }
                }
            }
            if least == f64::INFINITY {
                break;
            }
            w.copy_from_slice(&best);
            kept.retain(|&j| w[j] > 0.0);
        }
        (self.trial, self.best) = (trial, best);
    }

    /// The same over the weights in `candidates`, without a limit.
    fn minimise_candidates(&mut self, a: &[f64], b: &[f64], w: &mut [f64]) {
        let size = b.len();
        self.support.clear();
        self.support.extend((0..size).filter(|&j| w[j] > 0.0));
        let gain = MULTIPLIER_TOLERANCE * b.iter().fold(0.0, |most, x| larger_f64(x.abs(), most));
        for _ in 0..4 * size {
            let Some(multiplier) = self.solve(a, b) else { return };
            let negative = self.support.iter().zip(&self.right).filter(|&(_, &x)| x < 0.0);
            let step =
                negative.map(|(&j, &x)| (w[j] / (w[j] - x), j)).reduce(|a, b| if b.0 < a.0 { b } else { a });
            if let Some((share, first)) = step {
                for (&j, &x) in self.support.iter().zip(&self.right) {
                    w[j] = larger_f64(w[j] + share * (x - w[j]), 0.0);
                }
                w[first] = 0.0;
                self.support.retain(|&j| j != first);
                continue;
            }
            self.support.iter().zip(&self.right).for_each(|(&j, &x)| w[j] = x);
            let reduced_gain = |j: usize| {
                let row = &a[j * size..(j + 1) * size];
                b[j] - row.iter().zip(&*w).map(|(a, w)| a * w).sum::<f64>() - multiplier
            };
            let outside = self.candidates.iter().copied();
            let outside = outside.filter(|j| w[*j] <= 0.0 && !self.support.contains(j));
            let best = outside.map(|j| (reduced_gain(j), j)).reduce(|a, b| if b.0 > a.0 { b } else { a });
            match best {
                Some((reduced_gain, j)) if reduced_gain > gain => self.support.push(j),
                _ => break,
            }
        }
        // Steps preserve the sum up to rounding.
        let sum: f64 = w.iter().sum();
        if sum > 0.0 {
            w.iter_mut().for_each(|share| *share /= sum);
        }
    }

    /// Solves for the weights of the support with sum one, of any sign, into `right`. Returns the
    /// multiplier of the sum.
    fn solve(&mut self, a: &[f64], b: &[f64]) -> Option<f64> {
        let (size, count) = (b.len(), self.support.len());
        self.submatrix.clear();
        for &i in &self.support {
            self.submatrix.extend(self.support.iter().map(|&j| a[i * size + j]));
        }
        if count == 0 || !self.factor.factor(&self.submatrix, count) {
            return None;
        }
        self.right.clear();
        self.right.extend(self.support.iter().map(|&j| b[j]));
        self.ones.clear();
        self.ones.resize(count, 1.0);
        self.factor.solve(&mut self.right);
        self.factor.solve(&mut self.ones);
        let multiplier = (self.right.iter().sum::<f64>() - 1.0) / self.ones.iter().sum::<f64>();
        self.right.iter_mut().zip(&self.ones).for_each(|(x, one)| *x -= multiplier * one);
        Some(multiplier)
    }
}

/// `½ wᵀ A w − bᵀ w`.
pub(super) fn cost(a: &[f64], b: &[f64], w: &[f64]) -> f64 {
    let size = b.len();
    let row = |i: usize| a[i * size..(i + 1) * size].iter().zip(w).map(|(a, w)| a * w).sum::<f64>();
    (0..size).map(|i| w[i] * (0.5 * row(i) - b[i])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers from 0 to 1.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        }
    }

    /// `Gᵀ G` of random vectors, which is positive definite, and a right-hand side.
    fn problem(size: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
        let mut number = numbers(seed);
        let vectors: Vec<f64> = (0..size * (size + 2)).map(|_| number() - 0.3).collect();
        let vector = |i: usize| &vectors[i * (size + 2)..(i + 1) * (size + 2)];
        let product = |i, j| vector(i).iter().zip(vector(j)).map(|(a, b)| a * b).sum::<f64>();
        let matrix = (0..size * size).map(|at| product(at / size, at % size)).collect();
        (matrix, (0..size).map(|_| number()).collect())
    }

    #[test]
    fn a_limited_row_is_nearly_as_good_as_the_best_of_all_supports() {
        let size = 7;
        let mut excesses = Vec::new();
        for seed in 0..40 {
            let (a, b) = problem(size, seed);
            let mut simplex = Simplex::default();
            for limit in 1..=4 {
                let mut found = vec![1.0 / size as f64; size];
                simplex.minimise(&a, &b, limit, &mut found);
                assert!(found.iter().filter(|w| **w > 0.0).count() <= limit);
                assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12 && found.iter().all(|w| *w >= 0.0));
                // By trying all supports of this size.
                let supports = (0u32..1 << size).filter(|set| set.count_ones() as usize == limit);
                let costs = supports.map(|set| {
                    simplex.candidates = (0..size).filter(|j| set >> j & 1 == 1).collect();
                    let share = |j: usize| if set >> j & 1 == 1 { 1.0 / limit as f64 } else { 0.0 };
                    let mut row: Vec<f64> = (0..size).map(share).collect();
                    let candidates = simplex.candidates.clone();
                    simplex.minimise_candidates(&a, &b, &mut row);
                    assert!((0..size).all(|j| row[j] <= 0.0 || candidates.contains(&j)));
                    cost(&a, &b, &row)
                });
                let best = costs.fold(f64::INFINITY, f64::min);
                let worst = (0..size).map(|j| 0.5 * a[j * size + j] - b[j]).fold(f64::NEG_INFINITY, f64::max);
                let excess = (cost(&a, &b, &found) - best) / (worst - best);
                assert!(excess > -1e-9, "seed {seed}, limit {limit}: {excess}");
                excesses.push(excess);
            }
        }
        let mean = excesses.iter().sum::<f64>() / excesses.len() as f64;
        let largest = excesses.iter().copied().fold(0.0, f64::max);
        println!("of the range from the best to the worst: {mean:.4} on average, at most {largest:.3}");
        assert!(mean <= 0.006 && largest <= 0.3, "{mean}, {largest}");
    }
}
