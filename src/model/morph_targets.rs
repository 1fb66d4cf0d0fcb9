//! The morph targets (blend shapes) of an asset.

use glam::Vec3;

/// Sparse displacements of render vertices, added to the rest shape before skinning:
/// `p = p̄ + Σ w_k Δ_k`. Targets of a part are consecutive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTargets {
    /// The targets.
    pub targets: Vec<MorphTarget>,
    /// The displacements of all targets, concatenated.
    pub displacements: Vec<MorphDisplacement>,
}

/// One morph target of one part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphTarget {
    /// Its weight without a clip.
    pub default_weight: f32,
    /// Its number in the mesh.
    pub number: u32,
    /// Where its displacements end.
    pub end: u32,
}

/// The displacement of one vertex, in rest space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphDisplacement {
    /// The render vertex.
    pub vertex: u32,
    /// Of the position.
    pub position: Vec3,
    /// Of the unit normal; zero throughout a target without normals.
    pub normal: Vec3,
}

impl MorphTargets {
    /// The weight of each target without a clip.
    #[inline(never)]
    pub fn default_weights(&self) -> Vec<f32> {
        self.targets.iter().map(|target| target.default_weight).collect()
    }

    /// The displacements of a target.
    pub fn displacements_of(&self, target: usize) -> &[MorphDisplacement] {
        let start = if target == 0 { 0 } else { self.targets[target - 1].end };
        &self.displacements[start as usize..self.targets[target].end as usize]
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self, render_vertices: usize) {
        assert!(self.targets.iter().all(|target| target.default_weight.is_finite()));
        assert!(self.targets.is_sorted_by_key(|target| target.end), "ends ascend");
        let count = self.targets.last().map_or(0, |target| target.end as usize);
        assert_eq!(self.displacements.len(), count, "displacements for all targets");
        for MorphDisplacement { vertex, position, normal } in &self.displacements {
            assert!((*vertex as usize) < render_vertices, "vertex {vertex} does not exist");
            assert!(position.is_finite() && normal.is_finite(), "a displacement is not finite");
        }
    }
}
