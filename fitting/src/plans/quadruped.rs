//! Four legs: landmarks of the trunk, the legs, the head and the tail, and joints by proportions.
//!
//! Input: a body that stands along +Y and looks along +Z. The trunk is measured above the hind and
//! the front feet; neck, head and tail are paths in the plane of symmetry.

use glam::Vec3;

use crate::body::Body;
use crate::draft::Draft;
use crate::fit::FitError;
use crate::plans::BodySkeleton;
use crate::polyline;
use crate::proportions::{self, Place, Placed, Row};
use crate::stance::{Contact, Leg, Standing};

/// Learned from the labelled quadrupeds of the development set by
/// `fitting/training/src/bin/animals`.
pub const RATIOS: &[Row] = &[
    ("hips", [0.00, 1.08, 0.04], [0.00, 0.07, 0.10]),
    ("chest", [0.00, 1.08, 0.82], [0.00, 0.16, 0.15]),
    ("neck", [0.22, 0.00, 0.00], [0.15, 0.00, 0.00]),
    ("head", [0.64, 0.00, 0.00], [0.11, 0.00, 0.00]),
    ("head_tip", [0.98, 0.00, 0.00], [0.02, 0.00, 0.00]),
    ("tail_base", [0.00, 1.13, -0.08], [0.00, 0.12, 0.14]),
    ("front_leg_top", [0.96, 0.86, 0.07], [0.16, 0.09, 0.10]),
    ("front_elbow", [1.01, 0.55, 0.01], [0.14, 0.14, 0.04]),
    ("front_wrist", [1.05, 0.27, -0.02], [0.04, 0.15, 0.04]),
    ("front_foot", [0.97, 0.11, -0.02], [0.08, 0.06, 0.04]),
    ("front_toe", [0.98, 0.05, 0.03], [0.09, 0.03, 0.10]),
    ("hind_leg_top", [1.00, 1.02, 0.06], [0.29, 0.11, 0.08]),
    ("hind_knee", [1.14, 0.69, 0.13], [0.19, 0.07, 0.08]),
    ("hind_ankle", [1.03, 0.43, -0.02], [0.06, 0.06, 0.04]),
    ("hind_foot", [0.96, 0.13, -0.04], [0.07, 0.04, 0.06]),
    ("hind_toe", [0.98, 0.04, 0.04], [0.06, 0.02, 0.10]),
];

/// Joints of a front and of a hind leg, from the trunk to the toe.
const LEGS: [(&str, [&str; 5]); 2] = [
    ("hips", ["hind_leg_top", "hind_knee", "hind_ankle", "hind_foot", "hind_toe"]),
    ("chest", ["front_leg_top", "front_elbow", "front_wrist", "front_foot", "front_toe"]),
];

/// The sides: suffix and direction of x.
pub const SIDES: [(&str, f32); 2] = [(".L", 1.0), (".R", -1.0)];

/// Joints of a tail between its base and its tip.
const TAIL_JOINTS: usize = 2;

/// Tails that are longer have these joints, in units of the body. Tails of the development set are
/// below 0.05, as those of goats, or above 0.09.
const LEAST_TAIL: f32 = 0.07;

/// How much a place further up counts as one further to the front, to find the nose.
const NOSE_RISE: f32 = 0.25;

/// How much a place further to the rear counts as one further along the body, to find the end of
/// the tail. If smaller, the rump of animals with short tails is taken for it.
const TAIL_REAR: f32 = 2.0;

/// Heads are at least so far from the trunk. What is nearer may be the edge of a table.
const LEAST_NECK: f32 = 0.12;

/// What a quadruped is measured by.
#[derive(Clone, Debug)]
pub struct Landmarks {
    /// The plane of symmetry.
    pub plane: f32,
    /// Hind and front legs, left and right.
    pub legs: [[Leg; 2]; 2],
    /// The middle of the trunk above the hind and the front legs.
    pub trunk: [Vec3; 2],
    /// The level of the ground.
    pub ground: f32,
    /// From the trunk above the front legs to the nose.
    pub neck: Vec<Vec3>,
    /// The end of the tail.
    pub tail: Vec3,
    /// How clearly legs were found, from 0 to 1.
    pub clarity: f32,
}

