//! The search for the branches of a hand: in boxes of several sizes, on the lattice, on the
//! surface, and on the eroded lattice.
//!
//! Space: the wrist is the origin, X runs along the forearm to the fingers. Units: body heights.

use glam::Vec3;

use super::FINGERS;
use super::branches::{self, Branch, Limits};
use super::cells::HandCells;
use super::surface::HandSurface;
use crate::voxels;

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

/// Looks for the branches of a hand, in larger and larger boxes while what is inside reaches their
/// far end. `None` if there is no hand.
pub fn look(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    forearm: f32,
    slenderness: f32,
) -> Option<(HandCells, Vec<Branch>)> {
    let mut ahead = (AHEAD.0 * forearm).clamp(AHEAD.1, AHEAD.2);
    let behind = BEHIND * forearm.min(AHEAD.2);
    let mut found: Option<(HandCells, Vec<Branch>)> = None;
    loop {
        let aside = ASIDE * ahead;
        let bounds = [Vec3::new(-behind, -aside, -aside), Vec3::new(ahead, aside, aside)];
        let (positions, triangles) = near(positions, triangles, bounds);
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

/// Looks for the branches of a hand in a box. The last value says whether what is inside reaches
/// the far end of the box.
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
        if !(is_near && a.is_finite() && b.is_finite() && c.is_finite()) {
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

/// The branches that are like the others, at most five.
fn alike(mut branches: Vec<Branch>) -> Vec<Branch> {
    let mut thicknesses: Vec<f32> = branches.iter().map(Branch::thickness).collect();
    thicknesses.sort_by(f32::total_cmp);
    let median = thicknesses.get((thicknesses.len().max(1) - 1) / 2).copied().unwrap_or(0.0);
    let factor = |branch: &Branch| (branch.thickness() / median).max(median / branch.thickness());
    let limit = if branches.len() > 2 { THICKNESS_FACTOR } else { MITTEN_FACTOR };
    branches.retain(|branch| factor(branch) <= limit);
    let longest = branches.iter().map(Branch::length).fold(0.0, f32::max);
    branches.retain(|branch| branch.length() >= MIN_SHARE * longest);
    branches.sort_by(|a, b| factor(a).total_cmp(&factor(b)));
    branches.truncate(FINGERS.len());
    branches
}
