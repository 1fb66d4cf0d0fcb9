//! Voxelisation: inside fractions of voxels, and the voxels that touch the surface.
//!
//! In: triangles in grid coordinates, each facing outwards. Out: inside fractions and flags, one
//! per voxel. Cost: one pass over the lines that triangles cross. A point on a line is inside if
//! the line has entered more bodies than it has left. A line through an edge crosses exactly one of
//! its two triangles, so rounding cannot make the inside leak.

use crate::math::{order_preserving_bits, sort_by_keys};
use glam::DVec3;

/// The size of a grid in voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) size: [usize; 3],
}

impl Grid {
    pub(super) fn len(self) -> usize {
        self.size.iter().product()
    }

    pub(super) fn index(self, [x, y, z]: [usize; 3]) -> usize {
        x + self.size[0] * (y + self.size[1] * z)
    }

    /// The voxel that contains a point; `None` outside of the grid.
    pub(super) fn voxel(self, at: DVec3) -> Option<[usize; 3]> {
        let within =
            |value: f64, size: usize| (value >= 0.0 && value < size as f64).then_some(value as usize);
        Some([within(at.x, self.size[0])?, within(at.y, self.size[1])?, within(at.z, self.size[2])?])
    }
}

/// The crossing of a line with a triangle.
#[derive(Clone, Copy)]
struct Crossing {
    line: u32,
    at: f64,
    enters: bool,
}

/// Number of lines through a voxel, along y and along z. Larger: more accurate fractions. Odd, so
/// that one line passes through its centre.
const LINES_PER_VOXEL: usize = 3;

/// Computes the inside fraction of each voxel, exact along x, and marks the voxels whose centres
/// are inside. `triangles` of solid components only, as (vertex indices, corners).
pub(super) fn fill(
    grid: Grid,
    triangles: impl Iterator<Item = ([u32; 3], [DVec3; 3])>,
    is_full: &mut [bool],
) -> Vec<f32> {
    let mut crossings = Vec::new();
    triangles.for_each(|(indices, corners)| add_crossings(grid, indices, &corners, &mut crossings));
    sort_by_keys(&mut crossings, |crossing| order_preserving_bits(crossing.at));
    sort_by_keys(&mut crossings, |crossing| crossing.line.into());
    let mut fractions = vec![0.0; grid.len()];
    let width = LINES_PER_VOXEL * grid.size[1];
    for line in crossings.chunk_by(|a, b| a.line == b.line) {
        let (y, z) = (line[0].line as usize % width, line[0].line as usize / width);
        let start = grid.index([0, y / LINES_PER_VOXEL, z / LINES_PER_VOXEL]);
        let is_middle =
            y % LINES_PER_VOXEL == LINES_PER_VOXEL / 2 && z % LINES_PER_VOXEL == LINES_PER_VOXEL / 2;
        let mut depth = 0;
        for (crossing, next) in line.iter().zip(&line[1..]) {
            depth += if crossing.enters { 1 } else { -1 };
            if depth > 0 {
                let (low, high) = (crossing.at.max(0.0), next.at.min(grid.size[0] as f64));
                for x in low as usize..(high.ceil() as usize).min(grid.size[0]) {
                    let length = high.min(x as f64 + 1.0) - low.max(x as f64);
                    fractions[start + x] += (length / (LINES_PER_VOXEL * LINES_PER_VOXEL) as f64) as f32;
                    // Centres are at halves.
                    let middle = x as f64 + 0.5;
                    is_full[start + x] |= is_middle && low <= middle && middle < high;
                }
            }
        }
    }
    fractions
}

/// Intersects a triangle with the lines along x that pass through it.
fn add_crossings(grid: Grid, indices: [u32; 3], corners: &[DVec3; 3], found: &mut Vec<Crossing>) {
    let lines = LINES_PER_VOXEL as f64;
    let range = |values: [f64; 3], size: usize| {
        let low = lines * values.iter().copied().fold(f64::INFINITY, f64::min) - 0.5;
        let high = lines * values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - 0.5;
        low.ceil().max(0.0) as usize..((high.floor() + 1.0).max(0.0) as usize).min(LINES_PER_VOXEL * size)
    };
    for z in range(corners.map(|c| c.z), grid.size[2]) {
        for y in range(corners.map(|c| c.y), grid.size[1]) {
            let (py, pz) = ((y as f64 + 0.5) / lines, (z as f64 + 0.5) / lines);
            // The side of an edge on which a line lies depends on the edge alone, not on the
            // triangle.
            let is_left = |i: usize| {
                let j = (i + 1) % 3;
                let (a, b) = if indices[i] < indices[j] { (i, j) } else { (j, i) };
                let (a, b) = (corners[a], corners[b]);
                let left = (b.y - a.y) * (pz - a.z) - (b.z - a.z) * (py - a.y) >= 0.0;
                left == (indices[i] < indices[j])
            };
            let leaves = is_left(0);
            if is_left(1) != leaves || is_left(2) != leaves {
                continue;
            }
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let across = normal.y * (py - corners[0].y) + normal.z * (pz - corners[0].z);
            let at = if normal.x == 0.0 { corners[0].x } else { corners[0].x - across / normal.x };
            let [low, high] = [f64::min as fn(f64, f64) -> f64, f64::max]
                .map(|pick| pick(pick(corners[0].x, corners[1].x), corners[2].x));
            let line = (y + LINES_PER_VOXEL * grid.size[1] * z) as u32;
            found.push(Crossing { line, at: at.clamp(low, high), enters: !leaves });
        }
    }
}

/// Marks the voxels that a triangle passes through, at sample points at most one voxel apart.
pub(super) fn mark_touched(grid: Grid, corners: &[DVec3; 3], is_full: &mut [bool]) {
    let [a, b, c] = *corners;
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let steps = (longest.ceil() as usize).max(1);
    for i in 0..=steps {
        for j in 0..=steps - i {
            let (s, t) = (i as f64 / steps as f64, j as f64 / steps as f64);
            if let Some(voxel) = grid.voxel(a + (b - a) * s + (c - a) * t) {
                is_full[grid.index(voxel)] = true;
            }
        }
    }
}
