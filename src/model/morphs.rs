//! Morph targets that a clip drives before skinning.

use glam::Vec3;

/// Displacements per key of a clip. At `times[k]` target `k` has weight 1 and the others 0; in
/// between, weights are interpolated linearly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morphs {
    /// The name of the clip.
    pub clip: String,
    /// Key times in seconds, ascending.
    pub times: Vec<f32>,
    /// One displacement per render vertex for each time, in rest space.
    pub targets: Vec<Vec<Vec3>>,
}

impl Morphs {
    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self) {
        assert_eq!(self.times.len(), self.targets.len(), "one target per time");
        assert!(self.times.windows(2).all(|pair| pair[0] < pair[1]), "times ascend");
        assert!(self.targets.iter().flatten().all(|d| d.is_finite()), "a displacement is not finite");
    }
}
