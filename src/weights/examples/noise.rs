//! How much sparsity examples ask for: as much as there is noise in them.
//!
//! In: what is left of the examples. Out: λ1. If the second term of a vertex without its factor is
//! x with a chance of `exp(−x/b)`, and examples have noise of variance σ², then the most likely
//! weights are those of `λ1 = 2 σ² / (b n m)`, for n vertices and m examples. Cost: a pass over the
//! edges per example, and a median.
//!
//! Noise is what differs from vertex to vertex; a fit that is not there yet is off for whole
//! patches alike. λ1 begins high, where vertices follow only what is near, and is lowered as the
//! fit gets better, down to the noise. Lowering it lowers E. With λ1 next to nothing from the
//! beginning, 43 handles of an elephant met eight exact poses to 1e-4 of its size by weights that
//! were 0.0225 wrong on average, after 0.0135 at first; so, they end at 0.007.

use glam::DVec3;

use super::energy::REACH;
use super::fit::Fit;

/// `2 / b`: how much sparsity there is for a given noise. Larger: weights are simpler than they
/// are. Smaller: they follow noise.
const TRUST: f64 = 4.0;

/// Examples are taken to be no more exact than this, in diagonals. Larger: exact examples are
/// missed. Smaller: where examples do not decide, neither does anything else.
const FINEST: f64 = 5e-4;

/// What is left of λ1 after an iteration, at least. Larger: many iterations. Smaller: weights do
/// not follow, and end where too little decides them.
const LOWERED: f64 = 0.93;

/// The median of the squared length of a vector of three numbers of variance one.
const MEDIAN_SQUARE: f64 = 2.366;

impl Fit {
    /// λ1 to begin with, where it is not given: holding what is far costs as much as the examples
    /// are missed by.
    pub(super) fn begin_sparsity(&mut self) {
        if self.options.sparsity == 0.0 {
            let missed = self.rms().powi(2) * self.share() / REACH;
            self.options.sparsity = missed.max(self.asked_for());
            self.is_lowered = true;
        }
    }

    /// Lowers λ1 where it is not given; says to what share of what it was.
    pub(super) fn lower_sparsity(&mut self) -> f64 {
        if !self.is_lowered {
            return 1.0;
        }
        let before = self.options.sparsity;
        self.options.sparsity = before.min(self.asked_for().max(LOWERED * before));
        self.options.sparsity / before
    }

    fn asked_for(&self) -> f64 {
        TRUST * self.noise().max(FINEST).powi(2) * self.share() / self.wanted.len().max(1) as f64
    }

    /// The standard deviation of a coordinate, by the median of how far what is left differs from
    /// what is left around it.
    fn noise(&self) -> f64 {
        let mut squares = Vec::with_capacity(self.rest.len() * self.wanted.len());
        for (posed, wanted) in self.posed.iter().zip(&self.wanted) {
            let left = |vertex: usize| wanted[vertex] - posed[vertex];
            for (vertex, around) in self.around.iter().enumerate().filter(|(_, around)| !around.is_empty()) {
                let count = around.len() as f64;
                let mean = around.iter().map(|&(_, other)| left(other as usize)).sum::<DVec3>() / count;
                squares.push((left(vertex) - mean).length_squared() / (1.0 + 1.0 / count));
            }
        }
        let middle = squares.len() / 2;
        if squares.is_empty() {
            return 0.0;
        }
        (*squares.select_nth_unstable_by(middle, f64::total_cmp).1 / MEDIAN_SQUARE).sqrt()
    }
}
