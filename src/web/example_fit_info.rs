//! How learning from examples went, as a page is told.

use serde::Serialize;

use crate::pipeline::{ExampleFitSummary, Outcome};
use crate::weights::Energy;

/// How learning from examples went.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ExampleFitReport {
    /// How many there were.
    pub iterations: usize,
    /// Whether E came to rest; else all iterations were done, or somebody stopped it.
    pub converged: bool,
    /// Whether there is nothing more to do.
    pub is_over: bool,
    /// After every iteration, the first being what it began with.
    pub energy: Vec<Energy>,
    /// How far the character is from the examples at first and in the end: a root mean square, as a share of its size.
    pub rms: [f64; 2],
    /// The same for each of them.
    pub rms_by_example: Vec<[f64; 2]>,
}

impl ExampleFitReport {
    /// What there is to tell about a run, if it was one by examples.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let ExampleFitSummary { energy, rms, rms_by_example, is_over, .. } =
            outcome.example_fit.as_deref()?;
        let convergence = outcome.convergence?;
        Some(Self {
            iterations: convergence.iterations,
            converged: convergence.converged,
            is_over: *is_over,
            energy: energy.clone(),
            rms: *rms,
            rms_by_example: rms_by_example.clone(),
        })
    }
}
