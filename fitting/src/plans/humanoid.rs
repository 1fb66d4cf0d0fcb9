//! The joints of a humanoid that the cascade places.

use glam::{BVec3, Vec3};

use crate::body::Body;
use crate::cascade::{Plan, PlanJoint};
use crate::ensemble::{self, Pin, Placed, STARTS};
use crate::fit::FitError;
use crate::plans::{BodyJoint, BodySkeleton};
use crate::table::Table;

const fn joint(
    name: &'static str,
    kind: usize,
    mirror: usize,
    along: [usize; 2],
    neighbours: [usize; 2],
) -> PlanJoint {
    PlanJoint { name, kind, mirror, along, neighbours }
}

/// Hips, neck and head; then the joints of the left limbs; then of the right ones.
pub const HUMANOID: Plan = Plan {
    joints: &[
        joint("hips", 0, 0, [0, 1], [6, 1]),
        joint("neck", 1, 1, [0, 1], [2, 3]),
        joint("head", 2, 2, [1, 2], [1, 3]),
        joint("upper_arm.L", 3, 10, [3, 4], [1, 4]),
        joint("forearm.L", 4, 11, [3, 5], [3, 5]),
        joint("hand.L", 5, 12, [4, 5], [4, 3]),
        joint("thigh.L", 6, 13, [7, 6], [0, 7]),
        joint("shin.L", 7, 14, [8, 6], [6, 8]),
        joint("foot.L", 8, 15, [8, 7], [7, 9]),
        joint("toe.L", 9, 16, [8, 7], [8, 7]),
        joint("upper_arm.R", 3, 3, [10, 11], [1, 11]),
        joint("forearm.R", 4, 4, [10, 12], [10, 12]),
        joint("hand.R", 5, 5, [11, 12], [11, 10]),
        joint("thigh.R", 6, 6, [14, 13], [0, 14]),
        joint("shin.R", 7, 7, [15, 13], [13, 15]),
        joint("foot.R", 8, 8, [15, 14], [14, 16]),
        joint("toe.R", 9, 9, [15, 14], [15, 14]),
    ],
    kinds: 10,
};

/// Where the spine joints are on the way from the hips to the neck: means over the training set.
const SPINE: [(&str, f32); 3] = [("spine", 0.16), ("chest", 0.42), ("upper_chest", 0.68)];

/// Where the collar bone begins on the way from the neck to the shoulder joint.
const COLLAR: f32 = 0.25;

/// The doubt at which the confidence of a joint is one half, in heights. On two folds of characters
/// that were left out of training, 95 % of the bad fits and 9.5 % of the good ones are above it. If
/// larger, fewer bad fits are marked; if smaller, more good ones are.
pub const DOUBTFUL: f32 = 0.0115;

/// How far outside the body a joint is twice as doubtful, in heights.
const OUTSIDE: f32 = 0.02;

/// Shares of the joint itself and of the residuals in its doubt, as exponents. The spread of all
/// joints has the rest.
const OWN_SHARE: f32 = 0.35;
const RESIDUAL_SHARE: f32 = 0.3;

/// The head and the shoulder joints, by index in the plan: where neck and arms begin is what bodies
/// of unknown kinds leave open.
const HEAD: usize = 2;
const SHOULDERS: [usize; 2] = [3, 10];

/// The spread of head and shoulders that leaves all doubts as they are, in heights. Chosen together
/// with [`DOUBTFUL`].
const USUAL_SPREAD: f32 = 0.015;

/// The share of head and shoulders in all doubts, as an exponent. If larger, bad fits of families
/// that were left out rank higher, and those of known families lower.
const UPPER_SHARE: f32 = 0.2;

/// What is added to spreads, in heights, so that none is zero.
const LEAST_SPREAD: f32 = 1e-3;

