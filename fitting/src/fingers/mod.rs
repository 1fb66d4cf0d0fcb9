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
mod surface;

use branches::{Branch, Limits};
use cells::HandCells;
use glam::{Mat3, Vec3};
pub use joints::CentreLine;
use surface::HandSurface;

use crate::plans::{BodyJoint, BodySkeleton, FitWarning};
use crate::voxels;

/// Fingers, from the thumb.
pub const FINGERS: [&str; 5] = ["thumb", "index", "middle", "ring", "little"];

/// How the fingers beside the thumb are named, by their number. Hands with three of them have no
/// ring finger.
const NAMES: [&[usize]; 5] = [&[], &[1], &[1, 2], &[1, 2, 4], &[1, 2, 3, 4]];

/// Where the joints of each finger are, in shares of its length from where it leaves the hand:
/// medians over the labelled sources of their medians.
pub const SHARES: [[f32; 3]; 5] = [
    [-0.90, -0.22, 0.46],
    [-0.08, 0.31, 0.66],
    [-0.13, 0.31, 0.68],
    [-0.14, 0.28, 0.66],
    [-0.14, 0.30, 0.67],
];

/// How much the line from a finger into the palm turns to the wrist: thumb, and others.
const TO_WRIST: [f32; 2] = [0.5, 0.3];

/// The part of the forearm that is looked at, in forearms. If less, a wrist that is placed too near
/// to the fingers hides the thumb.
const BEHIND: f32 = 0.4;

/// The part of the body that is looked at beyond the wrist, in forearms and at least in heights. If
/// the hand is larger, it is enlarged up to the last number. If more, small hands are coarse.
const AHEAD: (f32, f32, f32) = (1.0, 0.16, 0.5);

/// How much what is looked at is enlarged.
const ENLARGE: f32 = 1.5;

/// The lowest place where a finger leaves the hand, in parts of [`BEHIND`] behind the wrist.
const LOWEST_BASE: f32 = 0.7;

/// Half the width of what is looked at, by its length beyond the wrist.
const ASIDE: f32 = 0.7;

/// The farthest that the surface of the forearm is from the line between elbow and wrist, in
/// lengths of what is looked at.
const SECTION: f32 = 0.35;

/// Cells along what is looked at beyond the wrist, to find the extent of the hand.
const COARSE_CELLS: f32 = 56.0;

/// Cells along a hand. If fewer, fingers merge; time grows with the third power.
const CELLS: f32 = 64.0;

/// Cells of a lattice at most.
const MAX_CELLS: f32 = 600_000.0;

/// Cells around the coarse extent of the hand.
const COARSE_MARGIN: f32 = 3.0;

/// The least extent of a hand beyond the wrist, in heights.
const MIN_REACH: f32 = 0.01;

/// The least length of a finger in thicknesses. If less, corners of boxes and knuckles are fingers;
/// if more, short fingers are not.
const SLENDERNESS: f32 = 0.8;

/// The same where the user says how many fingers there are.
const ASKED_SLENDERNESS: f32 = 0.4;

/// The least length of a finger by the extent of the hand.
const MIN_LENGTH: f32 = 0.08;

/// The least thickness of a finger by the extent of the hand. Nails and hems are thinner.
const MIN_THICKNESS: f32 = 0.025;

/// The least length of a finger by the longest one. Little fingers and thumbs of the labelled hands
/// have 0.33 and more.
const MIN_SHARE: f32 = 0.28;

/// The largest factor between the thickness of a finger and the median of the hand, if there are
/// more than two. Cuffs, and clothes that the hand touches, are thicker.
const THICKNESS_FACTOR: f32 = 2.5;

/// The same between thumb and mitten.
const MITTEN_FACTOR: f32 = 5.0;

