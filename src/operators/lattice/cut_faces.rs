//! The inside area fractions of the faces between voxels, exactly.
//!
//! In: triangles in grid coordinates, each facing outwards. Out: for every cell (two voxels wide)
//! and axis, the area fraction of each of the four faces in its middle. Method: signed areas beside
//! the segments in which triangles cut a plane, accumulated from one side, as in font
//! rasterisation. Exact areas make different lattices agree: the faces around a node and the
//! surface between them form a closed surface, so a function that varies along the surface has no
//! flux through it, wherever the lattice lies. Faces that are either open or closed form a
//! staircase, which adds stiffness along it, more so the finer it is.

use glam::{DVec2, DVec3};

use super::inside::Grid;

/// The faces across one axis.
pub(super) struct FaceFractions {
    /// Number of voxels along the next axis plus one, and along the one after that.
    wide: usize,
    high: usize,
    fractions: Vec<f32>,
}

impl FaceFractions {
    /// The faces across `axis` in the middle of the cells of `grid`, which counts voxels.
    pub(super) fn of(grid: Grid, axis: usize, triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (wide, high, planes) = (grid.size[u] + 1, grid.size[v], grid.size[axis] / 2);
        let mut faces = Self { wide, high, fractions: vec![0.0; wide * high * planes] };
        for corners in triangles {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0])[u];
            let along = corners.map(|c| c[axis]);
            let low = along.iter().copied().fold(f64::INFINITY, f64::min);
            let high = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // Planes are at odd numbers.
            for plane in ((low - 1.0) / 2.0).ceil().max(0.0) as usize..planes {
                let at = (2 * plane + 1) as f64;
                if at >= high {
                    break;
                }
                let mut ends = [DVec2::ZERO; 2];
                let mut found = 0;
                for i in 0..3 {
                    let (a, b) = (corners[i], corners[(i + 1) % 3]);
                    if (a[axis] > at) != (b[axis] > at) && found < 2 {
                        let point = a.lerp(b, (at - a[axis]) / (b[axis] - a[axis]));
                        ends[found] = DVec2::new(point[u], point[v]);
                        found += 1;
                    }
                }
                if found == 2 {
                    // The inside lies beyond surfaces that face backwards, so there the segment
                    // must run upwards.
                    let is_reversed = (ends[1].y > ends[0].y) == (normal > 0.0);
                    let (from, to) = if is_reversed { (ends[1], ends[0]) } else { (ends[0], ends[1]) };
                    faces.add_segment(plane, from, to);
                }
            }
        }
        faces.accumulate();
        faces
    }

    /// The inside fraction of the face between a voxel with an even index along the axis and the
    /// next one.
    pub(super) fn fraction(&self, axis: usize, voxel: [usize; 3]) -> f64 {
        let (plane, u, v) = (voxel[axis] / 2, voxel[(axis + 1) % 3], voxel[(axis + 2) % 3]);
        f64::from(self.fractions[u + self.wide * (v + self.high * plane)]).clamp(0.0, 1.0)
    }

    /// Adds to each face the area beyond the segment; positive for upwards, negative for downwards.
    fn add_segment(&mut self, plane: usize, from: DVec2, to: DVec2) {
        let (low, high) = if from.y < to.y { (from, to) } else { (to, from) };
        let sign = if from.y < to.y { 1.0 } else { -1.0 };
        let slope = (high.x - low.x) / (high.y - low.y);
        let last = (self.high as f64).min(high.y);
        let mut y = low.y.max(0.0);
        while y < last {
            let row = y as usize;
            let end = last.min(row as f64 + 1.0);
            let across = |y: f64| (low.x + slope * (y - low.y)).clamp(low.x.min(high.x), low.x.max(high.x));
            self.add_in_row(row + self.high * plane, across(y), across(end), sign * (end - y));
            y = end;
        }
    }

    /// The same within one row, in which the segment rises by `rise`.
    fn add_in_row(&mut self, row: usize, x: f64, end: f64, rise: f64) {
        let widest = (self.wide - 1) as f64;
        let (low, high) = (x.min(end).clamp(0.0, widest), x.max(end).clamp(0.0, widest));
        let fractions = &mut self.fractions[row * self.wide..(row + 1) * self.wide];
        let mut x = low;
        loop {
            let voxel = (x as usize).min(self.wide - 2);
            let next = high.min(voxel as f64 + 1.0);
            let rise_here = if high > low { rise * (next - x) / (high - low) } else { rise };
            let beyond = voxel as f64 + 1.0 - 0.5 * (x + next);
            fractions[voxel] += (rise_here * beyond) as f32;
            fractions[voxel + 1] += (rise_here * (1.0 - beyond)) as f32;
            x = next;
            if x >= high {
                return;
            }
        }
    }

    fn accumulate(&mut self) {
        for row in self.fractions.chunks_mut(self.wide) {
            let mut sum = 0.0;
            for fraction in row {
                sum += *fraction;
                *fraction = sum;
            }
        }
    }
}
