//! Two legs and two wings, spread or folded; or two small arms, as some dinosaurs have them.
//!
//! Input: a body that stands along +Y and looks along +Z. Everything is measured from the deepest
//! place of the trunk, in its depth and in the length from the tail to the beak.

use glam::Vec3;

use crate::body::Body;
use crate::curve_skeleton::CurveSkeleton;
use crate::draft::Draft;
use crate::fit::FitError;
use crate::plans::BodySkeleton;
use crate::plans::quadruped::{SIDES, end_of, tail};
use crate::plans::spider::base;
use crate::polyline;
use crate::proportions::{self, Place, Placed, Row};
use crate::stance::{Contact, Leg, Standing};

/// Learned from the labelled birds of the development set by
/// `fitting/training/src/bin/animals`.
pub const RATIOS: &[Row] = &[
    ("hips", [0.00, 0.31, -0.11], [0.00, 0.16, 0.02]),
    ("chest", [0.00, 0.47, -0.06], [0.00, 0.44, 0.15]),
    ("neck", [0.00, 0.12, 0.13], [0.00, 0.07, 0.03]),
    ("head", [0.76, 0.00, 0.00], [0.09, 0.00, 0.00]),
    ("head_tip", [1.00, 0.00, 0.00], [0.00, 0.00, 0.00]),
    ("tail_base", [0.00, 0.49, -0.26], [0.00, 0.24, 0.01]),
    ("hind_leg_top", [1.40, 1.12, -0.16], [1.23, 0.20, 0.10]),
    ("hind_knee", [1.66, 0.81, 0.21], [0.40, 0.04, 0.37]),
    ("hind_ankle", [1.20, 0.43, -0.02], [0.24, 0.09, 0.05]),
    ("hind_foot", [0.95, 0.07, -0.06], [0.04, 0.03, 0.07]),
    ("hind_toe", [0.91, 0.07, 0.08], [0.02, 0.01, 0.01]),
    ("wing_root", [0.03, 0.00, 0.00], [0.03, 0.00, 0.00]),
    ("wing_elbow", [0.25, 0.00, 0.00], [0.03, 0.00, 0.00]),
    ("wing_wrist", [0.40, 0.00, 0.00], [0.01, 0.00, 0.00]),
    ("wing_tip", [0.91, 0.00, 0.00], [0.03, 0.00, 0.00]),
];

/// The same for bipeds with arms, learned from one dinosaur.
pub const ARMED: &[Row] = &[
    ("hips", [0.00, 0.16, 0.04], [0.00, 0.00, 0.00]),
    ("chest", [0.00, 0.82, 0.20], [0.00, 0.00, 0.00]),
    ("neck", [0.00, 1.12, 0.26], [0.00, 0.00, 0.00]),
    ("head", [0.70, 0.00, 0.00], [0.00, 0.00, 0.00]),
    ("head_tip", [1.00, 0.00, 0.00], [0.00, 0.00, 0.00]),
    ("tail_base", [0.00, 0.18, -0.04], [0.00, 0.00, 0.00]),
    ("hind_leg_top", [1.41, 1.00, 0.07], [0.00, 0.00, 0.00]),
    ("hind_knee", [0.99, 0.37, -0.01], [0.00, 0.00, 0.00]),
    ("hind_ankle", [1.00, 0.20, 0.00], [0.00, 0.00, 0.00]),
    ("hind_foot", [1.04, 0.04, -0.13], [0.00, 0.00, 0.00]),
    ("hind_toe", [1.04, 0.04, 0.20], [0.00, 0.00, 0.00]),
    ("upper_arm", [0.08, 0.00, 0.00], [0.02, 0.00, 0.00]),
    ("forearm", [0.43, 0.00, 0.00], [0.01, 0.00, 0.00]),
    ("hand", [0.66, 0.00, 0.00], [0.00, 0.00, 0.00]),
];

const LEG: [&str; 5] = ["hind_leg_top", "hind_knee", "hind_ankle", "hind_foot", "hind_toe"];
const WING: [&str; 4] = ["wing_root", "wing_elbow", "wing_wrist", "wing_tip"];
const ARM: [&str; 3] = ["upper_arm", "forearm", "hand"];

