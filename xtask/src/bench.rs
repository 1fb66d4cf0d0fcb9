//! `cargo xtask bench`: times beside their budgets (docs/budgets.md), natively and in Chromium.
//!
//! A benchmark is a file: `benches/NAME.rs` runs natively, `benches/browser/NAME.mjs` runs in
//! Chromium under the name `chromium-NAME`.

use std::path::{Path, PathBuf};

use crate::run::{Outcome, Workspace, show};
use crate::{assets, chromium, wasm, www};

/// The environment variables with the folders of the bench module (`src/web/bench.rs`), optimised
/// as the code of the page and as that of the worker.
const PACKAGES: [&str; 2] = ["PLIANT_BENCH_PACKAGE", "PLIANT_SOLVER_BENCH_PACKAGE"];

/// Modules that benchmarks in the browser share.
const SHARED: [&str; 2] = ["chromium-long_task", "chromium-table"];

/// Runs all benchmarks, or those with one of the words in their name, or lists them.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let (lists, words): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|a| *a == "--list");
    let all = find(workspace)?;
    let chosen = choose(&all, &words)?;
    if !lists.is_empty() {
        chosen.iter().for_each(|bench| println!("{}", bench.name));
        return Ok(());
    }
    let (native, browser): (Vec<&Bench>, Vec<&Bench>) = chosen.into_iter().partition(|b| b.is_native());
    if !native.is_empty() {
        let names = native.iter().flat_map(|bench| ["--bench", &bench.name]);
        show(&mut workspace.cargo(["bench", "--package", "pliant"].into_iter().chain(names)))?;
    }
    if browser.is_empty() { Ok(()) } else { run_in_chromium(workspace, &browser) }
}

/// Builds the site as visitors get it and the bench module, and runs benchmarks in Chromium.
fn run_in_chromium(workspace: &Workspace, benches: &[&Bench]) -> Outcome {
    let packages = wasm::build_bench(workspace)?;
    www::build(workspace)?;
    let chromium = chromium::find(workspace)?;
    let shell = assets::shell(workspace)?;
    benches.iter().try_for_each(|bench| {
        let mut node = workspace.program("node", [&bench.path]);
        let node = node.env("CHROMIUM", &chromium).env(assets::SHELL, &shell);
        show(node.envs(PACKAGES.iter().zip(&packages)))
    })
}

struct Bench {
    name: String,
    path: PathBuf,
}

impl Bench {
    fn is_native(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "rs")
    }
}

/// All benchmarks: native ones, then those in Chromium, sorted by name.
fn find(workspace: &Workspace) -> Result<Vec<Bench>, String> {
    let folder = workspace.root.join("benches");
    let mut all = benches_in(&folder, "rs", "")?;
    all.extend(benches_in(&folder.join("browser"), "mjs", "chromium-")?);
    all.retain(|bench| !SHARED.contains(&bench.name.as_str()));
    Ok(all)
}

fn benches_in(folder: &Path, extension: &str, prefix: &str) -> Result<Vec<Bench>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == extension));
    paths.sort();
    let named = |path: PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Bench { name: format!("{prefix}{stem}"), path }
    };
    Ok(paths.into_iter().map(named).collect())
}

/// Benchmarks with one of the words in their name; all if there are no words.
fn choose<'a>(all: &'a [Bench], words: &[&String]) -> Result<Vec<&'a Bench>, String> {
    let matches = |bench: &Bench, word: &str| bench.name.contains(word);
    if let Some(unknown) = words.iter().find(|word| !all.iter().any(|bench| matches(bench, word))) {
        let known: Vec<&str> = all.iter().map(|bench| bench.name.as_str()).collect();
        return Err(format!("no benchmark has '{unknown}' in its name; there are {}", known.join(", ")));
    }
    let is_wanted = |bench: &&Bench| words.is_empty() || words.iter().any(|word| matches(bench, word));
    Ok(all.iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn benches() -> Vec<Bench> {
        ["deform.rs", "browser/frames.mjs", "browser/open.mjs"]
            .map(|path| {
                let path = PathBuf::from(path);
                let stem = path.file_stem().unwrap().to_str().unwrap();
                let prefix = if path.starts_with("browser") { "chromium-" } else { "" };
                Bench { name: format!("{prefix}{stem}"), path: path.clone() }
            })
            .into()
    }

    #[test]
    fn a_word_chooses_every_benchmark_that_has_it_in_its_name() {
        let all = benches();
        let names = |words: &[&String]| -> Vec<String> {
            choose(&all, words).unwrap().iter().map(|bench| bench.name.clone()).collect()
        };
        assert_eq!(names(&[]), ["deform", "chromium-frames", "chromium-open"]);
        assert_eq!(names(&[&"chromium".into()]), ["chromium-frames", "chromium-open"]);
        assert_eq!(names(&[&"open".into(), &"deform".into()]), ["deform", "chromium-open"]);
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_names_there_are() {
        let error = choose(&benches(), &[&"glow".into()]).err().unwrap();
        assert!(error.contains("'glow'") && error.contains("chromium-frames"), "{error}");
    }

    #[test]
    fn native_and_browser_benchmarks_are_told_apart() {
        assert_eq!(benches().iter().map(Bench::is_native).collect::<Vec<_>>(), [true, false, false]);
    }
}
