//! The library as the browser gets it: WebAssembly and its JavaScript in `www/pkg`.

use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use crate::run::{Outcome, Workspace, output, show};

/// What the browser runs.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The profile of Cargo.toml made for it.
pub const PROFILE: &str = "web";

/// What a visitor may have to download (DESIGN.md, budgets), gzipped as servers send it.
const GZIPPED_LIMIT: u64 = 1_000_000;

/// Compiles, makes the JavaScript, and checks the size.
pub fn build(workspace: &Workspace) -> Outcome {
    show(&mut workspace.cargo(["build", "--lib", "--target", TARGET, "--profile", PROFILE]))?;
    let compiled = workspace.target.join(TARGET).join(PROFILE).join("pliant.wasm");
    let package = workspace.root.join("www/pkg");
    bind(&compiled, &package).map_err(|error| format!("wasm-bindgen: {error}"))?;
    check_size(workspace, &package.join("pliant_bg.wasm"))
}

fn bind(compiled: &Path, package: &Path) -> Result<(), Box<dyn std::error::Error>> {
    Ok(Bindgen::new().input_path(compiled).web(true)?.typescript(true).generate(package)?)
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
