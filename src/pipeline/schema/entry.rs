//! Functions that entries of the table are written with.

use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;

use crate::pipeline::Method;
use crate::pipeline::parameter::{
    Choice, Choices, Condition, NumberRange, Parameter, ParameterGroup, ParameterKind, ParameterLevel, Scale,
    SliderRange, Special,
};

/// Words for people. WebAssembly modules only check values, and the build writes the words for the
/// page natively, so that no module has them.
pub(super) fn words(text: &str) -> String {
    if cfg!(target_arch = "wasm32") { String::new() } else { text.into() }
}

/// A parameter of the recipe for all methods; its default is filled in later.
pub(super) fn rig(path: &str, label: &str, kind: ParameterKind) -> Parameter {
    Parameter {
        path: path.into(),
        group: ParameterGroup::Rig,
        methods: Vec::new(),
        label: words(label),
        help: String::new(),
        kind,
        default: Value::Null,
        level: ParameterLevel::Common,
        when: Vec::new(),
    }
}

impl Parameter {
    pub(super) fn help(mut self, help: &str) -> Self {
        self.help = words(help);
        self
    }

    pub(super) fn level(mut self, level: ParameterLevel) -> Self {
        self.level = level;
        self
    }

    pub(super) fn when(mut self, when: Vec<Vec<Condition>>) -> Self {
        self.when = when;
        self
    }
}

pub(super) fn of_method(method: Method, mut parameters: Vec<Parameter>) -> Vec<Parameter> {
    parameters.iter_mut().for_each(|parameter| parameter.methods = vec![method]);
    parameters
}

impl Choices {
    /// Adds the word that is null in JSON, as the first one.
    pub(super) fn add_none(&mut self, value: &str, label: &str, help: &str) {
        self.choices.insert(
            0,
            Choice { value: value.into(), label: words(label), help: words(help), ..Choice::default() },
        );
        self.none = Some(value.into());
    }
}

/// The word that serde writes for a variant without fields.
pub(super) fn word<T: Serialize>(variant: &T) -> String {
    let value = serde_json::to_value(variant).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// The variants of an enum with label and help of each.
pub(super) fn choices<T: Serialize>(
    variants: &[T],
    label_and_help: impl Fn(&T) -> (&'static str, &'static str),
) -> Choices {
    let choice = |variant: &T| {
        let (label, help) = label_and_help(variant);
        Choice { value: word(variant), label: words(label), help: words(help), ..Choice::default() }
    };
    Choices { choices: variants.iter().map(choice).collect(), none: None }
}

/// A number with a slider over the whole range.
pub(super) fn number(range: RangeInclusive<f64>, step: f64) -> NumberRange {
    let slider = slider(&range, 1.0);
    let (min, max) = range.into_inner();
    NumberRange { min, max, is_integer: false, step, slider, special: None, ends: None, unit: None }
}

/// An integer with a slider over the whole range.
pub(super) fn integer(range: RangeInclusive<f64>) -> NumberRange {
    NumberRange { is_integer: true, ..number(range, 1.0) }
}

/// A slider over the whole range; above a power of 1, small values get more of it.
pub(super) fn slider(range: &RangeInclusive<f64>, power: f64) -> SliderRange {
    let scale = if power == 1.0 { Scale::Linear } else { Scale::Power(power) };
    SliderRange { min: *range.start(), max: *range.end(), scale }
}

/// What the ends of a slider mean.
pub(super) fn ends(lower: &str, upper: &str) -> Option<[String; 2]> {
    Some([words(lower), words(upper)])
}

/// 0 for a value that is computed.
pub(super) fn auto() -> Special {
    Special { word: "auto".into(), label: words("Auto"), value: Some(0.0) }
}
