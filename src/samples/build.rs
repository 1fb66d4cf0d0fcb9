//! Meshes the model of a character.
//!
//! Input: a [`Model`] and a vertex count. Output: a [`GeneratedCharacter`]. The grid is never
//! coarser than the model allows, so that gaps and thin parts keep their topology at any count; the
//! mesh is simplified from there. Cost: proportional to the larger of the count and the coarsest
//! mesh of the model; a million vertices take seconds.

use glam::Vec3;

use super::extract::extract;
use super::field::ShapeField;
use super::remesh::{Remesher, Sizing};
use super::sdf::{ClipPlane, Shape};
use super::{GeneratedCharacter, SampleError, decimate};
use crate::model::{Clip, Mesh, Skeleton};

/// The description of a character before meshing.
pub struct Model {
    /// Its surface.
    pub shape: Shape,
    /// The plane that clips it.
    pub clip_plane: ClipPlane,
    /// Its joints. The head of the first one is inside the body.
    pub skeleton: Skeleton,
    /// Its animation clips.
    pub clips: Vec<Clip>,
    /// Edge lengths on thin limbs.
    pub sizing: Sizing,
    /// Largest grid step that keeps gaps open and thin parts connected.
    pub coarsest_grid: f32,
    /// Smallest number of evenly distributed vertices that represents the body. Below it, the mesh
    /// is decimated.
    pub min_isotropic: usize,
}

/// Grid step relative to the longest edge of the target mesh. With 1, grid and target have about as
/// many vertices.
const GRID_STEP_PER_EDGE: f32 = 1.0;

/// Smallest grid step, relative to the coarsest one, at which the coarsest mesh is refined instead
/// of extracted again. If larger, two extractions run where one would do. If smaller, splits leave
/// poor triangles.
const MIN_REFINEMENT_RATIO: f32 = 0.6;

/// Cells along the longest side of the field: for small meshes, and the largest number for large
/// ones. With more, the cells take more memory than the mesh.
const DEFAULT_CELLS: f32 = 64.0;
const MAX_CELLS: f32 = 192.0;

/// Meshes `model` with about `vertices` vertices.
pub fn build(model: Model, vertices: usize) -> Result<GeneratedCharacter, SampleError> {
    let Model { shape, clip_plane, skeleton, clips, sizing, coarsest_grid, min_isotropic } = model;
    let inside = skeleton.joints().first().map_or(Vec3::ZERO, |joint| joint.head());
    let isotropic = vertices.max(min_isotropic);
    let mut field = ShapeField::new(&shape, clip_plane, DEFAULT_CELLS);

    let soup = extract(&mut field, inside, coarsest_grid);
    let mut remesher = Remesher::new(&mut field, soup, sizing);
    let target_step = GRID_STEP_PER_EDGE * remesher.scale_for(isotropic);
    if target_step < MIN_REFINEMENT_RATIO * coarsest_grid {
        field =
            ShapeField::new(&shape, clip_plane, (DEFAULT_CELLS * coarsest_grid / target_step).min(MAX_CELLS));
        let soup = extract(&mut field, inside, target_step);
        remesher = Remesher::new(&mut field, soup, sizing);
    }
    remesher.run(isotropic);

    let mut surface = remesher.into_surface();
    if vertices < isotropic {
        surface = decimate::decimate(surface, vertices);
    }
    let soup = surface.into_soup().in_nearby_order();
    Ok(GeneratedCharacter { mesh: Mesh::new(soup.positions, soup.triangles)?, skeleton, clips })
}
