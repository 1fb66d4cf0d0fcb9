//! The schema of all parameters and methods.
//!
//! Command-line options, attributes, links, panel controls and range checks derive from it.
//! `table.rs` lists parameters and methods, `entry.rs` has the functions that the table is written
//! with. Defaults are read from the default values of the types.

mod entry;
mod table;

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::Recipe;
use super::parameter::{Parameter, ParameterError, ParameterGroup, set_value_at, value_at};
use crate::deform::{Deformer, PostSkinningOptions, VolumeOptions};

pub use table::MethodInfo;

/// All parameters, in the order of panels, help and links.
pub static PARAMETERS: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
    let defaults = defaults();
    let mut parameters: Vec<Parameter> = ParameterGroup::ALL.into_iter().flat_map(table::of_group).collect();
    for parameter in &mut parameters {
        let default = if parameter.path == VOLUME {
            Some(OFF.into())
        } else {
            value_at(&defaults, &parameter.path).cloned()
        };
        parameter.default = default.unwrap_or_default();
    }
    parameters
});

/// The parameters of a group.
pub fn parameters_of(group: ParameterGroup) -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(move |parameter| parameter.group == group)
}

/// Checks the parameters of a group that a document has.
///
/// # Errors
/// The first invalid value.
pub fn check_values(group: ParameterGroup, document: &Value) -> Result<(), ParameterError> {
    // Not `PARAMETERS`: the solver module would contain all groups and their defaults.
    table::of_group(group).iter().try_for_each(|parameter| match value_at(document, &parameter.path) {
        Some(value) => parameter.check(value),
        None => Ok(()),
    })
}

