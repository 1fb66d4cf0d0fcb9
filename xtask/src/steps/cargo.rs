//! Steps that Cargo does by itself.
//!
//! Packages are named one by one. With `--workspace` Cargo would unify the features of their
//! dependencies, and compile what `cargo test` and `cargo xtask` compiled already once more.

use crate::run::{Outcome, Workspace, show};
use crate::steps::rust_tests::PACKAGES;
use crate::steps::width;
use crate::wasm::TARGET;

/// Formatting: nothing would change if Rust code were formatted, and comments are at most 100
/// columns wide.
pub fn fmt(workspace: &Workspace) -> Outcome {
    let formatted = show(&mut workspace.cargo(["fmt", "--all", "--check"]));
    let narrow = width::check(workspace);
    formatted.and(narrow)
}

/// Lints of everything that is compiled natively.
pub fn clippy(workspace: &Workspace) -> Outcome {
    for (package, _) in PACKAGES {
        let arguments = ["clippy", "--package", package, "--all-targets", "--", "-D", "warnings"];
        show(&mut workspace.cargo(arguments))?;
    }
    Ok(())
}

/// Lints of the modules for the browser, each with its own features. The module of benches contains
/// all that the solver module does.
pub fn clippy_wasm(workspace: &Workspace) -> Outcome {
    let modules = [
        "pliant-viewer",
        "pliant-bench",
        "pliant-draco-decoder",
        "pliant-fbx-decoder",
        "pliant-meshopt-decoder",
        "pliant-meshopt-encoder",
    ];
    for package in modules {
        let arguments = ["clippy", "--package", package, "--target", TARGET, "--", "-D", "warnings"];
        show(&mut workspace.cargo(arguments))?;
    }
    Ok(())
}

/// The documentation builds, and every link in it leads somewhere.
pub fn docs(workspace: &Workspace) -> Outcome {
    let mut command = workspace.cargo(["doc", "--package", "pliant", "--no-deps", "--lib"]);
    show(command.env("RUSTDOCFLAGS", "-D warnings"))
}
