//! Errors of fitted joints against labels.

use glam::Vec3;

use crate::dataset::Sample;

/// The main joints of a humanoid, by index in the plan: all but the toes.
pub const MAIN: [usize; 15] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15];
/// Those whose place is not a convention of the rig.
pub const LIMB: [usize; 12] = [3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15];

/// Errors of one fit, in per cent of the height, by joint of the plan.
pub fn errors(sample: &Sample, joints: &[Vec3]) -> Vec<f32> {
    sample.joints.iter().zip(joints).map(|(a, b)| 100.0 * a.distance(*b)).collect()
}

/// Median error of main joints, and shares of fits with all main joints below 10 %, limb joints
/// below 5 %, limb joints below 10 %.
pub fn summary(fits: &[Vec<f32>]) -> [f32; 4] {
    let mut all: Vec<f32> = fits.iter().flat_map(|errors| MAIN.map(|joint| errors[joint])).collect();
    all.sort_by(f32::total_cmp);
    let median = all.get(all.len() / 2).copied().unwrap_or(f32::NAN);
    let share = |joints: &[usize], limit: f32| {
        let good = fits.iter().filter(|errors| joints.iter().all(|&joint| errors[joint] < limit)).count();
        100.0 * good as f32 / fits.len().max(1) as f32
    };
    [median, share(&MAIN, 10.0), share(&LIMB, 5.0), share(&LIMB, 10.0)]
}
