//! Handles on the skin: their description in a recipe, and the joints that represent them.
//!
//! Input: the handles of a recipe and the skeleton after joint classification, if there is one.
//! Output: the skeleton with one more joint per handle, and the vertices of each handle. A handle
//! is a child of the joint of the nearest visible bone and moves with it; without a skeleton it is
//! a root.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::cache::SkeletonKey;
use super::{PipelineError, Recipe, RecipeError};
use crate::model::{Asset, Skeleton};
use crate::operators::MeshGeometry;
use crate::weights::{self, Handle};

/// A handle on the skin: a point, or a region of vertices that move as one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct PlacedHandle {
    /// The name of its joint, which no other joint may have.
    pub name: String,
    /// Position in rest space. A point handle is the vertex nearest to it; a region rotates about
    /// it.
    pub at: [f32; 3],
    /// The vertices of a region, as render vertices in file order; empty for a point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub vertices: Vec<u32>,
}

impl PlacedHandle {
    /// The largest number of handles. Each one is a joint of the skin and a column of weights.
    pub const MAX_COUNT: usize = 256;

    /// A point handle.
    pub fn point(name: impl Into<String>, at: [f32; 3]) -> Self {
        Self { name: name.into(), at, vertices: Vec::new() }
    }

    pub(super) fn check_all(handles: &[Self]) -> Result<(), RecipeError> {
        for (index, Self { name, at, .. }) in handles.iter().enumerate() {
            let wrong = if index >= Self::MAX_COUNT {
                "is one too many: at most 256 are possible"
            } else if name.trim().is_empty() {
                "has no name"
            } else if handles[..index].iter().any(|other| other.name == *name) {
                "has the name of another one"
            } else if !Vec3::from_array(*at).is_finite() {
                "has a position that is not finite"
            } else {
                continue;
            };
            return Err(RecipeError::Handle { number: index + 1, name: name.clone(), what: wrong });
        }
        Ok(())
    }

    /// The same in terms of the solve mesh.
    fn on_solve_mesh(&self, asset: &Asset) -> Result<Handle, PipelineError> {
        if self.vertices.is_empty() {
            return Ok(Handle::Point(Vec3::from_array(self.at)));
        }
        let solve = |&vertex: &u32| {
            let known = asset.solve_from_render.get(vertex as usize).copied();
            known.filter(|&solve| solve != Asset::NOT_SOLVED).ok_or_else(|| PipelineError::HandleVertex {
                handle: self.name.clone(),
                vertex: vertex as usize,
                vertices: asset.solve_from_render.len(),
            })
        };
        let mut region = self.vertices.iter().map(solve).collect::<Result<Vec<u32>, _>>()?;
        region.sort_unstable();
        region.dedup();
        Ok(Handle::Region(region))
    }
}

impl Recipe {
    /// The handles that get weights: none if the method does not support them.
    pub(super) fn used_handles(&self) -> &[PlacedHandle] {
        if self.method.uses_handles() { &self.handles } else { &[] }
    }
}

/// Cache key of the skeleton with the joints of handles.
pub(super) type HeldKey = (SkeletonKey, Vec<PlacedHandle>);

/// Adds a joint for every handle to a skeleton.
pub(super) fn add_handles(
    asset: &Asset,
    geometry: &MeshGeometry,
    skeleton: Option<&Skeleton>,
    placed: &[PlacedHandle],
) -> Result<Skeleton, PipelineError> {
    let empty = Skeleton::new(Vec::new()).map_err(PipelineError::Skeleton)?;
    let skeleton = skeleton.unwrap_or(&empty);
    if let Some(twin) = placed.iter().find(|handle| skeleton.find(&handle.name).is_some()) {
        return Err(PipelineError::HandleNamedAsJoint { name: twin.name.clone() });
    }
    let points: Vec<(&str, Vec3, Option<usize>)> = placed
        .iter()
        .map(|handle| {
            let at = handle.surface_position(asset);
            let root = || skeleton.parents_first().first().copied();
            let parent = weights::nearest_joint(geometry, skeleton, at).or_else(root);
            (handle.name.as_str(), Vec3::from_array(handle.at), parent)
        })
        .collect();
    skeleton.with_points(&points).map_err(PipelineError::Skeleton)
}

impl PlacedHandle {
    /// A point on the skin: the first vertex of a region, whose own position may be anywhere.
    fn surface_position(&self, asset: &Asset) -> Vec3 {
        let first = self.vertices.first().and_then(|&vertex| asset.render.positions.get(vertex as usize));
        first.copied().unwrap_or(Vec3::from_array(self.at))
    }
}

/// All handles in terms of the solve mesh, in order.
pub(super) fn handles_on_solve_mesh(
    asset: &Asset,
    placed: &[PlacedHandle],
) -> Result<Vec<Handle>, PipelineError> {
    placed.iter().map(|handle| handle.on_solve_mesh(asset)).collect()
}
