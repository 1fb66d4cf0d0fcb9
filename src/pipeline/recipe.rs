//! Every parameter of a rig, as a file or a link keeps it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PlacedHandle;
use crate::weights::{Atlas, Biharmonic, Distance, ExampleFit, Glow, Heat, TransitionError};

/// How weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// By regions cut at the joints and grown over their borders (Hétroy et al. 2009).
    #[default]
    Atlas,
    /// By distance to the bones (Rohmer, Hahmann and Cani 2008).
    Distance,
    /// By heat that spreads from the nearest bones over the skin (Baran and Popović 2007).
    Heat,
    /// By light that bones cast on the skin from inside (Wareham and Lasenby 2008).
    Glow,
    /// As smooth as weights can be between 0 and 1 (Jacobson et al. 2011).
    Bbw,
    /// From example poses, to reproduce them.
    Examples,
}

impl Method {
    /// Every method there is.
    pub const ALL: [Self; 6] =
        [Self::Atlas, Self::Distance, Self::Heat, Self::Glow, Self::Bbw, Self::Examples];

    /// As in recipes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Atlas => "atlas",
            Self::Distance => "distance",
            Self::Heat => "heat",
            Self::Glow => "glow",
            Self::Bbw => "bbw",
            Self::Examples => "examples",
        }
    }

    /// Whether it weighs handles on the skin as well as bones.
    pub fn uses_handles(self) -> bool {
        matches!(self, Self::Bbw | Self::Examples)
    }
}

/// Every parameter of a rig. Missing fields have their defaults; unknown ones are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// Of the recipe's own form.
    pub version: u32,
    /// How weights are found.
    pub method: Method,
    /// The most joints a vertex may follow.
    pub max_influences: usize,
    /// Joints switched on or off by name, against what Pliant decides by itself.
    pub deforms: BTreeMap<String, bool>,
    /// Handles on the skin beside the bones, or without any; only methods that [use them](Method::uses_handles) weigh them.
    pub handles: Vec<PlacedHandle>,
    /// The parameters of [`Method::Atlas`].
    pub atlas: Atlas,
    /// The parameters of [`Method::Distance`].
    pub distance: Distance,
    /// The parameters of [`Method::Heat`].
    pub heat: Heat,
    /// The parameters of [`Method::Glow`].
    pub glow: Glow,
    /// The parameters of [`Method::Bbw`].
    pub bbw: Biharmonic,
    /// The parameters of [`Method::Examples`].
    pub examples: ExampleFit,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            version: Self::VERSION,
            method: Method::default(),
            max_influences: 4,
            deforms: BTreeMap::new(),
            handles: Vec::new(),
            atlas: Atlas::default(),
            distance: Distance::default(),
            heat: Heat::default(),
            glow: Glow::default(),
            bbw: Biharmonic::default(),
            examples: ExampleFit::default(),
        }
    }
}

/// Why a recipe cannot be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecipeError {
    /// A transition that is none.
    #[error("atlas.{0}")]
    Transition(#[from] TransitionError),
    /// Not JSON, or a value of the wrong kind.
    #[error("the recipe cannot be read: {0}")]
    Unreadable(String),
    /// From another version of Pliant.
    #[error(
        "the recipe is of version {found}, but this Pliant reads version {}; write it again",
        Recipe::VERSION
    )]
    Version {
        /// What it says.
        found: u64,
    },
    /// A field that does not exist.
    #[error("the recipe has an unknown field '{field}'; {hint}")]
    UnknownField {
        /// With its path.
        field: String,
        /// What was probably meant.
        hint: String,
    },
    /// A handle that cannot be told from others, or is nowhere.
    #[error("handle {number} ('{name}') {what}")]
    Handle {
        /// Counted from 1.
        number: usize,
        /// Its name.
        name: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A value that makes no sense.
    #[error("the recipe's {field} is {value}, but must lie from {low} to {high}")]
    OutOfRange {
        /// The field.
        field: String,
        /// What it is.
        value: f64,
        /// The least it may be.
        low: f64,
        /// The most it may be.
        high: f64,
    },
}

impl Recipe {
    /// Of the form written and read here.
    pub const VERSION: u32 = 1;

    /// How many joints a vertex may follow: glTF's second set ends at eight.
    pub const INFLUENCES: RangeInclusive<usize> = 1..=8;

    /// Reads a recipe.
    ///
    /// # Errors
    /// What is wrong and what was probably meant.
    pub fn from_json(text: &str) -> Result<Self, RecipeError> {
        let unreadable = |error: serde_json::Error| RecipeError::Unreadable(error.to_string());
        let value: Value = serde_json::from_str(text).map_err(unreadable)?;
        if let Some(found) =
            value.get("version").and_then(Value::as_u64).filter(|&v| v != u64::from(Self::VERSION))
        {
            return Err(RecipeError::Version { found });
        }
        let known = serde_json::to_value(Self::default()).map_err(unreadable)?;
        check_fields(&value, &known, "")?;
        let recipe: Self = serde_json::from_value(value).map_err(unreadable)?;
        recipe.check()?;
        Ok(recipe)
    }

