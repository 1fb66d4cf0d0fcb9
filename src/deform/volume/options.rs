//! What a person chooses about the volume correction.

use serde::{Deserialize, Serialize};

/// Options of [`Volume`](super::Volume).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default, deny_unknown_fields)]
pub struct VolumeOptions {
    /// Where the flesh gives.
    pub map: CorrectionMap,
    /// As published, or to the last digit.
    pub mode: CorrectionMode,
    /// What is kept; none for what suits the map: segments for [`CorrectionMap::Local`], else the whole.
    pub scope: Option<VolumeScope>,
    /// How strongly correction gathers at the joints: the exponent of 1 − m. Outside
    /// [`VolumeOptions::EXPONENTS`] the nearest of them is used.
    pub alpha: f64,
    /// How strongly it gathers away from the bones: the exponent of d. Bounds as for `alpha`.
    pub beta: f64,
    /// Joints whose bones do not count for d, by name: the legs, where a belly hangs from the spine.
    pub excluded: Vec<String>,
    /// Whether flesh gives only where the pose bends it: an elbow's bend then leaves the shoulder's end of the arm alone. In
    /// exact mode, and not with [`CorrectionMap::Uniform`].
    pub where_bent: bool,
}

impl VolumeOptions {
    /// Exponents that make sense. Larger: single vertices take everything.
    pub const EXPONENTS: std::ops::RangeInclusive<f64> = 0.0..=8.0;

    /// The defaults with this map.
    pub fn of(map: CorrectionMap) -> Self {
        Self { map, ..Self::default() }
    }

    /// What is kept, with the choice made.
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

/// How much a vertex may move for the sake of volume; m is its largest weight, d its distance to the
/// nearest bone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum CorrectionMap {
    /// All alike: everything swells.
    Uniform,
    /// (1 − m)^α: joints swell evenly all around.
    Rubber,
    /// (1 − m)^α d^β: flesh far from the bone swells.
    Organic,
    /// As organic, fading out where a segment ends, so that each segment keeps its own volume.
    #[default]
    Local,
}

impl CorrectionMap {
    /// Every one there is.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Rubber, Self::Organic, Self::Local];
}

/// How far the correction goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum CorrectionMode {
    /// The paper's: one linear step, and segments measured by prisms in their bone's frame.
    Paper,
    /// Until the volume is what it was.
    #[default]
    Exact,
}

/// What keeps its volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum VolumeScope {
    /// Every connected part.
    Whole,
    /// Every segment of every part: what follows one joint most.
    Segments,
}
