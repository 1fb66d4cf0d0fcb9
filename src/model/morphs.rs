//! Shapes that a clip blends into the mesh before it is skinned.

use glam::Vec3;

/// What plain skinning lacks, key by key: at `times[k]` target `k` counts wholly and no other, in between the two around.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morphs {
    /// The clip they go with.
    pub clip: String,
    /// In seconds, ascending.
    pub times: Vec<f32>,
    /// One displacement per render vertex for each time, in rest space.
    pub targets: Vec<Vec<Vec3>>,
}

impl Morphs {
    /// Panics with the reason if an invariant does not hold. For tests.
    pub fn assert_well_formed(&self) {
        assert_eq!(self.times.len(), self.targets.len(), "one target per time");
        assert!(self.times.windows(2).all(|pair| pair[0] < pair[1]), "times ascend");
        assert!(self.targets.iter().flatten().all(|d| d.is_finite()), "a displacement is not a number");
    }
}