/// How doubtful each joint is, in heights: by how much the fits disagree about it, about all joints
/// and about head and shoulders, how far one more round would move them, and whether it is outside
/// the body.
pub fn doubts(body: &Body, placed: &Placed) -> Vec<f32> {
    let mean = |values: &[f32]| {
        let main = HUMANOID.joints.iter().zip(values).filter(|(joint, _)| !joint.name.starts_with("toe"));
        let (sum, count) = main.fold((0.0, 0.0), |(sum, count), (_, value)| (sum + value, count + 1.0));
        sum / count + 1e-4
    };
    let together = mean(&placed.spreads).powf(1.0 - OWN_SHARE - RESIDUAL_SHARE)
        * mean(&placed.residuals).powf(RESIDUAL_SHARE)
        * (upper_spread(&placed.spreads) / USUAL_SPREAD).powf(UPPER_SHARE);
    let doubt = |(&spread, &joint): (&f32, &Vec3)| {
        spread.powf(OWN_SHARE) * together * (1.0 + body.distance(joint).max(0.0) / OUTSIDE)
    };
    placed.spreads.iter().zip(&placed.joints).map(doubt).collect()
}

/// How much the fits disagree about the head and about the shoulders: the geometric mean of both.
/// Pinned joints, whose spreads are zero, say nothing; the usual spread if all are pinned.
fn upper_spread(spreads: &[f32]) -> f32 {
    let shoulder = SHOULDERS.map(|joint| spreads[joint]).into_iter().fold(0.0, f32::max);
    let free = || [spreads[HEAD], shoulder].into_iter().filter(|spread| *spread > 0.0);
    let product: f32 = free().map(|spread| spread + LEAST_SPREAD).product();
    match free().count() {
        0 => USUAL_SPREAD,
        1 => product,
        _ => product.sqrt(),
    }
}

/// Fits the skeleton of a humanoid. Markers are joints that stay where they are.
///
/// # Errors
/// If a marker is not a joint of the plan.
pub fn fit(table: &Table, body: &Body, markers: &[(String, Vec3)]) -> Result<BodySkeleton, FitError> {
    let mut pins = Vec::new();
    for (label, position) in markers {
        pins.extend(pins_of(label, *position).ok_or_else(|| FitError::UnknownMarker(label.clone()))?);
    }
    let placed = ensemble::fit(&table.humanoid, &HUMANOID, body, STARTS, &pins);
    let confidences: Vec<f32> =
        doubts(body, &placed).iter().map(|doubt| 1.0 / (1.0 + (doubt / DOUBTFUL).powi(2))).collect();
    Ok(BodySkeleton { joints: skeleton(body, &placed.joints, &confidences), warnings: Vec::new() })
}

/// Markers that are not joints: the joints whose height they give, and how far below those they
/// are, in heights. The second is the median over the training set; nothing there has a chin.
const LANDMARKS: [(&str, &[usize], f32); 2] = [("chin", &[2], 0.02), ("groin", &[6, 13], 0.055)];

/// What a marker says about joints of the plan. `None` if it is unknown.
fn pins_of(label: &str, position: Vec3) -> Option<Vec<Pin>> {
    if let Some(joint) = HUMANOID.joints.iter().position(|joint| joint.name == label) {
        return Some(vec![Pin::at(joint, position)]);
    }
    let (_, joints, below) = LANDMARKS.iter().find(|(name, ..)| *name == label)?;
    let known = BVec3::new(false, true, false);
    let pin = |&joint: &usize| Pin { joint, position: position + Vec3::Y * *below, known };
    Some(joints.iter().map(pin).collect())
}

