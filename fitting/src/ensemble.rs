//! Several fits of one body, by members of the cascade and from different starts: their median, and
//! their spread as a measure of how sure they are.

use glam::{BVec3, Vec3};

use crate::body::Body;
use crate::cascade::{self, Cascade, Plan, ROUNDS};
use crate::profile;

/// Starts per member. More give a smoother median and take longer.
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
    /// The coordinates that are known.
    pub known: BVec3,
}

impl Pin {
    /// A joint at a point.
    pub fn at(joint: usize, position: Vec3) -> Self {
        Self { joint, position, known: BVec3::TRUE }
    }
}

/// Joints of a body, and how much the fits disagree about each.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Medians.
    pub joints: Vec<Vec3>,
    /// Root mean square distances of the fits from the median.
    pub spreads: Vec<f32>,
    /// How far one more round would move each joint, on average over the members.
    pub residuals: Vec<f32>,
}

/// Places the joints of a plan. Pinned joints stay at their positions, and the others follow.
pub fn fit(cascade: &Cascade, plan: &Plan, body: &Body, starts: usize, pins: &[Pin]) -> Placed {
    let centroid = profile::centroid(body);
    let profiles = [false, true].map(|mirrored| profile::profile(body, centroid, mirrored));
    let mut guess = cascade.guess(plan, &profiles, centroid);
    move_neighbours(plan, &mut guess, pins);
    let mut fits: Vec<Vec<Vec3>> = Vec::new();
    for (index, steps) in cascade.members.iter().enumerate() {
        for start in 0..starts.max(1) {
            let shifted = |(joint, &p): (usize, &Vec3)| p + shift(index + start * 5, joint);
            let mut joints: Vec<Vec3> = guess.iter().enumerate().map(shifted).collect();
            for step in ROUNDS {
                hold(&mut joints, pins);
                joints = cascade::refine(plan, &steps[step], body, &joints);
            }
            hold(&mut joints, pins);
            fits.push(joints);
        }
    }
    let joints: Vec<Vec3> = (0..guess.len()).map(|joint| median(&fits, joint)).collect();
    let spread = |(joint, &middle): (usize, &Vec3)| {
        let squares: f32 = fits.iter().map(|fit| fit[joint].distance_squared(middle)).sum();
        (squares / fits.len() as f32).sqrt()
    };
    let spreads = joints.iter().enumerate().map(spread).collect();
    let last = ROUNDS[ROUNDS.len() - 1];
    let moved: Vec<Vec<Vec3>> =
        cascade.members.iter().map(|steps| cascade::refine(plan, &steps[last], body, &joints)).collect();
    let residual = |(joint, &at): (usize, &Vec3)| {
        moved.iter().map(|fit| fit[joint].distance(at)).sum::<f32>() / moved.len() as f32
    };
    let residuals = joints.iter().enumerate().map(residual).collect();
    Placed { joints, spreads, residuals }
}

/// The median of each coordinate of a joint.
fn median(fits: &[Vec<Vec3>], joint: usize) -> Vec3 {
    let of_axis = |axis: usize| {
        let mut values: Vec<f32> = fits.iter().map(|fit| fit[joint][axis]).collect();
        values.sort_by(f32::total_cmp);
        let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
        0.5 * (values[low] + values[high])
    };
    Vec3::new(of_axis(0), of_axis(1), of_axis(2))
}

/// Puts pinned joints back.
fn hold(joints: &mut [Vec3], pins: &[Pin]) {
    for pin in pins {
        joints[pin.joint] = Vec3::select(pin.known, pin.position, joints[pin.joint]);
    }
}

/// Moves the joints that see a pinned one along with it, once, before the first round.
fn move_neighbours(plan: &Plan, joints: &mut [Vec3], pins: &[Pin]) {
    for pin in pins {
        let offset = Vec3::select(pin.known, pin.position - joints[pin.joint], Vec3::ZERO);
        for (index, joint) in plan.joints.iter().enumerate() {
            let is_pinned = pins.iter().any(|other| other.joint == index);
            if joint.neighbours.contains(&pin.joint) && !is_pinned {
                joints[index] += 0.5 * offset;
            }
        }
        joints[pin.joint] += offset;
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
