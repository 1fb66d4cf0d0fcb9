//! `cargo xtask test`: every check as a named, timed step.
//!
//! Steps are independent after `setup`: one that fails does not keep the others from running, so one run
//! shows everything there is to mend. A new step is one line in [`steps::ALL`](crate::steps::ALL).

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
    let results: Vec<StepResult> = chosen(arguments)?.into_iter().map(|step| time(step, workspace)).collect();
    summarise(&results, start.elapsed())
}

struct StepResult {
    step: &'static Step,
    outcome: Outcome,
    time: Duration,
}

/// The steps named, in the order of [`ALL`]; all of them if none is.
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
    StepResult { step, outcome, time: start.elapsed() }
}

fn summarise(results: &[StepResult], time: Duration) -> Outcome {
    println!();
    for StepResult { step, outcome, time } in results {
        let (mark, reason) = match outcome {
            Ok(()) => ("ok  ", ""),
            Err(reason) => ("FAIL", reason.as_str()),
        };
        println!(
            "{}",
            format!("{mark} {:<12} {:>7.1} s  {reason}", step.name, time.as_secs_f64()).trim_end()
        );
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
        let result = |outcome| StepResult { step: &ALL[0], outcome, time: Duration::ZERO };
        assert!(summarise(&[result(Ok(()))], Duration::ZERO).is_ok());
        let outcome = summarise(&[result(Ok(())), result(Err("no".into()))], Duration::ZERO);
        assert_eq!(outcome, Err(format!("failed: {}", ALL[0].name)));
    }
}
