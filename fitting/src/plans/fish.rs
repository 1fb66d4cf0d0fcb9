//! A spine from the nose to the tail, and a pair of fins.
//!
//! Input: a body that swims along +Z with its back along +Y.

use glam::Vec3;

use crate::body::Body;
use crate::draft::Draft;
use crate::fit::FitError;
use crate::plans::BodySkeleton;
use crate::plans::quadruped::{SIDES, end_of};
use crate::polyline;
use crate::proportions::{self, Place, Placed, Row};
use crate::stance::Standing;

/// Learned from the labelled fish of the development set by
/// `fitting/training/src/bin/animals`, but for the nose: one label of three is behind the head.
pub const RATIOS: &[Row] = &[
    ("nose", [0.07, 0.00, 0.00], [0.07, 0.00, 0.00]),
    ("head", [0.14, 0.00, 0.00], [0.01, 0.00, 0.00]),
    ("tail_joint", [0.81, 0.00, 0.00], [0.04, 0.00, 0.00]),
    ("tail_tip", [0.96, 0.00, 0.00], [0.02, 0.00, 0.00]),
    ("fin_root", [0.38, 0.00, 0.00], [0.27, 0.00, 0.00]),
    ("fin_tip", [1.00, 0.00, 0.00], [0.00, 0.00, 0.00]),
];

/// Joints of the spine between the head and the joint of the tail.
const SPINE_JOINTS: usize = 4;

/// Which joint of the spine is the root.
const ROOT: usize = 2;

/// Fins are in this part of the way from the nose to the tail. Behind it are flukes.
const FINS: [f32; 2] = [0.1, 0.65];

/// Fins reach so far from the plane, in depths of the trunk.
const LEAST_FIN: f32 = 1.1;

/// How fast cells count less that are nearer to the plane than the tip of a fin, in units of the
/// body.
const FIN_END: f32 = 0.02;

/// What a fish is measured by.
#[derive(Clone, Debug)]
pub struct Landmarks {
    /// From the nose to the end of the tail.
    pub spine: Vec<Vec3>,
    /// Left and right, from the trunk to the tip.
    pub fins: Option<[Vec<Vec3>; 2]>,
}

/// Measures a body.
pub fn landmarks(standing: &Standing) -> Landmarks {
    let Standing { stance, slice, .. } = standing;
    let (low, high) = (stance.low, stance.high);
    let middle = low.midpoint(high);
    let nose =
        end_of(slice, |cell| slice.centre(cell).z).unwrap_or(Vec3::new(stance.plane, middle.y, high.z));
    let tail =
        end_of(slice, |cell| -slice.centre(cell).z).unwrap_or(Vec3::new(stance.plane, middle.y, low.z));
    let (trunk, radius) = slice.trunk().unwrap_or((middle, 0.1));
    let mut spine = slice.path(nose, trunk);
    spine.extend(slice.path(trunk, tail).into_iter().skip(1));
    crate::sagittal::smooth(&mut spine, 4);
    // Lobes beside the nose and flukes beside the tail reach further than the plane does.
    if let [first, .., last] = spine.as_mut_slice() {
        (first.z, last.z) = (high.z, low.z);
    }
    // The tail fin is high: the joint is in its middle, not at one of its ends.
    if let Some(last) = spine.last_mut()
        && let Some([bottom, top]) = slice.extent(tail.z)
    {
        last.y = bottom.midpoint(top);
    }
    Landmarks { fins: fins(standing, &spine, radius), spine }
}

