//! `cargo xtask fuzz`: gives damaged files to every reader, guided by coverage (libFuzzer).
//!
//! Inputs that are new to the code are kept in `target/fuzz/corpus`, failures in
//! `target/fuzz/failures`. What it finds becomes a test.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Outcome, Workspace, output, show};

/// Minutes per target if none are given.
const MINUTES: f64 = 1.0;

/// What the compiler adds, so that libFuzzer sees which code an input reaches; as cargo-fuzz does,
/// without the address sanitizer, which needs a nightly compiler and finds what safe code has not.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Coverflow-checks --cfg fuzzing";

/// Limits of one input: memory in MB, seconds, and bytes.
const LIMITS: [&str; 3] = ["-rss_limit_mb=1024", "-timeout=20", "-max_len=32768"];

/// Runs all targets, or those named.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let (names, minutes) = parse(arguments)?;
    let folder = workspace.target.join("fuzz");
    let program = build(workspace, &folder, "target", FLAGS)?;
    let seeds = folder.join("seeds");
    show(Command::new(build(workspace, &folder.join("plain"), "seeds", "")?).arg(&seeds))?;
    let all = folders_in(&seeds)?;
    if let Some(unknown) = names.iter().find(|name| !all.contains(name)) {
        return Err(format!("there is no target '{unknown}'; there are {}", all.join(", ")));
    }
    let chosen: Vec<&String> = all.iter().filter(|name| names.is_empty() || names.contains(name)).collect();
    let mut failed = Vec::new();
    for name in chosen {
        match fuzz(&program, &folder, name, minutes) {
            Ok(runs) => println!("{name:<12} {runs:>12} runs in {minutes} min, no failure"),
            Err(reason) => failed.push(format!("{name}: {reason}")),
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// The targets named, and minutes per target.
fn parse(arguments: &[String]) -> Result<(Vec<String>, f64), String> {
    let mut names = Vec::new();
    let mut minutes = MINUTES;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--minutes" {
            let number = rest.next().and_then(|text| text.parse().ok()).filter(|&m: &f64| m > 0.0);
            minutes = number.ok_or("--minutes needs a number")?;
        } else {
            names.push(argument.clone());
        }
    }
    Ok((names, minutes))
}

/// Compiles a program of the crate `fuzz`. Returns its path.
fn build(workspace: &Workspace, target: &Path, program: &str, flags: &str) -> Result<PathBuf, String> {
    let manifest = workspace.root.join("fuzz/Cargo.toml");
    // With a target of their own, build scripts and macros are compiled without the flags.
    let version = output(&mut workspace.program("rustc", ["-vV"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
    let mut cargo = workspace.cargo(["build", "--bin", program, "--target", host, "--manifest-path"]);
    show(cargo.arg(manifest).arg("--target-dir").arg(target).env("RUSTFLAGS", flags))?;
    Ok(target.join(host).join("debug").join(program))
}

/// Runs one target. Returns the number of inputs that were tried.
fn fuzz(program: &Path, folder: &Path, name: &str, minutes: f64) -> Result<String, String> {
    let [corpus, failures] = ["corpus", "failures"].map(|kind| folder.join(kind).join(name));
    for made in [&corpus, &failures] {
        std::fs::create_dir_all(made).map_err(|error| format!("{}: {error}", made.display()))?;
    }
    let log = folder.join(format!("{name}.log"));
    let file = std::fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let mut command = Command::new(program);
    command.arg(&corpus).arg(folder.join("seeds").join(name)).args(LIMITS);
    command.arg(format!("-max_total_time={:.0}", minutes * 60.0));
    command.arg(format!("-artifact_prefix={}/", failures.display()));
    command.args(["-print_final_stats=1", "-verbosity=0"]).env("PLIANT_TARGET", name);
    let status = command.stderr(file).status().map_err(|error| error.to_string())?;
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    let runs = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    match runs {
        Some(runs) if status.success() => Ok(runs.trim().to_owned()),
        _ => Err(format!("failed; {} says why, and {} has the input", log.display(), failures.display())),
    }
}

fn folders_in(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_minutes_are_told_apart() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        assert_eq!(parse(&words("fbx --minutes 2.5 obj")), Ok((words("fbx obj"), 2.5)));
        assert_eq!(parse(&[]), Ok((vec![], MINUTES)));
        assert!(parse(&words("--minutes soon")).is_err());
    }
}
