//! Whether a humanoid looks to the front or to the back.
//!
//! A body is fitted in both orientations. Around the joints of a fit, how far the body reaches to
//! the front and to the rear says which way it looks: feet, faces, bellies, bags. A network sees
//! these depths; it is odd, because the fit of the turned body is subtracted.

use glam::{Mat3, Vec3};

use crate::body::Body;
use crate::ensemble::{self, Placed, STARTS};
use crate::network::Network;
use crate::plans::humanoid::HUMANOID;
use crate::table::Table;

/// Half a turn about the vertical.
pub const HALF_TURN: Mat3 = Mat3::from_cols(Vec3::NEG_X, Vec3::Y, Vec3::NEG_Z);

/// The evidence of a promise of the file format, as the logarithm of odds. If larger, files that
/// break their promise are not noticed; if smaller, doubtful bodies are turned.
pub const PROMISE: f32 = 1.0;

/// What tells front from back, each positive if the body looks to the front.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    /// The margin of the network of orientations.
    pub margin: f32,
    /// The score of the depths around joints.
    pub depths: f32,
    /// The logarithm of how much more the fits disagree if the body is turned to the back.
    pub spread: f32,
    /// The same of how far one more round would move the joints.
    pub residual: f32,
}

/// Weights of the evidence, so that its sum is the logarithm of the odds: a logistic regression on
/// characters that were left out of training (a fold of five, and a family of authors).
pub const WEIGHTS: Evidence = Evidence { margin: 1.1, depths: 2.2, spread: 2.4, residual: 2.6 };

impl Evidence {
    /// Fits a body in both orientations. `margin` is that of the network of orientations.
    pub fn new(table: &Table, body: &Body, margin: f32) -> Self {
        let turned = body.turned(&HALF_TURN);
        let [ahead, behind] = [body, &turned].map(|body| {
            let placed = ensemble::fit(&table.humanoid, &HUMANOID, body, STARTS, &[]);
            (describe(body, &placed.joints), placed)
        });
        let ratio = |of: fn(&Placed) -> &[f32]| {
            let sum = |placed: &Placed| of(placed).iter().sum::<f32>().max(1e-6);
            (sum(&behind.1) / sum(&ahead.1)).ln()
        };
        Self {
            margin,
            depths: score(&table.facing, &ahead.0, &behind.0),
            spread: ratio(|placed| &placed.spreads),
            residual: ratio(|placed| &placed.residuals),
        }
    }

    /// The logarithm of the odds that the body looks to the front.
    pub fn sum(&self) -> f32 {
        WEIGHTS.margin * self.margin
            + WEIGHTS.depths * self.depths
            + WEIGHTS.spread * self.spread
            + WEIGHTS.residual * self.residual
    }
}

/// How sure front and back are with an evidence: 0 at even odds, 0.5 at odds of 3 to 1.
pub fn confidence(evidence: f32) -> f32 {
    (0.5 * evidence.abs()).tanh()
}

/// Points on the axis of the body: shares of the way from the hips to the neck, and from the head
/// joint to the top.
const TRUNK: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const HEAD: [f32; 4] = [0.0, 0.3, 0.6, 0.85];

/// Distances beside the axis, in half distances between the shoulder joints.
const BESIDE: [f32; 3] = [0.0, 0.5, 1.0];

/// Points of each arm and of each leg.
const ARM: usize = 6;
const LEG: usize = 8;

/// Points whose depths are measured; those of both sides are averaged.
const POINTS: usize = (TRUNK.len() + HEAD.len()) * BESIDE.len() + ARM + LEG;

/// Kinds of joints. Each has a height, a distance from the middle and one before the hips.
const KINDS: usize = 10;

/// Layers of the body whose extents are measured, by their upper ends in heights. Most are at the
/// feet, which point to the front and which fits may miss.
const LAYERS: [f32; 12] = [0.015, 0.03, 0.05, 0.075, 0.1, 0.14, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0];

/// Numbers that describe a body with joints.
pub const LENGTH: usize = 4 * POINTS + 3 * KINDS + 3 * LAYERS.len();

/// The unit of depths, in heights, so that they are of the order of one.
const UNIT: f32 = 0.1;

/// The largest depth, in heights.
const MAX_DEPTH: f32 = 0.4;

