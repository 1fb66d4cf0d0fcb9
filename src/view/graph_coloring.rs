//! Colours the graph of neighbouring categories with four channels, so that neighbours differ.
//!
//! A shader interpolates between the corners of a triangle, and colours of two categories would
//! mix. Each category has its own channel of a vector, so that the fragment shader can choose the
//! largest.

use std::collections::BTreeSet;

/// The number of channels of a vector. Regions on a surface rarely need more.
pub const CHANNELS: usize = 4;

/// The channel of each of `count` categories. `corners` are the categories at the corners of every
/// triangle. Where four are not enough, the one that is least often among the neighbours.
pub fn channels(count: usize, corners: impl Iterator<Item = [u32; 3]>) -> Vec<u8> {
    let neighbours = neighbours(count, corners);
    let mut channels: Vec<Option<u8>> = vec![None; count];
    for category in smallest_last(&neighbours) {
        let mut taken = [0; CHANNELS];
        let around = neighbours[category].iter().filter_map(|&other| channels[other]);
        around.for_each(|channel| taken[usize::from(channel)] += 1);
        channels[category] = (0..CHANNELS as u8).min_by_key(|&channel| taken[usize::from(channel)]);
    }
    channels.into_iter().map(Option::unwrap_or_default).collect()
}

fn neighbours(count: usize, corners: impl Iterator<Item = [u32; 3]>) -> Vec<BTreeSet<usize>> {
    let mut neighbours = vec![BTreeSet::new(); count];
    for [a, b, c] in corners.filter(|[a, b, c]| a != b || b != c) {
        for (one, other) in [(a, b), (b, c), (c, a)] {
            let (one, other) = (one as usize, other as usize);
            if one != other && one.max(other) < count {
                neighbours[one].insert(other);
                neighbours[other].insert(one);
            }
        }
    }
    neighbours
}

/// An order in which each has few neighbours before it: whoever has the fewest left comes last.
fn smallest_last(neighbours: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut left = BTreeSet::new();
    left.extend(0..neighbours.len());
    let mut order = Vec::new();
    while let Some(&next) =
        left.iter().min_by_key(|&&one| neighbours[one].iter().filter(|other| left.contains(other)).count())
    {
        left.remove(&next);
        order.push(next);
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_that_meet_have_different_suits() {
        // A wheel of five around a hub: three on the rim and one for the hub.
        let wheel = (0..5u32).map(|i| [5, i, (i + 1) % 5]);
        let found = channels(6, wheel.clone());
        for [a, b, c] in wheel.map(|corners| corners.map(|category| found[category as usize])) {
            assert!(a != b && b != c && c != a, "{found:?}");
        }
    }

    #[test]
    fn categories_that_meet_nobody_and_unknown_ones_do_no_harm() {
        assert_eq!(channels(2, [[0, 0, 0], [1, 9, 9]].into_iter()), [0, 0]);
        assert!(channels(0, std::iter::empty()).is_empty());
    }
}
