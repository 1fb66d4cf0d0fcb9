//! Handles on the skin as a recipe keeps them, and as joints of the skeleton that is bound.
//!
//! In: the recipe's handles and the skeleton as decided, if there is one. Out: the skeleton with a joint for each of them, and what each
//! holds. A handle hangs on the joint whose bone is nearest to it, so that it goes along when that turns; without a
//! skeleton it stands by itself.

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
    /// As its joint will be called; no other joint may be called so.
    pub name: String,
    /// Where it is in rest space: a point holds the vertex nearest to it, and a region turns about it.
    pub at: [f32; 3],
    /// The vertices that a region holds, as the file numbers them; none make a point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub vertices: Vec<u32>,
}

impl PlacedHandle {
    /// More than these are no handles any more.
    pub const MOST: usize = 256;

    /// A point.
    pub fn point(name: impl Into<String>, at: [f32; 3]) -> Self {
        Self { name: name.into(), at, vertices: Vec::new() }
    }

    pub(super) fn check_all(handles: &[Self]) -> Result<(), RecipeError> {
        for (index, Self { name, at, .. }) in handles.iter().enumerate() {
            let wrong = if index >= Self::MOST {
                "is one too many: there may be 256"
            } else if name.trim().is_empty() {
                "has no name"
            } else if handles[..index].iter().any(|other| other.name == *name) {
                "has the name of another one"
            } else if !Vec3::from_array(*at).is_finite() {
                "is out of all bounds"
            } else {
                continue;
            };
            return Err(RecipeError::Handle { number: index + 1, name: name.clone(), what: wrong });
        }
        Ok(())
    }

    /// What it holds of the solve mesh.
    fn held(&self, asset: &Asset) -> Result<Handle, PipelineError> {
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
        let mut held = self.vertices.iter().map(solve).collect::<Result<Vec<u32>, _>>()?;
        held.sort_unstable();
        held.dedup();
        Ok(Handle::Region(held))
    }
}

impl Recipe {
    /// The handles that its method weighs.
    pub(super) fn used_handles(&self) -> &[PlacedHandle] {
        if self.method.uses_handles() { &self.handles } else { &[] }
    }
}

/// What the skeleton with its handles depends on.
pub(super) type HeldKey = (SkeletonKey, Vec<PlacedHandle>);

/// A skeleton with a joint for every handle, and what these hold.
pub(super) fn add_handles(
    asset: &Asset,
    geometry: &MeshGeometry,
    skeleton: Option<&Skeleton>,
    placed: &[PlacedHandle],
) -> Result<Skeleton, PipelineError> {
    let none = Skeleton::new(Vec::new()).map_err(PipelineError::Skeleton)?;
    let skeleton = skeleton.unwrap_or(&none);
    if let Some(twin) = placed.iter().find(|handle| skeleton.find(&handle.name).is_some()) {
        return Err(PipelineError::HandleNamedAsJoint { name: twin.name.clone() });
    }
    let points: Vec<(&str, Vec3, Option<usize>)> = placed
        .iter()
        .map(|handle| {
            let at = handle.place(asset);
            let root = || skeleton.parents_first().first().copied();
            let parent = weights::nearest_joint(geometry, skeleton, at).or_else(root);
            (handle.name.as_str(), Vec3::from_array(handle.at), parent)
        })
        .collect();
    skeleton.with_points(&points).map_err(PipelineError::Skeleton)
}

impl PlacedHandle {
    /// Where it holds skin: a region's first vertex, for its place may be anywhere.
    fn place(&self, asset: &Asset) -> Vec3 {
        let first = self.vertices.first().and_then(|&vertex| asset.render.positions.get(vertex as usize));
        first.copied().unwrap_or(Vec3::from_array(self.at))
    }
}

/// What every handle holds, in their order.
pub(super) fn held(asset: &Asset, placed: &[PlacedHandle]) -> Result<Vec<Handle>, PipelineError> {
    placed.iter().map(|handle| handle.held(asset)).collect()
}
