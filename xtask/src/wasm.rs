//! The library as the browser gets it: WebAssembly and its JavaScript in `www/pkg`.

use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::run::{Outcome, Workspace, output, show};
use crate::www;

/// What the browser runs.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The profile of Cargo.toml made for it.
pub const PROFILE: &str = "web";

/// The profile for trying things out.
const FAST_PROFILE: &str = "web-fast";

/// What a visitor may have to download (DESIGN.md, budgets), gzipped as servers send it.
const GZIPPED_LIMIT: u64 = 1_000_000;

/// What wasm-opt is told: to do what the compiler left (-O3 makes it 10 KB more to download); the features that the compiler uses, or it
/// refuses the file; and to leave large functions alone that have one caller. It would make four functions of 80 to 140 KB out of them, and
/// a browser compiles a function whole before its first line runs, and whole again, for most of a second, while the page opens.
const OPTIMISE: [&str; 9] = [
    "-O2",
    "--one-caller-inline-max-function-size=300",
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// What visitors get, within its size.
pub fn build(workspace: &Workspace) -> Outcome {
    let wasm = package(workspace, &workspace.www("pkg"), "", "opt")?;
    check_size(workspace, &wasm)
}

/// The same for trying things out: compiled in seconds, not optimised for size, of any size.
pub fn build_fast(workspace: &Workspace) -> Outcome {
    compile(workspace, FAST_PROFILE, "", &workspace.www("pkg")).map(|_| ())
}

/// The same with what only benchmarks call, in a folder of its own.
pub fn build_bench(workspace: &Workspace) -> Result<PathBuf, String> {
    let folder = workspace.target.join("bench-package");
    package(workspace, &folder, "bench", "bench-opt")?;
    Ok(folder)
}

/// Adds the target where rustup has not got it.
pub fn add_target(workspace: &Workspace) -> Outcome {
    let rustup = |arguments: &[&str]| workspace.program("rustup", arguments);
    let installed = output(&mut rustup(&["target", "list", "--installed"])).map_err(without_rustup)?;
    if installed.lines().any(|line| line == TARGET) {
        return Ok(());
    }
    show(&mut rustup(&["target", "add", TARGET]))
}

/// What to do about an error of rustup's.
pub fn without_rustup(error: String) -> String {
    error + "; install rustup from https://rustup.rs and try again"
}

/// Compiles with some features, makes the JavaScript in `folder`, and optimises; where the WebAssembly is.
fn package(workspace: &Workspace, folder: &Path, features: &str, kept: &str) -> Result<PathBuf, String> {
    let wasm = compile(workspace, PROFILE, features, folder)?;
    optimise(workspace, &wasm, kept)?;
    Ok(wasm)
}

/// Compiles with some features and makes the JavaScript in `folder`; where the WebAssembly is.
fn compile(workspace: &Workspace, profile: &str, features: &str, folder: &Path) -> Result<PathBuf, String> {
    add_target(workspace)?;
    let options = ["--lib", "--target", TARGET, "--profile", profile, "--features", features];
    show(&mut workspace.cargo(["build"].into_iter().chain(options)))?;
    let compiled = workspace.target.join(TARGET).join(profile).join("pliant.wasm");
    bind(&compiled, folder).map_err(|error| format!("wasm-bindgen: {error}"))?;
    Ok(folder.join("pliant_bg.wasm"))
}

/// Replaces the file by what wasm-opt makes of it. That takes a minute, so the last result is kept.
fn optimise(workspace: &Workspace, wasm: &Path, kept: &str) -> Outcome {
    www::packages(workspace)?;
    let [before, after] =
        ["before", "after"].map(|when| workspace.target.join(format!("{when}-{kept}.wasm")));
    let failed = |error: std::io::Error| format!("{}: {error}", wasm.display());
    let is_known = after.is_file() && std::fs::read(&before).ok() == std::fs::read(wasm).ok();
    if !is_known {
        // Whoever interrupts us must not find an old answer to a new question.
        let _ = std::fs::remove_file(&after);
        std::fs::copy(wasm, &before).map_err(failed)?;
        let tool = workspace.www("node_modules/binaryen/bin/wasm-opt");
        let mut node =
            workspace.program("node", [tool.as_path(), before.as_path(), Path::new("-o"), after.as_path()]);
        show(node.args(OPTIMISE))?;
    }
    std::fs::copy(&after, wasm).map(|_| ()).map_err(failed)
}

fn bind(compiled: &Path, package: &Path) -> Result<(), Box<dyn std::error::Error>> {
    Ok(Bindgen::new()
        .input_path(compiled)
        .web(true)?
        // www/src/wasm.ts says where the .wasm is; a second opinion in the worker would bundle it twice.
        .omit_default_module_path(true)
        .typescript(true)
        .generate(package)?)
}

fn check_size(workspace: &Workspace, wasm: &Path) -> Outcome {
    let raw = std::fs::metadata(wasm).map_err(|error| format!("{}: {error}", wasm.display()))?.len();
    let gzipped = gzipped_size(workspace, wasm)?;
    println!("pliant_bg.wasm: {raw} bytes, {gzipped} gzipped, of {GZIPPED_LIMIT} allowed");
    if gzipped <= GZIPPED_LIMIT {
        Ok(())
    } else {
        Err(format!("the WebAssembly is {gzipped} bytes gzipped, above its limit of {GZIPPED_LIMIT}"))
    }
}

/// Node has zlib, so xtask needs none.
fn gzipped_size(workspace: &Workspace, file: &Path) -> Result<u64, String> {
    const SCRIPT: &str = "const { readFileSync } = require('fs'); const { gzipSync } = require('zlib');
        console.log(gzipSync(readFileSync(process.argv[1]), { level: 9 }).length)";
    let mut node = workspace.program("node", ["-e", SCRIPT]);
    let printed = output(node.arg(file))?;
    printed.trim().parse().map_err(|_| format!("node prints '{}' for a size", printed.trim()))
}
