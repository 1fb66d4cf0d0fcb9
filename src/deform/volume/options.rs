//! Options of the volume correction that a user chooses.

use serde::{Deserialize, Serialize};

/// Options of [`VolumeCorrection`](super::VolumeCorrection).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct VolumeOptions {
    /// The correction map γ: how much each vertex may move.
    pub map: CorrectionMap,
    /// One linear step as published, or exact volumes.
    pub mode: CorrectionMode,
    /// What has its volume preserved. None for the default of the map: segments for
    /// [`CorrectionMap::Local`], connected parts for the others.
    pub scope: Option<VolumeScope>,
    /// Exponent α of the shared weight: larger values concentrate the correction at joints. Values
    /// outside of [`VolumeOptions::EXPONENTS`] are clamped.
    pub alpha: f64,
    /// Exponent β of the distance from the bone: larger values concentrate the correction away from
    /// bones. Clamped as `alpha`.
    pub beta: f64,
    /// Names of joints whose bones do not count for the distance, such as the legs where a belly
    /// hangs from the spine.
    pub excluded: Vec<String>,
    /// Whether γ is multiplied by the bend factor of the pose, so that bending an elbow does not
    /// change the shoulder. In exact mode only, and not with [`CorrectionMap::Uniform`].
    pub where_bent: bool,
}

impl VolumeOptions {
    /// Range of the exponents. Larger exponents concentrate the whole correction in single
    /// vertices.
    pub const EXPONENTS: std::ops::RangeInclusive<f64> = 0.0..=8.0;

    /// The default options with another map.
    pub fn of(map: CorrectionMap) -> Self {
        Self { map, ..Self::default() }
    }

    /// The chosen scope, or the default of the map.
    pub fn scope(&self) -> VolumeScope {
        self.scope.unwrap_or(match self.map {
            CorrectionMap::Local => VolumeScope::Segments,
            CorrectionMap::Uniform | CorrectionMap::Rubber | CorrectionMap::Organic => VolumeScope::Whole,
        })
    }
}

impl Default for VolumeOptions {
    fn default() -> Self {
        Self {
            map: CorrectionMap::default(),
            mode: CorrectionMode::default(),
            scope: None,
            alpha: 1.0,
            beta: 1.0,
            excluded: Vec::new(),
            where_bent: true,
        }
    }
}

/// Correction map γ; m is the largest weight of a vertex, d its distance from the nearest bone.
/// Exact mode uses 1 − Σ w² instead of 1 − m (docs/theory/volume.md#correction-maps).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum CorrectionMap {
    /// γ = 1: the whole surface moves.
    Uniform,
    /// γ = (1 − m)^α: joints bulge evenly all around.
    Rubber,
    /// γ = (1 − m)^α d^β: skin far from the bone moves most.
    Organic,
    /// As organic, fading out towards the end of each segment; each segment preserves its volume.
    #[default]
    Local,
}

impl CorrectionMap {
    /// All maps.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Rubber, Self::Organic, Self::Local];
}

/// How exactly volumes are restored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum CorrectionMode {
    /// One linear step as published; volumes of segments are measured by prisms in the bone's
    /// frame.
    Paper,
    /// Until volumes are those of the rest pose, up to rounding.
    #[default]
    Exact,
}

/// What has its volume preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum VolumeScope {
    /// Every connected part.
    Whole,
    /// Every segment of every part: the vertices that follow one joint most.
    Segments,
}
