//! Converts the result of a method into the weights of a skin (docs/theory.md#partition-of-unity).
//!
//! In: weights per bone. Out: weights per joint, at most `max_influences` per vertex, summing to
//! one. Cost: one pass.
//!
//! Dropping the smallest weights beyond the limit makes weights jump between vertices where another
//! joint becomes the smallest, and bent skin wrinkles along such lines. So the kept weights `w` are
//! reduced the more, the closer they are to the largest dropped weight `t`, to `w (1 − (t / w)²)`.
//! This is continuous: at `w = t` it is zero.

use super::rows::Rows;
use crate::math::sort_few;
use crate::model::{Skeleton, Weights};

/// Sums the bones of each joint, keeps the largest `max_influences` (at least one; of equals the
/// lower joints) and normalises every row.
pub fn finish(bone_weights: &Weights, skeleton: &Skeleton, max_influences: usize) -> Weights {
    let mut rows = Rows::default();
    let mut shares: Vec<(u32, f64)> = Vec::new();
    for row in bone_weights.rows() {
        shares.clear();
        // Bones are ordered by their joints, so the bones of one joint are consecutive.
        for influence in row {
            let joint = skeleton.bones()[influence.column as usize].joint as u32;
            let weight = f64::from(influence.weight).clamp(0.0, 1.0);
            match shares.last_mut() {
                Some(last) if last.0 == joint => last.1 += weight,
                _ => shares.push((joint, weight)),
            }
        }
        let limit = max_influences.max(1);
        if shares.len() > limit {
            sort_few(&mut shares, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            fade(&mut shares, limit);
            sort_few(&mut shares, |a, b| a.0.cmp(&b.0));
        }
        rows.push(&shares);
    }
    rows.into_weights(skeleton.joints().len())
}

/// Keeps the first `limit` of the descending `shares`, reduced so that the field is continuous.
fn fade(shares: &mut Vec<(u32, f64)>, limit: usize) {
    let dropped = shares[limit].1;
    shares.truncate(limit);
    if shares[0].1 > dropped {
        for (_, share) in shares.iter_mut() {
            *share -= dropped * (dropped / *share);
        }
        shares.retain(|&(_, share)| share > 0.0);
    }
}
