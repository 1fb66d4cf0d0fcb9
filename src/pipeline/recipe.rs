//! All parameters of a rig, as files and links store them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PlacedHandle;
use super::exact_json;
use super::parameter::{ParameterError, ParameterGroup};
use super::schema::{check_values, parameters_of};
use crate::model::Asset;
use crate::weights::{Atlas, Biharmonic, Distance, ExampleFit, Glow, Heat, LoosePartWeights, PartMotion};

/// How weights are computed. [`Method::info`] has names and papers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The weights of the file, unchanged. A character without weights gets those of
    /// [`Method::Atlas`].
    #[default]
    Source,
    /// Flexible skinning atlas.
    Atlas,
    /// Inverse distance.
    Distance,
    /// Bone heat.
    Heat,
    /// Bone glow.
    Glow,
    /// Bounded biharmonic weights.
    Bbw,
    /// Example fitting.
    Examples,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 7] =
        [Self::Source, Self::Atlas, Self::Distance, Self::Heat, Self::Glow, Self::Bbw, Self::Examples];

    /// The method for characters without weights, where [`Method::Source`] is asked for.
    pub const FALLBACK: Self = Self::Atlas;

    /// The method that runs on an asset: itself, or [`Method::FALLBACK`].
    pub fn on(self, asset: &Asset) -> Self {
        if self == Self::Source && asset.stored_weights.is_none() { Self::FALLBACK } else { self }
    }

    /// The name in recipes and on the command line.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether handles on the skin get weights, as bones do.
    pub fn uses_handles(self) -> bool {
        self.info().uses_handles
    }
}

/// All parameters of a rig. Missing fields have their defaults; unknown ones are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// Version of the format of recipes.
    pub version: u32,
    /// How weights are computed.
    pub method: Method,
    /// The largest number of joints per vertex.
    pub max_influences: usize,
    /// Where loose parts get their weights from. Has no effect with [`Method::Examples`], with
    /// handles, and on weights of the file.
    pub loose_parts: LoosePartWeights,
    /// How single loose parts move: by the index of the part in the report, or by the name of the
    /// meshes that it is in. Overrides what follows from shape and size.
    pub loose_part_motions: BTreeMap<String, PartMotion>,
    /// Joints that deform the skin, or do not, by name; overrides the classification of joints.
    pub deforms: BTreeMap<String, bool>,
    /// Handles on the skin, beside bones or without any. Only some methods
    /// [use them](Method::uses_handles).
    pub handles: Vec<PlacedHandle>,
    /// Parameters of [`Method::Atlas`].
    pub atlas: Atlas,
    /// Parameters of [`Method::Distance`].
    pub distance: Distance,
    /// Parameters of [`Method::Heat`].
    pub heat: Heat,
    /// Parameters of [`Method::Glow`].
    pub glow: Glow,
    /// Parameters of [`Method::Bbw`].
    pub bbw: Biharmonic,
    /// Parameters of [`Method::Examples`].
    pub examples: ExampleFit,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            version: Self::VERSION,
            method: Method::default(),
            max_influences: 4,
            loose_parts: LoosePartWeights::default(),
            loose_part_motions: BTreeMap::new(),
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

/// Why a recipe is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecipeError {
    /// Not JSON, or a value of the wrong type.
    #[error("the recipe cannot be read: {0}")]
    Unreadable(String),
    /// Of another version of Pliant.
    #[error(
        "the recipe is of version {found}, but this Pliant reads version {}; write it again",
        Recipe::VERSION
    )]
    Version {
        /// The version of the recipe.
        found: u64,
    },
    /// A field that does not exist.
    #[error("the recipe has an unknown field '{field}'; {hint}")]
    UnknownField {
        /// With its path.
        field: String,
        /// The nearest name.
        hint: String,
    },
    /// A handle with an invalid name or position.
    #[error("handle {number} ('{name}') {what}")]
    Handle {
        /// Counted from 1.
        number: usize,
        /// Its name.
        name: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// An invalid value of a parameter.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl Recipe {
    /// The version that is written and read.
    pub const VERSION: u32 = 1;

    /// Valid numbers of influences: glTF's second set of joints ends at eight.
    pub const INFLUENCES: RangeInclusive<usize> = 1..=8;

    /// Reads a recipe from JSON.
    ///
    /// # Errors
    /// What is wrong, and the nearest valid name or the valid range.
    pub fn from_json(text: &str) -> Result<Self, RecipeError> {
        Self::from_value(exact_json::parse(text)?)
    }

    /// Reads a recipe from a JSON value.
    ///
    /// # Errors
    /// As [`Recipe::from_json`].
    pub fn from_value(value: Value) -> Result<Self, RecipeError> {
        if let Some(found) =
            value.get("version").and_then(Value::as_u64).filter(|&v| v != u64::from(Self::VERSION))
        {
            return Err(RecipeError::Version { found });
        }
        check_fields(&value, &Self::default().to_value(), "")?;
        check_values(ParameterGroup::Rig, &value)?;
        let recipe: Self = serde_json::from_value(value)?;
        PlacedHandle::check_all(&recipe.handles)?;
        Ok(recipe)
    }

    /// The recipe as a JSON value. Numbers that are not finite become null.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The recipe as readable JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Checks all values against the ranges of the schema.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), RecipeError> {
        // Handles may be large, and have no parameters.
        let value = Self { handles: Vec::new(), ..self.clone() }.to_value();
        check_values(ParameterGroup::Rig, &value)?;
        PlacedHandle::check_all(&self.handles)
    }
}