/// Where folded wings are: offsets from the middle of the trunk to the side, up and to the front,
/// in its depth.
const FOLDED: [Vec3; 4] =
    [Vec3::new(0.5, 0.3, 0.6), Vec3::new(0.8, 0.3, 0.0), Vec3::new(0.8, 0.1, 0.4), Vec3::new(0.5, 0.2, -1.3)];

/// Wings are spread if they reach so far from the plane, in depths of the trunk.
const SPREAD: f32 = 2.2;

/// The least length of an arm, and how far its end may be from the mirrored end of the other.
const LEAST_ARM: f32 = 0.045;
const ARM_MIRRORED: f32 = 0.06;

/// How deep in the trunk arms begin.
const SHOULDER: f32 = 0.025;

/// How far before the middle of its chord the bones of a wing are, in chords.
const LEADING: f32 = 0.2;

/// What a bird is measured by.
#[derive(Clone, Debug)]
pub struct Landmarks {
    /// The plane of symmetry.
    pub plane: f32,
    /// The deepest place of the trunk.
    pub trunk: Vec3,
    /// Its depth.
    pub radius: f32,
    /// From the end of the tail to the tip of the beak, along z.
    pub length: f32,
    /// Left and right.
    pub legs: [Leg; 2],
    /// The level of the ground.
    pub ground: f32,
    /// From the trunk to the tip of the beak.
    pub neck: Vec<Vec3>,
    /// The end of the tail.
    pub tail: Vec3,
    /// Lines of spread wings, from the trunk to the tip.
    pub wings: Option<[Vec<Vec3>; 2]>,
    /// Lines of arms, from the trunk to the tip.
    pub arms: Option<[Vec<Vec3>; 2]>,
    /// How clearly legs were found, from 0 to 1.
    pub clarity: f32,
}

/// Measures a body.
pub fn landmarks(body: &Body, standing: &Standing) -> Landmarks {
    let Standing { interior, stance, slice } = standing;
    let (trunk, radius) = slice.trunk().unwrap_or((stance.low.midpoint(stance.high), 0.1));
    let (pair, clarity) = match stance.pairs.as_slice() {
        [pair] => (*pair, if stance.is_clear { 1.0 } else { 0.6 }),
        [first, ..] => (*first, 0.5),
        [] => {
            let foot = |side: i8| {
                let x = stance.plane + f32::from(side) * 0.4 * radius;
                let at = Vec3::new(x, stance.low.y, trunk.z);
                Contact { at, low: at, high: at, cells: 1, side }
            };
            ([foot(1), foot(-1)], 0.2)
        }
    };
    let top = (trunk.y - 0.9 * radius).max(stance.low.y + 0.1 * stance.height());
    let legs = pair.each_ref().map(|foot| stance.leg(interior, foot, top));
    let reached = slice.distances(trunk);
    let beak = end_of(slice, |cell| {
        let at = slice.centre(cell);
        if reached[cell].is_finite() { at.z + 0.25 * at.y } else { f32::NEG_INFINITY }
    });
    let tail = end_of(slice, |cell| {
        let at = slice.centre(cell);
        let is_behind = at.z < trunk.z - 0.5 * radius && at.y > trunk.y - 1.2 * radius;
        if is_behind && reached[cell].is_finite() { reached[cell] } else { f32::NEG_INFINITY }
    });
    let neck = slice.path(trunk, beak.unwrap_or(trunk + Vec3::Z * radius));
    let tail = tail.unwrap_or(trunk - Vec3::Z * radius);
    let wings = wings(standing, trunk, radius);
    let arms = if wings.is_none() { arms(body, standing, trunk, &legs, &neck) } else { None };
    let (plane, ground) = (stance.plane, stance.low.y);
    let length = neck.last().map_or(radius, |beak| beak.z - tail.z).max(radius);
    Landmarks { plane, trunk, radius, length, legs, ground, neck, tail, wings, arms, clarity }
}

