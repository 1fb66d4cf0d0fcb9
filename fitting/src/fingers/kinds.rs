//! Which finger each branch of a hand is.

use glam::Vec3;

use super::branches::Branch;
use super::joints::CentreLine;
use super::{FINGERS, NAMES};

/// How much lower than other fingers, in their lengths, and how much aside a thumb begins, if the
/// hand has fewer than five fingers.
const THUMB: f32 = 0.55;

/// How much a thumb is in front of the other fingers: it is if palms face down or the body. If
/// more, hands that face forwards or back lose their thumbs; if less, paws do.
const FRONT: f32 = 0.3;

/// Which finger each branch is. Branches come in the order of their bases, lowest first.
pub fn kinds(branches: &[Branch], lines: &[CentreLine]) -> Vec<usize> {
    let count = lines.len();
    let direction = |i: usize| (lines[i].at(1.0) - lines[i].at(0.0)).normalize_or_zero();
    let length = lines.iter().map(CentreLine::length).sum::<f32>() / count as f32;
    let mean = |of: &dyn Fn(usize) -> f32, but: usize| {
        (0..count).filter(|&i| i != but).map(of).sum::<f32>() / (count - 1).max(1) as f32
    };
    let base = |i: usize| lines[i].at(0.0);
    // How much lower it begins, how much it points aside, and how much it is in front.
    let likeness = |i: usize| {
        let lower = mean(&|j| branches[j].base, i) - branches[i].base;
        let aside = 1.0 - mean(&|j| direction(j).dot(direction(i)), i);
        let ahead = mean(&|j| base(i).z - base(j).z, i);
        let apart = mean(&|j| base(i).distance(base(j)), i).max(f32::MIN_POSITIVE);
        lower / length + aside + FRONT * ahead / apart
    };
    let mut thumb = (0..count).max_by(|&a, &b| likeness(a).total_cmp(&likeness(b))).unwrap_or(0);
    if count == 2 {
        // Both begin where they meet: the thumb is shorter.
        thumb = usize::from(branches[1].tip < branches[0].tip);
    }
    let has_thumb = count == 2 || count >= FINGERS.len() || likeness(thumb) > THUMB;
    let mut others: Vec<usize> = (0..count).filter(|&i| !(has_thumb && i == thumb)).collect();
    let middle = others.iter().map(|&i| base(i)).sum::<Vec3>() / others.len().max(1) as f32;
    // Without a thumb, the index finger is in front, as on hands with palms down.
    let side = if has_thumb { lines[thumb].at(0.3) - middle } else { Vec3::Z };
    let mut row = Vec3::ZERO;
    for &a in &others {
        for &b in &others {
            let between = base(a) - base(b);
            if between.length() > row.length() {
                row = if between.dot(side) >= 0.0 { between } else { -between };
            }
        }
    }
    others.sort_by(|&a, &b| base(b).dot(row).total_cmp(&base(a).dot(row)));
    let mut kinds = vec![0; count];
    for (&i, &kind) in others.iter().zip(NAMES[others.len()]) {
        kinds[i] = kind;
    }
    kinds
}