/// The bones of a humanoid, in the space of the body, from the joints that the cascade placed.
fn skeleton(body: &Body, places: &[Vec3], confidences: &[f32]) -> Vec<BodyJoint> {
    let mut joints: Vec<BodyJoint> = Vec::new();
    let mut add = |label: &str, parent: Option<&str>, head: Vec3, tail: Vec3, confidence: f32| {
        let parent = parent.and_then(|parent| joints.iter().position(|joint| joint.label == parent));
        joints.push(BodyJoint { label: label.to_owned(), parent, head, tail, confidence });
    };
    let [hips, neck, head] = [places[0], places[1], places[2]];
    let torso = confidences[0].min(confidences[1]);
    let spine = SPINE.map(|(name, t)| (name, hips.lerp(neck, t)));
    add("hips", None, hips, spine[0].1, confidences[0]);
    let mut parent = "hips";
    for (index, &(name, at)) in spine.iter().enumerate() {
        let next = spine.get(index + 1).map_or(neck, |next| next.1);
        add(name, Some(parent), at, next, torso);
        parent = name;
    }
    add("neck", Some(parent), neck, head, confidences[1]);
    let top = surface_along(body, head, (head - neck).normalize_or(Vec3::Y).lerp(Vec3::Y, 0.7), 0.05);
    add("head", Some("neck"), head, top, confidences[2]);
    for (first, names) in [(3, LEFT), (10, RIGHT)] {
        let at = |offset: usize| places[first + offset];
        let sure = |offset: usize| confidences[first + offset];
        let collar = neck.lerp(at(0), COLLAR);
        let collar = Vec3::new(collar.x, at(0).y.max(collar.y - 0.02), collar.z);
        add(names[0], Some(parent), collar, at(0), sure(0));
        add(names[1], Some(names[0]), at(0), at(1), sure(0));
        add(names[2], Some(names[1]), at(1), at(2), sure(1));
        let fingers = surface_along(body, at(2), at(2) - at(1), 0.02);
        add(names[3], Some(names[2]), at(2), fingers, sure(2));
        add(names[4], Some("hips"), at(3), at(4), sure(3));
        add(names[5], Some(names[4]), at(4), at(5), sure(4));
        add(names[6], Some(names[5]), at(5), at(6), sure(5));
        let forward = at(6) - at(5);
        let toes = surface_along(body, at(6), Vec3::new(forward.x, 0.0, forward.z), 0.015);
        add(names[7], Some(names[6]), at(6), toes, sure(6));
    }
    joints
}

const LEFT: [&str; 8] =
    ["shoulder.L", "upper_arm.L", "forearm.L", "hand.L", "thigh.L", "shin.L", "foot.L", "toe.L"];
const RIGHT: [&str; 8] =
    ["shoulder.R", "upper_arm.R", "forearm.R", "hand.R", "thigh.R", "shin.R", "foot.R", "toe.R"];

/// Where a ray leaves the body, but at least `least` from its start.
fn surface_along(body: &Body, from: Vec3, direction: Vec3, least: f32) -> Vec3 {
    let direction = direction.normalize_or(Vec3::Y);
    let step = 0.5 * body.lattice.cell;
    let mut reach = least;
    while reach < 1.0 && body.distance(from + direction * (reach + step)) < 0.0 {
        reach += step;
    }
    from + direction * reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Lattice;

    /// Joints in the middle of a ball of cells, with spreads that are all equal but for some.
    fn doubts_with(changed: &[(usize, f32)]) -> Vec<f32> {
        let lattice = Lattice { origin: Vec3::splat(-0.5), cell: 0.1, size: [10; 3] };
        let inside: Vec<bool> =
            (0..lattice.len()).map(|cell| lattice.centre(lattice.coordinates(cell)).length() < 0.3).collect();
        let count = HUMANOID.joints.len();
        let mut spreads = vec![0.01; count];
        changed.iter().for_each(|&(joint, spread)| spreads[joint] = spread);
        let placed = Placed { joints: vec![Vec3::ZERO; count], spreads, residuals: vec![0.004; count] };
        doubts(&Body::of_cells(lattice, &inside), &placed)
    }

    #[test]
    fn disagreement_about_the_head_counts_for_all_joints() {
        let (foot, hips) = (8, 0);
        // The mean of all spreads is the same.
        let [at_head, at_foot] = [HEAD, foot].map(|joint| doubts_with(&[(joint, 0.03)])[hips]);
        assert!(at_head > 1.08 * at_foot, "{at_head} {at_foot}");
        let one_shoulder = doubts_with(&[(SHOULDERS[1], 0.03)])[hips];
        assert!((one_shoulder - at_head).abs() < 1e-6, "{one_shoulder} {at_head}");
    }

    #[test]
    fn a_pinned_head_does_not_make_other_joints_sure() {
        let wrist = 5;
        let [free, pinned] = [0.01, 0.0].map(|head| doubts_with(&[(HEAD, head)])[wrist]);
        assert!(pinned < free && pinned > 0.9 * free, "{pinned} {free}");
        let all = [HEAD, SHOULDERS[0], SHOULDERS[1]].map(|joint| (joint, 0.0));
        let none_left = doubts_with(&all)[wrist];
        assert!(none_left.is_finite() && none_left > 0.9 * free, "{none_left} {free}");
    }
}
