//! Fingers.
//!
//! Input: the mesh in the space of the body, elbow and wrist. Output: three joints and the tip of
//! each finger. A fine lattice around the hand, distances inside it from a section of the forearm,
//! and the branches of the hand by these distances: on the lattice, and on the surface, where
//! fingers that touch each other are separate. Joints lie at fixed shares of the centre lines.
//! Theory: docs/theory/fitting.md. Cost: linear in the triangles, and the cells of the hand.

mod branches;
mod cells;
mod joints;
mod kinds;
mod search;
mod surface;

use glam::{Mat3, Vec3};
pub use joints::CentreLine;
use kinds::kinds;
use search::look;

use crate::plans::{BodyJoint, BodySkeleton, FitWarning};

/// Fingers, from the thumb.
pub const FINGERS: [&str; 5] = ["thumb", "index", "middle", "ring", "little"];

/// How the fingers beside the thumb are named, by their number. Hands with three of them have no
/// ring finger.
const NAMES: [&[usize]; 5] = [&[], &[1], &[1, 2], &[1, 2, 4], &[1, 2, 3, 4]];

/// Where the joints of each finger are, in shares of its length from where it leaves the hand:
/// medians over the labelled sources of their medians.
pub const SHARES: [[f32; 3]; 5] = [
    [-0.96, -0.22, 0.44],
    [-0.08, 0.31, 0.66],
    [-0.13, 0.31, 0.68],
    [-0.15, 0.28, 0.66],
    [-0.15, 0.31, 0.67],
];

/// How much the line from a finger into the palm turns to the wrist: thumb, and others.
const TO_WRIST: [f32; 2] = [0.5, 0.3];

/// The least length of a finger in thicknesses. If less, corners of boxes and knuckles are fingers;
/// if more, short fingers are not.
const SLENDERNESS: f32 = 0.8;

/// The same where the user says how many fingers there are.
const ASKED_SLENDERNESS: f32 = 0.4;

/// A finger, in the space of the body.
#[derive(Clone, Debug)]
pub struct Finger {
    /// Index in [`FINGERS`].
    pub kind: usize,
    /// From where it leaves the hand to its tip.
    pub line: CentreLine,
    /// Length in thicknesses.
    pub slenderness: f32,
    /// From 0 to 1.
    pub confidence: f32,
}

impl Finger {
    /// The three joints, and the tip.
    pub fn joints(&self) -> [Vec3; 4] {
        let [a, b, c] = SHARES[self.kind].map(|share| self.line.at(share));
        [a, b, c, self.line.at(1.0)]
    }
}

/// Adds the fingers of both hands to a humanoid, or a warning for each hand without.
pub fn add(skeleton: &mut BodySkeleton, positions: &[Vec3], triangles: &[[u32; 3]], count: Option<usize>) {
    if count == Some(0) {
        return;
    }
    let index = |label: String| skeleton.joints.iter().position(|joint| joint.label == label);
    let arms =
        SIDES.map(|(side, _)| Some([index(format!("forearm.{side}"))?, index(format!("hand.{side}"))?]));
    let look = |side: usize, count: Option<usize>| {
        let places = arms[side].map(|arm| arm.map(|joint| skeleton.joints[joint].head));
        places.map_or(Vec::new(), |arm| find(positions, triangles, arm, count))
    };
    let mut hands = [0, 1].map(|side| look(side, count));
    // Hands have the same number of fingers, if a second look can find them.
    let most = hands[0].len().max(hands[1].len());
    for (side, hand) in hands.iter_mut().enumerate().filter(|(_, hand)| hand.len() < most) {
        let again = look(side, Some(most));
        if again.len() == most {
            *hand = again;
        }
    }
    for ((&(side, word), fingers), arm) in SIDES.iter().zip(&hands).zip(arms) {
        let Some([_, hand]) = arm else { continue };
        if let Some(message) = shortage(fingers.len(), word, count) {
            skeleton.warnings.push(FitWarning { code: "mitten".to_owned(), message });
        }
        attach(skeleton, hand, side, fingers);
    }
}

/// Whether a label is that of a joint of a finger.
pub fn is_label(label: &str) -> bool {
    FINGERS.iter().any(|finger| label.strip_prefix(finger).is_some_and(|rest| rest.starts_with('_')))
}

/// Puts joints of fingers where the user wants them. Those that were not found are left out.
pub fn hold(skeleton: &mut BodySkeleton, markers: &[(String, Vec3)]) {
    for (label, position) in markers {
        let Some(joint) = skeleton.joints.iter().position(|joint| joint.label == *label) else { continue };
        let old = std::mem::replace(&mut skeleton.joints[joint].head, *position);
        skeleton.joints[joint].confidence = 1.0;
        if let Some(parent) = skeleton.joints[joint].parent
            && skeleton.joints[parent].tail == old
        {
            skeleton.joints[parent].tail = *position;
        }
    }
}

