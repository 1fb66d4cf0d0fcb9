//! Anything: the curve skeleton of the body, with a joint at every branch and bend.

use glam::Vec3;

use crate::body::Body;
use crate::curve_skeleton::CurveSkeleton;
use crate::draft::Draft;
use crate::fit::FitError;
use crate::interior::Interior;
use crate::plans::BodySkeleton;
use crate::polyline;

/// Branches that end somewhere. The longest are kept.
const MOST_TIPS: usize = 32;

/// How far a branch may be from its bones before it gets a joint there: in units of the body, and
/// in radii.
const BEND: f32 = 0.025;
const BEND_RADII: f32 = 0.35;

/// Straight stretches longer than this are divided, into at most three.
const LONGEST_BONE: f32 = 0.22;

/// How much a place farther from the centroid is worse as the root, per unit of the body.
const CENTRALITY: f32 = 0.3;

/// The cell where the body is thickest, near its centroid.
pub fn root(body: &Body, interior: &Interior) -> Option<usize> {
    let centroid = interior.centroid();
    let score =
        |cell: usize| -body.cell_distance(cell) - CENTRALITY * interior.centre(cell).distance(centroid);
    let cells = interior.cells.iter().map(|&cell| cell as usize);
    cells.max_by(|&a, &b| score(a).total_cmp(&score(b)))
}

/// Fits a curve skeleton.
///
/// # Errors
/// If a marker is not a joint, or the body is empty.
pub fn fit(body: &Body, markers: &[(String, Vec3)]) -> Result<BodySkeleton, FitError> {
    let interior = Interior::of_body(body);
    let root = root(body, &interior).ok_or(FitError::Empty)?;
    let skeleton = CurveSkeleton::from_root(body, &interior, root).longest(MOST_TIPS);
    let branches = skeleton.branches();
    let mut draft = Draft::default();
    let mut last: Vec<String> = Vec::new();
    draft.add("root", None, interior.centre(root), 0.6);
    for (number, branch) in branches.iter().enumerate() {
        let mut points: Vec<Vec3> = branch.nodes.iter().map(|&node| skeleton.nodes[node].at).collect();
        if branch.parent.is_none() {
            points[0] = interior.centre(root);
        }
        crate::sagittal::smooth(&mut points, 2);
        let mean = branch.nodes.iter().map(|&node| skeleton.nodes[node].radius).sum::<f32>()
            / branch.nodes.len() as f32;
        let mut parent = branch.parent.map_or("root".to_owned(), |parent| last[parent].clone());
        let length = polyline::length(&points);
        let sure = (0.3 + 0.1 * length / mean).min(0.7);
        let mut count = 0;
        for place in stops(&points, BEND.max(BEND_RADII * mean)) {
            count += 1;
            let label = format!("branch_{}_{count}", number + 1);
            draft.add(&label, Some(&parent), place, sure);
            parent = label;
        }
        last.push(parent);
    }
    if branches.len() < 2 && markers.is_empty() {
        draft.warn("no-branches", "The body has no limbs that stand out. Its skeleton is a single chain.");
    }
    draft.finish(body, interior.centroid().x, markers)
}

/// Where the joints of a branch are, without its first point.
fn stops(points: &[Vec3], tolerance: f32) -> Vec<Vec3> {
    let mut out = Vec::new();
    for pair in polyline::bends(points, tolerance).windows(2) {
        let stretch = &points[pair[0]..=pair[1]];
        let parts = ((polyline::length(stretch) / LONGEST_BONE).ceil() as usize).clamp(1, 3);
        out.extend((1..=parts).map(|part| polyline::at(stretch, part as f32 / parts as f32)));
    }
    out
}