/// Lines of fins: from the spine to the cell that is farthest from the plane.
fn fins(standing: &Standing, spine: &[Vec3], radius: f32) -> Option<[Vec<Vec3>; 2]> {
    let Standing { interior, stance, .. } = standing;
    let [front, rear] = FINS.map(|fraction| polyline::at(spine, fraction).z);
    let lines = SIDES.map(|(_, sign)| {
        let beside = |at: Vec3| sign * (at.x - stance.plane);
        let cells = || interior.cells.iter().map(|&cell| interior.centre(cell as usize));
        let between = || cells().filter(|at| (rear..front).contains(&at.z));
        let most = between().map(beside).fold(f32::NEG_INFINITY, f32::max);
        // Cells count less the farther they are from the end.
        let (sum, total) = between().fold((Vec3::ZERO, 0.0), |(sum, total), at| {
            let weight = ((beside(at) - most) / FIN_END).exp();
            (sum + at * weight, total + weight)
        });
        let tip = (total > 0.0).then(|| sum / total)?;
        // The root is where a fin leaves the trunk, before the tip: fins point backwards.
        let reach = beside(tip);
        let across = cells().filter(|at| (beside(*at) - 1.2 * radius.min(0.5 * reach)).abs() < 0.02);
        let (sum, count) = across
            .filter(|at| (rear..front).contains(&at.z))
            .fold((Vec3::ZERO, 0.0), |(sum, count), p| (sum + p, count + 1.0));
        let root = sum / f32::max(count, 1.0);
        let base = Vec3::new(stance.plane, root.y, root.z);
        (reach > LEAST_FIN * radius && count > 0.0).then(|| vec![base, root, tip])
    });
    let [left, right] = lines;
    Some([left?, right?])
}

impl Landmarks {
    /// All joints that ratios place.
    pub fn places(&self) -> Vec<Placed> {
        let mut out = Vec::new();
        for label in ["nose", "head", "tail_joint", "tail_tip"] {
            out.push(Placed { label: label.into(), place: Place::Path(self.spine.clone()) });
        }
        for (side, (suffix, _)) in SIDES.iter().enumerate() {
            for label in ["fin_root", "fin_tip"] {
                if let Some(fins) = &self.fins {
                    let place = Place::Path(fins[side].clone());
                    out.push(Placed { label: format!("{label}{suffix}"), place });
                }
            }
        }
        out
    }
}

/// Fits the skeleton of a fish by a table of ratios.
///
/// # Errors
/// If a marker is not a joint of the plan, or the body is empty.
pub fn fit(body: &Body, markers: &[(String, Vec3)], ratios: &[Row]) -> Result<BodySkeleton, FitError> {
    let standing = Standing::new(body).ok_or(FitError::Empty)?;
    let landmarks = landmarks(&standing);
    let places = landmarks.places();
    let at = |label: &str| {
        let placed = places.iter().find(|placed| placed.label == label);
        placed.and_then(|placed| proportions::place(ratios, placed))
    };
    let on_spine = |label: &str| at(label).unwrap_or(landmarks.spine[0]);
    let fraction = |label: &str| polyline::nearest(&landmarks.spine, on_spine(label));
    let (head, tail) = (fraction("head"), fraction("tail_joint"));
    let spine = |index: usize| {
        let t = index as f32 / (SPINE_JOINTS + 1) as f32;
        polyline::at(&landmarks.spine, head + (tail - head) * t)
    };
    let mirrored = ((standing.stance.symmetry - 0.4) / 0.3).clamp(0.3, 1.0);
    let sure_of = |label: &str| mirrored * proportions::confidence(ratios, &places, label);
    let sure = sure_of("head").min(sure_of("tail_joint"));
    let mut draft = Draft::default();
    let label = |index: usize| format!("spine_{index}");
    draft.add(label(ROOT), None, spine(ROOT), sure);
    for index in (1..ROOT).rev() {
        draft.add(label(index), Some(&label(index + 1)), spine(index), sure);
    }
    draft.add("head", Some(&label(1)), on_spine("head"), sure_of("head"));
    draft.add("nose", Some("head"), on_spine("nose"), sure_of("nose"));
    for index in ROOT + 1..=SPINE_JOINTS {
        draft.add(label(index), Some(&label(index - 1)), spine(index), sure);
    }
    draft.add("tail_joint", Some(&label(SPINE_JOINTS)), on_spine("tail_joint"), sure_of("tail_joint"));
    draft.add("tail_tip", Some("tail_joint"), on_spine("tail_tip"), sure_of("tail_tip"));
    for (suffix, _) in SIDES {
        let [root, tip] = ["fin_root", "fin_tip"].map(|label| format!("{label}{suffix}"));
        if let (Some(base), Some(end)) = (at(&root), at(&tip)) {
            draft.add(&root, Some(&label(1)), base, sure_of(&root));
            draft.add(&tip, Some(&root), end, sure_of(&tip));
        }
    }
    if landmarks.fins.is_none() {
        draft.warn("fins-missing", "No pair of fins stands out of the body.");
    }
    draft.finish(body, standing.stance.plane, markers)
}
