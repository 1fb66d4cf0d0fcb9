//! The options of the commands.

use std::path::PathBuf;

use pliant::pipeline::Method;

use crate::HELP;
use crate::rigs::{self, ModelFile};

/// The options of both commands.
pub struct SharedOptions {
    pub models: PathBuf,
    pub methods: Vec<Method>,
    pub weights: Vec<String>,
    pub only: String,
    pub sample: Option<usize>,
    pub is_json: bool,
    pub writes_docs: bool,
}

impl SharedOptions {
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            models: PathBuf::from("../shared/models"),
            methods: vec![Method::Atlas, Method::Heat, Method::Glow, Method::Distance],
            weights: Vec::new(),
            only: String::new(),
            sample: None,
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
                "--only" => options.only = value()?,
                "--sample" => {
                    let text = value()?;
                    let count = text.parse().ok().filter(|&count| count > 0);
                    options.sample = Some(count.ok_or(format!("--sample {text}: expected a count"))?);
                }
                "--json" => options.is_json = true,
                "--write" => options.writes_docs = true,
                other => return Err(format!("there is no option '{other}'\n\n{HELP}")),
            }
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

fn method(name: &str) -> Result<Method, String> {
    let known = [Method::Atlas, Method::Heat, Method::Glow, Method::Distance, Method::Bbw];
    let found = known.into_iter().find(|method| method.name() == name);
    found.ok_or_else(|| format!("'{name}' is none of {}", known.map(Method::name).join(", ")))
}
