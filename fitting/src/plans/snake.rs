//! A chain: one path through the body, from the head to the end of the tail.

use glam::Vec3;

use crate::body::Body;
use crate::curve_skeleton::CurveSkeleton;
use crate::draft::Draft;
use crate::fit::FitError;
use crate::interior::{Interior, UNREACHED};
use crate::plans::BodySkeleton;
use crate::polyline;

/// Joints of a chain: as many as its length has of these radii, within limits.
const RADII_PER_JOINT: f32 = 3.0;
const LEAST_JOINTS: usize = 6;
const MOST_JOINTS: usize = 24;

/// What share of the chain the head takes.
const HEAD: f32 = 0.06;

/// A path through a body.
pub struct Chain {
    /// From the end that is further to the front.
    pub points: Vec<Vec3>,
    /// The mean radius.
    pub radius: f32,
    /// The standard deviation of the radius in its mean, without the ends.
    pub variation: f32,
}

/// The longest path through a body.
pub fn path(body: &Body, interior: &Interior) -> Option<Chain> {
    let start = interior.nearest(interior.centroid())?;
    let farthest = |from: usize| {
        let distances = interior.distances(&[from]);
        let reached = |&cell: &u32| distances[cell as usize] != UNREACHED;
        let cells = interior.cells.iter().copied().filter(reached);
        cells.max_by_key(|&cell| distances[cell as usize]).map_or(from, |cell| cell as usize)
    };
    let one = farthest(start);
    let other = farthest(one);
    let (one, other) =
        if interior.centre(one).z >= interior.centre(other).z { (one, other) } else { (other, one) };
    let skeleton = CurveSkeleton::from_root(body, interior, one);
    let end = interior.centre(other);
    let tips = skeleton.tips();
    let last = tips.into_iter().max_by(|&a, &b| {
        let key = |tip: usize| skeleton.nodes[tip].from_root - 0.1 * skeleton.nodes[tip].at.distance(end);
        key(a).total_cmp(&key(b))
    })?;
    let nodes = skeleton.path(last);
    let radii: Vec<f32> = nodes.iter().map(|&node| skeleton.nodes[node].radius).collect();
    let mean = |radii: &[f32]| radii.iter().sum::<f32>() / radii.len().max(1) as f32;
    let radius = mean(&radii);
    let inner = &radii[radii.len() / 6..radii.len() - radii.len() / 6];
    let centre = mean(inner);
    let squares: Vec<f32> = inner.iter().map(|r| (r / centre - 1.0).powi(2)).collect();
    let variation = mean(&squares).sqrt();
    let mut points = vec![interior.centre(one)];
    points.extend(nodes.iter().map(|&node| skeleton.nodes[node].at));
    points.push(end);
    crate::sagittal::smooth(&mut points, 2);
    Some(Chain { points, radius, variation })
}

/// Fits a chain.
///
/// # Errors
/// If a marker is not a joint of the plan, or the body is empty.
pub fn fit(body: &Body, markers: &[(String, Vec3)]) -> Result<BodySkeleton, FitError> {
    let interior = Interior::of_body(body);
    let Chain { points, radius, .. } = path(body, &interior).ok_or(FitError::Empty)?;
    let length = polyline::length(&points);
    let count = ((length / (RADII_PER_JOINT * radius)) as usize).clamp(LEAST_JOINTS, MOST_JOINTS);
    // A chain is long and thin.
    let sure = (0.1 * length / radius).clamp(0.2, 0.85);
    let mut draft = Draft::default();
    draft.add("head", None, polyline::at(&points, HEAD), sure);
    draft.add("nose", Some("head"), polyline::at(&points, 0.01), sure);
    let mut parent = "head".to_owned();
    let tail = HEAD + (1.0 - HEAD) * (count as f32) / (count + 1) as f32;
    for index in 1..count {
        let label = format!("spine_{index}");
        let at = polyline::at(&points, HEAD + (tail - HEAD) * index as f32 / count as f32);
        draft.add(&label, Some(&parent), at, sure);
        parent = label;
    }
    draft.add("tail_joint", Some(&parent), polyline::at(&points, tail), sure);
    draft.add("tail_tip", Some("tail_joint"), polyline::at(&points, 0.985), sure);
    if length < 8.0 * radius {
        draft.warn(
            "not-a-chain",
            "The body is not long and thin. Choose another plan if the chain does not fit.",
        );
    }
    let plane = interior.centroid().x;
    draft.finish(body, plane, markers)
}
