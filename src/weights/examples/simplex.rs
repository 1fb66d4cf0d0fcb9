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
}

impl Simplex {
    /// Minimises `½ wᵀ A w − bᵀ w` over w ≥ 0, Σ w = 1. `a` is positive definite, `w` the initial
    /// weights. Zero weights stay zero unless they `may_grow`.
    pub(super) fn minimise(&mut self, a: &[f64], b: &[f64], w: &mut [f64], may_grow: impl Fn(usize) -> bool) {
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
            let outside = (0..size).filter(|j| w[*j] <= 0.0 && !self.support.contains(j) && may_grow(*j));
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