impl From<serde_json::Error> for RecipeError {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Refuses fields that the default recipe does not have, and lists in place of objects: serde would
/// take their items for fields, past the checks of ranges. Maps that are empty there take any key.
fn check_fields(given: &Value, known: &Value, path: &str) -> Result<(), RecipeError> {
    let Some(known) = known.as_object() else { return Ok(()) };
    let Some(given) = given.as_object() else {
        let what = if path.is_empty() { "it" } else { path };
        return Err(RecipeError::Unreadable(format!("{what} is not an object with names")));
    };
    if known.is_empty() {
        return Ok(());
    }
    for (key, value) in given {
        let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match known.get(key) {
            Some(below) => check_fields(value, below, &field)?,
            None => {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                let elsewhere =
                    parameters_of(ParameterGroup::Rig).find(|p| p.path.rsplit('.').next() == Some(key));
                let hint = match elsewhere {
                    Some(parameter) => format!("did you mean '{}'?", parameter.path),
                    None => hint(key, &names),
                };
                return Err(RecipeError::UnknownField { hint, field });
            }
        }
    }
    Ok(())
}

/// The name nearest to `given`, or all of them if none is near.
pub fn hint(given: &str, names: &[&str]) -> String {
    let near = names.iter().map(|name| (edit_distance(given, name), *name)).min();
    match near {
        Some((distance, name)) if distance <= name.len().max(3) / 3 => format!("did you mean '{name}'?"),
        _ => format!("known are {}", names.join(", ")),
    }
}

/// How many letters must be changed, added or removed (Levenshtein).
fn edit_distance(a: &str, b: &str) -> usize {
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
    fn a_recipe_is_the_same_after_writing_and_reading() {
        let mut recipe = Recipe { max_influences: 8, ..Recipe::default() };
        recipe.deforms.insert("root".into(), false);
        recipe.handles.push(PlacedHandle::point("nose", [0.1, 0.2, 0.3]));
        recipe
            .handles
            .push(PlacedHandle { vertices: vec![3, 4], ..PlacedHandle::point("hat", [1.0, 0.0, 0.0]) });
        assert_eq!(Recipe::from_json(&recipe.to_json()), Ok(recipe));
        assert_eq!(Recipe::from_json("{}"), Ok(Recipe::default()));
    }

    /// Found by `cargo xtask fuzz recipe`: by default serde_json may miss the nearest number.
    #[test]
    fn numbers_are_the_same_after_writing_and_reading() {
        // The last ones are those of a logarithmic slider.
        let slider = (0..200).map(|step| 10f64.powf(f64::from(step) / 200.0 * 9.0 - 13.0));
        for number in [1e-60, f64::MIN_POSITIVE, 5e-324, 0.1 + 0.2, 1.0 / 3.0].into_iter().chain(slider) {
            let mut recipe = Recipe::default();
            recipe.examples.sparsity = number;
            recipe.atlas.k_joints.insert("hip".into(), number);
            assert_eq!(Recipe::from_json(&recipe.to_json()), Ok(recipe), "{number:e}");
        }
        let text = r#"{"examples": {"sparsity": 1e-60}}"#;
        assert_eq!(Recipe::from_json(text).map(|recipe| recipe.examples.sparsity), Ok(1e-60));
    }

    /// Found by `cargo xtask fuzz recipe`.
    #[test]
    fn lists_in_place_of_objects_are_refused() {
        for (text, place) in [("[2]", "it is not"), (r#"{"atlas": [9]}"#, "atlas is not")] {
            let message = Recipe::from_json(text).unwrap_err().to_string();
            assert!(message.contains(place), "{message}");
        }
    }

    #[test]
    fn handles_need_a_unique_name_and_a_finite_position() {
        let message =
            |text: &str| Recipe::from_json(&format!(r#"{{"handles": [{text}]}}"#)).unwrap_err().to_string();
        let two = r#"{"name": "a", "at": [0, 0, 0]}, {"name": "a", "at": [1, 0, 0]}"#;
        assert_eq!(message(two), "handle 2 ('a') has the name of another one");
        assert_eq!(message(r#"{"name": " ", "at": [0, 0, 0]}"#), "handle 1 (' ') has no name");
        assert_eq!(
            message(r#"{"name": "a", "at": [0, 1e300, 0]}"#),
            "handle 1 ('a') has a position that is not finite"
        );
        assert!(message(r#"{"name": "a", "place": [0, 1, 0]}"#).contains("unknown field `place`"));
    }

    #[test]
    fn unknown_fields_are_refused_with_the_nearest_name() {
        let message = |text: &str| Recipe::from_json(text).unwrap_err().to_string();
        assert!(message(r#"{"max_influence": 4}"#).contains("did you mean 'max_influences'?"));
        assert!(
            message(r#"{"distance": {"fallof": 4}}"#).contains("'distance.fallof'; did you mean 'falloff'?")
        );
        assert!(message(r#"{"zzz": 4}"#).contains(
            "known are atlas, bbw, deforms, distance, examples, glow, handles, heat, loose_part_motions, loose_parts"
        ));
        assert!(message(r#"{"version": 7}"#).contains("version 7"));
        assert!(message(r#"{"max_influences": 9}"#).contains("from 1 to 8"));
        assert!(message(r#"{"distance": {"falloff": -1}}"#).contains("distance.falloff is -1; expected"));
        assert!(message(r#"{"falloff": 4}"#).contains("did you mean 'distance.falloff'?"));
        assert!(message(r#"{"atlas": {"k_joints": {"hip": 101}}}"#).contains("atlas.k_joints.hip is 101"));
        assert!(message("[").contains("cannot be read"));
    }
}