/// The letter in labels and the word for each side.
const SIDES: [(&str, &str); 2] = [("L", "left"), ("R", "right")];

/// Adds the joints of fingers to a hand.
fn attach(skeleton: &mut BodySkeleton, hand: usize, side: &str, fingers: &[Finger]) {
    let knuckles = || fingers.iter().filter(|finger| finger.kind > 0).map(|finger| finger.joints()[0]);
    if knuckles().count() > 0 {
        skeleton.joints[hand].tail = knuckles().sum::<Vec3>() / knuckles().count() as f32;
    }
    for finger in fingers {
        let places = finger.joints();
        let mut parent = hand;
        for joint in 0..3 {
            let label = format!("{}_{}.{side}", FINGERS[finger.kind], joint + 1);
            let confidence = finger.confidence.min(skeleton.joints[hand].confidence);
            let (head, tail) = (places[joint], places[joint + 1]);
            skeleton.joints.push(BodyJoint { label, parent: Some(parent), head, tail, confidence });
            parent = skeleton.joints.len() - 1;
        }
    }
}

/// What to say about a hand with fewer fingers than one might expect.
fn shortage(found: usize, side: &str, asked: Option<usize>) -> Option<String> {
    match (found, asked) {
        (0, _) => Some(format!("The {side} hand has no separate fingers")),
        (2, None) => Some(format!("The {side} hand is a mitten with a thumb")),
        (_, Some(asked)) if found < asked => {
            Some(format!("The {side} hand has only {found} separate fingers"))
        }
        _ => None,
    }
}

/// The fingers of a hand, from the thumb, or none. The arm is given by elbow and wrist. If a
/// `count` is given, shorter fingers are fingers too, and at most so many are returned: of four the
/// ring finger is missing, of three the little one too.
pub fn find(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    [elbow, wrist]: [Vec3; 2],
    count: Option<usize>,
) -> Vec<Finger> {
    let Some(along) = (wrist - elbow).try_normalize() else { return Vec::new() };
    let normal = along.cross(Vec3::Z).try_normalize().unwrap_or(Vec3::Y);
    let body_from_hand = Mat3::from_cols(along, normal, along.cross(normal));
    let hand_from_body = body_from_hand.transpose();
    let moved: Vec<Vec3> = positions.iter().map(|&p| hand_from_body * (p - wrist)).collect();
    let forearm = elbow.distance(wrist);
    let most = count.unwrap_or(FINGERS.len()).min(FINGERS.len());
    let mut found = look(&moved, triangles, forearm, SLENDERNESS);
    if count.is_some() && found.as_ref().is_some_and(|(_, branches)| branches.len() < most) {
        found = look(&moved, triangles, forearm, ASKED_SLENDERNESS);
    }
    let Some((cells, mut branches)) = found else { return Vec::new() };
    // A single branch is no finger: it is the hand.
    if branches.len() < 2 || most < 2 {
        return Vec::new();
    }
    branches.sort_by(|a, b| a.base.total_cmp(&b.base));
    let lines: Option<Vec<CentreLine>> = branches
        .iter()
        .map(|branch| {
            let line = CentreLine::new(&cells, branch)?;
            Some(line.map(|p| body_from_hand * p + wrist, |d| body_from_hand * d))
        })
        .collect();
    let Some(lines) = lines else { return Vec::new() };
    let kinds = kinds(&branches, &lines);
    let mut fingers: Vec<Finger> = lines
        .into_iter()
        .zip(&branches)
        .zip(kinds)
        .map(|((line, branch), kind)| Finger {
            kind,
            line: line.turned(wrist, TO_WRIST[usize::from(kind > 0)]),
            slenderness: branch.slenderness,
            confidence: (0.5 * branch.slenderness / SLENDERNESS).min(1.0),
        })
        .collect();
    fingers.sort_by_key(|finger| finger.kind);
    if fingers.len() > most {
        let has_thumb = fingers[0].kind == 0;
        let kept = NAMES[most - usize::from(has_thumb)];
        fingers.retain(|finger| finger.kind == 0 || kept.contains(&finger.kind));
    }
    fingers
}

#[cfg(test)]
mod tests {
    use super::*;

    type Mesh = (Vec<Vec3>, Vec<[u32; 3]>);

