//! Which voxels of a grid are in the body, and the inside fractions of voxels and of the faces
//! between them.

use glam::DVec3;

use super::cut_faces::FaceFractions;
use super::inside::{Grid, fill, mark_touched};
use crate::operators::{ComponentKind, MeshGeometry};

/// The voxels of a grid that are in the body.
pub(super) struct Cells {
    grid: Grid,
    /// Voxels that are inside or that the surface touches.
    pub(super) is_full: Vec<bool>,
    /// Voxels that sheets pass through, which have no inside.
    is_sheet: Vec<bool>,
    fractions: Vec<f32>,
    faces: [FaceFractions; 3],
}

impl Cells {
    /// Voxelises a mesh whose vertices are at `in_voxels`, in units of voxels.
    pub(super) fn of(geometry: &MeshGeometry, grid: Grid, in_voxels: &[DVec3]) -> Self {
        let mesh = geometry.mesh();
        let components = geometry.components();
        let kind_of = |t: usize| components.kind(components.of_triangle(t));
        let facing_out = |t: usize| {
            let mut corners = mesh.triangles()[t];
            match kind_of(t) {
                ComponentKind::Outward => {}
                ComponentKind::Inward => corners.swap(1, 2),
                ComponentKind::Sheet => return None,
            }
            Some((corners, corners.map(|v| in_voxels[v as usize])))
        };
        let bodies = || (0..mesh.triangles().len()).filter_map(facing_out);
        let mut is_full = vec![false; grid.len()];
        let fractions = fill(grid, bodies(), &mut is_full);
        let faces = [0, 1, 2].map(|axis| FaceFractions::of(grid, axis, bodies().map(|(_, corners)| corners)));
        let mut is_sheet = vec![false; grid.len()];
        for (t, triangle) in mesh.triangles().iter().enumerate() {
            let corners = triangle.map(|v| in_voxels[v as usize]);
            mark_touched(grid, &corners, &mut is_full);
            if kind_of(t) == ComponentKind::Sheet {
                mark_touched(grid, &corners, &mut is_sheet);
            }
        }
        for &at in in_voxels {
            if let Some(voxel) = grid.voxel(at) {
                is_full[grid.index(voxel)] = true;
            }
        }
        Self { grid, is_full, is_sheet, fractions, faces }
    }

    /// The inside fraction of a voxel.
    pub(super) fn fraction(&self, voxel: [usize; 3]) -> f64 {
        let at = self.grid.index(voxel);
        if self.is_sheet[at] { 1.0 } else { f64::from(self.fractions[at]) }
    }

    /// The inside fraction of the face between a voxel and the next along an axis, in the middle of
    /// a cell.
    pub(super) fn open_fraction(&self, axis: usize, voxel: [usize; 3]) -> f64 {
        let mut next = voxel;
        next[axis] += 1;
        if self.is_sheet[self.grid.index(voxel)] && self.is_sheet[self.grid.index(next)] {
            return 1.0;
        }
        self.faces[axis].fraction(axis, voxel)
    }
}
