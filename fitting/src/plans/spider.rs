//! Six or more legs around a body.
//!
//! Input: a body that stands along +Y and looks along +Z. Legs are branches of the curve skeleton
//! to both sides, paired from the front to the rear.

use glam::Vec3;

use crate::body::Body;
use crate::curve_skeleton::CurveSkeleton;
use crate::draft::Draft;
use crate::fit::FitError;
use crate::interior::Interior;
use crate::plans::BodySkeleton;
use crate::plans::quadruped::{SIDES, end_of};
use crate::polyline;
use crate::proportions::{self, Place, Placed, Row};
use crate::stance::Standing;

/// Shares of the way from the front to the rear of the body, of the one labelled spider.
pub const RATIOS: &[Row] = &[
    ("head", [0.28, 0.00, 0.00], [0.00, 0.00, 0.00]),
    ("abdomen", [0.50, 0.00, 0.00], [0.00, 0.00, 0.00]),
    ("abdomen_tip", [0.98, 0.00, 0.00], [0.00, 0.00, 0.00]),
];

/// Legs are at least so long, in units of the body. Shorter branches are jaws and feelers.
const LEAST_LEG: f32 = 0.14;

/// Branches shorter than this share of the median are feelers.
const FEELER: f32 = 0.6;

/// Legs are at least so many of their radii long. Thicker branches are parts of the body.
const THIN: f32 = 5.0;

/// Legs begin where the body is deeper than so many radii of the leg.
const ROOTED: f32 = 2.0;

/// Where the joints of a leg are if it does not bend, and how much a bend elsewhere must fit
/// better.
const JOINTS: [f32; 2] = [0.38, 0.75];
const STRAIGHTNESS: f32 = 2e-3;

/// Bends whose costs differ by less than this are about as good: squared distances, in squared
/// lengths of the leg. If smaller, one of two takes it all.
const DOUBTFUL_BEND: f32 = 1e-4;

/// A leg, from the body to its tip.
pub type Line = Vec<Vec3>;

/// The legs of a body: left and right of each pair, from the front. A leg without a twin is twice
/// there, once mirrored; then the last is false.
pub fn legs(body: &Body, interior: &Interior, plane: f32) -> Vec<([Line; 2], bool)> {
    let Some(root) = middle(body, interior, plane) else { return Vec::new() };
    let skeleton = CurveSkeleton::from_root(body, interior, root);
    let branches = skeleton.branches();
    let is_leaf = |index: usize| branches.iter().all(|branch| branch.parent != Some(index));
    let mut sides: [Vec<Line>; 2] = [Vec::new(), Vec::new()];
    for branch in (0..branches.len()).filter(|&index| is_leaf(index)).map(|index| &branches[index]) {
        let mut line: Line = branch.nodes.iter().skip(1).map(|&node| skeleton.nodes[node].at).collect();
        let Some(&tip) = line.last() else { continue };
        let beside = tip.x - plane;
        if polyline::length(&line) < LEAST_LEG || beside.abs() < 0.5 * LEAST_LEG {
            continue;
        }
        // The last level set ends before the tip does.
        let behind = line[line.len().saturating_sub(4)];
        line.push(tip + (tip - behind).normalize_or_zero() * 1.5 * interior.lattice.cell);
        crate::sagittal::smooth(&mut line, 1);
        let mut radii: Vec<f32> = branch.nodes.iter().map(|&node| skeleton.nodes[node].radius).collect();
        radii.sort_by(f32::total_cmp);
        if polyline::length(&line) < THIN * radii[radii.len() / 2] {
            continue;
        }
        line.insert(0, base(body, line[0], interior.centre(root), ROOTED * radii[radii.len() / 2]));
        sides[usize::from(beside < 0.0)].push(line);
    }
    let mut lengths: Vec<f32> = sides.iter().flatten().map(|line| polyline::length(line)).collect();
    lengths.sort_by(f32::total_cmp);
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0.0);
    for side in &mut sides {
        side.retain(|line| polyline::length(line) > FEELER * median);
    }
    let flip = |p: Vec3| Vec3::new(2.0 * plane - p.x, p.y, p.z);
    let tip = |line: &Line| line.last().copied().unwrap_or(Vec3::ZERO);
    let [left, mut right] = sides;
    let mut pairs: Vec<([Line; 2], bool)> = Vec::new();
    for line in left {
        let distance = |other: &Line| flip(tip(other)).distance(tip(&line));
        let nearest = (0..right.len()).min_by(|&a, &b| distance(&right[a]).total_cmp(&distance(&right[b])));
        match nearest.filter(|&index| distance(&right[index]) < 0.15) {
            Some(index) => {
                let twin = right.swap_remove(index);
                pairs.push(([line, twin], true));
            }
            None => {
                let twin = line.iter().map(|&p| flip(p)).collect();
                pairs.push(([line, twin], false));
            }
        }
    }
    for line in right {
        let twin = line.iter().map(|&p| flip(p)).collect();
        pairs.push(([twin, line], false));
    }
    // From the front: by direction from the middle of the legs' bases.
    let bases = pairs.iter().map(|(pair, _)| pair[0][0]);
    let middle = bases.clone().map(|p| p.z).sum::<f32>() / pairs.len().max(1) as f32;
    let angle = |(pair, _): &([Line; 2], bool)| {
        let tip = tip(&pair[0]);
        (tip.z - middle).atan2((tip.x - plane).abs())
    };
    pairs.sort_by(|a, b| angle(b).total_cmp(&angle(a)));
    pairs
}

