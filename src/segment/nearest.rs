//! The nearest bone each vertex sees through the flesh.
//!
//! In: [`Operators`] and bones. Out: one bone per vertex; where none is seen, the nearest of all. Cost: vertices ×
//! bones distances, and mostly one ray per vertex.

use super::{Sight, share_along};
use crate::model::Bone;
use crate::operators::Operators;
use crate::progress::{Cancelled, Progress};

/// Vertices between two reports of progress.
const STEP: usize = 512;

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
        let closest = take_least(&mut waiting);
        let mut candidate = Some(closest);
        while let Some(bone) = candidate {
            if sight.sees(vertex, bone as usize, share_along(&bones[bone as usize], position)) {
                break;
            }
            candidate = (!waiting.is_empty()).then(|| take_least(&mut waiting));
        }
        nearest.push(candidate.unwrap_or(closest));
    }
    progress.step(positions.len(), positions.len())?;
    Ok(nearest)
}

fn take_least(waiting: &mut Vec<(f32, u32)>) -> u32 {
    let least = waiting.iter().enumerate().min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let at = least.map_or(0, |(at, _)| at);
    waiting.swap_remove(at).1
}