/// Describes a body with joints of the humanoid plan, as seen along its front.
pub fn describe(body: &Body, joints: &[Vec3]) -> Vec<f32> {
    let mut out = Vec::with_capacity(LENGTH);
    let (hips, neck, head) = (joints[0], joints[1], joints[2]);
    let half = 0.5 * (joints[3].x - joints[10].x).abs().clamp(0.05, 0.6);
    let top = Vec3::new(head.x, 1.0, head.z);
    let axis = TRUNK.map(|t| hips.lerp(neck, t)).into_iter().chain(HEAD.map(|t| head.lerp(top, t)));
    let mut add = |pair: [Vec3; 2]| {
        let [a, b] = pair.map(|point| depths(body, point));
        out.extend((0..4).map(|i| 0.5 * (a[i] + b[i]) / UNIT));
    };
    for point in axis {
        for beside in BESIDE {
            let side = Vec3::X * (beside * half);
            add([point + side, point - side]);
        }
    }
    let [left, right] = [3, 10].map(|first| limb_points(&joints[first..first + 7]));
    left.into_iter().zip(right).for_each(|(l, r)| add([l, r]));
    for kind in 0..KINDS {
        let other = if kind < 3 { kind } else { kind + 7 };
        let mean = joints[kind].midpoint(joints[other]);
        out.extend([
            mean.y / UNIT,
            0.5 * (joints[kind].x - joints[other].x).abs() / UNIT,
            (mean.z - hips.z) / UNIT,
        ]);
    }
    out.extend(layers(body).into_iter().map(|z| z / UNIT));
    out
}

/// The mean, the front end and the rear end of each layer, from the mean of the whole body along z.
/// Zero where there is nothing.
fn layers(body: &Body) -> Vec<f32> {
    let lattice = &body.lattice;
    let mut sums = [(0.0f32, 0.0f32, f32::NEG_INFINITY, f32::INFINITY); LAYERS.len()];
    for z in 0..lattice.size[2] {
        for y in 0..lattice.size[1] {
            let at = lattice.centre([0, y, z]);
            let Some(layer) = LAYERS.iter().position(|&top| at.y <= top) else { continue };
            let first = lattice.index([0, y, z]);
            let count = (first..first + lattice.size[0]).filter(|&cell| body.is_inside(cell)).count();
            if count > 0 {
                let (sum, total, front, rear) = sums[layer];
                let count = count as f32;
                sums[layer] = (sum + count * at.z, total + count, front.max(at.z), rear.min(at.z));
            }
        }
    }
    let (sum, total) = sums.iter().fold((0.0, 0.0), |(sum, total), layer| (sum + layer.0, total + layer.1));
    let middle = sum / f32::max(total, 1.0);
    let from_middle = |&(sum, count, front, rear): &(f32, f32, f32, f32)| {
        if count > 0.0 { [sum / count - middle, front - middle, rear - middle] } else { [0.0; 3] }
    };
    sums.iter().flat_map(from_middle).collect()
}

/// Points on the limbs of a side: shoulder, elbow, wrist, hip, knee, ankle, ball.
fn limb_points(joints: &[Vec3]) -> [Vec3; ARM + LEG] {
    let [shoulder, elbow, wrist, hip, knee, ankle, ball] = [0, 1, 2, 3, 4, 5, 6].map(|i| joints[i]);
    let ground = Vec3::new(ankle.x, 0.0, ankle.z);
    [
        shoulder,
        shoulder.midpoint(elbow),
        elbow,
        elbow.midpoint(wrist),
        wrist,
        wrist + 0.25 * (wrist - elbow),
        hip,
        hip.midpoint(knee),
        knee,
        knee.midpoint(ankle),
        ankle,
        ball,
        ankle.lerp(ground, 0.5),
        ground + Vec3::Y * 0.012,
    ]
}

/// How far the body reaches from a point: to the front and to the rear until it ends first, and
/// until it ends last.
fn depths(body: &Body, point: Vec3) -> [f32; 4] {
    let step = 0.5 * body.lattice.cell;
    let mut out = [0.0; 4];
    for (way, sign) in [1.0, -1.0].into_iter().enumerate() {
        let mut is_first = true;
        let mut reach = 0.0;
        while reach <= MAX_DEPTH {
            if body.distance(point + Vec3::Z * (sign * reach)) < 0.0 {
                out[2 + way] = reach;
                if is_first {
                    out[way] = reach;
                }
            } else {
                is_first = false;
            }
            reach += step;
        }
    }
    out
}

/// How much more the depths look like those of a body to the front than to the back. The second
/// description is that of the turned body with its own joints.
pub fn score(network: &Network, ahead: &[f32], behind: &[f32]) -> f32 {
    let apply = |depths: &[f32]| network.apply(depths).first().copied().unwrap_or(0.0);
    0.5 * (apply(ahead) - apply(behind))
}