/// Where a leg begins: on the way from its first place to the middle of the body, where the body is
/// deeper than a leg.
pub fn base(body: &Body, from: Vec3, middle: Vec3, depth: f32) -> Vec3 {
    let step = body.lattice.cell;
    let steps = (from.distance(middle) / step) as usize;
    let places = (0..steps).map(|i| from.lerp(middle, i as f32 / steps as f32));
    places.into_iter().find(|&at| -body.distance(at) > depth).unwrap_or(from.lerp(middle, 0.8))
}

/// The deepest cell in the plane of symmetry half-way between the front and the rear ends of limbs.
fn middle(body: &Body, interior: &Interior, plane: f32) -> Option<usize> {
    let beside = |at: Vec3| (at.x - plane).abs();
    let cells = || interior.cells.iter().map(|&cell| cell as usize);
    let width = cells().map(|cell| beside(interior.centre(cell))).fold(0.0, f32::max);
    // The body is in the middle; what is far from the plane is limbs.
    let limbs = cells().map(|cell| interior.centre(cell)).filter(|&at| beside(at) > 0.5 * width);
    let (low, high) =
        limbs.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), at| (low.min(at.z), high.max(at.z)));
    let z = 0.5 * (low + high);
    let score = |cell: usize| {
        let at = interior.centre(cell);
        -body.cell_distance(cell) - (at.z - z).abs() - beside(at)
    };
    cells().max_by(|&a, &b| score(a).total_cmp(&score(b)))
}

/// The fractions of a line at which two joints bend it best: the mean of all that are tried, each
/// with a weight that falls with how far the line is from the bones, so that two bends about as
/// good do not take turns.
fn knees(line: &[Vec3]) -> [f32; 2] {
    let ends = [polyline::at(line, 0.0), polyline::at(line, 1.0)];
    let samples: Vec<Vec3> = (0..=24).map(|i| polyline::at(line, i as f32 / 24.0)).collect();
    let scale = polyline::length(line).powi(2).max(f32::MIN_POSITIVE);
    let mut tried: Vec<(f32, [f32; 2])> = Vec::new();
    for i in 3..=14 {
        for j in (i + 4)..=22 {
            let at = [i as f32 / 24.0, j as f32 / 24.0];
            let bent = [ends[0], polyline::at(line, at[0]), polyline::at(line, at[1]), ends[1]];
            let miss = samples.iter().map(|&p| {
                let nearest = polyline::at(&bent, polyline::nearest(&bent, p));
                p.distance_squared(nearest)
            });
            let usual = (at[0] - JOINTS[0]).powi(2) + (at[1] - JOINTS[1]).powi(2);
            tried.push((miss.sum::<f32>() / (samples.len() as f32 * scale) + STRAIGHTNESS * usual, at));
        }
    }
    let least = tried.iter().map(|(cost, _)| *cost).fold(f32::INFINITY, f32::min);
    let weight = |cost: f32| ((least - cost) / DOUBTFUL_BEND).exp();
    let total: f32 = tried.iter().map(|(cost, _)| weight(*cost)).sum();
    [0, 1].map(|knee| tried.iter().map(|(cost, at)| weight(*cost) * at[knee]).sum::<f32>() / total)
}