    /// A flat slab on a grid in the XZ plane: the cells of `rows` that are not blank. Rows run
    /// along Z, cells of a row along X.
    fn slab(xs: &[f32], zs: &[f32], rows: &[&str]) -> Mesh {
        const HALF: f32 = 0.006;
        let is_solid = |i: isize, j: isize| {
            let row = usize::try_from(j).ok().and_then(|j| rows.get(j));
            row.zip(usize::try_from(i).ok()).is_some_and(|(row, i)| row.as_bytes().get(i) == Some(&b'#'))
        };
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        let mut quad = |corners: [Vec3; 4]| {
            let first = positions.len() as u32;
            positions.extend(corners);
            triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        };
        for j in 0..zs.len() as isize - 1 {
            for i in (0..xs.len() as isize - 1).filter(|&i| is_solid(i, j)) {
                let at =
                    |di: isize, dj: isize, y: f32| Vec3::new(xs[(i + di) as usize], y, zs[(j + dj) as usize]);
                quad([at(0, 0, HALF), at(0, 1, HALF), at(1, 1, HALF), at(1, 0, HALF)]);
                quad([at(0, 0, -HALF), at(1, 0, -HALF), at(1, 1, -HALF), at(0, 1, -HALF)]);
                for (di, dj, a, b) in [
                    (1, 0, (1, 1), (1, 0)),
                    (-1, 0, (0, 0), (0, 1)),
                    (0, 1, (0, 1), (1, 1)),
                    (0, -1, (1, 0), (0, 0)),
                ] {
                    if !is_solid(i + di, j + dj) {
                        let [p, q] = [a, b].map(|(x, z)| at(x, z, HALF));
                        let down = Vec3::new(0.0, -2.0 * HALF, 0.0);
                        quad([p, p + down, q + down, q]);
                    }
                }
            }
        }
        (positions, triangles)
    }

