//! The description of one parameter: its path, its kind of value, and its words for people.
//!
//! A parameter has one path (`atlas.k`). Recipes and links use the path. Command-line options and
//! attributes use the path with `.` and `_` replaced by `-`. Values have two forms: JSON, as in a
//! recipe, and text, as in links, attributes and on the command line. The table of all parameters
//! is [`PARAMETERS`](super::PARAMETERS).

use serde::Serialize;
use serde_json::{Map, Value};

use super::Method;
use crate::weights::{Transition, TransitionError};

/// One parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// The name, such as `atlas.k`. For [`ParameterGroup::Rig`], also the place in the recipe.
    pub path: String,
    /// What the parameter belongs to.
    pub group: ParameterGroup,
    /// The methods that use it; empty for all.
    pub methods: Vec<Method>,
    /// The name in the interface.
    pub label: String,
    /// One or two sentences: what it does, and what goes up or down with it.
    pub help: String,
    /// Which values it takes.
    pub kind: ParameterKind,
    /// The default, as JSON.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "unknown"))]
    pub default: Value,
    /// How prominent its control is.
    pub level: ParameterLevel,
    /// When it has an effect: any of these lists, all conditions of which hold. Empty for always.
    pub when: Vec<Vec<Condition>>,
}

/// What a parameter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum ParameterGroup {
    /// The weights: part of the [`Recipe`](super::Recipe).
    Rig,
    /// How joint motions are blended.
    Skinning,
    /// The correction after skinning: part of the
    /// [`PostSkinningOptions`](crate::deform::PostSkinningOptions).
    PostSkinning,
}

impl ParameterGroup {
    /// All groups, in the order of panels.
    pub(super) const ALL: [Self; 3] = [Self::Rig, Self::Skinning, Self::PostSkinning];
}

/// How prominent a control is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum ParameterLevel {
    /// The first control of its panel.
    Primary,
    /// Shown with the others.
    Common,
    /// For few users: hidden at first.
    Advanced,
}

/// Which values a parameter takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ParameterKind {
    /// A number.
    Number(NumberRange),
    /// One of several words.
    Choice(Choices),
    /// On or off.
    Toggle,
    /// A [`Transition`]: a preset by name, or points of a curve, `0.3,0.1 0.7,0.9`. The last of the
    /// choices stands for a curve in menus; in text a curve is its points.
    Transition(Choices),
    /// A number for each of some joints. Text has one joint: `NAME=NUMBER`.
    NumberByJoint(NumberRange),
    /// Names of joints. Text has one joint.
    Joints,
}

/// A range of numbers, and how a slider shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct NumberRange {
    /// The least valid value.
    pub min: f64,
    /// The greatest valid value.
    pub max: f64,
    /// Whether only whole numbers are valid.
    pub is_integer: bool,
    /// The difference of two neighbouring values of a control.
    pub step: f64,
    /// What a slider covers.
    pub slider: SliderRange,
    /// A value with a word of its own.
    pub special: Option<Special>,
    /// What the lower and the upper end of the slider mean.
    pub ends: Option<[String; 2]>,
    /// Written after the number.
    pub unit: Option<String>,
}

/// What a slider covers: part of the valid range, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct SliderRange {
    /// At the lower end. With [`Scale::Log`] the end itself is 0, and this is the least value
    /// above.
    pub min: f64,
    /// At the upper end.
    pub max: f64,
    /// How positions become values.
    pub scale: Scale,
}

/// How positions of a slider, from 0 to 1, become values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Scale {
    /// In proportion.
    Linear,
    /// By powers of ten.
    Log,
    /// By the position to this power: above 1, small values get more of the slider.
    Power(f64),
}

/// A value with a word of its own, such as 0 for "automatic".
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Special {
    /// In text.
    pub word: String,
    /// In the interface.
    pub label: String,
    /// In JSON; may lie outside the range.
    pub value: Option<f64>,
}

/// The words of a choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Choices {
    /// In the order of a menu.
    pub choices: Vec<Choice>,
    /// The word that is null in JSON, if there is one.
    pub none: Option<String>,
}

/// One word of a choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// In text, and in JSON unless it is [`Choices::none`].
    pub value: String,
    /// In the interface.
    pub label: String,
    /// One sentence.
    pub help: String,
    /// When to use it, for help pages; empty for most.
    pub use_when: String,
}

/// A condition on another parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Condition {
    /// Of the other parameter.
    pub path: String,
    /// Its value is one of these, as text.
    pub values: Vec<String>,
}

