//! The WebAssembly modules and their JavaScript, in `www/pkg`: `viewer`, `solver`, decoders, an
//! encoder, the fitter of skeletons, and the library of motions.
//!
//! The first two come from one crate. `wasm/viewer` and `wasm/solver` choose its features, so that
//! each module has its own file name and Cargo knows when it is up to date.

use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::run::{Outcome, Workspace, output, show};
use crate::www;

/// The compilation target.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The profile for trying things out.
const FAST_PROFILE: &str = "web-fast";

/// A module.
pub struct Module {
    /// The name of its folder in `wasm` and in `www/pkg`.
    name: &'static str,
    /// The profile of Cargo.toml for what visitors download.
    profile: &'static str,
    /// The optimisation level of wasm-opt.
    level: &'static str,
    /// The largest permitted size in bytes, gzipped as servers send it (docs/budgets.md#page).
    limit: Option<u64>,
}

/// What the page calls: drawing, deformation, picking.
pub const VIEWER: Module = Module { name: "viewer", profile: "web", level: "-O2", limit: Some(450_000) };

/// What the worker calls: import, solving, export. With `-Os` it is larger, gzipped, and slower.
const SOLVER: Module = Module { name: "solver", profile: SOLVER_PROFILE, level: "-O2", limit: Some(600_000) };

/// What the worker loads when a file is compressed with meshopt.
const MESHOPT: Module =
    Module { name: "meshopt-decoder", profile: SOLVER_PROFILE, level: "-Os", limit: Some(12_000) };

/// What the worker loads when a file is compressed with Draco.
const DRACO: Module =
    Module { name: "draco-decoder", profile: SOLVER_PROFILE, level: "-Os", limit: Some(80_000) };

/// What the worker loads when a file is FBX.
const FBX: Module =
    Module { name: "fbx-decoder", profile: SOLVER_PROFILE, level: "-Os", limit: Some(250_000) };

/// What the worker loads when an export is compressed with meshopt.
const MESHOPT_ENCODER: Module =
    Module { name: "meshopt-encoder", profile: SOLVER_PROFILE, level: "-Os", limit: Some(45_000) };

/// What the worker loads when a mesh needs a skeleton: the learned table, and the code for it.
const FITTER: Module = Module { name: "fitter", profile: SOLVER_PROFILE, level: "-O2", limit: Some(400_000) };

/// What the worker loads when a character has no clip, or a motion is dropped on it.
const MOTION: Module =
    Module { name: "motion-library", profile: SOLVER_PROFILE, level: "-Os", limit: Some(120_000) };

/// Every module that visitors download.
const ALL: [Module; 8] = [VIEWER, SOLVER, MESHOPT, DRACO, FBX, MESHOPT_ENCODER, FITTER, MOTION];

/// What only benches call, optimised as the code of the page. Visitors never download it.
const BENCH: Module = Module { name: "bench", profile: VIEWER.profile, level: VIEWER.level, limit: None };

/// The same, optimised as the code of the worker.
const SOLVER_BENCH: Module =
    Module { name: "bench", profile: SOLVER.profile, level: SOLVER.level, limit: None };

/// The profile of the solver module, of decoders, encoder and fitter, and of benches.
const SOLVER_PROFILE: &str = "web-solver";

