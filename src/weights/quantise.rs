//! Quantised weights, as files store them (docs/theory.md#partition-of-unity).
//!
//! In: one row. Out: a given number of (joint, weight) slots, largest first, whose weights sum to
//! exactly the largest value of the type. Cost: a sort of the row. Rounding each weight by itself
//! would give rows that sum to 253 or 257, and the character would shrink or grow. So the weights
//! with the largest remainders are rounded up.

use crate::math::sort_few;
use crate::model::Influence;

/// Returns `slots` pairs of joint and weight that sum to exactly 255; unused slots are (0, 0).
/// Influences beyond the largest `slots` (of equals the lower joint stays) are distributed among
/// the others.
pub fn quantise_u8(row: &[Influence], slots: usize) -> Vec<(u32, u8)> {
    quantise(row, slots, u32::from(u8::MAX)).into_iter().map(|(joint, w)| (joint, w as u8)).collect()
}

/// Same as [`quantise_u8`], with the sum 65535.
pub fn quantise_u16(row: &[Influence], slots: usize) -> Vec<(u32, u16)> {
    quantise(row, slots, u32::from(u16::MAX)).into_iter().map(|(joint, w)| (joint, w as u16)).collect()
}

/// Same as [`quantise_u8`], but floats that sum to one up to single precision.
pub fn quantise_f32(row: &[Influence], slots: usize) -> Vec<(u32, f32)> {
    let (heaviest, sum) = heaviest(row, slots);
    let mut pairs: Vec<(u32, f32)> =
        heaviest.iter().map(|i| (i.column, (f64::from(i.weight) / sum) as f32)).collect();
    // The rounding error is added to the largest weight, where it is relatively smallest.
    let others: f64 = pairs.iter().skip(1).map(|pair| f64::from(pair.1)).sum();
    if let Some(first) = pairs.first_mut() {
        first.1 = (1.0 - others) as f32;
    }
    pairs.resize(slots, (0, 0.0));
    pairs
}

/// At most `slots` influences, the largest first, of equals the lower joint; and their sum.
fn heaviest(row: &[Influence], slots: usize) -> (Vec<Influence>, f64) {
    let mut heaviest: Vec<Influence> = row.iter().copied().filter(|i| i.weight > 0.0).collect();
    sort_few(&mut heaviest, |a, b| b.weight.total_cmp(&a.weight).then(a.column.cmp(&b.column)));
    heaviest.truncate(slots);
    let sum = heaviest.iter().map(|i| f64::from(i.weight)).sum();
    (heaviest, sum)
}

/// The largest-remainder method (Hamilton).
fn quantise(row: &[Influence], slots: usize, whole: u32) -> Vec<(u32, u32)> {
    let (heaviest, sum) = heaviest(row, slots);
    let exact: Vec<f64> = heaviest.iter().map(|i| f64::from(i.weight) / sum * f64::from(whole)).collect();
    let mut counts: Vec<u32> = exact.iter().map(|share| share.floor() as u32).collect();
    let mut by_remainder: Vec<usize> = (0..counts.len()).collect();
    let remainder = |i: usize| exact[i] - exact[i].floor();
    sort_few(&mut by_remainder, |&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    let missing = whole.saturating_sub(counts.iter().sum());
    by_remainder.iter().cycle().take(missing as usize).for_each(|&i| counts[i] += 1);
    let filled = heaviest.iter().zip(counts).map(|(i, count)| (i.column, count));
    // An empty slot refers to joint 0, as the format requires of unused ones.
    let mut pairs: Vec<(u32, u32)> = filled.filter(|&(_, count)| count > 0).collect();
    sort_few(&mut pairs, |a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    pairs.resize(slots, (0, 0));
    pairs
}