/// Why a value is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// Not a value of this kind, or outside the range.
    #[error("{path} is {found}; expected {expected}")]
    Invalid {
        /// Of the parameter.
        path: String,
        /// The value.
        found: String,
        /// What is valid.
        expected: String,
    },
    /// Points that are no monotone curve.
    #[error("{path}: {error}")]
    Transition {
        /// Of the parameter.
        path: String,
        /// What is wrong with the points.
        error: TransitionError,
    },
}

impl Parameter {
    /// The name of the command-line option (after `--`) and of the attribute.
    pub fn option_name(&self) -> String {
        self.path.replace(['.', '_'], "-")
    }

    /// Whether a method uses it.
    pub fn is_used_by(&self, method: Method) -> bool {
        self.methods.is_empty() || self.methods.contains(&method)
    }

    /// Checks a value in JSON.
    ///
    /// # Errors
    /// With the path, the value, and what is valid.
    pub fn check(&self, value: &Value) -> Result<(), ParameterError> {
        match &self.kind {
            ParameterKind::NumberByJoint(number) => {
                let entries = value.as_object().ok_or_else(|| self.invalid(&self.path, &shown(value)))?;
                for (joint, value) in entries {
                    if !number.holds(value) {
                        return Err(self.invalid(&format!("{}.{joint}", self.path), &shown(value)));
                    }
                }
                Ok(())
            }
            ParameterKind::Transition(_) => {
                let read: Result<Transition, _> = serde_json::from_value(value.clone());
                let transition = read.map_err(|_| self.invalid(&self.path, &shown(value)))?;
                let about = |error| ParameterError::Transition { path: self.path.clone(), error };
                transition.check().map_err(about)
            }
            kind if kind.holds(value) => Ok(()),
            _ => Err(self.invalid(&self.path, &shown(value))),
        }
    }

    /// The JSON value of a text. Text of [`ParameterKind::NumberByJoint`] and
    /// [`ParameterKind::Joints`] has one joint and gives a map or a list with one entry.
    ///
    /// # Errors
    /// As [`Parameter::check`], with the same words.
    pub fn parse(&self, text: &str) -> Result<Value, ParameterError> {
        let value = match &self.kind {
            ParameterKind::Number(number) => number.parse(text),
            ParameterKind::Choice(choices) => choices.parse(text),
            ParameterKind::Toggle => match text {
                "on" => Some(true.into()),
                "off" => Some(false.into()),
                _ => None,
            },
            ParameterKind::Transition(_) => parse_transition(text),
            ParameterKind::NumberByJoint(number) => text.rsplit_once('=').and_then(|(joint, text)| {
                Some(Value::Object(Map::from_iter([(joint.to_owned(), number.parse(text)?)])))
            }),
            ParameterKind::Joints => Some(Value::Array(vec![text.into()])),
        };
        let value = value.ok_or_else(|| self.invalid(&self.path, &format!("'{text}'")))?;
        self.check(&value)?;
        Ok(value)
    }

    /// The text of a JSON value; of [`ParameterKind::NumberByJoint`] and [`ParameterKind::Joints`],
    /// one text per joint.
    pub fn texts(&self, value: &Value) -> Vec<String> {
        match &self.kind {
            ParameterKind::NumberByJoint(number) => {
                let entries = value.as_object().into_iter().flatten();
                entries.map(|(joint, value)| format!("{joint}={}", number.text(value))).collect()
            }
            ParameterKind::Joints => {
                let names = value.as_array().into_iter().flatten();
                names.filter_map(Value::as_str).map(str::to_owned).collect()
            }
            ParameterKind::Number(number) => vec![number.text(value)],
            ParameterKind::Choice(choices) => vec![choices.text(value)],
            ParameterKind::Toggle => vec![if value == &Value::Bool(true) { "on" } else { "off" }.to_owned()],
            ParameterKind::Transition(_) => vec![transition_text(value)],
        }
    }

    /// What is valid, after "expected".
    pub fn expected(&self) -> String {
        match &self.kind {
            ParameterKind::Number(number) => number.expected(),
            ParameterKind::NumberByJoint(number) => format!("NAME=NUMBER with {}", number.expected()),
            ParameterKind::Choice(choices) => format!("one of {}", choices.words().join(", ")),
            ParameterKind::Toggle => "on or off".to_owned(),
            ParameterKind::Transition(_) => {
                let presets = Transition::PRESETS.map(|(name, _)| name).join(", ");
                format!("one of {presets}, or points of a curve such as '0.3,0.1 0.7,0.9'")
            }
            ParameterKind::Joints => "names of joints".to_owned(),
        }
    }