/// The spine of a spider, from the front of its body to the rear.
pub fn spine(standing: &Standing) -> Vec<Vec3> {
    let Standing { slice, stance, .. } = standing;
    let trunk = slice.trunk().map_or(stance.low.midpoint(stance.high), |(trunk, _)| trunk);
    let reached = slice.distances(trunk);
    let end = |sign: f32| {
        let score = |cell: usize| {
            if reached[cell].is_finite() { sign * slice.centre(cell).z } else { f32::NEG_INFINITY }
        };
        end_of(slice, score).unwrap_or(trunk)
    };
    let (front, rear) = (end(1.0), end(-1.0));
    let mut line = slice.path(front, trunk);
    line.extend(slice.path(trunk, rear).into_iter().skip(1));
    line
}

/// The joints of the body that ratios place.
pub fn places(standing: &Standing) -> Vec<Placed> {
    let spine = spine(standing);
    let placed = |row: &Row| Placed { label: row.0.into(), place: Place::Path(spine.clone()) };
    RATIOS.iter().map(placed).collect()
}

/// Fits the skeleton of a spider.
///
/// # Errors
/// If a marker is not a joint of the plan, or the body is empty.
pub fn fit(body: &Body, markers: &[(String, Vec3)], ratios: &[Row]) -> Result<BodySkeleton, FitError> {
    let standing = Standing::new(body).ok_or(FitError::Empty)?;
    let plane = standing.stance.plane;
    let pairs = legs(body, &standing.interior, plane);
    let places = places(&standing);
    let at = |label: &str| {
        let placed = places.iter().find(|placed| placed.label == label);
        placed.and_then(|placed| proportions::place(ratios, placed)).unwrap_or(Vec3::ZERO)
    };
    let mut draft = Draft::default();
    let found = pairs.iter().filter(|pair| pair.1).count();
    let sure = if found >= 3 { 0.85 } else { 0.4 };
    draft.add("abdomen", None, at("abdomen"), sure);
    draft.add("head", Some("abdomen"), at("head"), sure);
    let spine = spine(&standing);
    draft.end(spine.first().copied().unwrap_or(at("head")));
    draft.add("abdomen_tip", Some("abdomen"), at("abdomen_tip"), sure);
    for (index, (pair, is_pair)) in pairs.iter().enumerate() {
        for (side, (suffix, _)) in SIDES.iter().enumerate() {
            let line = &pair[side];
            let [first, second] = knees(line);
            let sure = if *is_pair { sure } else { 0.4 * sure };
            let label = |part: &str| format!("leg_{}_{part}{suffix}", index + 1);
            draft.add(label("top"), Some("head"), polyline::at(line, 0.0), sure);
            draft.add(label("j1"), Some(&label("top")), polyline::at(line, first), sure);
            draft.add(label("j2"), Some(&label("j1")), polyline::at(line, second), sure);
            draft.add(label("tip"), Some(&label("j2")), polyline::at(line, 0.985), sure);
            draft.end(polyline::at(line, 1.01));
        }
    }
    if found < 3 {
        draft.warn("legs-unclear", format!("Only {found} pairs of legs stand out of the body."));
    } else if found < pairs.len() {
        draft.warn("legs-mirrored", "Some legs have no twin on the other side; it was mirrored.");
    }
    draft.finish(body, plane, markers)
}