/// Options of wasm-opt: the features that the compiler uses, without which it refuses the file. It
/// must not inline large functions into their only caller: that would make four functions of 80 to
/// 140 kB, and a browser compiles a function as a whole before it runs it, which would take most of
/// a second while the page opens. Folding equal code and ordering functions makes the files
/// compress better. Repeating the passes until nothing gets smaller, and preferring small code
/// where it is not slower, saves 0.9 %.
const OPTIMISE: [&str; 12] = [
    "--converge",
    "--shrink-level=1",
    "--code-folding",
    "--reorder-functions",
    "--one-caller-inline-max-function-size=300",
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Builds all modules as visitors get them, and checks their sizes after that.
pub fn build(workspace: &Workspace) -> Outcome {
    let mut too_large = Vec::new();
    for module in ALL {
        let wasm = package(workspace, &module, &workspace.www("pkg").join(module.name))?;
        too_large.extend(check_size(workspace, &module, &wasm).err());
    }
    if too_large.is_empty() { Ok(()) } else { Err(too_large.join("; ")) }
}

/// Builds all modules for trying things out: compiled in seconds, twice as large, of any size.
pub fn build_fast(workspace: &Workspace) -> Outcome {
    for module in ALL {
        let compiled = compile(workspace, &module, FAST_PROFILE)?;
        bind(&compiled, &workspace.www("pkg").join(module.name), module.name)?;
    }
    Ok(())
}

/// Builds the module with functions that only benches call, as the page has them and as the worker
/// has them. Returns the folders of both packages.
pub fn build_bench(workspace: &Workspace) -> Result<[PathBuf; 2], String> {
    let folders = ["bench-package", "solver-bench-package"].map(|name| workspace.target.join(name));
    package(workspace, &BENCH, &folders[0])?;
    package(workspace, &SOLVER_BENCH, &folders[1])?;
    Ok(folders)
}

/// Installs the target if rustup does not have it.
pub fn add_target(workspace: &Workspace) -> Outcome {
    let rustup = |arguments: &[&str]| workspace.program("rustup", arguments);
    let installed = output(&mut rustup(&["target", "list", "--installed"])).map_err(without_rustup)?;
    if installed.lines().any(|line| line == TARGET) {
        return Ok(());
    }
    show(&mut rustup(&["target", "add", TARGET]))
}

/// Adds the remedy to an error of rustup.
pub fn without_rustup(error: String) -> String {
    error + "; install rustup from https://rustup.rs and try again"
}

/// Compiles a module as visitors get it, with the names of its functions. Returns the file.
pub fn compile_release(workspace: &Workspace, module: &Module) -> Result<PathBuf, String> {
    compile(workspace, module, module.profile)
}

/// Compiles a module, generates its JavaScript in `folder`, and optimises it. Returns the
/// WebAssembly file.
fn package(workspace: &Workspace, module: &Module, folder: &Path) -> Result<PathBuf, String> {
    let compiled = compile(workspace, module, module.profile)?;
    let wasm = bind(&compiled, folder, module.name)?;
    optimise(workspace, &wasm, module)?;
    Ok(wasm)
}

fn compile(workspace: &Workspace, module: &Module, profile: &str) -> Result<PathBuf, String> {
    add_target(workspace)?;
    let package = format!("pliant-{}", module.name);
    let mut cargo =
        workspace.cargo(["build", "--package", &package, "--target", TARGET, "--profile", profile]);
    show(cargo.args(["--config", &short_paths()]))?;
    let file = format!("pliant_{}.wasm", module.name.replace('-', "_"));
    Ok(workspace.target.join(TARGET).join(profile).join(file))
}

/// The setting of Cargo with which messages of panics have no path of this machine. Without it,
/// modules are larger, and differ from machine to machine.
fn short_paths() -> String {
    let home = std::env::home_dir().map(|home| home.join(".cargo"));
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home).unwrap_or_default();
    let registries = std::fs::read_dir(cargo_home.join("registry/src")).into_iter().flatten().flatten();
    let flags: Vec<String> =
        registries.map(|entry| format!("--remap-path-prefix={}=", entry.path().display())).collect();
    // Debug formatting quotes as TOML does.
    format!("target.{TARGET}.rustflags={flags:?}")
}

/// Generates the package of a compiled module. Returns the WebAssembly file in it.
fn bind(compiled: &Path, folder: &Path, name: &str) -> Result<PathBuf, String> {
    let generate = || -> Result<(), Box<dyn std::error::Error>> {
        Ok(Bindgen::new()
            .input_path(compiled)
            .out_name(name)
            .web(true)?
            // www/src/wasm.ts has the address of the .wasm; a default here would bundle it twice.
            .omit_default_module_path(true)
            .typescript(true)
            .generate(folder)?)
    };
    generate().map_err(|error| format!("wasm-bindgen: {error}"))?;
    Ok(folder.join(format!("{name}_bg.wasm")))
}

/// Replaces a file by the output of wasm-opt. That takes half a minute, so the last result is kept.
fn optimise(workspace: &Workspace, wasm: &Path, module: &Module) -> Outcome {
    www::packages(workspace)?;
    // The bench module has two profiles.
    let file = |when| format!("{when}-opt-{}-{}.wasm", module.name, module.profile);
    let [before, after] = ["before", "after"].map(|when| workspace.target.join(file(when)));
    let failed = |error: std::io::Error| format!("{}: {error}", wasm.display());
    let is_known = after.is_file() && std::fs::read(&before).ok() == std::fs::read(wasm).ok();
    if !is_known {
        // After an interruption here, no old output may be beside a new input.
        let _ = std::fs::remove_file(&after);
        std::fs::copy(wasm, &before).map_err(failed)?;
        let tool = workspace.www("node_modules/binaryen/bin/wasm-opt");
        let mut node =
            workspace.program("node", [tool.as_path(), before.as_path(), Path::new("-o"), after.as_path()]);
        show(node.arg(module.level).args(OPTIMISE))?;
    }
    std::fs::copy(&after, wasm).map(|_| ()).map_err(failed)
}

fn check_size(workspace: &Workspace, module: &Module, wasm: &Path) -> Outcome {
    let Some(limit) = module.limit else { return Ok(()) };
    let raw = std::fs::metadata(wasm).map_err(|error| format!("{}: {error}", wasm.display()))?.len();
    let gzipped = gzipped_size(workspace, wasm)?;
    println!("{}: {raw} bytes, {gzipped} gzipped, {limit} allowed", module.name);
    if gzipped <= limit {
        Ok(())
    } else {
        Err(format!("the {} module is {gzipped} bytes gzipped, above its limit of {limit}", module.name))
    }
}

/// The size of a file compressed by Node's zlib, so that xtask needs none.
pub fn gzipped_size(workspace: &Workspace, file: &Path) -> Result<u64, String> {
    const SCRIPT: &str = "const { readFileSync } = require('fs'); const { gzipSync } = require('zlib');
        console.log(gzipSync(readFileSync(process.argv[1]), { level: 9 }).length)";
    let mut node = workspace.program("node", ["-e", SCRIPT]);
    let printed = output(node.arg(file))?;
    printed.trim().parse().map_err(|_| format!("node prints '{}' for a size", printed.trim()))
}