/// Lines of arms: branches to both sides before the legs, that end above the ground and below the
/// middle of the trunk.
fn arms(
    body: &Body,
    standing: &Standing,
    trunk: Vec3,
    legs: &[Leg; 2],
    neck: &[Vec3],
) -> Option<[Vec<Vec3>; 2]> {
    let Standing { interior, stance, .. } = standing;
    let root = interior.nearest(trunk)?;
    let skeleton = CurveSkeleton::with_reach(body, interior, root, 0.0, LEAST_ARM);
    let front = legs.iter().map(|leg| leg.line.last().map_or(trunk.z, |p| p.z)).fold(trunk.z, f32::max);
    let ground = stance.low.y + 0.3 * (trunk.y - stance.low.y);
    let mut sides: [Vec<Vec<Vec3>>; 2] = [Vec::new(), Vec::new()];
    let branches = skeleton.branches();
    for (index, branch) in branches.iter().enumerate() {
        let line: Vec<Vec3> = branch.nodes.iter().skip(1).map(|&node| skeleton.nodes[node].at).collect();
        let Some(&tip) = line.last() else { continue };
        let is_leaf = branches.iter().all(|other| other.parent != Some(index));
        let is_between = tip.z > front && tip.y > ground && tip.y < trunk.y;
        let beside = tip.x - stance.plane;
        if is_leaf && is_between && beside.abs() > interior.lattice.cell {
            let middle = polyline::at(neck, polyline::nearest(neck, line[0]));
            let mut line = line;
            line.insert(0, base(body, line[0], middle, SHOULDER));
            sides[usize::from(beside < 0.0)].push(line);
        }
    }
    let flip = |p: Vec3| Vec3::new(2.0 * stance.plane - p.x, p.y, p.z);
    let tip = |line: &[Vec3]| line.last().copied().unwrap_or(trunk);
    let [left, right] = sides;
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
    let apart = |(a, b): &(&Vec<Vec3>, &Vec<Vec3>)| tip(a).distance(flip(tip(b)));
    let (a, b) =
        pairs.min_by(|a, b| apart(a).total_cmp(&apart(b))).filter(|pair| apart(pair) < ARM_MIRRORED)?;
    Some([a.clone(), b.clone()])
}

/// Lines of spread wings: the middles of slices across x, moved to the leading edge.
fn wings(standing: &Standing, trunk: Vec3, radius: f32) -> Option<[Vec<Vec3>; 2]> {
    let Standing { interior, stance, .. } = standing;
    let lattice = &interior.lattice;
    let lines = SIDES.map(|(_, sign)| {
        let mut slices: Vec<Option<(f32, f32, f32, f32)>> = vec![None; lattice.size[0]];
        for &cell in &interior.cells {
            let at = interior.centre(cell as usize);
            let beside = sign * (at.x - stance.plane);
            if beside > 0.5 * radius {
                let slice = &mut slices[(beside / lattice.cell) as usize % lattice.size[0]];
                let old = slice.unwrap_or((0.0, 0.0, f32::INFINITY, f32::NEG_INFINITY));
                *slice = Some((old.0 + at.y, old.1 + 1.0, old.2.min(at.z), old.3.max(at.z)));
            }
        }
        let mut line = vec![trunk];
        for (index, slice) in slices.iter().enumerate() {
            if let Some((sum, count, low, high)) = slice {
                let x = stance.plane + sign * (index as f32 + 0.5) * lattice.cell;
                let z = low.midpoint(*high) + LEADING * (high - low);
                line.push(Vec3::new(x, sum / count, z));
            }
        }
        crate::sagittal::smooth(&mut line, 6);
        line
    });
    let reach = |line: &[Vec3]| line.last().map_or(0.0, |p| (p.x - stance.plane).abs());
    lines.iter().all(|line| reach(line) > SPREAD * radius && line.len() > 6).then_some(lines)
}