/// The options that values of [`ParameterGroup::PostSkinning`] stand for. Missing values have their
/// defaults.
///
/// # Errors
/// The first invalid value.
pub fn post_skinning_options(
    values: &[(&'static Parameter, Value)],
) -> Result<PostSkinningOptions, ParameterError> {
    let mut document = json!({ VOLUME: VolumeOptions::default() });
    let mut is_on = false;
    for (parameter, value) in values {
        parameter.check(value)?;
        if parameter.path == VOLUME {
            is_on = value != OFF;
        }
        let path = if parameter.path == VOLUME { "volume.map" } else { parameter.path.as_str() };
        if parameter.path != VOLUME || is_on {
            set_value_at(&mut document, path, value.clone());
        }
    }
    if !is_on {
        document[VOLUME] = Value::Null;
    }
    // Checked above: every value is one that serde writes.
    Ok(serde_json::from_value(document).unwrap_or_default())
}

/// The path of the correction map. In [`PostSkinningOptions`] it is `volume.map`, and [`OFF`] is
/// the absence of `volume`.
const VOLUME: &str = "volume";

/// The word for no volume correction.
const OFF: &str = "off";

/// The document that paths refer to.
fn defaults() -> Value {
    let mut document = serde_json::to_value(Recipe::default()).unwrap_or_default();
    let PostSkinningOptions { fold_guard, .. } = PostSkinningOptions::default();
    set_value_at(&mut document, "deformer", json!(Deformer::default()));
    set_value_at(&mut document, VOLUME, json!(VolumeOptions::default()));
    set_value_at(&mut document, "fold_guard", json!(fold_guard));
    document
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::entry::word;
    use super::*;
    use crate::deform::CorrectionMap;
    use crate::pipeline::Method;
    use crate::pipeline::parameter::{ParameterKind, SliderRange};

    #[test]
    fn every_parameter_has_a_valid_default_and_words() {
        let defaults = defaults();
        for parameter in PARAMETERS.iter() {
            let path = &parameter.path;
            assert!(value_at(&defaults, path).is_some(), "{path} is not in the default document");
            assert_eq!(parameter.check(&parameter.default), Ok(()), "{path}");
            assert!(!parameter.label.is_empty() && !parameter.help.is_empty(), "{path}");
            if let ParameterKind::Choice(choices) | ParameterKind::Transition(choices) = &parameter.kind {
                let words: BTreeSet<&str> = choices.words().into_iter().collect();
                assert_eq!(words.len(), choices.choices.len(), "{path} has a word twice");
                assert!(choices.choices.iter().all(|each| !each.label.is_empty() && !each.help.is_empty()));
            }
            if let ParameterKind::Number(number) | ParameterKind::NumberByJoint(number) = &parameter.kind {
                assert!(number.min < number.max && number.step > 0.0, "{path}");
                let SliderRange { min, max, .. } = number.slider;
                assert!(number.min <= min && min < max && max <= number.max, "{path}");
            }
            for condition in parameter.when.iter().flatten() {
                let other = PARAMETERS.iter().find(|other| other.path == condition.path).unwrap();
                assert!(condition.values.iter().all(|value| other.parse(value).is_ok()), "{path}");
            }
        }
    }

    #[test]
    fn every_leaf_of_the_default_recipe_is_a_parameter() {
        fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
            match value.as_object().filter(|members| !members.is_empty()) {
                Some(members) => members.iter().for_each(|(key, value)| {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    leaves(value, &path, found);
                }),
                None => found.push(path.to_owned()),
            }
        }
        let mut found = Vec::new();
        leaves(&Recipe::default().to_value(), "", &mut found);
        // Not set by a control: the version, and what belongs to joints, places and parts of one
        // character.
        found
            .retain(|path| !["version", "deforms", "handles", "loose_part_motions"].contains(&path.as_str()));
        let mut paths: Vec<String> =
            parameters_of(ParameterGroup::Rig).map(|parameter| parameter.path.clone()).collect();
        found.sort();
        paths.sort();
        assert_eq!(found, paths);
        let mut volume = Vec::new();
        leaves(&json!({ "volume": VolumeOptions::default() }), "", &mut volume);
        for path in volume.iter().filter(|path| *path != "volume.map") {
            assert!(PARAMETERS.iter().any(|parameter| parameter.path == *path), "{path}");
        }
    }

    #[test]
    fn no_path_and_no_option_and_no_label_of_a_panel_occurs_twice() {
        let all =
            |name: fn(&Parameter) -> String| -> BTreeSet<String> { PARAMETERS.iter().map(name).collect() };
        assert_eq!(all(|parameter| parameter.path.clone()).len(), PARAMETERS.len());
        assert_eq!(all(Parameter::option_name).len(), PARAMETERS.len());
        for method in Method::ALL {
            let labels: Vec<&str> = PARAMETERS
                .iter()
                .filter(|parameter| parameter.is_used_by(method))
                .map(|parameter| parameter.label.as_str())
                .collect();
            assert_eq!(labels.iter().collect::<BTreeSet<_>>().len(), labels.len(), "{labels:?}");
        }
    }

    #[test]
    fn names_of_methods_are_those_of_recipes() {
        for method in Method::ALL {
            assert_eq!(word(&method), method.name());
        }
    }

    #[test]
    fn values_are_the_same_after_writing_as_text_and_reading() {
        for parameter in PARAMETERS.iter() {
            let values: Vec<Value> = match &parameter.kind {
                ParameterKind::Number(number) => {
                    let special = number.special.iter().map(|special| json!(special.value));
                    [number.min, number.max].map(|x| number.value(x)).into_iter().chain(special).collect()
                }
                ParameterKind::NumberByJoint(number) => vec![json!({ "a=b": number.max })],
                ParameterKind::Choice(choices) => {
                    choices.words().iter().map(|word| parameter.parse(word).unwrap()).collect()
                }
                ParameterKind::Toggle => vec![true.into(), false.into()],
                ParameterKind::Transition(_) => {
                    vec!["quintic".into(), json!({ "curve": [[0.3, 0.1], [0.7, 0.9]] })]
                }
                ParameterKind::Joints => vec![json!(["thigh.L"])],
            };
            for value in values {
                let texts = parameter.texts(&value);
                let [text] = &texts[..] else { panic!("{texts:?}") };
                let read = parameter.parse(text);
                let is_same = |read: &Value| *read == value || read.as_f64() == value.as_f64();
                assert!(read.as_ref().is_ok_and(is_same), "{} {text}: {read:?}", parameter.path);
            }
        }
    }

    /// The page parses transitions too, because attributes and links are read before a module is
    /// there. `www/test/transition.test.ts` reads the same cases.
    #[test]
    fn transitions_are_parsed_as_on_the_page() {
        let cases: Vec<(String, Value)> =
            serde_json::from_str(include_str!("../../../tests/transitions.json")).unwrap();
        let transition = PARAMETERS.iter().find(|parameter| parameter.path == "atlas.transition").unwrap();
        for (text, expected) in cases {
            assert_eq!(transition.parse(&text).unwrap_or_default(), expected, "'{text}'");
        }
    }

    #[test]
    fn a_recipe_with_a_value_that_is_not_finite_is_refused() {
        let mut recipe = Recipe::default();
        recipe.atlas.k = f64::NAN;
        assert_eq!(
            recipe.check().unwrap_err().to_string(),
            "atlas.k is null; expected a number from 0 to 100"
        );
    }

    #[test]
    fn post_skinning_options_follow_from_values() {
        let value = |path: &str, text: &str| {
            let parameter = PARAMETERS.iter().find(|parameter| parameter.path == path).unwrap();
            (parameter, parameter.parse(text).unwrap())
        };
        assert_eq!(post_skinning_options(&[]), Ok(PostSkinningOptions::default()));
        let off = [value("volume", "off"), value("volume.alpha", "2"), value("fold_guard", "on")];
        assert_eq!(post_skinning_options(&off), Ok(PostSkinningOptions { volume: None, fold_guard: true }));
        let local = [
            value("volume.excluded", "a"),
            value("volume.alpha", "2"),
            value("volume.excluded", "b"),
            value("volume", "rubber"),
        ];
        let volume = VolumeOptions {
            alpha: 2.0,
            excluded: vec!["a".into(), "b".into()],
            ..VolumeOptions::of(CorrectionMap::Rubber)
        };
        assert_eq!(
            post_skinning_options(&local),
            Ok(PostSkinningOptions { volume: Some(volume), fold_guard: false })
        );
    }
}
