//! Limbs by the shape of the hierarchy: pairs of chains that mirror each other.
//!
//! For skeletons whose names say nothing, and for animals. A pair is two chains below one joint, or
//! below neighbours of one chain, whose lengths and ends mirror each other in a plane of the body.

use glam::DVec3;

use super::{HumanoidMap, assign_trunk};
use crate::axes::snapped;
use crate::bone::{Bone, SIDES, Side};
use crate::skeleton::Skeleton;

/// Largest difference between a chain and its mirror image, as a share of its length.
const MAX_ASYMMETRY: f64 = 0.25;

/// Shortest limb, as a share of the size of the skeleton. Shorter pairs are eyes, ears and fingers.
const MIN_LIMB: f64 = 0.1;

/// Two chains that mirror each other, each from the body to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The joint that both hang from.
    pub branch: usize,
    /// The chain with the larger coordinate along the lateral axis, then the other.
    pub chains: [Vec<usize>; 2],
    /// The length of the first one.
    pub length: f64,
    /// The middle between the two first joints, and between the two ends.
    pub ends: [DVec3; 2],
}

/// All pairs of limbs, and the coordinate axis from one side to the other.
pub fn pairs(skeleton: &Skeleton) -> Option<(DVec3, Vec<Pair>)> {
    let size = extent(skeleton);
    let total = |pairs: &[Pair]| pairs.iter().map(|pair| pair.length).sum::<f64>();
    let by_axis =
        [DVec3::X, DVec3::Z, DVec3::Y].map(|axis| (axis, pairs_along(skeleton, axis, MIN_LIMB * size)));
    let best =
        by_axis.into_iter().reduce(|best, other| if total(&other.1) > total(&best.1) { other } else { best });
    best.filter(|(_, pairs)| !pairs.is_empty())
}

/// The longest side of the box around all heads.
pub fn extent(skeleton: &Skeleton) -> f64 {
    let heads = (0..skeleton.joints().len()).map(|joint| skeleton.head(joint));
    let (low, high) = heads
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), head| (low.min(head), high.max(head)));
    if low.x > high.x { 0.0 } else { (high - low).max_element() }
}

fn pairs_along(skeleton: &Skeleton, axis: DVec3, min_length: f64) -> Vec<Pair> {
    let mut found = Vec::new();
    for branch in 0..skeleton.joints().len() {
        let children = skeleton.children(branch);
        let chains: Vec<Vec<usize>> = children.iter().map(|&child| chain(skeleton, child)).collect();
        let mut is_used = vec![false; chains.len()];
        for a in 0..chains.len() {
            for b in a + 1..chains.len() {
                if is_used[a] || is_used[b] {
                    continue;
                }
                if let Some(pair) = mirrored(skeleton, branch, axis, [&chains[a], &chains[b]])
                    && pair.length >= min_length
                {
                    (is_used[a], is_used[b]) = (true, true);
                    found.push(pair);
                }
            }
        }
    }
    found
}

/// From a joint along the longest way down. It ends where a hand or a paw spreads.
pub fn chain(skeleton: &Skeleton, start: usize) -> Vec<usize> {
    let mut chain = vec![start];
    loop {
        let joint = chain[chain.len() - 1];
        let children = skeleton.children(joint);
        if children.len() > 2 && chain.len() > 2 {
            return chain;
        }
        let reach =
            |&child: &usize| skeleton.head(joint).distance(skeleton.head(child)) + below(skeleton, child);
        match children.iter().copied().max_by(|a, b| reach(a).total_cmp(&reach(b))) {
            Some(child) => chain.push(child),
            None => return chain,
        }
    }
}

