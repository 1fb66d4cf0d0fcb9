//! The regions behind weights, as far as they are reported and drawn.

use std::sync::Arc;

use super::{Mesh, Regions};

/// The regions of an atlas, and where they overlap once they are grown.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionOverlay {
    /// The partition of the solve mesh and the curves between regions. It does not depend on the width of
    /// overlaps.
    pub regions: Arc<Regions>,
    /// Whether each vertex of the solve mesh lies in more than one grown region.
    pub overlapped: Arc<Vec<bool>>,
}

impl RegionOverlay {
    /// The share of the vertices that lie in more than one grown region.
    pub fn overlap_share(&self) -> f64 {
        self.overlap_vertices() as f64 / self.overlapped.len().max(1) as f64
    }

    /// The number of vertices that lie in more than one grown region.
    pub fn overlap_vertices(&self) -> usize {
        self.overlapped.iter().filter(|&&overlapped| overlapped).count()
    }

    /// Whether it is an overlay of this mesh.
    pub fn fits(&self, mesh: &Mesh) -> bool {
        let Regions { regions, of_vertex, boundaries } = &*self.regions;
        let vertices = mesh.positions().len();
        let is_region = |&region: &u32| (region as usize) < regions.len();
        let mut curves = boundaries.iter().flat_map(|boundary| &boundary.curves);
        of_vertex.len() == vertices
            && self.overlapped.len() == vertices
            && of_vertex.iter().all(is_region)
            && boundaries.iter().flat_map(|boundary| &boundary.regions).all(is_region)
            && curves.all(|curve| curve.triangles.iter().all(|&t| (t as usize) < mesh.triangles().len()))
    }
}
