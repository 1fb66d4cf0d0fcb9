//! The options of `cargo xtask quality`.

use std::path::PathBuf;

use pliant::pipeline::{Method, PARAMETERS, Recipe, set_value_at};

use crate::HELP;
use crate::rigs::{self, ModelFile};

/// The options of the command.
pub struct Options {
    pub models: PathBuf,
    pub methods: Vec<Method>,
    /// The weights that poses are measured with.
    pub weights: Vec<String>,
    /// The parameters of all methods.
    pub recipe: Recipe,
    pub only: String,
    pub sample: Option<usize>,
    /// Part of the names of the constants to be varied, instead of measuring methods.
    pub constants: Option<String>,
    pub measures_parts: bool,
    pub is_json: bool,
    pub writes_docs: bool,
}

impl Options {
    /// Reads the arguments after the command.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            models: PathBuf::from("../shared/models"),
            methods: vec![Method::Atlas, Method::Heat, Method::Glow, Method::Distance],
            weights: Vec::new(),
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
                "--weights" => options.weights = value()?.split(',').map(str::to_owned).collect(),
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
        if options.writes_docs && options.recipe != Recipe::default() {
            return Err("--write needs default parameters".into());
        }
        Ok(options)
    }

    /// The files that the options choose.
    pub fn files(&self) -> Result<Vec<ModelFile>, String> {
        let mut files = rigs::find(&self.models)?;
        files.retain(|file| file.name.contains(&self.only));
        Ok(match self.sample {
            Some(count) => rigs::sample(files, count),
            None => files,
        })
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