/// The length of the longest way down.
fn below(skeleton: &Skeleton, joint: usize) -> f64 {
    // Children come after their parents, so the sums are complete when they are used.
    let order = skeleton.subtree(joint);
    let mut length = vec![0.0_f64; order.len()];
    for (place, &at) in order.iter().enumerate().rev() {
        for &child in skeleton.children(at) {
            if let Some(index) = order.iter().position(|&other| other == child) {
                length[place] =
                    length[place].max(length[index] + skeleton.head(at).distance(skeleton.head(child)));
            }
        }
    }
    length.first().copied().unwrap_or(0.0)
}

fn length_of(skeleton: &Skeleton, chain: &[usize]) -> f64 {
    chain.windows(2).map(|pair| skeleton.head(pair[0]).distance(skeleton.head(pair[1]))).sum()
}

fn mirrored(skeleton: &Skeleton, branch: usize, axis: DVec3, chains: [&Vec<usize>; 2]) -> Option<Pair> {
    let [a, b] = chains.map(|chain| length_of(skeleton, chain));
    let longer = a.max(b);
    if longer <= 0.0 || (a - b).abs() > MAX_ASYMMETRY * longer {
        return None;
    }
    let middle = skeleton.head(branch).dot(axis);
    let reflected = |p: DVec3| p - axis * (2.0 * (p.dot(axis) - middle));
    let ends = |chain: &[usize]| [chain[0], chain[chain.len() - 1]].map(|joint| skeleton.head(joint));
    let ([a0, a1], [b0, b1]) = (ends(chains[0]), ends(chains[1]));
    let error = reflected(a0).distance(b0).max(reflected(a1).distance(b1));
    let apart = (a0 - b0).dot(axis).abs().max((a1 - b1).dot(axis).abs());
    if error > MAX_ASYMMETRY * longer || apart < 0.05 * longer {
        return None;
    }
    let first_is_higher = (a0 + a1).dot(axis) > (b0 + b1).dot(axis);
    let [first, second] = if first_is_higher { chains } else { [chains[1], chains[0]] };
    Some(Pair {
        branch,
        chains: [first.clone(), second.clone()],
        length: longer,
        ends: [a0.midpoint(b0), a1.midpoint(b1)],
    })
}

/// Assigns limbs to the bones of a humanoid; `None` if there is no pair of legs below a pair of
/// arms.
pub(super) fn assign(skeleton: &Skeleton, map: &mut HumanoidMap) -> Option<()> {
    let (axis, pairs) = pairs(skeleton)?;
    let mut best: Option<(f64, &Pair, &Pair)> = None;
    for legs in &pairs {
        for arms in &pairs {
            let trunk = (arms.ends[0] - legs.ends[0]).normalize_or_zero();
            let down = (legs.ends[1] - legs.ends[0]).normalize_or_zero();
            let total = legs.length + arms.length;
            if trunk.dot(down) < -0.7 && best.is_none_or(|(known, ..)| total > known) {
                best = Some((total, legs, arms));
            }
        }
    }
    let (_, legs, arms) = best?;
    // Whoever stands on more than two legs is not a person.
    let down = (legs.ends[1] - legs.ends[0]).normalize_or_zero();
    let is_on_ground = |pair: &&Pair| (legs.ends[1] - pair.ends[1]).dot(down) < 0.25 * legs.length;
    if pairs.iter().filter(is_on_ground).any(|pair| {
        pair != legs
            && !skeleton.is_below(pair.branch, legs.chains[0][0])
            && !skeleton.is_below(pair.branch, legs.chains[1][0])
    }) {
        return None;
    }
    let up = snapped((legs.ends[0] - legs.ends[1]).normalize_or_zero());
    let limbs = [legs, arms].map(|pair| [0, 1].map(|side| limb(skeleton, &pair.chains[side])));
    let [[Some(leg_a), Some(leg_b)], [Some(arm_a), Some(arm_b)]] = limbs else { return None };
    // The front is where the toes point, or +Z.
    let toes: DVec3 = [(&legs.chains[0], leg_a), (&legs.chains[1], leg_b)]
        .into_iter()
        .map(|(chain, [.., ankle])| skeleton.head(chain[chain.len() - 1]) - skeleton.head(chain[ankle]))
        .sum();
    let forward = axis.cross(up);
    let toes = toes.dot(forward);
    let is_front = if toes.abs() > 0.02 * legs.length { toes > 0.0 } else { forward.z >= 0.0 };
    let (left, right) = if is_front { (0, 1) } else { (1, 0) };
    for (side, index) in SIDES.iter().zip([left, right]) {
        set_limb(map, side, &legs.chains[index], if index == 0 { leg_a } else { leg_b }, true);
        set_limb(map, side, &arms.chains[index], if index == 0 { arm_a } else { arm_b }, false);
    }
    let hips = super::by_names::common_ancestor(skeleton, legs.branch, arms.branch)?;
    map.set(Bone::Hips, Some(hips));
    let mut trunk: Vec<usize> = skeleton.upwards(arms.branch).take_while(|&joint| joint != hips).collect();
    trunk.reverse();
    assign_trunk(map, &trunk);
    // Of the chains above the arms, the one that leads up farthest is neck and head.
    let rise = |&child: &usize| {
        let chain = chain(skeleton, child);
        (skeleton.head(chain[chain.len() - 1]) - skeleton.head(arms.branch)).dot(up)
    };
    let is_arm = |child: &usize| arms.chains.iter().any(|chain| chain[0] == *child);
    let above = skeleton.children(arms.branch).iter().copied().filter(|child| !is_arm(child));
    if let Some(neck) = above.filter(|child| rise(child) > 0.0).max_by(|a, b| rise(a).total_cmp(&rise(b))) {
        match chain(skeleton, neck).as_slice() {
            [head] => map.set(Bone::Head, Some(*head)),
            [neck, head, ..] => {
                map.set(Bone::Neck, Some(*neck));
                map.set(Bone::Head, Some(*head));
            }
            [] => {}
        }
    }
    Some(())
}

