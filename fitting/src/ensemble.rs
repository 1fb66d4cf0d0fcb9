//! Several fits of one body, from different starts: their mean, and their spread as a measure of
//! how sure they are.

use glam::Vec3;

use crate::body::Body;
use crate::cascade::{self, Cascade, Plan, ROUNDS};
use crate::profile;

/// Starts of a fit. More give a smoother mean and take longer.
pub const STARTS: usize = 4;

/// Shifts of the starts from the first guess, in heights.
const SHIFT: f32 = 0.03;

/// A joint that stays where the user put it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// Index in the plan.
    pub joint: usize,
    /// In the space of the body.
    pub position: Vec3,
}

/// Joints of a body, and the spread of each between starts. Pinned joints stay at their positions,
/// and the others follow.
pub fn fit(
    cascade: &Cascade,
    plan: &Plan,
    body: &Body,
    starts: usize,
    pins: &[Pin],
) -> (Vec<Vec3>, Vec<f32>) {
    let centroid = profile::centroid(body);
    let profiles = [false, true].map(|mirrored| profile::profile(body, centroid, mirrored));
    let mut guess = cascade.guess(plan, &profiles, centroid);
    move_limbs(plan, &mut guess, pins);
    let fits: Vec<Vec<Vec3>> = (0..starts.max(1))
        .map(|start| {
            let mut joints: Vec<Vec3> =
                guess.iter().enumerate().map(|(joint, &p)| p + shift(start, joint)).collect();
            for step in ROUNDS {
                hold(&mut joints, pins);
                joints = cascade::refine(plan, &cascade.steps[step], body, &joints);
            }
            hold(&mut joints, pins);
            joints
        })
        .collect();
    let count = fits.len() as f32;
    let mean: Vec<Vec3> =
        (0..guess.len()).map(|joint| fits.iter().map(|fit| fit[joint]).sum::<Vec3>() / count).collect();
    let spread = |joint: usize| {
        (fits.iter().map(|fit| fit[joint].distance_squared(mean[joint])).sum::<f32>() / count).sqrt()
    };
    let spread = (0..mean.len()).map(spread).collect();
    (mean, spread)
}

/// Puts pinned joints back.
fn hold(joints: &mut [Vec3], pins: &[Pin]) {
    for pin in pins {
        joints[pin.joint] = pin.position;
    }
}

/// Moves the joints that see a pinned one along with it, once, before the first round.
fn move_limbs(plan: &Plan, joints: &mut [Vec3], pins: &[Pin]) {
    for pin in pins {
        let offset = pin.position - joints[pin.joint];
        for (index, joint) in plan.joints.iter().enumerate() {
            let is_pinned = pins.iter().any(|other| other.joint == index);
            if joint.neighbours.contains(&pin.joint) && !is_pinned {
                joints[index] += 0.5 * offset;
            }
        }
        joints[pin.joint] = pin.position;
    }
}

/// Where a start is shifted to. The first is not.
fn shift(start: usize, joint: usize) -> Vec3 {
    if start == 0 {
        return Vec3::ZERO;
    }
    // The golden ratio and its kin spread the directions evenly.
    let turn = (start * 31 + joint * 7) as f32;
    let fraction = |factor: f32| (turn * factor).fract() * 2.0 - 1.0;
    Vec3::new(fraction(0.819_172_5), fraction(0.671_043_6), fraction(0.549_700_5)) * SHIFT
}
