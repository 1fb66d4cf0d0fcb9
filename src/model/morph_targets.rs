//! The morph targets (blend shapes) of an asset.

use std::ops::Range;

use glam::Vec3;

/// Sparse displacements of render vertices, added to the rest shape before skinning:
/// `p = p̄ + Σ w_k Δ_k`. Targets of a node are consecutive. The displacements of all targets are
/// concatenated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTargets {
    /// The weight of each target without a clip.
    pub default_weights: Vec<f32>,
    /// The number of each target in its mesh.
    pub numbers: Vec<u32>,
    /// Where the displacements of each target end.
    pub ends: Vec<u32>,
    /// The render vertex of each displacement.
    pub vertices: Vec<u32>,
    /// Displacements of positions, in rest space.
    pub positions: Vec<Vec3>,
    /// Displacements of unit normals, in rest space; zeros throughout a target without normals.
    pub normals: Vec<Vec3>,
}

impl MorphTargets {
    /// The number of targets.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no targets.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The displacements of a target.
    pub fn range(&self, target: usize) -> Range<usize> {
        let start = if target == 0 { 0 } else { self.ends[target - 1] };
        start as usize..self.ends[target] as usize
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self, render_vertices: usize) {
        assert_eq!(self.default_weights.len(), self.len(), "one weight per target");
        assert!(self.default_weights.iter().all(|weight| weight.is_finite()), "a weight is not finite");
        assert!(self.ends.is_sorted(), "ends ascend");
        let count = self.ends.last().map_or(0, |&end| end as usize);
        assert_eq!([self.vertices.len(), self.positions.len(), self.normals.len()], [count; 3]);
        assert!(self.vertices.iter().all(|&vertex| (vertex as usize) < render_vertices));
        assert!(self.positions.iter().chain(&self.normals).all(|d| d.is_finite()), "not finite");
    }
}
