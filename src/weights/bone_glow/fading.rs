//! Which bones may be left out of the light of a vertex, without a jump from one vertex to the
//! next.
//!
//! In: bones in the order of the light they would give if nothing hid them, and what each gives.
//! Out: the fraction of its light that each keeps. Cost: the bones that are nearly as bright.
//!
//! A bone fades out where it and all fainter ones would together give little beside those that are
//! brighter. Of two bones that change places in the order, neither counts as brighter than the
//! other; the more another bone is brighter, the more it counts as such. So the result is
//! continuous in the light of all bones.

use crate::math::{larger_f64, smaller_f64};

/// Light of a bone and all fainter ones, as a fraction of the light of brighter ones: at the second
/// value the bone begins to fade, at the first it is gone. So a vertex misses at most the second
/// value of its light. Larger: distant bones lose their share. Smaller: more bones are tested for
/// visibility; a tenth of both takes twice as long on bodies with many bones.
const FADING: [f64; 2] = [0.05, 0.075];

/// How many times as bright as another a bone must be to count as brighter without reserve.
/// Smaller: weights change quickly where two bones change places. Larger: more bones are tested.
const CLEARLY_BRIGHTER: f64 = 1.25;

/// The bones of one vertex that have been tested.
#[derive(Default)]
pub(super) struct Fading {
    /// What each would give if nothing hid it, and what it gives.
    tested: Vec<(f64, f64)>,
    /// What the others would give.
    remaining: f64,
    /// What the tested ones give.
    found: f64,
}

impl Fading {
    /// Starts with a vertex whose bones would give `all` if nothing hid them.
    pub(super) fn start(&mut self, all: f64) {
        self.tested.clear();
        (self.remaining, self.found) = (all, 0.0);
    }

    /// What all tested bones give.
    pub(super) fn found(&self) -> f64 {
        self.found
    }

    /// The fraction of its light that the next bone keeps, which would give `whole`. If it is 0, so
    /// it is for all after it.
    pub(super) fn kept(&self, whole: f64) -> f64 {
        let (mut remaining, mut found) = (self.remaining, self.found);
        for &(other, light) in self.tested.iter().rev() {
            let brighter = (other / whole - 1.0) / (CLEARLY_BRIGHTER - 1.0);
            if brighter >= 1.0 {
                break;
            }
            remaining += (1.0 - brighter) * other;
            found -= (1.0 - brighter) * light;
        }
        let ([gone, begins], found) = (FADING, larger_f64(found, 0.0));
        smaller_f64(larger_f64((remaining - gone * found) / ((begins - gone) * found), 0.0), 1.0)
    }

    /// Adds a bone that would give `whole` and gives `light`.
    pub(super) fn add(&mut self, whole: f64, light: f64) {
        self.tested.push((whole, light));
        self.remaining -= whole;
        self.found += light;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bones by what they would give and the fraction of it that is visible, and what they give.
    fn given(bones: &[(f64, f64)]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..bones.len()).collect();
        order.sort_by(|&a, &b| bones[b].0.total_cmp(&bones[a].0));
        let (mut fading, mut given) = (Fading::default(), vec![0.0; bones.len()]);
        fading.start(bones.iter().map(|bone| bone.0).sum());
        for bone in order {
            let (whole, visible) = bones[bone];
            given[bone] = fading.kept(whole) * whole * visible;
            fading.add(whole, given[bone]);
        }
        given
    }

    /// Brightnesses over four decades, of which every third is partly hidden.
    fn bones(step: f64) -> Vec<(f64, f64)> {
        let whole = |i: u32| 10f64.powf(2.0 * (f64::from(i) * 2.4 + f64::from(i + 1) * 0.7 * step).sin());
        (0..12).map(|i| (whole(i), if i % 3 == 0 { 0.1 } else { 1.0 })).collect()
    }

    #[test]
    fn a_vertex_misses_at_most_the_stated_fraction_of_its_light() {
        let mut most = 0.0f64;
        for step in 0..20_000 {
            let bones = bones(f64::from(step) * 1e-3);
            let all: f64 = bones.iter().map(|(whole, visible)| whole * visible).sum();
            most = most.max(1.0 - given(&bones).iter().sum::<f64>() / all);
        }
        assert!((0.3 * FADING[1]..=FADING[1]).contains(&most), "{most} of the light");
    }

    #[test]
    fn light_is_continuous_where_bones_change_places() {
        let mut changes = [1e-3, 1e-4].map(|size| {
            let shares = |at: f64| {
                let given = given(&bones(at));
                let sum: f64 = given.iter().sum();
                given.into_iter().map(|light| light / sum).collect::<Vec<f64>>()
            };
            let change = |step: u32| {
                let at = f64::from(step) * 1e-3;
                let (before, after) = (shares(at), shares(at + size));
                before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            };
            (0..20_000).map(change).fold(0.0, f64::max)
        });
        changes[1] *= 10.0;
        // A jump would be ten times as large.
        assert!(changes[1] <= 2.0 * changes[0], "a tenth of the step changes {changes:?}");
    }
}
