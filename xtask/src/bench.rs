//! `cargo xtask bench`: the benchmarks, natively and optimised.

use crate::run::{Outcome, Workspace, show};

/// Runs all benchmarks, or those named.
pub fn run(workspace: &Workspace, names: &[String]) -> Outcome {
    let chosen = if names.is_empty() { vec!["*"] } else { names.iter().map(String::as_str).collect() };
    let benches = chosen.into_iter().flat_map(|name| ["--bench", name]);
    show(&mut workspace.cargo(["bench", "--package", "pliant"].into_iter().chain(benches)))
}
