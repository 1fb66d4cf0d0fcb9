//! The nearest visible bone of each vertex.
//!
//! In: [`MeshGeometry`] and bones. Out: one bone per vertex, or the nearest of all if none is
//! visible. Cost: vertices × bones distances, and mostly one ray per vertex.
//!
//! Tried and rejected: the distances of bone heat, which increase where the surface does not face
//! away from the bone. Rigs weighted by Blender then agree better (human 0.96 instead of 0.90),
//! artists' rigs worse (CesiumMan 0.89 instead of 0.94).

use super::{BoneVisibility, parameter_along};
use crate::model::Bone;
use crate::operators::MeshGeometry;
use crate::progress::{Cancelled, Progress};

/// Number of vertices between two progress reports.
const PROGRESS_STEP: usize = 512;

/// Relative difference of distances below which two bones count as equally near. Larger: wide bands
/// around joints have no influence on where they are cut. Smaller: where a ring of vertices is
/// halfway between two bones, rounding decides.
const EQUALLY_NEAR: f32 = 1e-3;

/// Distances within this factor are equal up to rounding.
const SAME_DISTANCE: f32 = 1.0 + 5e-5;

/// The nearest visible bone of one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    /// Index of the bone.
    pub(super) bone: u32,
    /// Whether a bone of another joint is equally near.
    pub(super) is_tie: bool,
}

/// Returns the index in `bones` of the nearest visible bone of every vertex, the lowest of equally
/// near ones.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If there are vertices but no bone.
pub fn nearest_visible_bones(
    geometry: &MeshGeometry,
    bones: &[Bone],
    progress: &mut Progress,
) -> Result<Vec<u32>, Cancelled> {
    let found = nearest(geometry, bones, progress)?;
    Ok(found.into_iter().map(|nearest| nearest.bone).collect())
}

/// Same as [`nearest_visible_bones`], with a flag for ties.
pub(super) fn nearest(
    geometry: &MeshGeometry,
    bones: &[Bone],
    progress: &mut Progress,
) -> Result<Vec<Nearest>, Cancelled> {
    let positions = geometry.mesh().positions();
    assert!(!bones.is_empty() || positions.is_empty(), "a mesh needs at least one bone");
    let mut visibility = BoneVisibility::new(geometry, bones);
    let mut found = Vec::with_capacity(positions.len());
    let mut distances: Vec<(f32, u32)> = Vec::with_capacity(bones.len());
    for (vertex, &position) in positions.iter().enumerate() {
        if vertex % PROGRESS_STEP == 0 {
            progress.step(vertex, positions.len())?;
        }
        distances.clear();
        distances
            .extend(bones.iter().zip(0..).map(|(bone, i)| (bone.nearest(position).distance(position), i)));
        let sees = |visibility: &mut BoneVisibility<'_>, bone: u32| {
            visibility.sees(vertex, bone as usize, parameter_along(&bones[bone as usize], position))
        };
        found.push(nearest_of(&mut distances, bones, |bone| sees(&mut visibility, bone)));
    }
    progress.step(positions.len(), positions.len())?;
    Ok(found)
}

/// Returns the nearest visible bone. Reorders `distances`.
fn nearest_of(distances: &mut [(f32, u32)], bones: &[Bone], mut sees: impl FnMut(u32) -> bool) -> Nearest {
    // Selects one bone at a time: the first is almost always visible.
    let mut tested = 0;
    let mut visible = None;
    while tested < distances.len() && visible.is_none() {
        let untested = distances[tested..].iter().enumerate();
        let least = untested.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        distances.swap(tested, tested + least.map_or(0, |(at, _)| at));
        visible = Some(distances[tested]).filter(|&(_, bone)| sees(bone));
        tested += 1;
    }
    let (distance, mut bone) = visible.unwrap_or(distances[0]);
    // Of bones at the same distance up to rounding the lowest index wins, so that the result does
    // not change when a model is rotated.
    for &(_, lower) in
        distances.iter().filter(|(other, _)| (distance..=distance * SAME_DISTANCE).contains(other))
    {
        if lower < bone && sees(lower) {
            bone = lower;
        }
    }
    let is_other = |&&(_, other): &&(f32, u32)| bones[other as usize].joint != bones[bone as usize].joint;
    let is_tie = distances
        .iter()
        .filter(is_other)
        .any(|(other, _)| (other - distance).abs() <= EQUALLY_NEAR * distance);
    Nearest { bone, is_tie }
}
