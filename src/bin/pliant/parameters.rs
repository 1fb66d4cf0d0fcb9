//! Command-line options of parameters, built from the schema.
//!
//! The option of a parameter is its path with `.` and `_` replaced by `-`: `--atlas-k 0.3`.

use std::marker::PhantomData;
use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Command};
use pliant::pipeline::{PARAMETERS, Parameter, ParameterError, ParameterGroup, ParameterKind, parameters_of};
use serde_json::Value;

/// A group of parameters as a type, for the options of a command.
pub trait Group {
    const GROUP: ParameterGroup;
}

/// See [`ParameterGroup::Rig`].
pub struct Rig;

impl Group for Rig {
    const GROUP: ParameterGroup = ParameterGroup::Rig;
}

/// See [`ParameterGroup::Skinning`].
pub struct Skinning;

impl Group for Skinning {
    const GROUP: ParameterGroup = ParameterGroup::Skinning;
}

/// See [`ParameterGroup::PostSkinning`].
pub struct PostSkinning;

impl Group for PostSkinning {
    const GROUP: ParameterGroup = ParameterGroup::PostSkinning;
}

/// The options of a group that a command was given, as text.
pub struct ParameterArgs<G> {
    texts: Vec<(&'static Parameter, String)>,
    group: PhantomData<G>,
}

impl<G> ParameterArgs<G> {
    /// The values as JSON, in the order of the schema. Repeated options have one value each.
    pub fn values(&self) -> Result<Vec<(&'static Parameter, Value)>, ParameterError> {
        self.texts.iter().map(|(parameter, text)| Ok((*parameter, parameter.parse(text)?))).collect()
    }
}

impl<G: Group> clap::Args for ParameterArgs<G> {
    fn augment_args(command: Command) -> Command {
        command.args(parameters_of(G::GROUP).map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: Group> clap::FromArgMatches for ParameterArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |parameter: &'static Parameter| {
            let texts = matches.get_many::<String>(names(parameter).option).into_iter().flatten();
            texts.map(move |text| (parameter, text.clone()))
        };
        Ok(Self { texts: parameters_of(G::GROUP).flat_map(given).collect(), group: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Names of a parameter that live as long as the program, as clap requires.
struct Names<'a> {
    option: &'a str,
    heading: Option<&'a str>,
}

fn names(parameter: &Parameter) -> Names<'static> {
    static NAMES: LazyLock<Vec<(String, String, Option<String>)>> = LazyLock::new(|| {
        let names = |parameter: &Parameter| {
            let heading = match parameter.methods[..] {
                [method] => Some(format!("Options of the method {}", method.name())),
                _ => None,
            };
            (parameter.path.clone(), parameter.option_name(), heading)
        };
        PARAMETERS.iter().map(names).collect()
    });
    let found = NAMES.iter().find(|(path, ..)| *path == parameter.path);
    found.map_or(Names { option: "", heading: None }, |(_, option, heading)| Names {
        option,
        heading: heading.as_deref(),
    })
}

fn option(parameter: &'static Parameter) -> Arg {
    let Names { option, heading } = names(parameter);
    let arg = Arg::new(option)
        .long(option)
        .help(help(parameter))
        .long_help(long_help(parameter))
        .help_heading(heading)
        .action(ArgAction::Set);
    match &parameter.kind {
        ParameterKind::Number(_) => arg.value_name("NUMBER").allow_negative_numbers(true),
        ParameterKind::Choice(_) => arg.value_name("NAME"),
        ParameterKind::Transition(_) => arg.value_name("CURVE"),
        ParameterKind::NumberByJoint(_) => arg.value_name("JOINT=NUMBER").action(ArgAction::Append),
        ParameterKind::Joints => arg.value_name("JOINT").action(ArgAction::Append),
        ParameterKind::Toggle => {
            arg.value_name("on|off").num_args(0..=1).require_equals(true).default_missing_value("on")
        }
    }
}

/// One line: what it does, valid values and the default.
fn help(parameter: &Parameter) -> String {
    let is_repeated = matches!(parameter.kind, ParameterKind::NumberByJoint(_) | ParameterKind::Joints);
    let default = parameter.texts(&parameter.default).join(", ");
    let end = if is_repeated { "repeatable".to_owned() } else { format!("default: {default}") };
    format!("{} [{}; {end}]", parameter.help, parameter.expected())
}

/// The same with a line for every word of a choice.
fn long_help(parameter: &Parameter) -> String {
    let ParameterKind::Choice(choices) = &parameter.kind else { return help(parameter) };
    let lines = choices.choices.iter().map(|choice| format!("\n- {}: {}", choice.value, choice.help));
    let default = parameter.texts(&parameter.default).join(", ");
    format!("{} [default: {default}]{}", parameter.help, lines.collect::<String>())
}
