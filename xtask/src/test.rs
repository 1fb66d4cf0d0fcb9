//! `cargo xtask test`: every check as a named, timed step.
//!
//! Steps are independent after `setup`: if one fails, the others still run, so that one run shows
//! everything that has to be fixed. A new step is one line in [`steps::ALL`](crate::steps::ALL).

use std::fs::File;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::run::{Outcome, Workspace};
use crate::steps::{ALL, Step};

/// Runs all steps, or those named, or lists them.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--list") {
        for step in ALL {
            println!("{:<12} {}", step.name, step.what);
        }
        return Ok(());
    }
    let start = Instant::now();
    let steps = chosen(arguments)?;
    let mut results = Vec::new();
    let mut beside: Vec<Background> = Vec::new();
    for (index, &step) in steps.iter().enumerate() {
        let result = match beside.iter().position(|background| background.step.name == step.name) {
            Some(started) => beside.swap_remove(started).finish(),
            None => time(step, workspace),
        };
        results.push(result);
        if index == 0 {
            // What the first step installs is needed by all. A step that comes next gains nothing.
            let later = steps.iter().skip(2).filter(|step| step.is_background);
            beside = later.filter_map(|step| Background::start(step, workspace)).collect();
        }
    }
    summarise(&results, start.elapsed())
}

/// A step in a process of its own, beside the steps before it.
struct Background {
    step: &'static Step,
    process: Child,
    output: std::path::PathBuf,
    start: Instant,
}

impl Background {
    /// None if it cannot be started: then it runs in its turn.
    fn start(step: &'static Step, workspace: &Workspace) -> Option<Self> {
        let output = workspace.target.join(format!("xtask-{}.log", step.name));
        let file = File::create(&output).ok()?;
        let mut command = Command::new(std::env::current_exe().ok()?);
        command.args(["test", step.name]).stdout(file.try_clone().ok()?).stderr(file);
        println!("\n=== {} runs beside the next steps", step.name);
        Some(Self { step, process: command.spawn().ok()?, output, start: Instant::now() })
    }

    /// Waits for it and prints its output.
    fn finish(mut self) -> StepResult {
        println!("\n=== {}: {} (started beside other steps)", self.step.name, self.step.what);
        let waited = Instant::now();
        let outcome = match self.process.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err("see its output".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        print!("{}", std::fs::read_to_string(&self.output).unwrap_or_default());
        if let Err(reason) = &outcome {
            eprintln!("=== {} failed: {reason}", self.step.name);
        }
        let beside = waited.duration_since(self.start);
        StepResult { step: self.step, outcome, time: waited.elapsed(), beside }
    }
}

struct StepResult {
    step: &'static Step,
    outcome: Outcome,
    /// How long other steps had to wait for it.
    time: Duration,
    /// How long it ran beside them.
    beside: Duration,
}

/// The steps named, in the order of [`ALL`]; all if none is named.
fn chosen(names: &[String]) -> Result<Vec<&'static Step>, String> {
    if let Some(unknown) = names.iter().find(|name| ALL.iter().all(|step| step.name != name.as_str())) {
        let known: Vec<&str> = ALL.iter().map(|step| step.name).collect();
        return Err(format!("there is no step '{unknown}'; there are {}", known.join(", ")));
    }
    Ok(ALL.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)).collect())
}

fn time(step: &'static Step, workspace: &Workspace) -> StepResult {
    println!("\n=== {}: {}", step.name, step.what);
    let start = Instant::now();
    let outcome = (step.run)(workspace);
    if let Err(reason) = &outcome {
        eprintln!("=== {} failed: {reason}", step.name);
    }
    StepResult { step, outcome, time: start.elapsed(), beside: Duration::ZERO }
}

fn summarise(results: &[StepResult], time: Duration) -> Outcome {
    println!();
    for StepResult { step, outcome, time, beside } in results {
        let mark = if outcome.is_ok() { "ok  " } else { "FAIL" };
        let reason = outcome.as_ref().err().map_or("", String::as_str);
        let beside = if beside.is_zero() {
            String::new()
        } else {
            format!("after {:.0} s beside other steps  ", beside.as_secs_f64())
        };
        let line = format!("{mark} {:<12} {:>7.1} s  {beside}{reason}", step.name, time.as_secs_f64());
        println!("{}", line.trim_end());
    }
    let failed: Vec<&str> = results.iter().filter(|r| r.outcome.is_err()).map(|r| r.step.name).collect();
    let passed = results.len() - failed.len();
    println!("summary: {passed} steps passed, {} failed in {:.0} s", failed.len(), time.as_secs_f64());
    println!("{passed} passed, {} failed", failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_steps_run_once_and_in_the_order_of_the_list() {
        let names = ["wasm", "fmt", "wasm"].map(String::from);
        let steps: Vec<&str> = chosen(&names).unwrap().iter().map(|step| step.name).collect();
        assert_eq!(steps, ["fmt", "wasm"]);
        assert_eq!(chosen(&[]).unwrap().len(), ALL.len());
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_names_there_are() {
        let error = chosen(&["formt".to_string()]).err().unwrap();
        assert!(error.contains("'formt'") && error.contains("fmt, clippy"), "{error}");
    }

    #[test]
    fn one_failure_fails_the_run_and_is_named() {
        let result = |outcome| {
            let step = &ALL[0];
            StepResult { step, outcome, time: Duration::ZERO, beside: Duration::ZERO }
        };
        assert!(summarise(&[result(Ok(()))], Duration::ZERO).is_ok());
        let outcome = summarise(&[result(Ok(())), result(Err("no".into()))], Duration::ZERO);
        assert_eq!(outcome, Err(format!("failed: {}", ALL[0].name)));
    }
}