    const ARM: [Vec3; 2] = [Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.45, 0.0, 0.0)];

    /// A left hand with its forearm, palm down: a thumb and four fingers with gaps between them.
    fn hand(gap: f32) -> Mesh {
        hand_with(4, true, gap)
    }

    fn hand_with(fingers: usize, has_thumb: bool, gap: f32) -> Mesh {
        let xs = [0.3, 0.46, 0.475, 0.5, 0.55];
        let (mut zs, mut rows) = (vec![-0.02], Vec::new());
        for _ in 0..fingers {
            let last = zs[zs.len() - 1];
            zs.extend([last + 0.0085, last + 0.0085 + gap]);
            rows.extend(["####", "###"]);
        }
        zs.pop();
        rows.pop();
        if has_thumb {
            zs.extend([zs[zs.len() - 1] + 0.035]);
            rows.push(" #");
        }
        slab(&xs, &zs, &rows)
    }

    fn mirrored((positions, triangles): Mesh) -> Mesh {
        let positions = positions.iter().map(|p| p.with_x(-p.x)).collect();
        (positions, triangles.iter().map(|&[a, b, c]| [a, c, b]).collect())
    }

    fn kinds_of(fingers: &[Finger]) -> Vec<usize> {
        fingers.iter().map(|finger| finger.kind).collect()
    }

    #[test]
    fn five_fingers_are_found_in_their_order_on_both_sides() {
        for gap in [0.004, 0.002] {
            let (positions, triangles) = hand(gap);
            let found = find(&positions, &triangles, ARM, None);
            assert_eq!(kinds_of(&found), [0, 1, 2, 3, 4], "gap {gap}");
            for pair in found[1..].windows(2) {
                assert!(
                    pair[0].line.at(0.5).z > pair[1].line.at(0.5).z,
                    "the index finger is next to the thumb"
                );
            }
            let (positions, triangles) = mirrored(hand(gap));
            let found = find(&positions, &triangles, ARM.map(|p| p.with_x(-p.x)), None);
            assert_eq!(kinds_of(&found), [0, 1, 2, 3, 4], "right, gap {gap}");
        }
    }

    #[test]
    fn fingers_that_touch_are_told_apart_on_the_surface() {
        let (positions, triangles) = hand(1e-5);
        let found = find(&positions, &triangles, ARM, None);
        assert_eq!(kinds_of(&found), [0, 1, 2, 3, 4]);
        for finger in &found[1..] {
            let tip = finger.line.at(1.0);
            assert!(
                (tip.x - 0.55).abs() < 0.004 && (finger.line.at(0.0).x - 0.5).abs() < 0.006,
                "{finger:?}"
            );
        }
    }

    #[test]
    fn joints_run_from_the_palm_to_the_tip_in_the_middle_of_the_finger() {
        let (positions, triangles) = hand(0.003);
        for finger in find(&positions, &triangles, ARM, None).iter().filter(|finger| finger.kind > 0) {
            let joints = finger.joints();
            assert!(joints.windows(2).all(|pair| pair[0].x < pair[1].x), "{joints:?}");
            assert!(joints[0].x < 0.5 && joints[0].x > 0.45, "{joints:?}");
            assert!((joints[3].x - 0.55).abs() < 0.003, "{joints:?}");
            assert!(joints.iter().all(|p| p.y.abs() < 0.002), "{joints:?}");
        }
    }

    #[test]
    fn hands_with_fewer_fingers_lack_the_ring_finger_or_the_thumb() {
        for (fingers, has_thumb, kinds) in [
            (3, true, &[0, 1, 2, 4][..]),
            (2, true, &[0, 1, 2]),
            (4, false, &[1, 2, 3, 4]),
            (3, false, &[1, 2, 4]),
        ] {
            let (positions, triangles) = hand_with(fingers, has_thumb, 0.004);
            assert_eq!(kinds_of(&find(&positions, &triangles, ARM, None)), kinds);
        }
    }

    #[test]
    fn a_box_is_no_hand_with_fingers() {
        let (positions, triangles) = slab(&[0.3, 0.55], &[-0.03, 0.03], &["#"]);
        assert!(find(&positions, &triangles, ARM, None).is_empty());
    }

    #[test]
    fn hands_have_at_most_as_many_fingers_as_asked_for() {
        let (positions, triangles) = hand(0.003);
        for (count, kinds) in [(2, &[0, 1][..]), (3, &[0, 1, 2]), (4, &[0, 1, 2, 4]), (5, &[0, 1, 2, 3, 4])] {
            assert_eq!(kinds_of(&find(&positions, &triangles, ARM, Some(count))), kinds);
        }
        assert!(find(&positions, &triangles, ARM, Some(1)).is_empty());
    }

    #[test]
    fn without_a_hand_there_are_no_fingers() {
        let (mut positions, triangles) = hand(0.003);
        let nowhere = [
            [Vec3::NAN; 2],
            [Vec3::ZERO; 2],
            [Vec3::ZERO, Vec3::splat(f32::INFINITY)],
            [Vec3::ZERO, Vec3::new(0.0, 3.0, 0.0)],
            [Vec3::ZERO, Vec3::splat(1e30)],
            [Vec3::ZERO, Vec3::splat(1e-30)],
            [Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.7, 0.0, 0.0)],
        ];
        for arm in nowhere {
            assert!(find(&positions, &triangles, arm, None).is_empty(), "{arm:?}");
        }
        assert!(find(&[], &[], ARM, None).is_empty());
        assert!(find(&positions, &[[0, 1, 9_999_999]], ARM, None).is_empty());
        positions.iter_mut().for_each(|p| p.y = f32::NAN);
        assert!(find(&positions, &triangles, ARM, None).is_empty());
    }

    #[test]
    fn no_triangles_make_it_panic() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        for round in 0..60 {
            let spread = [0.01, 0.1, 0.5, 3.0][round % 4];
            let positions: Vec<Vec3> =
                (0..60).map(|_| ARM[1] + (Vec3::new(random(), random(), random()) - 0.5) * spread).collect();
            let corner = |x: f32| (x * 61.0) as u32;
            let triangles: Vec<[u32; 3]> =
                (0..80).map(|_| [corner(random()), corner(random()), corner(random())]).collect();
            let count = [None, Some(round)][round % 2];
            for finger in find(&positions, &triangles, ARM, count) {
                assert!(finger.joints().iter().all(|joint| joint.is_finite()), "round {round}");
            }
        }
    }

    fn arms() -> BodySkeleton {
        let joint = |label: &str, parent: Option<usize>, head: Vec3| BodyJoint {
            label: label.to_owned(),
            parent,
            head,
            tail: head + Vec3::X,
            confidence: 0.75,
        };
        let joints = vec![joint("forearm.L", None, ARM[0]), joint("hand.L", Some(0), ARM[1])];
        BodySkeleton { joints, warnings: Vec::new() }
    }

    #[test]
    fn fingers_hang_on_the_hand_and_mittens_are_reported() {
        let mut skeleton = arms();
        let (positions, triangles) = hand(0.003);
        add(&mut skeleton, &positions, &triangles, None);
        assert_eq!(skeleton.joints.len(), 2 + 15);
        assert!(skeleton.warnings.is_empty(), "{:?}", skeleton.warnings);
        let parent = |label: &str| {
            let joint = skeleton.joints.iter().find(|joint| joint.label == label)?;
            Some(skeleton.joints[joint.parent?].label.as_str())
        };
        assert_eq!(parent("index_1.L"), Some("hand.L"));
        assert_eq!(parent("little_3.L"), Some("little_2.L"));
        assert!(skeleton.joints.iter().all(|joint| joint.confidence <= 0.75));

        let (positions, triangles) = slab(&[0.3, 0.55], &[-0.03, 0.03], &["#"]);
        let mut mitten = arms();
        add(&mut mitten, &positions, &triangles, None);
        assert_eq!(mitten.joints, arms().joints);
        assert_eq!(mitten.warnings[0].message, "The left hand has no separate fingers");
        let mut asked = arms();
        add(&mut asked, &positions, &triangles, Some(0));
        assert_eq!(asked, arms());
    }
}
