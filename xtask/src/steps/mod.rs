//! The steps of `cargo xtask test`, in the order they run.

mod cargo;
mod setup;
mod simd;
mod tests;
mod width;

use crate::run::{Outcome, Workspace};
use crate::{assets, wasm, www};

/// A check that passes or fails, and can be run alone.
pub struct Step {
    /// Its name on the command line.
    pub name: &'static str,
    /// A description.
    pub what: &'static str,
    /// Runs it.
    pub run: fn(&Workspace) -> Outcome,
    /// Whether it may run beside the steps before it, from `setup` on. It must not use their target
    /// folder.
    pub is_background: bool,
}

const fn step(name: &'static str, what: &'static str, run: fn(&Workspace) -> Outcome) -> Step {
    Step { name, what, run, is_background: false }
}

/// All steps; quick ones first, so that slips show early. The modules for the browser are compiled
/// beside native code: with `lto = "fat"` the compiler uses one core for most of that time.
pub const ALL: &[Step] = &[
    step("setup", "install what is missing", setup::run),
    step("fmt", "formatting of Rust code, width of comments and documents", cargo::fmt),
    step("clippy", "lints, warnings denied", cargo::clippy),
    step("clippy-wasm", "lints of what only the browser compiles", cargo::clippy_wasm),
    step("rust-tests", "unit and integration tests", tests::run),
    step("docs", "documentation of the library, warnings denied", cargo::docs),
    step("assets", "files that the library generates for the site", assets::build),
    Step {
        is_background: true,
        ..step("wasm", "the modules for the browser, within their sizes", wasm::build)
    },
    step("simd", "the frame loops use vector instructions", simd::run),
    step("www-check", "types, formatting, lints and tests of TypeScript", www::check),
    step("site", "the site as a static host gets it", www::site),
    step("browser", "the element and the studio in a real Chromium", www::browser_tests),
];
