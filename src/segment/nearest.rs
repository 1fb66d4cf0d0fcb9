//! The nearest bone each vertex sees through the flesh.
//!
//! In: [`Operators`] and bones. Out: one bone per vertex; where none is seen, the nearest of all. Cost: vertices ×
//! bones distances, and mostly one ray per vertex.

use glam::Vec3;

use super::{Sight, share_along};
use crate::model::Bone;
use crate::operators::Operators;
use crate::progress::{Cancelled, Progress};

/// Vertices between two reports of progress.
const STEP: usize = 512;

/// Two bones whose distances differ by less than this share are equally near. Larger: whole bands around joints have
/// no say in where they are cut. Smaller: where a ring of vertices lies halfway, rounding speaks for it.
const EQUALLY_NEAR: f32 = 1e-3;

/// Squared distances within this factor are the same but for rounding.
const SAME_DISTANCE: f32 = 1.0 + 1e-4;

/// What a vertex sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    /// By its number.
    pub(super) bone: u32,
    /// Whether a bone of another joint is just as near.
    pub(super) is_tie: bool,
}

/// The nearest visible bone of every vertex, by its number in `bones`; the lowest of equally near ones.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When there are vertices but no bone.
pub fn nearest_visible_bones(
    operators: &Operators,
    bones: &[Bone],
    progress: &mut Progress,
) -> Result<Vec<u32>, Cancelled> {
    Ok(nearest(operators, bones, progress)?.into_iter().map(|nearest| nearest.bone).collect())
}

/// As [`nearest_visible_bones`], and how sure it is.
pub(super) fn nearest(
    operators: &Operators,
    bones: &[Bone],
    progress: &mut Progress,
) -> Result<Vec<Nearest>, Cancelled> {
    let positions = operators.mesh().positions();
    assert!(!bones.is_empty() || positions.is_empty(), "a mesh needs at least one bone");
    let mut sight = Sight::new(operators, bones);
    let mut nearest = Vec::with_capacity(positions.len());
    // Ascending by distance, taken one at a time: almost always the first is seen.
    let mut waiting: Vec<(f32, u32)> = Vec::with_capacity(bones.len());
    for (vertex, &position) in positions.iter().enumerate() {
        if vertex % STEP == 0 {
            progress.step(vertex, positions.len())?;
        }
        waiting.clear();
        let squared = |bone: &Bone| bone.nearest(position).distance_squared(position);
        waiting.extend(bones.iter().enumerate().map(|(i, bone)| (squared(bone), i as u32)));
        let mut sees =
            |bone: u32| sight.sees(vertex, bone as usize, share_along(&bones[bone as usize], position));
        let closest = take_least(&mut waiting);
        let mut candidate = Some(closest);
        while let Some((_, bone)) = candidate {
            if sees(bone) {
                break;
            }
            candidate = (!waiting.is_empty()).then(|| take_least(&mut waiting));
        }
        let (squared, mut bone) = candidate.unwrap_or(closest);
        // Of bones at the same distance up to rounding the lowest, so that turning a model changes nothing.
        for &(_, lower) in waiting.iter().filter(|(other, _)| *other <= squared * SAME_DISTANCE) {
            if lower < bone && sees(lower) {
                bone = lower;
            }
        }
        nearest.push(Nearest { bone, is_tie: is_tie(bones, bone, position) });
    }
    progress.step(positions.len(), positions.len())?;
    Ok(nearest)
}

fn is_tie(bones: &[Bone], nearest: u32, position: Vec3) -> bool {
    let distance = |bone: &Bone| bone.nearest(position).distance(position);
    let nearest = &bones[nearest as usize];
    let own = distance(nearest);
    let others = bones.iter().filter(|bone| bone.joint != nearest.joint);
    others.into_iter().any(|bone| (distance(bone) - own).abs() <= EQUALLY_NEAR * own)
}

fn take_least(waiting: &mut Vec<(f32, u32)>) -> (f32, u32) {
    let least = waiting.iter().enumerate().min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let at = least.map_or(0, |(at, _)| at);
    waiting.swap_remove(at)
}
