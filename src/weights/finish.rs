//! From what a method computes to what an engine takes.
//!
//! In: weights per bone. Out: weights per joint, at most `max_influences` to a vertex, summing to one.
//! Cost: one pass.
//!
//! Where more joints than that hold a vertex, dropping the lightest makes weights jump from one vertex to the next, as another joint
//! becomes the lightest: bent skin then has wrinkles along such lines. So those that stay lose the more the closer they are to
//! the heaviest that goes, `w (1 − (t / w)²)`, and nothing jumps: at `w = t` one goes as the other comes.

use super::rows::Rows;
use crate::math::sort_few;
use crate::model::{Skeleton, Weights};

/// Sums the bones each joint drives, keeps the largest `max_influences` (at least one; where all are equal, of the
/// lower joints) and makes every row sum to one again.
pub fn finish(bone_weights: &Weights, skeleton: &Skeleton, max_influences: usize) -> Weights {
    let mut rows = Rows::default();
    let mut shares: Vec<(u32, f64)> = Vec::new();
    for row in bone_weights.rows() {
        shares.clear();
        // Bones are ordered by their joints, so equal joints follow each other.
        for influence in row {
            let joint = skeleton.bones()[influence.column as usize].joint as u32;
            let weight = f64::from(influence.weight).clamp(0.0, 1.0);
            match shares.last_mut() {
                Some(last) if last.0 == joint => last.1 += weight,
                _ => shares.push((joint, weight)),
            }
        }
        let most = max_influences.max(1);
        if shares.len() > most {
            sort_few(&mut shares, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            fade(&mut shares, most);
            sort_few(&mut shares, |a, b| a.0.cmp(&b.0));
        }
        rows.push(&shares);
    }
    rows.into_weights(skeleton.joints().len())
}

/// Keeps the first `most` of falling `shares`, less what makes the last of them go smoothly.
fn fade(shares: &mut Vec<(u32, f64)>, most: usize) {
    let gone = shares[most].1;
    shares.truncate(most);
    if shares[0].1 > gone {
        for (_, share) in shares.iter_mut() {
            *share -= gone * (gone / *share);
        }
        shares.retain(|&(_, share)| share > 0.0);
    }
}
