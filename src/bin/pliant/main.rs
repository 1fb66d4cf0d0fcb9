//! The command line: the same pipeline as in the browser, for scripts and measurements.

mod args;
mod bake;
mod clock;
mod examples;
mod files;
mod fit;
mod info;
mod make;
mod motion_data;
mod parameters;
mod pose;
mod post_skinning;
mod retarget;
mod rig;
mod site_assets;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// Any error; printed as one line.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            eprintln!("pliant: {}", one_line(&error.to_string()));
            return ExitCode::FAILURE;
        }
        Err(help) => {
            // Help and version. A closed pipe is not an error.
            help.print().unwrap_or_default();
            return ExitCode::SUCCESS;
        }
    };
    let result = match &cli.command {
        Command::Info(args) => info::run(args),
        Command::Make(args) => make::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Rig(args) => rig::run(args),
        Command::Pose(args) => pose::run(args),
        Command::Bake(args) => bake::run(args),
        Command::Retarget(args) => retarget::run(args),
        Command::SiteAssets(args) => site_assets::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pliant: {}", one_line(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Joins the lines of a message by clap, so that scripts can read one line.
fn one_line(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let kept: Vec<&str> = lines.filter(|line| !line.starts_with("Usage:")).collect();
    kept.join("; ").replace(":; ", ": ").replace(".; ", "; ")
}
