//! `cargo xtask quality`: measures the weights of every method on rigged characters of other
//! people, against the weights stored in their files.

mod columns;
mod constants;
mod cpu_clock;
mod docs;
mod measure;
mod parts;
mod rigs;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;

use constants::PreparedRig;
use measure::{MeasuredRig, WeightSource};
use parts::MeasuredParts;
use pliant::pipeline::{Method, PARAMETERS, Recipe, set_value_at};
use rigs::ModelFile;

const HELP: &str = "\
cargo xtask quality [OPTION…]

  --models DIR      measure every rigged model below DIR (../shared/models)
  --methods A,B     only these methods (atlas,heat,glow,distance)
  --set PATH=VALUE  measure with another value of a parameter, such as atlas.k=0.3; repeatable
  --only TEXT       only files with TEXT in their path
  --sample N        about N files, spread evenly over the sources
  --constants TEXT  instead, vary the constants of the segmentation with TEXT in their name ('' for
                    all), each picked without one author and judged on that author's rigs
  --parts           instead, measure how loose parts move with the body beneath them
  --json            print the measures of every file as JSON instead of tables
  --write           also write the tables into docs/methods.md and docs/quality.md";

/// The options of the command.
struct Options {
    models: PathBuf,
    methods: Vec<Method>,
    /// The parameters of all methods.
    recipe: Recipe,
    only: String,
    sample: Option<usize>,
    /// Part of the names of the constants to be varied, instead of measuring methods.
    constants: Option<String>,
    measures_parts: bool,
    is_json: bool,
    writes_docs: bool,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            models: PathBuf::from("../shared/models"),
            methods: vec![Method::Atlas, Method::Heat, Method::Glow, Method::Distance],
            recipe: Recipe::default(),
            only: String::new(),
            sample: None,
            constants: None,
            measures_parts: false,
            is_json: false,
            writes_docs: false,
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value\n\n{HELP}"));
            match argument.as_str() {
                "--models" => options.models = PathBuf::from(value()?),
                "--methods" => {
                    options.methods = value()?.split(',').map(method).collect::<Result<_, _>>()?;
                }
                "--set" => options.recipe = with_parameter(&options.recipe, &value()?)?,
                "--only" => options.only = value()?,
                "--sample" => {
                    let text = value()?;
                    let count = text.parse().ok().filter(|&count| count > 0);
                    options.sample = Some(count.ok_or(format!("--sample {text}: expected a count"))?);
                }
                "--constants" => options.constants = Some(value()?),
                "--parts" => options.measures_parts = true,
                "--json" => options.is_json = true,
                "--write" => options.writes_docs = true,
                other => return Err(format!("there is no option '{other}'\n\n{HELP}")),
            }
        }
        let is_part = options.sample.is_some() || !options.only.is_empty();
        if options.writes_docs && (is_part || options.recipe != Recipe::default()) {
            return Err("--write needs all files and default parameters".into());
        }
        Ok(options)
    }
}

/// A recipe with the parameter of `PATH=VALUE`.
fn with_parameter(recipe: &Recipe, text: &str) -> Result<Recipe, String> {
    let (path, value) = text.split_once('=').ok_or(format!("--set {text}: expected PATH=VALUE"))?;
    let parameter = PARAMETERS.iter().find(|parameter| parameter.path == path);
    let parameter = parameter.ok_or(format!("--set {text}: there is no parameter '{path}'"))?;
    let value = parameter.parse(value).map_err(|error| error.to_string())?;
    let mut document = recipe.to_value();
    set_value_at(&mut document, path, value);
    Recipe::from_value(document).map_err(|error| error.to_string())
}

fn method(name: &str) -> Result<Method, String> {
    let known = [Method::Atlas, Method::Heat, Method::Glow, Method::Distance, Method::Bbw];
    let found = known.into_iter().find(|method| method.name() == name);
    found.ok_or_else(|| format!("'{name}' is none of {}", known.map(Method::name).join(", ")))
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match Options::parse(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("quality: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let mut files = rigs::find(&options.models)?;
    files.retain(|file| file.name.contains(&options.only));
    if let Some(count) = options.sample {
        files = rigs::sample(files, count);
    }
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