    /// As readable JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Whether every value makes sense.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), RecipeError> {
        let in_range = |field: &str, value: f64, range: RangeInclusive<f64>| {
            if range.contains(&value) {
                return Ok(());
            }
            let (low, high) = range.into_inner();
            Err(RecipeError::OutOfRange { field: field.to_owned(), value, low, high })
        };
        let (least, most) = (*Self::INFLUENCES.start() as f64, *Self::INFLUENCES.end() as f64);
        in_range("max_influences", self.max_influences as f64, least..=most)?;
        in_range("atlas.k", self.atlas.k, Atlas::KS)?;
        for (joint, &k) in &self.atlas.k_joints {
            in_range(&format!("atlas.k_joints.{joint}"), k, Atlas::KS)?;
        }
        self.atlas.transition.check()?;
        PlacedHandle::check_all(&self.handles)?;
        in_range("distance.falloff", self.distance.falloff, Distance::FALLOFFS)?;
        in_range("heat.conductance", self.heat.conductance, Heat::CONDUCTANCES)?;
        in_range("glow.conductance", self.glow.conductance, Heat::CONDUCTANCES)?;
        let (least, most) = (*Biharmonic::CELLS.start() as f64, *Biharmonic::CELLS.end() as f64);
        if self.bbw.cells > 0 {
            in_range("bbw.cells", self.bbw.cells as f64, least..=most)?;
        }
        in_range("examples.data", self.examples.data, ExampleFit::STRENGTHS)?;
        in_range("examples.sparsity", self.examples.sparsity, ExampleFit::STRENGTHS)?;
        in_range("examples.rigidity", self.examples.rigidity, ExampleFit::STRENGTHS)?;
        in_range("examples.stiffness", self.examples.stiffness, ExampleFit::STRENGTHS)?;
        in_range("examples.groups", self.examples.groups as f64, ExampleFit::GROUPS)?;
        in_range("examples.iterations", self.examples.iterations as f64, ExampleFit::ITERATIONS)
    }
}

/// Refuses fields that the default recipe does not have; maps that are empty there take any key.
fn check_fields(given: &Value, known: &Value, path: &str) -> Result<(), RecipeError> {
    let (Some(given), Some(known)) = (given.as_object(), known.as_object()) else { return Ok(()) };
    if known.is_empty() {
        return Ok(());
    }
    for (key, value) in given {
        let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match known.get(key) {
            Some(below) => check_fields(value, below, &field)?,
            None => {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                return Err(RecipeError::UnknownField { hint: hint(key, &names), field });
            }
        }
    }
    Ok(())
}

/// The name nearest to `given`, or all of them when none is near.
pub fn hint(given: &str, names: &[&str]) -> String {
    let near = names.iter().map(|name| (edits(given, name), *name)).min();
    match near {
        Some((distance, name)) if distance <= name.len().max(3) / 3 => format!("did you mean '{name}'?"),
        _ => format!("known are {}", names.join(", ")),
    }
}

/// How many letters must be changed, added or removed (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_survives_being_written_and_read() {
        let mut recipe = Recipe { max_influences: 8, ..Recipe::default() };
        recipe.deforms.insert("root".into(), false);
        recipe.handles.push(PlacedHandle::point("nose", [0.1, 0.2, 0.3]));
        recipe
            .handles
            .push(PlacedHandle { vertices: vec![3, 4], ..PlacedHandle::point("hat", [1.0, 0.0, 0.0]) });
        assert_eq!(Recipe::from_json(&recipe.to_json()), Ok(recipe));
        assert_eq!(Recipe::from_json("{}"), Ok(Recipe::default()));
    }

    #[test]
    fn handles_need_a_name_of_their_own_and_a_place() {
        let message =
            |text: &str| Recipe::from_json(&format!(r#"{{"handles": [{text}]}}"#)).unwrap_err().to_string();
        let two = r#"{"name": "a", "at": [0, 0, 0]}, {"name": "a", "at": [1, 0, 0]}"#;
        assert_eq!(message(two), "handle 2 ('a') has the name of another one");
        assert_eq!(message(r#"{"name": " ", "at": [0, 0, 0]}"#), "handle 1 (' ') has no name");
        assert_eq!(message(r#"{"name": "a", "at": [0, 1e300, 0]}"#), "handle 1 ('a') is out of all bounds");
        assert!(message(r#"{"name": "a", "place": [0, 1, 0]}"#).contains("unknown field `place`"));
    }

    #[test]
    fn unknown_fields_are_refused_with_what_was_meant() {
        let message = |text: &str| Recipe::from_json(text).unwrap_err().to_string();
        assert!(message(r#"{"max_influence": 4}"#).contains("did you mean 'max_influences'?"));
        assert!(
            message(r#"{"distance": {"fallof": 4}}"#).contains("'distance.fallof'; did you mean 'falloff'?")
        );
        assert!(message(r#"{"zzz": 4}"#).contains(
            "known are atlas, bbw, deforms, distance, examples, glow, handles, heat, max_influences"
        ));
        assert!(message(r#"{"version": 7}"#).contains("version 7"));
        assert!(message(r#"{"max_influences": 9}"#).contains("from 1 to 8"));
        assert!(message(r#"{"distance": {"falloff": -1}}"#).contains("distance.falloff is -1"));
        assert!(message("[").contains("cannot be read"));
    }
}
