//! The analytic test body: a tube with two bones, as in Rohmer et al. 2008.
//!
//! Axis along X, radius 1, from x = −4 to 4, built ring by ring: columns are straight, so a ring's vertices
//! share one x and one bend angle. 256 vertices are 16 rings of 16. Small tubes have caps without vertices
//! of their own; larger ones fill the caps with concentric rings so that triangles stay even.

use glam::Vec3;

use super::extract::Soup;
use super::motion::{Motion, sway};
use super::rigging::Rigging;
use super::trig::{sin_cos_turns, wave};
use super::{GeneratedCharacter, SampleError};
use crate::model::Mesh;

const RADIUS: f32 = 1.0;
const HALF_LENGTH: f32 = 4.0;

/// How far the off-centre skeleton lies from the axis: well inside, and plainly not in the middle.
pub const OFF_CENTRE: Vec3 = Vec3::new(0.0, 0.5 * RADIUS, 0.0);

/// Bones start and end this far from the caps, so that heads and tails lie inside.
const INSET: f32 = 0.25;

/// Fewer vertices than this leave no room for any on the caps.
const FEWEST_WITH_CAPS: usize = 400;

/// Where around the tube a vertex sits, in turns, and its index.
type Ring = Vec<(f64, u32)>;

/// Builds the tube and its bones, moved from the axis by `offset`.
pub fn make(vertices: usize, offset: Vec3) -> Result<GeneratedCharacter, SampleError> {
    let soup = tube(vertices);
    let mut rig = Rigging::default();
    rig.joint("first", "", Vec3::X * (INSET - HALF_LENGTH) + offset);
    rig.joint("second", "first", offset);
    rig.tip("second", Vec3::X * (HALF_LENGTH - INSET) + offset);
    let skeleton = rig.skeleton()?;
    let bend = Motion::new(&skeleton, "bend", 2.0).turn("second", &|t| [0.0, 0.0, 110.0 * sway(t)]).finish();
    let twist =
        Motion::new(&skeleton, "twist", 2.0).turn("second", &|t| [150.0 * wave(t), 0.0, 0.0]).finish();
    Ok(GeneratedCharacter {
        mesh: Mesh::new(soup.positions, soup.triangles)?,
        skeleton,
        clips: vec![bend, twist],
    })
}

fn tube(vertices: usize) -> Soup {
    let mut soup = Soup::default();
    let around = if vertices < FEWEST_WITH_CAPS {
        (vertices as f64).sqrt().round() as usize
    } else {
        // Squares on the side and on the caps: n² · length / (2 π r) + n²/(2 π) vertices.
        let per_square = f64::from(2.0 * HALF_LENGTH / RADIUS + 1.0) / std::f64::consts::TAU;
        (vertices as f64 / per_square).sqrt().round() as usize
    };
    let cap_rings = if vertices < FEWEST_WITH_CAPS { Vec::new() } else { cap_rings(around) };
    let on_caps = 2 * cap_rings.iter().map(|&(count, _)| count).sum::<usize>();
    let along = ((vertices - on_caps) as f64 / around as f64).round() as usize;
    let rings: Vec<Ring> = (0..along)
        .map(|i| {
            let x = (i as f32 / (along - 1) as f32 * 2.0 - 1.0) * HALF_LENGTH;
            ring(&mut soup, around, RADIUS, x)
        })
        .collect();
    for pair in rings.windows(2) {
        stitch(&mut soup, &pair[0], &pair[1]);
    }
    for (end, x) in [(&rings[0], -HALF_LENGTH), (&rings[along - 1], HALF_LENGTH)] {
        let first = soup.triangles.len();
        cap(&mut soup, end, &cap_rings, x);
        if x > 0.0 {
            continue;
        }
        soup.triangles[first..].iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    soup
}

/// Vertices and radius of each ring inside a cap, from the rim inwards, the middle last.
fn cap_rings(around: usize) -> Vec<(usize, f32)> {
    let rings = (around as f64 / std::f64::consts::TAU).round().max(1.0) as usize;
    let inner = (1..rings).map(|i| {
        let share = 1.0 - i as f64 / rings as f64;
        (((around as f64 * share).round() as usize).max(3), RADIUS * share as f32)
    });
    inner.chain([(1, 0.0)]).collect()
}

fn ring(soup: &mut Soup, count: usize, radius: f32, x: f32) -> Ring {
    let places = (0..count).map(|i| i as f64 / count as f64);
    places
        .map(|turns| {
            let (sine, cosine) = sin_cos_turns(turns);
            soup.positions.push(Vec3::new(x, radius * cosine as f32, radius * sine as f32));
            (turns, soup.positions.len() as u32 - 1)
        })
        .collect()
}

/// Fills the strip between two rings, always taking the step that lags behind.
fn stitch(soup: &mut Soup, from: &Ring, to: &Ring) {
    let at = |ring: &Ring, i: usize| ring[i % ring.len()].1;
    let turns = |ring: &Ring, i: usize| (i as f64 + 0.5) / ring.len() as f64;
    let (mut i, mut j) = (0, 0);
    while i < from.len() || j < to.len() {
        let step_from = j >= to.len() || (i < from.len() && turns(from, i) <= turns(to, j));
        if step_from {
            soup.triangles.push([at(from, i), at(from, i + 1), at(to, j)]);
            i += 1;
        } else {
            soup.triangles.push([at(from, i), at(to, j + 1), at(to, j)]);
            j += 1;
        }
    }
}

/// Closes a ring as seen from +X.
fn cap(soup: &mut Soup, rim: &Ring, inner: &[(usize, f32)], x: f32) {
    let mut outer = rim.clone();
    for &(count, radius) in inner {
        let next = ring(soup, count, radius, x);
        if count == 1 {
            let fan = (0..outer.len()).map(|i| [outer[i].1, outer[(i + 1) % outer.len()].1, next[0].1]);
            soup.triangles.extend(fan);
            return;
        }
        stitch(soup, &outer, &next);
        outer = next;
    }
    // No vertices inside: a zigzag across.
    let (mut low, mut high) = (0, outer.len() - 1);
    while high - low >= 2 {
        soup.triangles.push([outer[low].1, outer[low + 1].1, outer[high].1]);
        low += 1;
        if high - low >= 2 {
            soup.triangles.push([outer[low].1, outer[high - 1].1, outer[high].1]);
            high -= 1;
        }
    }
}
