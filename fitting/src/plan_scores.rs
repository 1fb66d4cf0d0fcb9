//! How much evidence speaks for each body plan but the humanoid.

use glam::Vec3;

use crate::evidence::{Evidence, Shape};
use crate::plans::BodyPlan;

/// A body whose curve skeleton has no more ends than this has no limbs.
const MOST_TUBE_TIPS: usize = 2;

/// A body without limbs whose radius varies less than this is a tube. Humanoids in robes have a
/// neck.
const MOST_TUBE_VARIATION: f32 = 0.25;

/// How much a body speaks for each plan but the humanoid, from 0 to 1.
pub type Scores = [(BodyPlan, f32); 5];

/// Whether a body is one tube, without limbs.
pub fn is_tube(shape: &Shape) -> bool {
    shape.tips <= MOST_TUBE_TIPS && shape.variation < MOST_TUBE_VARIATION
}

/// The best plan, its score, and that of the next.
pub fn ranked(mut scores: Scores) -> (BodyPlan, f32, f32) {
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    (scores[0].0, scores[0].1, scores[1].1)
}

/// No evidence for any plan.
pub fn scores_of_nothing() -> Scores {
    [BodyPlan::Quadruped, BodyPlan::Bird, BodyPlan::Fish, BodyPlan::Snake, BodyPlan::Spider]
        .map(|plan| (plan, 0.0))
}

/// From 0 at `low` to 1 at `high`.
pub fn ramp(x: f32, low: f32, high: f32) -> f32 {
    ((x - low) / (high - low)).clamp(0.0, 1.0)
}

/// How much evidence speaks for each plan. The limits are set by the animals and humanoids of the
/// development set.
pub fn scores(e: &Evidence, shape: &Shape) -> Scores {
    let mirrored = ramp(e.symmetry, 0.55, 0.8);
    let size = e.size.max(Vec3::splat(1e-6));
    // A keel that touches the ground twice has no feet.
    let clear = match (e.is_clear, e.is_two_sided) {
        (true, _) => 1.0,
        (false, true) => 0.75,
        (false, false) => 0.4,
    };
    let few = 1.0 - ramp(e.footprint, 0.25, 0.45);
    let quadruped = if e.pairs < 2 {
        0.0
    } else {
        let apart = ramp(e.gap / e.stance_length.max(1e-6), 0.15, 0.4);
        let two = if e.pairs == 2 { 1.0 } else { 0.7 };
        // Legs are narrower than the way between them is long.
        let long = ramp(e.stance_length / e.stance_width.max(1e-6), 0.5, 1.1);
        mirrored * clear * two * few * apart * long * ramp(e.clearance, 0.06, 0.16)
    };
    // Two legs that stand together are no sign of a bird.
    let apart = if e.is_clear { 1.0 } else { 0.25 };
    let standing = apart * ramp(size.z / size.y, 0.7, 0.85) * ramp(e.clearance, 0.08, 0.15) * few;
    let is_spread = e.limbs[0] > e.limbs[1];
    let flying = ramp(size.x / size.z, 1.1, 1.5) * ramp(size.x / size.y, 2.0, 3.0);
    let flying = if is_spread { flying } else { 0.5 * flying };
    let bird = if e.pairs == 1 { mirrored * f32::max(standing, 0.85 * flying) } else { 0.0 };
    let tapered = 1.0 - ramp(e.ends[0] / e.depth.max(1e-6), 0.4, 0.65);
    let low = 1.0 - ramp(e.clearance, 0.1, 0.2);
    let thin = 1.0 - ramp(size.y / size.z, 0.5, 0.7);
    let fish = mirrored
        * tapered
        * low
        * thin
        * few
        * ramp(size.z / size.x, 1.05, 1.3)
        * ramp(e.ends[1] / e.ends[0].max(1e-6), 0.8, 1.3);
    let fish = if e.pairs > 1 && e.is_two_sided { 0.5 * fish } else { fish };
    let long = ramp(shape.slenderness, 22.0, 32.0);
    // Without limbs, shorter ones are chains too: bars and sausages.
    let bar = if is_tube(shape) { 0.8 * ramp(shape.slenderness, 5.0, 10.0) } else { 0.0 };
    let snake = long.max(bar) * ramp(shape.near, 0.85, 0.95);
    let flat = 1.0 - ramp(size.y / size.x.max(size.z), 0.7, 0.9);
    let spider = mirrored * flat * ramp(e.limbs[1] as f32, 1.9, 3.0);
    [
        (BodyPlan::Quadruped, quadruped),
        (BodyPlan::Bird, bird),
        (BodyPlan::Fish, 0.9 * fish),
        (BodyPlan::Snake, snake),
        (BodyPlan::Spider, spider),
    ]
}
