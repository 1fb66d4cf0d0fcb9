//! The site in `www`: its packages, its checks, and the static files in `www/dist`.

use std::path::PathBuf;

use crate::run::{Outcome, Workspace, show};
use crate::{chromium, wasm};

/// Installs what package-lock.json names, unless that is what is there.
pub fn packages(workspace: &Workspace) -> Outcome {
    let read = |path: PathBuf| std::fs::read(path).ok();
    let lock = workspace.www("package-lock.json");
    let stamp = workspace.www("node_modules/.pliant-lock.json");
    if read(stamp.clone()).is_some_and(|installed| read(lock.clone()) == Some(installed)) {
        return Ok(());
    }
    // Not `npm ci`: it refuses a lock without the optional packages of other platforms, and a registry that
    // does not serve those leaves them out of every lock.
    show(&mut workspace.npm(["install", "--no-save", "--no-audit", "--no-fund"]))?;
    std::fs::copy(&lock, &stamp).map(|_| ()).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// The WebAssembly and then everything around it, ready for any static host.
pub fn build(workspace: &Workspace) -> Outcome {
    wasm::build(workspace)?;
    site(workspace)
}

/// The same from a WebAssembly for trying things out.
pub fn build_fast(workspace: &Workspace) -> Outcome {
    wasm::build_fast(workspace)?;
    site(workspace)
}

/// `www/dist`, from a WebAssembly that is already there.
pub fn site(workspace: &Workspace) -> Outcome {
    packages(workspace)?;
    show(&mut workspace.npm(["run", "--silent", "build"]))
}

/// TypeScript's types, formatting and lints.
pub fn check(workspace: &Workspace) -> Outcome {
    packages(workspace)?;
    show(&mut workspace.npm(["run", "--silent", "check"]))
}

/// The element and the page in a real Chromium.
pub fn browser_tests(workspace: &Workspace) -> Outcome {
    packages(workspace)?;
    let chromium = chromium::find(workspace)?;
    let tests = workspace.root.join("tests/browser");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&tests)
        .map_err(|error| format!("{}: {error}", tests.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    files.sort();
    // One at a time: they measure, and two browsers on two cores measure each other. Software rendering on
    // a busy machine misses a deadline now and then, so a file that fails is run once more, visibly.
    for file in files {
        let run = || show(workspace.program("node", ["--test"]).arg(&file).env("CHROMIUM", &chromium));
        if let Err(reason) = run() {
            eprintln!("=== once more, after: {reason}");
            run()?;
        }
    }
    Ok(())
}

/// The README's picture of the studio, into `docs/studio.png`.
pub fn picture(workspace: &Workspace) -> Outcome {
    photograph(workspace, "tests/browser/readme_picture.mjs")
}

/// The paper's figures with our characters, into `docs/gallery`.
pub fn gallery(workspace: &Workspace) -> Outcome {
    photograph(workspace, "tests/browser/gallery/run.mjs")
}

/// Runs a script that takes pictures of the site as it is now.
fn photograph(workspace: &Workspace, script: &str) -> Outcome {
    build(workspace)?;
    let chromium = chromium::find(workspace)?;
    let script = workspace.root.join(script);
    show(workspace.program("node", [script]).env("CHROMIUM", chromium))
}
