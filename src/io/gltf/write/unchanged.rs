//! The original GLB, if an export would change nothing.

use super::{ExportOptions, WeightFormat};
use crate::model::{Asset, Attachment, Skeleton, Weights};

/// The bytes of the file that `asset` was read from, if it was a GLB and `options` ask for nothing
/// that it does not contain.
pub(super) fn original(asset: &Asset, options: &ExportOptions<'_>) -> Option<Vec<u8>> {
    let source = asset.source.as_ref()?;
    let ExportOptions { skeleton, weights, format, pose, morphs, clips } = options;
    let adds_nothing = pose.is_none()
        && morphs.is_empty()
        && clips.is_empty()
        && *format == WeightFormat::default()
        && !source.joints_moved
        && source.images.is_empty()
        && skeleton.is_none_or(|skeleton| is_stored_skeleton(asset, skeleton))
        && weights.is_none_or(|weights| is_stored_weights(asset, weights));
    let frame = source.glb_frame.as_ref().filter(|_| adds_nothing)?;
    Some(frame.around(source.buffers.first()?))
}

fn is_stored_skeleton(asset: &Asset, skeleton: &Skeleton) -> bool {
    let has_nodes =
        asset.source.as_ref().is_some_and(|source| source.joint_nodes.iter().all(Option::is_some));
    has_nodes && asset.skeleton.as_ref().is_some_and(|stored| stored.joints() == skeleton.joints())
}

fn is_stored_weights(asset: &Asset, weights: &Weights) -> bool {
    let Some(stored) = &asset.stored_weights else { return false };
    let is_stored = |vertex: u32| weights.row(vertex as usize) == stored.row(vertex as usize);
    let mut skinned =
        asset.render.parts.iter().filter(|part| matches!(part.attachment, Attachment::Skinned { .. }));
    weights.vertices() == stored.vertices() && skinned.all(|part| part.vertices.clone().all(is_stored))
}
