//! A chain: one path through the body, from the head to the end of the tail.

use glam::Vec3;

use crate::body::Body;
use crate::curve_skeleton::CurveSkeleton;
use crate::draft::Draft;
use crate::fit::FitError;
use crate::interior::{Interior, UNREACHED};
use crate::plan_scores::ramp;
use crate::plans::BodySkeleton;
use crate::polyline;

/// Joints of a chain: as many as its length has of these radii, within limits.
const RADII_PER_JOINT: f32 = 3.0;
const LEAST_JOINTS: usize = 6;
const MOST_JOINTS: usize = 24;

/// What share of the chain the head takes.
const HEAD: f32 = 0.06;

/// Where the nose and the tip of the tail are, as fractions of the length.
const NOSE: f32 = 0.01;
const TIP: f32 = 0.985;

/// How much a chain that is thicker at one end speaks for the head there: differences of the radius
/// in the mean radius count as much as differences to the front in the length. Tails and tips are
/// thin.
const TAPER: f32 = 1.0;

/// How much less a chain that tapers may vary than one that does not. Tentacles taper evenly; fish
/// are thin at both ends.
const EVEN_TAPER: f32 = 2.0;

/// Lengths of a chain, in radii without its ends, between which it becomes sure: boxes are below.
const STOUT: f32 = 6.0;
const LONG: f32 = 16.0;

/// How sure a chain is at least and at most.
const LEAST_SURE: f32 = 0.2;
const MOST_SURE: f32 = 0.85;

/// A path through a body.
pub struct Chain {
    /// From the end that is the head: the one that is further to the front, or thicker.
    pub points: Vec<Vec3>,
    /// The mean radius.
    pub radius: f32,
    /// The mean radius without the ends.
    pub inner_radius: f32,
    /// The standard deviation of the radius in its mean, without the ends. If the radius tapers
    /// evenly, it is twice that from the straight line.
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
    let variation = variation(inner);
    let mut points = vec![interior.centre(one)];
    points.extend(nodes.iter().map(|&node| skeleton.nodes[node].at));
    points.push(end);
    crate::sagittal::smooth(&mut points, 2);
    if frontness(&points, &radii) < 0.0 {
        points.reverse();
    }
    Some(Chain { points, radius, inner_radius: mean(inner), variation })
}

/// How much radii vary along a chain: see [`Chain::variation`].
fn variation(radii: &[f32]) -> f32 {
    let count = radii.len().max(1) as f32;
    let mean = radii.iter().sum::<f32>() / count;
    let along = |i: usize| i as f32 - 0.5 * (count - 1.0);
    let sum = |f: &dyn Fn(usize, f32) -> f32| radii.iter().enumerate().map(|(i, &r)| f(i, r)).sum::<f32>();
    let slope = sum(&|i, r| along(i) * r) / sum(&|i, _| along(i).powi(2)).max(1e-9);
    let deviation = |slope: f32| (sum(&|i, r| (r - mean - slope * along(i)).powi(2)) / count).sqrt();
    deviation(0.0).min(EVEN_TAPER * deviation(slope)) / mean.max(1e-9)
}

/// How much speaks for the head at the first point and not at the last: above zero it is there.
fn frontness(points: &[Vec3], radii: &[f32]) -> f32 {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return 0.0 };
    let third = radii.len().div_ceil(3);
    let mean = |radii: &[f32]| radii.iter().sum::<f32>() / radii.len().max(1) as f32;
    let thicker = mean(&radii[..third]) - mean(&radii[radii.len() - third..]);
    let ahead = (first.z - last.z) / polyline::length(points).max(1e-6);
    ahead + TAPER * thicker / mean(radii).max(1e-6)
}

/// Where a joint is, as a fraction of the length of a chain with a number of joints in its spine.
/// `None` if a chain has no such joint.
pub fn fraction(label: &str, spine: usize) -> Option<f32> {
    let parts = (spine + 1) as f32;
    let tail = HEAD + (1.0 - HEAD) * parts / (parts + 1.0);
    match label {
        "nose" => Some(NOSE),
        "head" => Some(HEAD),
        "tail_joint" => Some(tail),
        "tail_tip" => Some(TIP),
        _ => {
            let index: usize = label.strip_prefix("spine_")?.parse().ok()?;
            Some(HEAD + (tail - HEAD) * index as f32 / parts)
        }
    }
}

/// Fits a chain.
///
/// # Errors
/// If a marker is not a joint of the plan, or the body is empty.
pub fn fit(body: &Body, markers: &[(String, Vec3)]) -> Result<BodySkeleton, FitError> {
    let interior = Interior::of_body(body);
    let Chain { points, radius, inner_radius, .. } = path(body, &interior).ok_or(FitError::Empty)?;
    let length = polyline::length(&points);
    let count = ((length / (RADII_PER_JOINT * radius)) as usize).clamp(LEAST_JOINTS, MOST_JOINTS);
    // A chain is long and thin.
    let sure = ramp(length / inner_radius.max(1e-9), STOUT, LONG).clamp(LEAST_SURE, MOST_SURE);
    let mut draft = Draft::default();
    let mut add = |label: &str, parent: Option<&str>| {
        let at = polyline::at(&points, fraction(label, count - 1).unwrap_or(0.0));
        draft.add(label, parent, at, sure);
    };
    add("head", None);
    add("nose", Some("head"));
    let mut parent = "head".to_owned();
    for index in 1..count {
        let label = format!("spine_{index}");
        add(&label, Some(&parent));
        parent = label;
    }
    add("tail_joint", Some(&parent));
    add("tail_tip", Some("tail_joint"));
    if length < 8.0 * radius {
        draft.warn(
            "not-a-chain",
            "The body is not long and thin. Choose another plan if the chain does not fit.",
        );
    }
    let plane = interior.centroid().x;
    draft.finish(body, plane, markers)
}
