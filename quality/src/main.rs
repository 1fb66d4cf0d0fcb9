//! `cargo xtask quality`: measures the weights of every method on rigged characters of other
//! people, against the weights stored in their files; with `poses`, the corrections of poses.

mod columns;
mod constants;
mod cpu_clock;
mod docs;
mod measure;
mod options;
mod parts;
mod poses;
mod rigs;
mod tables;

use std::process::ExitCode;

use constants::PreparedRig;
use measure::{MeasuredRig, WeightSource};
use options::Options;
use parts::MeasuredParts;
use rigs::ModelFile;

const HELP: &str = "\
cargo xtask quality [poses] [OPTION…]

  --models DIR      measure every rigged model below DIR (../shared/models)
  --methods A,B     only these methods (atlas,heat,glow,distance)
  --set PATH=VALUE  measure with another value of a parameter, such as atlas.k=0.3; repeatable
  --only TEXT       only files with TEXT in their path
  --sample N        about N files, spread evenly over the sources
  --constants TEXT  instead, vary the constants of the segmentation with TEXT in their name ('' for
                    all), each picked without one author and judged on that author's rigs
  --parts           instead, measure how loose parts move with the body beneath them
  --json            print the measures of every file as JSON instead of tables
  --write           also write the tables into docs/methods.md and docs/quality.md

poses measures volumes, self-intersections, stretch and displacements of posed
characters instead, before and after volume preservation and contacts:

  --weights A,B     only these weights (source,heat,atlas)
  --write           also write the tables into docs/poses.md, with the number of files";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let measures_poses = arguments.first().is_some_and(|first| first == "poses");
    let rest = arguments.split_off(usize::from(measures_poses));
    let run = if measures_poses { poses::run } else { run };
    match Options::parse(rest.into_iter()).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("quality: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    if options.writes_docs && (options.sample.is_some() || !options.only.is_empty()) {
        return Err("--write needs all files".into());
    }
    let files = options.files()?;
    if let Some(only) = &options.constants {
        return vary_constants(options, &files, only);
    }
    if options.measures_parts {
        return write_parts(options, &files);
    }
    let mut measured: Vec<MeasuredRig> = Vec::new();
    for file in &files {
        let Some(rig) = rigs::read(file) else { continue };
        match MeasuredRig::of(file, &rig, &options.methods, &options.recipe) {
            Ok(found) if measured.iter().any(|other| found.is_twin_of(other)) => {}
            Ok(found) => {
                eprintln!("{}: {}", found.file, tables::one_line(&found));
                measured.push(found);
            }
            Err(reason) => eprintln!("{}: {reason}", file.name),
        }
    }
    measured.sort_by(|a, b| a.file.cmp(&b.file));
    if measured.is_empty() {
        return Err(format!("no rigged model below {}", options.models.display()));
    }
    let sources: Vec<WeightSource> = WeightSource::all(&options.methods);
    if options.is_json {
        println!("{}", serde_json::to_string_pretty(&measured).map_err(|error| error.to_string())?);
    } else {
        println!("{}", tables::by_source(&measured, &sources));
        println!("{}", tables::by_file(&measured, &sources));
    }
    if options.writes_docs {
        docs::write("docs/methods.md", &tables::by_source(&measured, &sources))?;
        docs::write("docs/quality.md", &tables::by_file(&measured, &sources))?;
    }
    Ok(())
}

/// Varies the constants of the segmentation.
fn vary_constants(options: &Options, files: &[ModelFile], only: &str) -> Result<(), String> {
    let mut prepared: Vec<PreparedRig> = Vec::new();
    for file in files {
        let Some(asset) = rigs::read(file) else { continue };
        match PreparedRig::of(file, &asset) {
            Ok(rig) if prepared.iter().any(|other| rig.is_twin_of(other)) => {}
            Ok(rig) => prepared.push(rig),
            Err(reason) => eprintln!("{}: {reason}", file.name),
        }
    }
    let table = constants::table(&prepared, only)?;
    println!("{table}");
    if options.writes_docs {
        docs::write("docs/theory/atlas.md", &table)?;
    }
    Ok(())
}

/// Measures the motion of loose parts.
fn write_parts(options: &Options, files: &[ModelFile]) -> Result<(), String> {
    let mut measured: Vec<MeasuredParts> = Vec::new();
    for file in files {
        let Some(asset) = rigs::read(file) else { continue };
        eprintln!("{}", file.name);
        match MeasuredParts::of(file, &asset, &options.methods) {
            Ok(found) => measured.extend(found),
            Err(reason) => eprintln!("{}: {reason}", file.name),
        }
    }
    let table = parts::table(&measured);
    println!("{table}");
    if options.writes_docs {
        docs::write("docs/theory/loose-parts.md", &table)?;
    }
    Ok(())
}
