//! The analytic test body: a tube with two bones, as in Rohmer et al. 2008.
//!
//! Axis along X, radius 1, from x = −4 to 4, built ring by ring. Columns are straight, so the
//! vertices of a ring share one x and one bend angle. 256 vertices are 16 rings of 16. Small tubes
//! have caps without inner vertices. Larger ones fill the caps with concentric rings, so that
//! triangles have similar sizes.

use glam::Vec3;

use super::extract::Soup;
use super::motion::{ClipBuilder, sway};
use super::rigging::SkeletonBuilder;
use super::trig::{sin_cos_turns, wave};
use super::{GeneratedCharacter, SampleError};
use crate::model::Mesh;

const RADIUS: f32 = 1.0;
const HALF_LENGTH: f32 = 4.0;

/// Offset of the off-centre skeleton from the axis: well inside, and clearly not in the middle.
pub const OFF_CENTRE: Vec3 = Vec3::new(0.0, 0.5 * RADIUS, 0.0);

/// Distance of bone ends from the caps, so that heads and tails are inside.
const INSET: f32 = 0.25;

/// Smallest number of vertices for which caps have inner vertices.
const MIN_VERTICES_WITH_CAP_RINGS: usize = 400;

/// Angle of a vertex around the tube, in turns, and its index.
type Ring = Vec<(f64, u32)>;

/// Builds the tube and its bones, translated from the axis by `offset`.
pub fn make(vertices: usize, offset: Vec3) -> Result<GeneratedCharacter, SampleError> {
    let soup = tube(vertices);
    let mut rig = SkeletonBuilder::default();
    rig.joint("first", "", Vec3::X * (INSET - HALF_LENGTH) + offset);
    rig.joint("second", "first", offset);
    rig.tip("second", Vec3::X * (HALF_LENGTH - INSET) + offset);
    let skeleton = rig.skeleton()?;
    let bend =
        ClipBuilder::new(&skeleton, "bend", 2.0).rotate("second", &|t| [0.0, 0.0, 110.0 * sway(t)]).finish();
    let twist =
        ClipBuilder::new(&skeleton, "twist", 2.0).rotate("second", &|t| [150.0 * wave(t), 0.0, 0.0]).finish();
    Ok(GeneratedCharacter {
        mesh: Mesh::new(soup.positions, soup.triangles)?,
        skeleton,
        clips: vec![bend, twist],
    })
}

fn tube(vertices: usize) -> Soup {
    let mut soup = Soup::default();
    let around = if vertices < MIN_VERTICES_WITH_CAP_RINGS {
        (vertices as f64).sqrt().round() as usize
    } else {
        // Square cells on the side and the caps: n² · length / (2 π r) + n²/(2 π) vertices.
        let per_square = f64::from(2.0 * HALF_LENGTH / RADIUS + 1.0) / std::f64::consts::TAU;
        (vertices as f64 / per_square).sqrt().round() as usize
    };
    let cap_rings = if vertices < MIN_VERTICES_WITH_CAP_RINGS { Vec::new() } else { cap_rings(around) };
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

/// Number of vertices and radius of each ring inside a cap, from the rim inwards, the centre last.
fn cap_rings(around: usize) -> Vec<(usize, f32)> {
    let rings = (around as f64 / std::f64::consts::TAU).round().max(1.0) as usize;
    let inner = (1..rings).map(|i| {
        let ratio = 1.0 - i as f64 / rings as f64;
        (((around as f64 * ratio).round() as usize).max(3), RADIUS * ratio as f32)
    });
    inner.chain([(1, 0.0)]).collect()
}

fn ring(soup: &mut Soup, count: usize, radius: f32, x: f32) -> Ring {
    let angles = (0..count).map(|i| i as f64 / count as f64);
    angles
        .map(|turns| {
            let (sine, cosine) = sin_cos_turns(turns);
            soup.positions.push(Vec3::new(x, radius * cosine as f32, radius * sine as f32));
            (turns, soup.positions.len() as u32 - 1)
        })
        .collect()
}

/// Triangulates the strip between two rings, always advancing on the ring that is behind.
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

/// Closes a ring, oriented towards +X.
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
    // Without inner vertices, triangulate in a zigzag.
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
