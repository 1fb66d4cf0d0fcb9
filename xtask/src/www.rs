//! The site in `www`: npm packages, checks, and the static files in `www/dist`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::run::{Outcome, Workspace, show};
use crate::{assets, chromium, transcoder, wasm};

/// Installs the packages of package-lock.json, unless they are installed.
pub fn packages(workspace: &Workspace) -> Outcome {
    let read = |path: PathBuf| std::fs::read(path).ok();
    let lock = workspace.www("package-lock.json");
    let stamp = workspace.www("node_modules/.pliant-lock.json");
    if read(stamp.clone()).is_some_and(|installed| read(lock.clone()) == Some(installed)) {
        return Ok(());
    }
    // Not `npm ci`: it refuses a lock without the optional packages of other platforms, and a
    // registry that does not serve those leaves them out of every lock.
    show(&mut workspace.npm(["install", "--no-save", "--no-audit", "--no-fund"]))?;
    std::fs::copy(&lock, &stamp).map(|_| ()).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// The modules, the generated files, and the site around them, ready for any static host.
pub fn build(workspace: &Workspace) -> Outcome {
    assets::build(workspace)?;
    wasm::build(workspace)?;
    site(workspace)
}

/// The same with modules for trying things out.
pub fn build_fast(workspace: &Workspace) -> Outcome {
    assets::build(workspace)?;
    wasm::build_fast(workspace)?;
    site(workspace)
}

/// `www/dist`, from modules and generated files that are already there.
pub fn site(workspace: &Workspace) -> Outcome {
    packages(workspace)?;
    show(&mut workspace.npm(["run", "--silent", "build"]))?;
    transcoder::check_size(workspace)
}

/// Types, formatting, lints and unit tests of TypeScript.
pub fn check(workspace: &Workspace) -> Outcome {
    packages(workspace)?;
    show(&mut workspace.npm(["run", "--silent", "check"]))
}

/// The element and the studio in a real Chromium, two test files at a time.
pub fn browser_tests(workspace: &Workspace) -> Outcome {
    packages(workspace)?;
    let command = BrowserTests::new(workspace)?;
    let tests = workspace.root.join("tests/browser");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&tests)
        .map_err(|error| format!("{}: {error}", tests.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    // Long files first, so that no core waits for one at the end.
    files.sort_by_key(|path| std::cmp::Reverse(path.metadata().map_or(0, |metadata| metadata.len())));
    let queue = Mutex::new(files.into_iter());
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(file) = queue.lock().map_or(None, |mut files| files.next()) {
                    let result = command.run(&file);
                    if let Ok(mut results) = results.lock() {
                        results.push(result);
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().map_err(|_| "a thread panicked")?;
    // Software rendering on a busy machine misses a deadline now and then. A file that fails is run
    // once more, alone and visibly.
    for result in results.iter_mut().filter(|result| !result.is_passed) {
        eprintln!("=== once more, alone: {}", result.name);
        *result = command.run(&tests.join(&result.name));
    }
    results.sort_by_key(|result| std::cmp::Reverse(result.time));
    print_slowest(&results);
    let failed: Vec<&str> = results.iter().filter(|r| !r.is_passed).map(|r| r.name.as_str()).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// How many browsers run at a time. With more than there are cores, pages wait so long that tests
/// time out.
const AT_A_TIME: usize = 2;

/// How many of the slowest tests are listed.
const LISTED: usize = 12;

struct BrowserTests<'a> {
    workspace: &'a Workspace,
    chromium: PathBuf,
    shell: PathBuf,
}

/// The outcome of one test file.
struct FileResult {
    name: String,
    is_passed: bool,
    time: Duration,
    /// Milliseconds and names of its tests.
    tests: Vec<(f64, String)>,
}

impl<'a> BrowserTests<'a> {
    fn new(workspace: &'a Workspace) -> Result<Self, String> {
        Ok(Self { workspace, chromium: chromium::find(workspace)?, shell: assets::shell(workspace)? })
    }

    /// Runs a test file, and prints its output when it has ended.
    fn run(&self, file: &Path) -> FileResult {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let start = Instant::now();
        let mut node = self.workspace.program("node", ["--test", "--test-reporter=spec"]);
        let node = node.arg(file).env("CHROMIUM", &self.chromium).env(assets::SHELL, &self.shell);
        let (text, is_passed) = match node.output() {
            Ok(out) => {
                let text = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                (text.concat(), out.status.success())
            }
            Err(error) => (error.to_string(), false),
        };
        let time = start.elapsed();
        println!("\n$ node --test {name}\n{text}");
        FileResult { name, is_passed, time, tests: times_in(&text) }
    }
}

/// Milliseconds and names in lines such as `✔ a name (123.4ms)`.
fn times_in(report: &str) -> Vec<(f64, String)> {
    let time_of = |line: &str| -> Option<(f64, String)> {
        let (name, time) = line.trim().strip_prefix(['✔', '✖'])?.rsplit_once(" (")?;
        Some((time.strip_suffix("ms)")?.parse().ok()?, name.trim().to_owned()))
    };
    report.lines().filter_map(time_of).collect()
}

fn print_slowest(results: &[FileResult]) {
    for result in results {
        println!("{:>8.1} s  {}", result.time.as_secs_f64(), result.name);
    }
    let mut tests: Vec<&(f64, String)> = results.iter().flat_map(|result| &result.tests).collect();
    tests.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("slowest of {} tests:", tests.len());
    for (milliseconds, name) in tests.into_iter().take(LISTED) {
        println!("{:>8.1} s  {name}", milliseconds / 1000.0);
    }
}

/// The picture of the studio in the README, into `docs/studio.png`.
pub fn picture(workspace: &Workspace) -> Outcome {
    on_site(workspace, "tests/browser/readme_picture.mjs", &[])
}

/// The pictures of docs/gallery.md, into `docs/gallery`.
pub fn gallery(workspace: &Workspace) -> Outcome {
    on_site(workspace, "tests/browser/gallery/run.mjs", &[])
}

/// A table of all models below a folder, opened natively and in Chromium.
pub fn corpus(workspace: &Workspace, arguments: &[String]) -> Outcome {
    on_site(workspace, "tests/browser/corpus.mjs", arguments)
}

/// Tables of models below a folder and their compressed twins, read natively and in Chromium.
pub fn twins(workspace: &Workspace, arguments: &[String]) -> Outcome {
    on_site(workspace, "tests/browser/twins.mjs", arguments)
}

/// Builds the site and runs a script with a Chromium and the command line.
fn on_site(workspace: &Workspace, script: &str, arguments: &[String]) -> Outcome {
    build(workspace)?;
    let chromium = chromium::find(workspace)?;
    let shell = assets::shell(workspace)?;
    let mut node = workspace.program("node", [workspace.root.join(script)]);
    show(node.args(arguments).env("CHROMIUM", chromium).env(assets::SHELL, shell))
}

#[cfg(test)]
mod tests {
    use super::times_in;

    #[test]
    fn times_of_tests_are_read_from_the_report() {
        let report = "▶ group\n  ✔ a (b) works (12.5ms)\n  ✖ fails (3ms)\n✔ group (20.1ms)\nℹ tests 2\n";
        let expected = [(12.5, "a (b) works"), (3.0, "fails"), (20.1, "group")];
        assert_eq!(times_in(report), expected.map(|(time, name)| (time, name.to_owned())));
    }
}
