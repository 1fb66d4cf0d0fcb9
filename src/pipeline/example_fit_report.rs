//! The report of example fitting. The page and the command line share it.

use serde::Serialize;

use super::{ExampleFitSummary, Outcome};
use crate::weights::Energy;

/// The report of example fitting.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ExampleFitReport {
    /// Number of iterations.
    pub iterations: usize,
    /// Whether the energy converged. Otherwise all iterations were done, or the fit was stopped.
    pub converged: bool,
    /// Whether the fit has ended.
    pub is_over: bool,
    /// The energy of the initial weights, and after every iteration.
    pub energy: Vec<Energy>,
    /// RMS error before and after the fit, relative to the diagonal of the mesh; the second is that
    /// of the weights in the file.
    pub rms: [f64; 2],
    /// As the second of `rms`, if joints only turn and move, as in clips; of a finished fit.
    pub rigid_rms: Option<f64>,
    /// `rms` for each example.
    pub rms_by_example: Vec<[f64; 2]>,
}

impl ExampleFitReport {
    /// Describes a run; none if it fitted no examples.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let ExampleFitSummary { energy, rms, rigid_rms, rms_by_example, is_over, .. } =
            outcome.example_fit.as_deref()?;
        let convergence = outcome.convergence?;
        Some(Self {
            iterations: convergence.iterations,
            converged: convergence.converged,
            is_over: *is_over,
            energy: energy.clone(),
            rms: *rms,
            rigid_rms: *rigid_rms,
            rms_by_example: rms_by_example.clone(),
        })
    }
}
