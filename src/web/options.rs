//! What can be chosen, so that menus and sliders are never written twice.

use serde::Serialize;

use super::baking::Bake;
use crate::deform::{CorrectionMap, CorrectionMode, Deformer, VolumeOptions};
use crate::distance::Metric;
use crate::io::{Format, FormatInfo};
use crate::pipeline::{Method, PARAMETERS, Parameter, Recipe};
use crate::samples::{self, SampleCharacter};
use crate::view::{Brush, Show};
use crate::weights::{Atlas, Distance, ExampleFit, Transition};

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Options {
    /// Every parameter at its default.
    pub recipe: Recipe,
    /// Every parameter with its range, default, label and help text, in the order of panels.
    pub parameters: Vec<Parameter>,
    /// How weights can be found, the default first.
    pub methods: Vec<Method>,
    /// Those of them that weigh handles on the skin.
    pub handle_methods: Vec<Method>,
    /// How joints can be blended, the default first.
    pub deformers: Vec<Deformer>,
    /// What colours can show, the default first.
    pub shows: Vec<Show>,
    /// The file formats that can be read, for file dialogs.
    pub formats: Vec<FormatInfo>,
    /// The characters that can be made.
    pub samples: Vec<SampleInfo>,
    /// The least and the most joints a vertex may follow.
    pub influences: [usize; 2],
    /// How distances can be measured by the atlas method, the default first.
    pub metrics: Vec<Metric>,
    /// How weights can fade across an overlap, the default first; besides these, along a curve of one's own.
    pub transitions: Vec<Transition>,
    /// The least and the most K of the atlas method, and the slider's most.
    pub k: [f64; 3],
    /// The least and the most falloff of the distance method.
    pub falloff: [f64; 2],
    /// The most of λ1 and λ2 of learning from examples.
    pub strength: f64,
    /// The most groups it can turn as one.
    pub groups: f64,
    /// Where flesh can give to keep its volume; besides these, volume need not be kept.
    pub volumes: Vec<CorrectionMap>,
    /// How far that can go, the default first.
    pub volume_modes: Vec<CorrectionMode>,
    /// Every parameter of it at its default.
    pub volume: VolumeOptions,
    /// The least and the most of its exponents α and β.
    pub exponents: [f64; 2],
    /// The brush that paints where flesh gives, at its default.
    pub brush: Brush,
    /// How many keys a baked correction has, unless told otherwise.
    pub bake_keys: usize,
    /// The least and the most vertices a character of the cast can have.
    pub vertices: [usize; 2],
}

/// A character that can be made.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SampleInfo {
    /// Its name.
    pub member: SampleCharacter,
    /// As many vertices as it usually has.
    pub vertices: usize,
}

impl Options {
    /// All there is.
    pub fn all() -> Self {
        let samples =
            SampleCharacter::ALL.map(|member| SampleInfo { member, vertices: member.default_vertices() });
        let ends = |range: std::ops::RangeInclusive<usize>| [*range.start(), *range.end()];
        Self {
            recipe: Recipe::default(),
            parameters: PARAMETERS.clone(),
            methods: Method::ALL.to_vec(),
            handle_methods: Method::ALL.into_iter().filter(|method| method.uses_handles()).collect(),
            deformers: Deformer::ALL.to_vec(),
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
            influences: ends(Recipe::INFLUENCES),
            metrics: vec![Metric::Smooth, Metric::Dijkstra, Metric::Harmonic, Metric::Euclidean],
            transitions: Transition::PRESETS.map(|(_, preset)| preset).to_vec(),
            k: [*Atlas::KS.start(), *Atlas::KS.end(), Atlas::SLIDER_K],
            falloff: [*Distance::FALLOFFS.start(), *Distance::FALLOFFS.end()],
            strength: *ExampleFit::STRENGTHS.end(),
            groups: *ExampleFit::GROUPS.end(),
            volumes: CorrectionMap::ALL.to_vec(),
            volume_modes: vec![CorrectionMode::Exact, CorrectionMode::Paper],
            volume: VolumeOptions::default(),
            exponents: [*VolumeOptions::EXPONENTS.start(), *VolumeOptions::EXPONENTS.end()],
            brush: Brush::default(),
            bake_keys: Bake::KEYS,
            vertices: ends(samples::VERTICES),
        }
    }
}
