//! The skeleton stage: which joints deform, and a joint for every handle.
//!
//! In: the asset and the recipe. Out: a skeleton with bones, or an error if it has none. Both steps
//! are cached.

use std::sync::Arc;

use glam::Vec3;

use super::cache::{Cached, SkeletonKey};
use super::handles::{self, HeldKey};
use super::stage::{Run, Stage};
use super::{PipelineError, Recipe};
use crate::model::skeleton::Evidence;
use crate::model::{Asset, Joint, Skeleton, bounds_of};
use crate::operators::MeshGeometry;
use crate::report::Report;

/// The cached results of earlier runs.
#[derive(Clone, Default)]
pub(super) struct SkeletonStages {
    classified: Option<Cached<SkeletonKey, Skeleton>>,
    /// The same with joints for handles.
    with_handles: Option<Cached<HeldKey, Skeleton>>,
}

impl SkeletonStages {
    /// The warnings about the skeleton.
    pub(super) fn report(&self) -> Option<&Report> {
        self.classified.as_ref().map(|cached| &cached.report)
    }

    /// The skeleton with a joint for every handle that the recipe's method uses.
    pub(super) fn with_handles(
        &mut self,
        asset: &Asset,
        recipe: &Recipe,
        geometry: &MeshGeometry,
        run: &mut Run<'_>,
    ) -> Result<Arc<Skeleton>, PipelineError> {
        let placed = recipe.used_handles();
        let classified = match self.classify(asset, recipe, run) {
            // Handles need no skeleton.
            Err(PipelineError::NoSkeleton) if !placed.is_empty() => None,
            classified => Some(classified?),
        };
        if let Some(classified) = classified.as_ref().filter(|_| placed.is_empty()) {
            let has_bones = !classified.bones().is_empty();
            return if has_bones {
                Ok(classified.clone())
            } else {
                Err(nothing_deforms(asset, classified, &recipe.deforms))
            };
        }
        let is_same =
            |cached: &&Cached<HeldKey, Skeleton>| cached.key.0 == recipe.deforms && cached.key.1 == placed;
        if let Some(cached) = self.with_handles.as_ref().filter(is_same) {
            return Ok(cached.value.clone());
        }
        let with_handles = handles::add_handles(asset, geometry, classified.as_deref(), placed)?;
        let (key, value) = ((recipe.deforms.clone(), placed.to_vec()), Arc::new(with_handles));
        self.with_handles = Some(Cached { key, value: value.clone(), report: Report::default() });
        Ok(value)
    }

    /// The skeleton of the asset with its classified joints.
    pub(super) fn classify(
        &mut self,
        asset: &Asset,
        recipe: &Recipe,
        run: &mut Run<'_>,
    ) -> Result<Arc<Skeleton>, PipelineError> {
        if let Some(cached) = self.classified.as_ref().filter(|cached| cached.key == recipe.deforms) {
            return Ok(cached.value.clone());
        }
        let mut skeleton = asset.skeleton.clone().ok_or(PipelineError::NoSkeleton)?;
        check_names(&skeleton, recipe.deforms.keys())?;
        let mut report = Report::default();
        run.stage(Stage::Skeleton, |_| {
            let evidence = Evidence {
                mesh: Some(&asset.mesh),
                stored_weights: asset.stored_weights.as_ref(),
                unweighted: &asset.unweighted,
                overrides: Some(&recipe.deforms),
            };
            skeleton.classify_joints(&evidence, &mut report);
            Ok(())
        })?;
        let value = Arc::new(skeleton);
        self.classified = Some(Cached { key: recipe.deforms.clone(), value: value.clone(), report });
        Ok(value)
    }
}

fn nothing_deforms(asset: &Asset, skeleton: &Skeleton, overrides: &SkeletonKey) -> PipelineError {
    if overrides.values().any(|&on| !on) {
        return PipelineError::NothingDeforms;
    }
    let heads: Vec<Vec3> = skeleton.joints().iter().map(Joint::head).collect();
    let (low, high) = bounds_of(&heads);
    let (mesh_low, mesh_high) = asset.mesh.bounds();
    PipelineError::SkeletonElsewhere {
        mesh: asset.mesh.diagonal(),
        skeleton: low.distance(high),
        apart: (low + high).distance(mesh_low + mesh_high) / 2.0,
    }
}

/// Returns an error for joint names that the skeleton does not have, with a hint.
pub(super) fn check_names<'a>(
    skeleton: &Skeleton,
    mut named: impl Iterator<Item = &'a String>,
) -> Result<(), PipelineError> {
    match named.find(|name| skeleton.find(name).is_none()) {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
            let hint = super::recipe::hint(name, &names);
            Err(PipelineError::UnknownJoint { name: name.clone(), hint })
        }
    }
}