/// Measures a body.
pub fn landmarks(standing: &Standing) -> Landmarks {
    let Standing { interior, stance, slice } = standing;
    let (pairs, mut clarity) = feet(standing);
    let middle = |pair: &[Contact; 2]| 0.5 * (pair[0].at.z + pair[1].at.z);
    let belly = stance.belly(slice, middle(&pairs[0]), middle(&pairs[1]));
    if belly < stance.low.y + 0.04 * stance.height() {
        clarity *= 0.6;
    }
    // Below the trunk, legs are apart.
    let top = (stance.low.y + 0.9 * (belly - stance.low.y)).max(stance.low.y + 0.1 * stance.height());
    let legs = pairs.each_ref().map(|pair| pair.each_ref().map(|foot| stance.leg(interior, foot, top)));
    let mut trunk = [Vec3::ZERO; 2];
    let mut radii = [0.0; 2];
    for (end, pair) in legs.iter().enumerate() {
        let z = 0.5 * (pair[0].at_height(top).z + pair[1].at_height(top).z);
        let fallback = Vec3::new(stance.plane, stance.low.y + 0.6 * stance.height(), z);
        (trunk[end], radii[end]) = slice.deepest(z).unwrap_or((fallback, 0.1));
    }
    let reached = slice.distances(trunk[1]);
    let score = |cell: usize| {
        let at = slice.centre(cell);
        if reached[cell].is_finite() { at.z + NOSE_RISE * at.y } else { f32::NEG_INFINITY }
    };
    let nose = end_of(slice, score).unwrap_or(trunk[1] + Vec3::Z * radii[1]);
    let reached = slice.distances(trunk[0]);
    let rear = trunk[0].z - 0.02;
    let score = |cell: usize| {
        let is_behind = slice.centre(cell).z < rear && reached[cell].is_finite();
        if is_behind { reached[cell] - TAIL_REAR * slice.centre(cell).z } else { f32::NEG_INFINITY }
    };
    let tail = end_of(slice, score).unwrap_or(trunk[0] - Vec3::Z * radii[0]);
    let neck = slice.path(trunk[1], nose);
    Landmarks { plane: stance.plane, legs, trunk, ground: stance.low.y, neck, tail, clarity }
}

/// How fast cells count less that are farther from the end than the best one, in units of the body.
/// If larger, ends are more blunt; if smaller, single cells decide between two ends.
const END: f32 = 0.02;

/// The place with the highest scores, which grow by one per unit of the body towards an end. Cells
/// count with a weight that falls with their scores, so that of two ends about as far the place is
/// between both, and does not jump. It is as far out as the weights reach on average.
pub fn end_of(slice: &crate::sagittal::Sagittal, score: impl Fn(usize) -> f32) -> Option<Vec3> {
    let scored: Vec<(f32, Vec3)> = slice
        .cells()
        .map(|cell| (score(cell), slice.centre(cell)))
        .filter(|(score, _)| score.is_finite())
        .collect();
    let most = scored.iter().map(|(score, _)| *score).fold(f32::NEG_INFINITY, f32::max);
    let mean = |reach: f32| {
        let (sum, total) = scored.iter().fold((Vec3::ZERO, 0.0), |(sum, total), (score, at)| {
            let weight = ((score - most) / reach).exp();
            (sum + *at * weight, total + weight)
        });
        sum / total
    };
    // Half-way from a mean that is twice as blunt to the end itself.
    (!scored.is_empty()).then(|| mean(END))
}

/// Hind and front feet, and how clearly they were found.
fn feet(standing: &Standing) -> ([[Contact; 2]; 2], f32) {
    let stance = &standing.stance;
    let pairs = &stance.pairs;
    if let [hind, .., front] = pairs.as_slice() {
        return ([*hind, *front], if stance.is_clear && pairs.len() == 2 { 1.0 } else { 0.6 });
    }
    // Feet in one piece, or none: they are where those of most animals are.
    let (length, width) = (stance.high.z - stance.low.z, stance.high.x - stance.low.x);
    let (from, to) = match pairs.first() {
        Some([left, right]) => (left.low.z.min(right.low.z), left.high.z.max(right.high.z)),
        None => (stance.low.z, stance.high.z),
    };
    let span = if to - from > 0.35 * length { [from, to] } else { [stance.low.z, stance.high.z] };
    let pair = |share: f32| {
        [1i8, -1].map(|side| {
            let x = stance.plane + f32::from(side) * 0.25 * width;
            let at = Vec3::new(x, stance.low.y, span[0] + share * (span[1] - span[0]));
            let half = Vec3::new(0.1 * width, 0.0, 0.05 * length);
            Contact { at, low: at - half, high: at + half, cells: 1, side }
        })
    };
    ([pair(0.2), pair(0.75)], 0.2)
}

