//! Steps that Cargo does by itself.

use crate::run::{Outcome, Workspace, show};
use crate::wasm::TARGET;

/// Nothing would change if it were formatted.
pub fn fmt(workspace: &Workspace) -> Outcome {
    show(&mut workspace.cargo(["fmt", "--all", "--check"]))
}

/// No lint has anything to say.
pub fn clippy(workspace: &Workspace) -> Outcome {
    show(&mut workspace.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// The same for the library as the browser gets it.
pub fn clippy_wasm(workspace: &Workspace) -> Outcome {
    let features = ["--features", "bench"];
    let library = ["clippy", "--lib", "--target", TARGET].into_iter().chain(features);
    show(&mut workspace.cargo(library.chain(["--", "-D", "warnings"])))
}

/// Every Rust test passes. Benchmarks are not run: they have no right answer.
pub fn tests(workspace: &Workspace) -> Outcome {
    show(&mut workspace.cargo(["test", "--workspace"]))
}

/// The documentation builds, with every link leading somewhere.
pub fn docs(workspace: &Workspace) -> Outcome {
    let mut command = workspace.cargo(["doc", "--no-deps", "--lib"]);
    show(command.env("RUSTDOCFLAGS", "-D warnings"))
}
