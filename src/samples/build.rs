//! From a described body to a character.
//!
//! In: a [`Model`] and a vertex count. Out: a [`GeneratedCharacter`]. The grid is never coarser than the model
//! allows, so that gaps and thin parts keep their topology at any count; the mesh is simplified from there.
//! Cost: proportional to the larger of the count and the model's own coarsest mesh; a million vertices
//! take seconds.

use glam::Vec3;

use super::extract::extract;
use super::field::Field;
use super::remesh::{Remesher, Sizing};
use super::sdf::{Cut, Shape};
use super::{GeneratedCharacter, SampleError, decimate};
use crate::model::{Clip, Mesh, Skeleton};

/// A body described, not yet meshed.
pub struct Model {
    /// Its surface.
    pub shape: Shape,
    /// Where it ends.
    pub cut: Cut,
    /// Its joints; the first one's head is inside the body.
    pub skeleton: Skeleton,
    /// Its motions.
    pub clips: Vec<Clip>,
    /// How edges shrink on thin limbs.
    pub sizing: Sizing,
    /// The coarsest grid that keeps gaps open and thin parts whole.
    pub coarsest_grid: f32,
    /// Fewer even triangles than this cannot show the body; below, vertices go where they matter.
    pub fewest_even: usize,
}

/// A grid step against the longest edge of the mesh wanted: the grid's vertices are then about as many.
const GRID_PER_EDGE: f32 = 1.0;

/// The coarsest mesh is split rather than extracted anew when the grid wanted is at least this share of
/// its own. Larger: two extractions where one would do. Smaller: splits that leave poor triangles.
const FINE_ENOUGH: f32 = 0.6;

/// Cells of the field for small meshes, and at most for large ones: beyond, the cells take more memory than
/// the mesh.
const FEW_CELLS: f32 = 64.0;
const MANY_CELLS: f32 = 192.0;

/// Makes the mesh.
pub fn build(model: Model, vertices: usize) -> Result<GeneratedCharacter, SampleError> {
    let Model { shape, cut, skeleton, clips, sizing, coarsest_grid, fewest_even } = model;
    let inside = skeleton.joints().first().map_or(Vec3::ZERO, |joint| joint.head());
    let even = vertices.max(fewest_even);
    let mut field = Field::new(&shape, cut, FEW_CELLS);

    let soup = extract(&mut field, inside, coarsest_grid);
    let mut remesher = Remesher::new(&mut field, soup, sizing);
    let wanted = GRID_PER_EDGE * remesher.scale_for(even);
    if wanted < FINE_ENOUGH * coarsest_grid {
        field = Field::new(&shape, cut, (FEW_CELLS * coarsest_grid / wanted).min(MANY_CELLS));
        let soup = extract(&mut field, inside, wanted);
        remesher = Remesher::new(&mut field, soup, sizing);
    }
    remesher.run(even);

    let mut surface = remesher.into_surface();
    if vertices < even {
        surface = decimate::decimate(surface, vertices);
    }
    let soup = surface.into_soup().along_curve();
    Ok(GeneratedCharacter { mesh: Mesh::new(soup.positions, soup.triangles)?, skeleton, clips })
}
