//! Which voxels of a grid are flesh, and how much of them and of the faces between them.

use glam::DVec3;

use super::cut_faces::Faces;
use super::inside::{Grid, fill, touch};
use crate::operators::{MeshGeometry, Part};

/// What is flesh, of a grid that counts voxels.
pub(super) struct Cells {
    grid: Grid,
    /// Voxels that are inside or that skin touches.
    pub(super) is_full: Vec<bool>,
    /// Voxels that sheets are in, which have no inside.
    is_sheet: Vec<bool>,
    shares: Vec<f32>,
    faces: [Faces; 3],
}

impl Cells {
    /// Of a mesh whose vertices are at `in_voxels`.
    pub(super) fn of(operators: &MeshGeometry, grid: Grid, in_voxels: &[DVec3]) -> Self {
        let mesh = operators.mesh();
        let parts = operators.parts();
        let part_of = |t: usize| parts.part(parts.of_triangle(t));
        let facing_out = |t: usize| {
            let mut corners = mesh.triangles()[t];
            match part_of(t) {
                Part::Outward => {}
                Part::Inward => corners.swap(1, 2),
                Part::Sheet => return None,
            }
            Some((corners, corners.map(|v| in_voxels[v as usize])))
        };
        let bodies = || (0..mesh.triangles().len()).filter_map(facing_out);
        let mut is_full = vec![false; grid.len()];
        let shares = fill(grid, bodies(), &mut is_full);
        let faces = [0, 1, 2].map(|axis| Faces::of(grid, axis, bodies().map(|(_, corners)| corners)));
        let mut is_sheet = vec![false; grid.len()];
        for (t, triangle) in mesh.triangles().iter().enumerate() {
            let corners = triangle.map(|v| in_voxels[v as usize]);
            touch(grid, &corners, &mut is_full);
            if part_of(t) == Part::Sheet {
                touch(grid, &corners, &mut is_sheet);
            }
        }
        for &at in in_voxels {
            if let Some(voxel) = grid.voxel(at) {
                is_full[grid.index(voxel)] = true;
            }
        }
        Self { grid, is_full, is_sheet, shares, faces }
    }

    /// How much of a voxel is flesh.
    pub(super) fn share(&self, voxel: [usize; 3]) -> f64 {
        let at = self.grid.index(voxel);
        if self.is_sheet[at] { 1.0 } else { f64::from(self.shares[at]) }
    }

    /// How much of the face between a voxel and the next along an axis, in the middle of a cell.
    pub(super) fn open(&self, axis: usize, voxel: [usize; 3]) -> f64 {
        let mut next = voxel;
        next[axis] += 1;
        if self.is_sheet[self.grid.index(voxel)] && self.is_sheet[self.grid.index(next)] {
            return 1.0;
        }
        self.faces[axis].share(axis, voxel)
    }
}