    fn invalid(&self, path: &str, found: &str) -> ParameterError {
        let expected = match &self.kind {
            // The path has the name already.
            ParameterKind::NumberByJoint(number) if path != self.path => number.expected(),
            _ => self.expected(),
        };
        ParameterError::Invalid { path: path.to_owned(), found: found.to_owned(), expected }
    }
}

impl ParameterKind {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Number(number) => number.holds(value),
            Self::Choice(choices) => choices.holds(value),
            Self::Toggle => value.is_boolean(),
            Self::Joints => value.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
            Self::Transition(_) | Self::NumberByJoint(_) => true,
        }
    }
}

impl NumberRange {
    fn holds(&self, value: &Value) -> bool {
        if let Some(special) = &self.special
            && special.value == value.as_f64()
            && (value.is_null() || value.is_number())
        {
            return true;
        }
        let is_valid = |x: f64| self.min <= x && x <= self.max && (!self.is_integer || x.fract() == 0.0);
        value.as_f64().is_some_and(is_valid)
    }

    fn parse(&self, text: &str) -> Option<Value> {
        if let Some(special) = self.special.as_ref().filter(|special| special.word == text) {
            return Some(special.value.map_or(Value::Null, |value| self.value(value)));
        }
        text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| self.value(x))
    }

    /// Whole numbers as such: fields of integer types refuse `4.0`.
    pub(super) fn value(&self, x: f64) -> Value {
        if self.is_integer && x.fract() == 0.0 && x.abs() < 1e15 { (x as i64).into() } else { x.into() }
    }

    fn text(&self, value: &Value) -> String {
        match (&self.special, value.as_f64()) {
            (Some(special), x) if special.value == x => special.word.clone(),
            (_, Some(x)) => x.to_string(),
            _ => shown(value),
        }
    }

    fn expected(&self) -> String {
        let noun = if self.is_integer { "an integer" } else { "a number" };
        let word = self.special.as_ref().map_or(String::new(), |special| format!(", or {}", special.word));
        format!("{noun} from {} to {}{word}", self.min, self.max)
    }
}

impl Choices {
    /// All of them, in the order of a menu.
    pub fn words(&self) -> Vec<&str> {
        self.choices.iter().map(|choice| choice.value.as_str()).collect()
    }

    fn holds(&self, value: &Value) -> bool {
        match value.as_str() {
            Some(word) => self.none.as_deref() != Some(word) && self.words().contains(&word),
            None => value.is_null() && self.none.is_some(),
        }
    }

    fn parse(&self, text: &str) -> Option<Value> {
        let word = self.choices.iter().find(|choice| choice.value == text)?;
        Some(if self.none.as_ref() == Some(&word.value) { Value::Null } else { text.into() })
    }

    fn text(&self, value: &Value) -> String {
        match value.as_str() {
            Some(word) => word.to_owned(),
            None => self.none.clone().unwrap_or_default(),
        }
    }
}

/// A preset by name, or points as `x,y x,y`.
fn parse_transition(text: &str) -> Option<Value> {
    if let Some((_, preset)) = Transition::PRESETS.into_iter().find(|(name, _)| *name == text) {
        return serde_json::to_value(preset).ok();
    }
    let point = |pair: &str| {
        let (x, y) = pair.split_once(',')?;
        Some([x.parse().ok()?, y.parse().ok()?])
    };
    let points: Vec<[f64; 2]> = text.split_whitespace().map(point).collect::<Option<_>>()?;
    if points.is_empty() {
        return None;
    }
    serde_json::to_value(Transition::Curve(points)).ok()
}

fn transition_text(value: &Value) -> String {
    match serde_json::from_value(value.clone()) {
        Ok(Transition::Curve(points)) => {
            let pairs: Vec<String> = points.iter().map(|[x, y]| format!("{x},{y}")).collect();
            pairs.join(" ")
        }
        _ => value.as_str().unwrap_or_default().to_owned(),
    }
}

/// A JSON value in a message; numbers as they are written on the command line.
fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map_or(number.to_string(), |x| x.to_string()),
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

/// What a document has at a dotted path.
pub fn value_at<'a>(document: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(document, |value, key| value.get(key))
}

/// Puts a value at a dotted path of a document and makes the objects on the way. Maps and lists are
/// extended by the entries of `value`.
pub fn set_value_at(document: &mut Value, path: &str, value: Value) {
    let mut at = document;
    for key in path.split('.') {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(members) = at else { return };
        at = members.entry(key).or_insert(Value::Null);
    }
    match (at, value) {
        (Value::Object(known), Value::Object(more)) => known.extend(more),
        (Value::Array(known), Value::Array(more)) => known.extend(more),
        (at, value) => *at = value,
    }
}