impl Landmarks {
    /// All joints that ratios place.
    pub fn places(&self) -> Vec<Placed> {
        let length = self.trunk[1].z - self.trunk[0].z;
        let frame = |end: usize| Place::Frame {
            origin: Vec3::new(self.plane, self.ground, self.trunk[0].z),
            span: Vec3::new(0.0, self.trunk[end].y - self.ground, length),
        };
        let neck = || Place::Path(self.neck.clone());
        let mut out = Vec::new();
        let mut add = |label: String, place: Place| out.push(Placed { label, place });
        add("hips".into(), frame(0));
        add("chest".into(), frame(1));
        for label in ["neck", "head", "head_tip"] {
            add(label.into(), neck());
        }
        add("tail_base".into(), frame(0));
        for (end, (_, labels)) in LEGS.iter().enumerate() {
            for (side, (suffix, _)) in SIDES.iter().enumerate() {
                for label in labels {
                    let place = Place::Leg {
                        leg: self.legs[end][side].clone(),
                        plane: self.plane,
                        ground: self.ground,
                        height: self.trunk[end].y - self.ground,
                    };
                    add(format!("{label}{suffix}"), place);
                }
            }
        }
        out
    }
}

/// Fits the skeleton of a quadruped by a table of ratios.
///
/// # Errors
/// If a marker is not a joint of the plan, or the body is empty.
pub fn fit(body: &Body, markers: &[(String, Vec3)], ratios: &[Row]) -> Result<BodySkeleton, FitError> {
    let standing = Standing::new(body).ok_or(FitError::Empty)?;
    let landmarks = landmarks(&standing);
    let places = landmarks.places();
    let at = |label: &str| {
        let placed = places.iter().find(|placed| placed.label == label);
        placed.and_then(|placed| proportions::place(ratios, placed)).unwrap_or(landmarks.trunk[0])
    };
    let sure_of = |label: &str| landmarks.clarity * proportions::confidence(ratios, &places, label);
    let mut draft = Draft::default();
    let mirrored = ((standing.stance.symmetry - 0.5) / 0.3).clamp(0.3, 1.0);
    let headed = (polyline::length(&landmarks.neck) / LEAST_NECK).clamp(0.3, 1.0);
    let before = mirrored * headed;
    let (hips, chest) = (at("hips"), at("chest"));
    draft.add("hips", None, hips, sure_of("hips"));
    draft.add("spine", Some("hips"), hips.lerp(chest, 0.5), sure_of("hips"));
    draft.add("chest", Some("spine"), chest, sure_of("chest"));
    draft.add("neck", Some("chest"), at("neck"), sure_of("neck") * before);
    draft.add("head", Some("neck"), at("head"), sure_of("head") * before);
    draft.add("head_tip", Some("head"), at("head_tip"), sure_of("head_tip") * before);
    tail(&mut draft, &standing, at("tail_base"), landmarks.tail, sure_of("tail_base") * mirrored);
    for (end, (parent, labels)) in LEGS.iter().enumerate() {
        for (side, (suffix, _)) in SIDES.iter().enumerate() {
            let mut parent = (*parent).to_owned();
            let is_traced = landmarks.legs[end][side].line.len() > 3;
            for label in labels {
                let label = format!("{label}{suffix}");
                let sure = sure_of(&label) * if is_traced { 1.0 } else { 0.3 };
                draft.add(&label, Some(&parent), at(&label), sure);
                parent = label;
            }
            let toe = at(&parent);
            let foot = landmarks.legs[end][side].foot;
            draft.end(Vec3::new(toe.x, toe.y, foot.high.z.max(toe.z + 0.01)));
        }
    }
    if headed < 1.0 {
        draft.warn("head-missing", "No head stands out before the front legs.");
    }
    if landmarks.clarity < 0.9 {
        draft.warn("legs-unclear", "Four legs do not stand apart. Check them, or choose another plan.");
    }
    draft.finish(body, landmarks.plane, markers)
}

/// Adds the joints of a tail.
pub fn tail(draft: &mut Draft, standing: &Standing, base: Vec3, tip: Vec3, sure: f32) {
    draft.add("tail_base", Some("hips"), base, sure);
    let path = standing.slice.path(base, tip);
    let length = polyline::length(&path);
    // A short tail is as good as none.
    let sure = sure * (length / 0.15).clamp(0.3, 1.0);
    let mut parent = "tail_base".to_owned();
    if length > LEAST_TAIL {
        for index in 1..=TAIL_JOINTS {
            let label = format!("tail_{index}");
            let at = polyline::at(&path, index as f32 / (TAIL_JOINTS + 1) as f32);
            draft.add(&label, Some(&parent), at, sure);
            parent = label;
        }
    }
    draft.add("tail_tip", Some(&parent), tip, sure);
}
