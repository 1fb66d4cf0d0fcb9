//! Runs the Rust tests, and reports which took longest and how many were skipped.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::run::{Outcome, Workspace, show};

/// How many of the slowest tests are listed.
const LISTED: usize = 12;

/// What a test prints, with a reason, when it cannot run here (tests/shared_models.rs).
const SKIPPED: &str = "skipped: ";

/// What is compiled natively: packages and their folders.
pub const PACKAGES: [(&str, &str); 9] = [
    ("pliant", ""),
    ("pliant-cholesky", "numerics/cholesky"),
    ("pliant-draco", "decoders/draco"),
    ("pliant-fbx", "decoders/fbx"),
    ("pliant-fitting", "fitting"),
    ("pliant-glb", "encoders/glb"),
    ("pliant-meshopt", "decoders/meshopt"),
    ("pliant-polygon", "decoders/polygon"),
    ("xtask", "xtask"),
];

/// Unit and integration tests. Benches are not run: they assert nothing.
pub fn run(workspace: &Workspace) -> Outcome {
    let mut results = Results::default();
    for (package, folder) in PACKAGES {
        let folder = workspace.root.join(folder);
        for executable in build(workspace, package)? {
            println!("\n$ {}", executable.display());
            run_one(Command::new(workspace.root.join(executable)).current_dir(&folder), &mut results)?;
        }
    }
    results.print();
    if results.failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", results.failed.join(", "))) }
}

/// Compiles the tests of a package. Returns their executables.
fn build(workspace: &Workspace, package: &str) -> Result<Vec<PathBuf>, String> {
    let arguments = ["test", "--package", package, "--no-run"];
    show(&mut workspace.cargo(arguments))?;
    // Everything is up to date now: this only lists.
    let listed = workspace.cargo(arguments).output().map_err(|error| error.to_string())?;
    let executables = executables_in(&String::from_utf8_lossy(&listed.stderr));
    if executables.is_empty() { Err(format!("{package} has no tests")) } else { Ok(executables) }
}

/// The paths in lines such as `  Executable unittests src/lib.rs (target/debug/deps/pliant-0123)`.
fn executables_in(listed: &str) -> Vec<PathBuf> {
    let lines = listed.lines().filter(|line| line.trim_start().starts_with("Executable"));
    lines.filter_map(|line| Some(line.rsplit_once('(')?.1.strip_suffix(')')?.into())).collect()
}

/// Runs a test executable and shows its output, except what passing tests print.
fn run_one(command: &mut Command, results: &mut Results) -> Outcome {
    // Times of tests are an unstable option of the test harness. The variable permits it for this
    // process.
    let options = ["-Zunstable-options", "--report-time", "--show-output"];
    let command = command.args(options).env("RUSTC_BOOTSTRAP", "1").stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("a test cannot start: {error}"))?;
    let output = child.stdout.take().ok_or("a test has no output")?;
    let failed_before = results.failed.len();
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if results.read(&line) {
            println!("{line}");
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    // A crash of the whole process is not reported by the harness.
    if !status.success() && results.failed.len() == failed_before {
        results.failed.push(format!("a test process, which ended with {status}"));
    }
    Ok(())
}

/// What the harness printed so far.
#[derive(Debug, Default)]
struct Results {
    /// Seconds and names.
    times: Vec<(f64, String)>,
    failed: Vec<String>,
    /// Reasons and names of tests that were skipped.
    skipped: BTreeSet<(String, String)>,
    /// Whether the lines are what passing tests printed, and the test that is speaking.
    is_success: bool,
    speaker: String,
}

impl Results {
    /// Takes a line of output. Returns whether it is to be shown.
    fn read(&mut self, line: &str) -> bool {
        if line == "successes:" {
            self.is_success = true;
        } else if line == "failures:" || line.starts_with("test result:") {
            self.is_success = false;
        } else if let Some(name) = line.strip_prefix("---- ").and_then(|l| l.strip_suffix(" stdout ----")) {
            self.speaker = name.to_owned();
        } else if let Some(reason) = line.strip_prefix(SKIPPED) {
            self.skipped.insert((reason.to_owned(), self.speaker.clone()));
        } else if let Some((name, outcome)) = line.strip_prefix("test ").and_then(|l| l.split_once(" ... ")) {
            self.read_outcome(name, outcome);
        }
        !self.is_success
    }

    /// `outcome` is such as `ok <0.012s>`.
    fn read_outcome(&mut self, name: &str, outcome: &str) {
        if outcome.starts_with("FAILED") {
            self.failed.push(name.to_owned());
        }
        let seconds = outcome.rsplit_once('<').and_then(|(_, time)| time.strip_suffix("s>")?.parse().ok());
        self.times.extend(seconds.map(|seconds: f64| (seconds, name.to_owned())));
    }

    fn print(&mut self) {
        self.times.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("\nslowest of {} tests:", self.times.len());
        for (seconds, name) in self.times.iter().take(LISTED) {
            println!("{seconds:>8.1} s  {name}");
        }
        let reasons: BTreeSet<&str> = self.skipped.iter().map(|(reason, _)| reason.as_str()).collect();
        for reason in reasons {
            let count = self.skipped.iter().filter(|(other, _)| other == reason).count();
            println!("{reason}: {count} tests skipped");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_found_in_what_cargo_lists() {
        let listed = "    Finished `test` profile\n  Executable unittests src/lib.rs (target/debug/deps/a-1)\n  \
                      Executable tests/main.rs (target/debug/deps/b-2)\n";
        assert_eq!(
            executables_in(listed),
            ["target/debug/deps/a-1", "target/debug/deps/b-2"].map(PathBuf::from)
        );
    }

    #[test]
    fn times_failures_and_skipped_tests_are_read() {
        let mut results = Results::default();
        let shown = |results: &mut Results, text: &str| -> Vec<String> {
            text.lines().filter(|line| results.read(line)).map(str::to_owned).collect()
        };
        let text = "test a::b ... ok <1.250s>\ntest c ... FAILED <0.001s>\ntest d ... ok <0.000s>\n\nsuccesses:\n\n\
                    ---- d stdout ----\nskipped: no models\nskipped: no models\n\n\nsuccesses:\n    a::b\n    d\n\n\
                    failures:\n\n---- c stdout ----\npanicked\n\ntest result: FAILED.";
        let lines = shown(&mut results, text);
        assert_eq!(results.times.len(), 3);
        assert_eq!(results.times[0], (1.25, "a::b".to_owned()));
        assert_eq!(results.failed, ["c"]);
        assert_eq!(results.skipped.len(), 1, "once per test");
        assert!(lines.contains(&"panicked".to_owned()), "failures are shown");
        assert!(!lines.iter().any(|line| line.starts_with(SKIPPED)), "what passing tests print is not");
    }
}
