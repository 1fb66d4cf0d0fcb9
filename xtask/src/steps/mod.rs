//! The steps of `cargo xtask test`, in the order they run.

mod cargo;
mod setup;
mod simd;

use crate::run::{Outcome, Workspace};
use crate::{wasm, www};

/// Something that passes or fails, and can be run alone.
pub struct Step {
    /// What it is called on the command line.
    pub name: &'static str,
    /// For people.
    pub what: &'static str,
    /// Does it.
    pub run: fn(&Workspace) -> Outcome,
}

/// Every step; quick ones first, so that slips show early.
pub const ALL: &[Step] = &[
    Step { name: "setup", what: "install what is missing", run: setup::run },
    Step { name: "fmt", what: "the formatting of Rust code", run: cargo::fmt },
    Step { name: "clippy", what: "lints, warnings denied", run: cargo::clippy },
    Step { name: "clippy-wasm", what: "lints of what only the browser compiles", run: cargo::clippy_wasm },
    Step { name: "rust-tests", what: "unit, integration and documentation tests", run: cargo::tests },
    Step { name: "docs", what: "the documentation, warnings denied", run: cargo::docs },
    Step { name: "wasm", what: "build for the browser, within its size", run: wasm::build },
    Step { name: "simd", what: "the frame loops use vector instructions", run: simd::run },
    Step { name: "www-check", what: "types, formatting and lints of the browser's side", run: www::check },
    Step { name: "site", what: "the site as a static host gets it", run: www::site },
    Step { name: "browser", what: "the element and the page in a real Chromium", run: www::browser_tests },
];
