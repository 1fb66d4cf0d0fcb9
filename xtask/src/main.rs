//! Builds, tests and measures Pliant; installs what that needs. `cargo xtask help` says how.

mod assets;
mod bench;
mod chromium;
mod fuzz;
mod run;
mod serve;
mod steps;
mod test;
mod transcoder;
mod wasm;
mod www;

use std::process::ExitCode;

use run::{Outcome, Workspace};

/// A command of `cargo xtask`.
struct Command {
    name: &'static str,
    arguments: &'static str,
    what: &'static str,
    run: fn(&Workspace, &[String]) -> Outcome,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        arguments: "[--list] [STEP…]",
        what: "runs every check, or only the steps named",
        run: test::run,
    },
    Command {
        name: "build",
        arguments: "[--fast]",
        what: "builds the site into www/dist, ready for any static host; --fast for trying things out",
        run: |workspace, rest| match rest {
            [flag] if flag == "--fast" => www::build_fast(workspace),
            _ => no_arguments(rest).and_then(|()| www::build(workspace)),
        },
    },
    Command {
        name: "serve",
        arguments: "[--port N]",
        what: "builds the site and serves it on 127.0.0.1:8080",
        run: serve::run,
    },
    Command {
        name: "bench",
        arguments: "[--list] [NAME…]",
        what: "measures, natively and in Chromium, all or what has NAME in its name",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        arguments: "[TARGET…] [--minutes N]",
        what: "gives damaged files to the readers, N minutes each; needs a C++ compiler",
        run: fuzz::run,
    },
    Command {
        name: "corpus",
        arguments: "[FOLDER] [--write]",
        what: "opens all models below a folder natively and in Chromium, and compares what is read",
        run: www::corpus,
    },
    Command {
        name: "twins",
        arguments: "[FOLDER] [--write]",
        what: "compresses models below a folder with glTF-Transform, and compares what is read",
        run: www::twins,
    },
    Command {
        name: "train",
        arguments: "[OPTION…]",
        what: "trains and judges the tables of skeleton fitting; see CONTRIBUTING.md",
        run: train,
    },
    Command {
        name: "quality",
        arguments: "[OPTION…]",
        what: "measures the weights of all methods on rigged characters; --help lists the options",
        run: quality,
    },
    Command {
        name: "picture",
        arguments: "",
        what: "takes the README's picture of the studio",
        run: |workspace, rest| no_arguments(rest).and_then(|()| www::picture(workspace)),
    },
    Command {
        name: "gallery",
        arguments: "",
        what: "takes the pictures of docs/gallery.md: the paper's figures with our characters",
        run: |workspace, rest| no_arguments(rest).and_then(|()| www::gallery(workspace)),
    },
    Command {
        name: "help",
        arguments: "",
        what: "prints this",
        run: |_, _| {
            print_help();
            Ok(())
        },
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        None => ("help", &[][..]),
        Some((name, rest)) if ["-h", "--help"].contains(&name.as_str()) => ("help", rest),
        Some((name, rest)) => (name.as_str(), rest),
    };
    let outcome = match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => Workspace::find().and_then(|workspace| (command.run)(&workspace, rest)),
        None => Err(format!("there is no command '{name}'; `cargo xtask help` lists them")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn print_help() {
    println!("cargo xtask COMMAND\n");
    for Command { name, arguments, what, .. } in COMMANDS {
        println!("  {:<24} {what}", format!("{name} {arguments}"));
    }
    println!("\nOn a machine with rustup and Node, `cargo xtask test` sets up the rest.");
}

/// Runs the training program from the root of the project, where it finds the characters.
fn train(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let program = ["run", "--release", "--package", "pliant-training", "--"];
    let arguments = program.into_iter().chain(arguments.iter().map(String::as_str));
    run::show(&mut workspace.cargo(arguments))
}

/// Runs the program that measures weights, from the root of the project.
fn quality(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let program = ["run", "--quiet", "--package", "pliant-quality", "--"];
    let arguments = program.into_iter().chain(arguments.iter().map(String::as_str));
    // Nothing but the tables, or the JSON, goes to the standard output.
    run::output(&mut workspace.cargo(arguments)).map(|tables| print!("{tables}"))
}

fn no_arguments(rest: &[String]) -> Outcome {
    match rest.first() {
        None => Ok(()),
        Some(argument) => Err(format!("'{argument}' is one argument too many")),
    }
}