/// The places of the upper joint, the hinge and the end in the chain of a limb: the two longest
/// parts of similar length.
pub fn limb(skeleton: &Skeleton, chain: &[usize]) -> Option<[usize; 3]> {
    let at = |place: usize| skeleton.head(chain[place]);
    // The last joint of a long chain is a toe or a tip, unless a hand spreads there.
    let spreads = chain.last().is_some_and(|&last| skeleton.children(last).len() > 2);
    let last = if chain.len() > 3 && !spreads { chain.len() - 1 } else { chain.len() };
    let mut best: Option<(f64, [usize; 3])> = None;
    for first in 0..last {
        for hinge in first + 1..last {
            for end in hinge + 1..last {
                let shorter = at(first).distance(at(hinge)).min(at(hinge).distance(at(end)));
                // Later first joints and earlier ends are preferred if the difference is small.
                let score = shorter * (1.0 + 0.04 * first as f64 - 0.08 * end as f64);
                if best.is_none_or(|(known, _)| score > known) {
                    best = Some((score, [first, hinge, end]));
                }
            }
        }
    }
    best.map(|(_, places)| places)
}

fn set_limb(
    map: &mut HumanoidMap,
    side: &Side,
    chain: &[usize],
    [first, hinge, end]: [usize; 3],
    is_leg: bool,
) {
    let [before, upper, lower, tip, after] = if is_leg {
        [None, Some(side.upper_leg), Some(side.lower_leg), Some(side.foot), Some(side.toes)]
    } else {
        [Some(side.shoulder), Some(side.upper_arm), Some(side.lower_arm), Some(side.hand), None]
    };
    let mut set = |bone: Option<Bone>, place: Option<usize>| {
        if let (Some(bone), Some(place)) = (bone, place) {
            map.set(bone, chain.get(place).copied());
        }
    };
    set(before, first.checked_sub(1));
    set(upper, Some(first));
    set(lower, Some(hinge));
    set(tip, Some(end));
    set(after, Some(end + 1));
}