/// How much lower than other fingers, in their lengths, and how much aside a thumb begins, if the
/// hand has fewer than five fingers.
const THUMB: f32 = 0.35;

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
    for (side, word) in [("L", "left"), ("R", "right")] {
        let index = |part: &str| {
            let label = format!("{part}.{side}");
            skeleton.joints.iter().position(|joint| joint.label == label)
        };
        let (Some(forearm), Some(hand)) = (index("forearm"), index("hand")) else { continue };
        let arm = [skeleton.joints[forearm].head, skeleton.joints[hand].head];
        let fingers = find(positions, triangles, arm, count);
        if let Some(message) = shortage(fingers.len(), word, count) {
            skeleton.warnings.push(FitWarning { code: "mitten".to_owned(), message });
        }
        let knuckles: Vec<Vec3> = fingers.iter().filter(|f| f.kind > 0).map(|f| f.joints()[0]).collect();
        if !knuckles.is_empty() {
            skeleton.joints[hand].tail = knuckles.iter().sum::<Vec3>() / knuckles.len() as f32;
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

/// The fingers of a hand, from the thumb, or none. The arm is given by elbow and wrist. At most
/// `count` fingers are found.
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
    let forearm = elbow.distance(wrist);
    let Some((cells, branches)) = look(
        |p| hand_from_body * (p - wrist),
        positions,
        triangles,
        forearm,
        if count.is_some() { ASKED_SLENDERNESS } else { SLENDERNESS },
    ) else {
        return Vec::new();
    };
    let mut branches = strongest(branches, count.unwrap_or(FINGERS.len()).min(FINGERS.len()));
    // A single branch is no finger: it is the hand.
    if branches.len() < 2 {
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
    fingers
}

/// Looks for the branches of a hand, in larger and larger boxes while what is inside reaches their
/// far end. `None` if there is no hand.
fn look(
    to_hand: impl Fn(Vec3) -> Vec3,
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    forearm: f32,
    slenderness: f32,
) -> Option<(HandCells, Vec<Branch>)> {
    let moved: Vec<Vec3> = positions.iter().map(|&p| to_hand(p)).collect();
    let mut ahead = (AHEAD.0 * forearm).clamp(AHEAD.1, AHEAD.2);
    let behind = BEHIND * forearm.min(AHEAD.2);
    let mut found: Option<(HandCells, Vec<Branch>)> = None;
    loop {
        let aside = ASIDE * ahead;
        let bounds = [Vec3::new(-behind, -aside, -aside), Vec3::new(ahead, aside, aside)];
        let (positions, triangles) = near(&moved, triangles, bounds);
        let Some((cells, branches, is_cut)) = look_in(&positions, &triangles, bounds, slenderness) else {
            return found;
        };
        let is_whole = branches.len() >= FINGERS.len();
        if found.as_ref().is_none_or(|(_, before)| branches.len() > before.len()) {
            found = Some((cells, branches));
        }
        if !is_cut || is_whole || ahead >= AHEAD.2 {
            return found;
        }
        ahead = (ENLARGE * ahead).min(AHEAD.2);
    }
}

/// Looks for the branches of a hand in a box. The last value says whether what is inside reaches the
/// far end of the box.
fn look_in(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    bounds: [Vec3; 2],
    slenderness: f32,
) -> Option<(HandCells, Vec<Branch>, bool)> {
    let ahead = bounds[1].x;
    let radius = SECTION * ahead;
    let coarse = HandCells::new(positions, triangles, bounds, ahead / COARSE_CELLS, radius)?;
    let reach = coarse.reach();
    if reach < MIN_REACH {
        return None;
    }
    let margin = COARSE_MARGIN * coarse.lattice.cell;
    let [low, high] = coarse.bounds();
    let is_cut = high.x > ahead - margin;
    let low = (low - margin).max(bounds[0]).with_x(bounds[0].x);
    let high = (high + margin).min(bounds[1]);
    let volume = (high - low).element_product();
    let cell = (reach / CELLS).max((volume / MAX_CELLS).cbrt());
    let cells = HandCells::new(positions, triangles, [low, high], cell, radius)?;
    let limits = Limits {
        slenderness,
        length: MIN_LENGTH * reach,
        thickness: MIN_THICKNESS * reach,
        base: LOWEST_BASE * bounds[0].x,
    };
    let mut found = best(branches::branches(&cells, &limits));
    let surface = HandSurface::new(positions, triangles, &cells);
    let mut outer = best(branches::branches(&surface, &limits));
    if worth(&outer) > worth(&found) {
        surface.fill(&cells, &mut outer);
        found = outer;
    }
    // A hand where some fingers are separate can have others that touch.
    if (2..FINGERS.len()).contains(&found.len()) {
        let eroded = cells.eroded();
        let mut apart = best(branches::branches(&eroded, &limits));
        cells.fill(&eroded, &mut apart);
        apart.retain(|branch| branch.slenderness >= limits.slenderness);
        if apart.len() > found.len() {
            found = apart;
        }
    }
    Some((cells, found, is_cut))
}

/// The triangles that touch a box, with their own vertices.
fn near(positions: &[Vec3], triangles: &[[u32; 3]], [low, high]: [Vec3; 2]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut index = vec![u32::MAX; positions.len()];
    let (mut vertices, mut kept) = (Vec::new(), Vec::new());
    for triangle in triangles {
        let [Some(&a), Some(&b), Some(&c)] = triangle.map(|vertex| positions.get(vertex as usize)) else {
            continue;
        };
        let is_near = a.min(b).min(c).cmple(high).all() && a.max(b).max(c).cmpge(low).all();
        if !is_near || !(a.is_finite() && b.is_finite() && c.is_finite()) {
            continue;
        }
        kept.push(triangle.map(|vertex| {
            let index = &mut index[vertex as usize];
            if *index == u32::MAX {
                *index = vertices.len() as u32;
                vertices.push(positions[vertex as usize]);
            }
            *index
        }));
    }
    let other = others(&vertices, &kept, [low, high]);
    let mut is_other = other.iter();
    kept.retain(|_| is_other.next() == Some(&false));
    (vertices, kept)
}

/// Whether each triangle belongs to another part of the body: to a loose part of what is in the box
/// that leaves it at a side, and is not the forearm.
fn others(positions: &[Vec3], triangles: &[[u32; 3]], [low, high]: [Vec3; 2]) -> Vec<bool> {
    let mut out = vec![false; triangles.len()];
    for part in voxels::parts(positions, triangles) {
        let vertices = || part.iter().flat_map(|&t| triangles[t]).map(|vertex| positions[vertex as usize]);
        let leaves = |p: Vec3| (1..3).any(|axis| p[axis] < low[axis] || p[axis] > high[axis]);
        let is_forearm = |p: Vec3| p.x <= low.x && p.with_x(0.0).length() <= SECTION * high.x;
        if vertices().any(leaves) && !vertices().any(is_forearm) {
            part.iter().for_each(|&triangle| out[triangle] = true);
        }
    }
    out
}

/// How good a set of branches is as a hand: how many fingers, then how long they are.
fn worth(branches: &[Branch]) -> (usize, f32) {
    (branches.len().min(FINGERS.len()), branches.iter().map(Branch::length).sum())
}

/// The part of a shape that is most like a hand.
fn best(parts: Vec<Vec<Branch>>) -> Vec<Branch> {
    let better = |a: &Vec<Branch>, b: &Vec<Branch>| {
        worth(a).partial_cmp(&worth(b)).unwrap_or(std::cmp::Ordering::Equal)
    };
    parts.into_iter().map(alike).max_by(better).unwrap_or_default()
}

/// The branches that are like the others.
fn alike(mut branches: Vec<Branch>) -> Vec<Branch> {
    let mut thicknesses: Vec<f32> = branches.iter().map(Branch::thickness).collect();
    thicknesses.sort_by(f32::total_cmp);
    let median = thicknesses.get((thicknesses.len().max(1) - 1) / 2).copied().unwrap_or(0.0);
    let factor = if branches.len() > 2 { THICKNESS_FACTOR } else { MITTEN_FACTOR };
    branches.retain(|branch| branch.thickness() <= factor * median && median <= factor * branch.thickness());
    let longest = branches.iter().map(Branch::length).fold(0.0, f32::max);
    branches.retain(|branch| branch.length() >= MIN_SHARE * longest);
    branches
}

/// The `count` longest branches.
fn strongest(mut branches: Vec<Branch>, count: usize) -> Vec<Branch> {
    branches.sort_by(|a, b| b.length().total_cmp(&a.length()));
    branches.truncate(count);
    branches
}

/// Which finger each branch is. Branches come in the order of their bases, lowest first.
fn kinds(branches: &[Branch], lines: &[CentreLine]) -> Vec<usize> {
    let count = lines.len();
    let direction = |i: usize| (lines[i].at(1.0) - lines[i].at(0.0)).normalize_or_zero();
    let length = lines.iter().map(CentreLine::length).sum::<f32>() / count as f32;
    let mean = |of: &dyn Fn(usize) -> f32, but: usize| {
        (0..count).filter(|&i| i != but).map(of).sum::<f32>() / (count - 1).max(1) as f32
    };
    // How much lower it begins, and how much it points aside.
    let likeness = |i: usize| {
        let lower = mean(&|j| branches[j].base, i) - branches[i].base;
        let aside = 1.0 - mean(&|j| direction(j).dot(direction(i)), i);
        lower / length + aside
    };
    let mut thumb = (0..count).max_by(|&a, &b| likeness(a).total_cmp(&likeness(b))).unwrap_or(0);
    if count == 2 {
        // Both begin where they meet: the thumb is shorter.
        thumb = usize::from(branches[1].tip < branches[0].tip);
    }
    let has_thumb = count == 2 || count >= FINGERS.len() || likeness(thumb) > THUMB;
    let mut others: Vec<usize> = (0..count).filter(|&i| !(has_thumb && i == thumb)).collect();
    let base = |i: usize| lines[i].at(0.0);
    let middle = others.iter().map(|&i| base(i)).sum::<Vec3>() / others.len().max(1) as f32;
    // Without a thumb, the index finger is in front, as on hands with palms down.
    let side = if has_thumb { lines[thumb].at(0.3) - middle } else { Vec3::Z };
    let mut row = Vec3::ZERO;
    for &a in &others {
        for &b in &others {
            let between = base(a) - base(b);
            if between.length() > row.length() {
                row = if between.dot(side) >= 0.0 { between } else { -between };
            }
        }
    }
    others.sort_by(|&a, &b| base(b).dot(row).total_cmp(&base(a).dot(row)));
    let mut kinds = vec![0; count];
    for (&i, &kind) in others.iter().zip(NAMES[others.len()]) {
        kinds[i] = kind;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    type Mesh = (Vec<Vec3>, Vec<[u32; 3]>);

    /// A flat slab on a grid in the XZ plane: the cells of `rows` that are not blank. Rows run along
    /// Z, cells of a row along X.
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
        let xs = [0.3, 0.46, 0.475, 0.5, 0.55];
        let mut zs = vec![-0.02];
        for _ in 0..4 {
            let last = zs[zs.len() - 1];
            zs.extend([last + 0.0085, last + 0.0085 + gap]);
        }
        zs.pop();
        zs.extend([zs[zs.len() - 1] + 0.035]);
        slab(&xs, &zs, &["####", "###", "####", "###", "####", "###", "####", " #"])
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
    fn a_box_is_no_hand_with_fingers() {
        let (positions, triangles) = slab(&[0.3, 0.55], &[-0.03, 0.03], &["#"]);
        assert!(find(&positions, &triangles, ARM, None).is_empty());
    }

    #[test]
    fn hands_have_at_most_as_many_fingers_as_asked_for() {
        let (positions, triangles) = hand(0.003);
        for count in 2..=5 {
            assert_eq!(find(&positions, &triangles, ARM, Some(count)).len(), count);
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
