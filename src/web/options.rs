//! Everything that can be chosen, so that menus and ranges are written once. Plain data: the build
//! writes it as JSON natively.

use serde::Serialize;

use super::baking::Bake;
use crate::io::{Format, FormatInfo};
use crate::pipeline::{Method, PARAMETERS, Parameter, Recipe};
use crate::samples::{self, SampleCharacter};
use crate::view::{Brush, Show};

/// Everything that can be chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Options {
    /// The default recipe.
    pub recipe: Recipe,
    /// All parameters with range, default, label and help text, in the order of panels.
    pub parameters: Vec<Parameter>,
    /// All methods, the default first.
    pub methods: Vec<Method>,
    /// The method for characters without weights, where the default is asked for.
    pub fallback_method: Method,
    /// The methods that give weights to handles on the skin.
    pub handle_methods: Vec<Method>,
    /// What colours can show, the default first.
    pub shows: Vec<Show>,
    /// The file formats that can be read, for file dialogs.
    pub formats: Vec<FormatInfo>,
    /// The sample characters.
    pub samples: Vec<SampleInfo>,
    /// The default brush of the painted correction map.
    pub brush: Brush,
    /// The default number of keys of a baked correction.
    pub bake_keys: usize,
    /// The least and the greatest number of vertices of a sample character.
    pub vertices: [usize; 2],
}

/// A sample character.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SampleInfo {
    /// The name.
    pub member: SampleCharacter,
    /// The default number of vertices.
    pub vertices: usize,
}

impl Options {
    /// All choices.
    pub fn all() -> Self {
        let samples =
            SampleCharacter::ALL.map(|member| SampleInfo { member, vertices: member.site_vertices() });
        Self {
            recipe: Recipe::default(),
            parameters: PARAMETERS.clone(),
            methods: Method::ALL.to_vec(),
            fallback_method: Method::FALLBACK,
            handle_methods: Method::ALL.into_iter().filter(|method| method.uses_handles()).collect(),
            shows: vec![
                Show::Shaded,
                Show::Weights,
                Show::Regions,
                Show::Overlaps,
                Show::Gamma,
                Show::Folds,
                Show::Fit,
                Show::Difference,
            ],
            formats: Format::table(),
            samples: samples.to_vec(),
            brush: Brush::default(),
            bake_keys: Bake::KEYS,
            vertices: [*samples::VERTICES.start(), *samples::VERTICES.end()],
        }
    }
}
