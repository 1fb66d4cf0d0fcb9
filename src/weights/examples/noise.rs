//! Automatic sparsity: λ1 from the noise in the examples
//! (docs/theory/example-fitting.md#automatic-sparsity).
//!
//! In: the residuals. Out: λ1. If the sparsity term of a vertex without its factor is x with a
//! probability density of `exp(−x/b)`, and examples have noise of variance σ², then the most likely
//! weights are those for `λ1 = 2 σ² / (b n m)`, with n vertices and m examples. Cost: a pass over
//! the edges per example, and a median.
//!
//! Noise differs from vertex to vertex; residuals of an unfinished fit are alike over larger
//! patches. λ1 starts high, where only near handles have influence, and is lowered as the fit
//! improves, down to the value above. Lowering it lowers E. With a negligible λ1 from the
//! beginning, 43 handles of an elephant reproduced eight exact poses to 1e-4 of its size by weights
//! with a mean error of 0.0225, after 0.0135 at first; with this schedule they end at 0.007.

use glam::DVec3;

use super::energy::PENALTY_FACTOR;
use super::fit::Fit;
use crate::math::median;

/// `2 / b`: λ1 per variance of the noise. Larger: weights are too simple. Smaller: they follow
/// noise.
const SPARSITY_PER_VARIANCE: f64 = 4.0;

/// Lower limit of the noise, in diagonals. Larger: exact examples are not reproduced. Smaller:
/// weights that the examples do not determine remain undetermined.
const MIN_NOISE: f64 = 5e-4;

/// Smallest factor of λ1 per iteration. Larger: many iterations. Smaller: weights cannot follow,
/// and end where too little determines them.
const MIN_FACTOR: f64 = 0.93;

/// Median of χ² with three degrees of freedom.
const MEDIAN_SQUARE: f64 = 2.366;

impl Fit {
    /// Sets the initial λ1 unless it is given: the sparsity term then costs about as much as the
    /// data term.
    pub(super) fn init_sparsity(&mut self) {
        if self.options.sparsity == 0.0 {
            let initial = self.rms().powi(2) * self.inverse_vertex_count() / PENALTY_FACTOR;
            self.options.sparsity = initial.max(self.noise_sparsity());
            self.has_automatic_sparsity = true;
        }
    }

    /// Lowers λ1 unless it is given. Returns the ratio to its previous value.
    pub(super) fn lower_sparsity(&mut self) -> f64 {
        if !self.has_automatic_sparsity {
            return 1.0;
        }
        let before = self.options.sparsity;
        self.options.sparsity = before.min(self.noise_sparsity().max(MIN_FACTOR * before));
        self.options.sparsity / before
    }

    fn noise_sparsity(&self) -> f64 {
        SPARSITY_PER_VARIANCE * self.noise().max(MIN_NOISE).powi(2) * self.inverse_vertex_count()
            / self.targets.len().max(1) as f64
    }

    /// Estimates the standard deviation of a coordinate from the median of how much residuals
    /// differ from the mean of their neighbours' residuals.
    fn noise(&self) -> f64 {
        let mut squares = Vec::with_capacity(self.rest.len() * self.targets.len());
        for (posed, targets) in self.posed.iter().zip(&self.targets) {
            let residual = |vertex: usize| targets[vertex] - posed[vertex];
            for (vertex, around) in self.around.iter().enumerate().filter(|(_, around)| !around.is_empty()) {
                let count = around.len() as f64;
                let mean = around.iter().map(|&(_, other)| residual(other as usize)).sum::<DVec3>() / count;
                squares.push((residual(vertex) - mean).length_squared() / (1.0 + 1.0 / count));
            }
        }
        median(&mut squares).map_or(0.0, |square| (square / MEDIAN_SQUARE).sqrt())
    }
}