impl Landmarks {
    /// All joints that ratios place.
    pub fn places(&self) -> Vec<Placed> {
        let mut out = Vec::new();
        let mut add = |label: String, place: Place| out.push(Placed { label, place });
        let origin = Vec3::new(self.plane, self.trunk.y, self.trunk.z);
        for label in ["hips", "chest", "neck", "tail_base"] {
            let span = Vec3::new(0.0, self.radius, self.length);
            add(label.into(), Place::Frame { origin, span });
        }
        for label in ["head", "head_tip"] {
            add(label.into(), Place::Path(self.neck.clone()));
        }
        for (side, (suffix, _)) in SIDES.iter().enumerate() {
            for label in LEG {
                let place = Place::Leg {
                    leg: self.legs[side].clone(),
                    plane: self.plane,
                    ground: self.ground,
                    height: self.trunk.y - self.ground,
                };
                add(format!("{label}{suffix}"), place);
            }
            if let Some(wings) = &self.wings {
                for label in WING {
                    add(format!("{label}{suffix}"), Place::Path(wings[side].clone()));
                }
            }
            if let Some(arms) = &self.arms {
                for label in ARM {
                    add(format!("{label}{suffix}"), Place::Path(arms[side].clone()));
                }
            }
        }
        out
    }
}

/// Fits the skeleton of a bird, by another table of ratios if one is given.
///
/// # Errors
/// If a marker is not a joint of the plan, or the body is empty.
pub fn fit(
    body: &Body,
    markers: &[(String, Vec3)],
    ratios: Option<&[Row]>,
) -> Result<BodySkeleton, FitError> {
    let standing = Standing::new(body).ok_or(FitError::Empty)?;
    let landmarks = landmarks(body, &standing);
    let ratios = ratios.unwrap_or(if landmarks.arms.is_some() { ARMED } else { RATIOS });
    let places = landmarks.places();
    let at = |label: &str| {
        let placed = places.iter().find(|placed| placed.label == label);
        placed.and_then(|placed| proportions::place(ratios, placed))
    };
    let mut draft = Draft::default();
    let sure_of = |label: &str| landmarks.clarity * proportions::confidence(ratios, &places, label);
    let middle = |label: &str| at(label).unwrap_or(landmarks.trunk);
    draft.add("hips", None, middle("hips"), sure_of("hips"));
    draft.add("chest", Some("hips"), middle("chest"), sure_of("chest"));
    draft.add("neck", Some("chest"), middle("neck"), sure_of("neck"));
    let (neck, head) = (middle("neck"), middle("head"));
    draft.add("neck_2", Some("neck"), neck.lerp(head, 0.5), sure_of("neck"));
    draft.add("head", Some("neck_2"), head, sure_of("head"));
    draft.add("head_tip", Some("head"), middle("head_tip"), sure_of("head_tip"));
    tail(&mut draft, &standing, middle("tail_base"), landmarks.tail, sure_of("tail_base"));
    for (side, (suffix, sign)) in SIDES.iter().enumerate() {
        let mut parent = "chest".to_owned();
        for label in ARM.iter().filter(|_| landmarks.arms.is_some()) {
            let label = format!("{label}{suffix}");
            draft.add(&label, Some(&parent), middle(&label), sure_of(&label));
            parent = label;
        }
        for (index, label) in WING.iter().enumerate().filter(|_| landmarks.arms.is_none()) {
            let label = format!("{label}{suffix}");
            let folded = FOLDED[index] * Vec3::new(*sign, 1.0, 1.0) * landmarks.radius;
            let (place, sure) = match at(&label) {
                Some(place) => (place, sure_of(&label)),
                None => (landmarks.trunk + folded, 0.3 * landmarks.clarity),
            };
            draft.add(&label, Some(&parent), place, sure);
            parent = label;
        }
        let mut parent = "hips".to_owned();
        for label in LEG {
            let label = format!("{label}{suffix}");
            draft.add(&label, Some(&parent), middle(&label), sure_of(&label));
            parent = label;
        }
        let toe = middle(&parent);
        draft.end(Vec3::new(toe.x, toe.y, landmarks.legs[side].foot.high.z.max(toe.z + 0.01)));
    }
    if landmarks.wings.is_none() && landmarks.arms.is_none() {
        draft.warn("wings-folded", "The wings are folded: their joints are where wings usually are.");
    }
    if landmarks.clarity < 0.9 {
        draft.warn("legs-unclear", "Two legs do not stand apart. Check them, or choose another plan.");
    }
    draft.finish(body, landmarks.plane, markers)
}
