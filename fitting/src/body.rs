//! The body: signed distances from the surface, on a lattice.
//!
//! Space: the character stands along +Y and looks along +Z, so its left is +X. It is one unit high,
//! its feet are at zero.

use glam::{Mat3, Vec3};

use crate::distance::squared_distances;
use crate::lattice::Lattice;
use crate::voxels;

/// Cells per height. If fewer, thin arms vanish and hanging arms merge with the body. Time and
/// memory grow with the third power.
pub const CELLS_PER_HEIGHT: f32 = 96.0;

/// The largest number of cells. Bodies that are very wide or deep for their height get larger cells
/// instead of taking all memory; one cell takes about ten bytes.
const MAX_CELLS: f32 = 2e6;

/// Empty cells around the body.
const MARGIN: usize = 2;

/// Cells along the longest side of an animal. Its joints follow from landmarks, which are as exact
/// as the cells are small.
pub const CELLS_PER_ANIMAL: f32 = 144.0;

/// How far from the border of a cell the ends of a centred body are at least, in cells.
const CENTRED_PADDING: f32 = 0.35;

/// Stored distances are multiples of this many cells.
const DISTANCE_STEP: f32 = 0.25;

/// Signed distances from the surface of a body.
#[derive(Clone, Debug)]
pub struct Body {
    /// The cells.
    pub lattice: Lattice,
    /// The distance of each cell in steps of [`DISTANCE_STEP`] cells, negative inside.
    distances: Vec<i8>,
}

impl Body {
    /// The body of a mesh that is one unit high.
    pub fn of_mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        Self::with_cells(positions, triangles, CELLS_PER_HEIGHT)
    }

    /// The body of a mesh whose longest side is one unit.
    pub fn of_animal(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        Self::centred(positions, triangles, CELLS_PER_ANIMAL)
    }

    /// The body of a mesh with cells of a given number per unit.
    pub fn with_cells(positions: &[Vec3], triangles: &[[u32; 3]], per_unit: f32) -> Self {
        let (low, high) = extent(positions, triangles);
        let lattice = Lattice::around(low, high, cell_size(high - low, per_unit), MARGIN);
        Self::of_cells(lattice, &voxels::inside(&lattice, positions, triangles))
    }

    /// The same with the middle of the lattice in the middle of the mesh, so that both turn
    /// together. The ends of the body are within cells, not between them, so that rounding does not
    /// add or remove a layer of cells.
    pub fn centred(positions: &[Vec3], triangles: &[[u32; 3]], per_unit: f32) -> Self {
        let (low, high) = extent(positions, triangles);
        let cell = cell_size(high - low, per_unit);
        let padding = CENTRED_PADDING * cell;
        let mut lattice = Lattice::around(low - padding, high + padding, cell, MARGIN);
        let size = Vec3::from(lattice.size.map(|count| count as f32));
        lattice.origin = low.midpoint(high) - 0.5 * cell * size;
        Self::of_cells(lattice, &voxels::inside(&lattice, positions, triangles))
    }

    /// The body that consists of some cells.
    pub fn of_cells(lattice: Lattice, inside: &[bool]) -> Self {
        let outer = squared_distances(&lattice, |cell| inside[cell]);
        let inner = squared_distances(&lattice, |cell| !inside[cell]);
        let distances = outer
            .iter()
            .zip(&inner)
            .map(|(outer, inner)| {
                // The surface is half a cell from the middle of a cell beside it.
                let distance = if *outer > 0.0 { outer.sqrt() - 0.5 } else { 0.5 - inner.sqrt() };
                (distance / DISTANCE_STEP).round().clamp(-127.0, 127.0) as i8
            })
            .collect();
        Self { lattice, distances }
    }

    /// The body turned by a rotation that maps axes to axes.
    pub fn turned(&self, rotation: &Mat3) -> Self {
        let old = &self.lattice;
        // Which old axis each new one is, and whether it runs against it.
        let rows = rotation.transpose();
        let axes = [0, 1, 2].map(|new| {
            let row = rows.col(new);
            let axis = (0..3).max_by(|&a, &b| row[a].abs().total_cmp(&row[b].abs())).unwrap_or(new);
            (axis, row[axis] < 0.0)
        });
        let size = axes.map(|(axis, _)| old.size[axis]);
        let origin = axes.map(|(axis, is_reversed)| {
            let far = old.origin[axis] + old.size[axis] as f32 * old.cell;
            if is_reversed { -far } else { old.origin[axis] }
        });
        let lattice = Lattice { origin: Vec3::from(origin), cell: old.cell, size };
        let strides = old.strides();
        let mut distances = Vec::with_capacity(lattice.len());
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let index =
                        axes.iter().zip([x, y, z]).zip(size).map(|((&(axis, is_reversed), at), size)| {
                            strides[axis] * if is_reversed { size - 1 - at } else { at }
                        });
                    distances.push(self.distances[index.sum::<usize>()]);
                }
            }
        }
        Self { lattice, distances }
    }

    /// The body with stored distances, as [`Body::steps`] returns them.
    pub fn of_steps(lattice: Lattice, distances: Vec<i8>) -> Self {
        assert_eq!(lattice.len(), distances.len(), "one distance per cell");
        Self { lattice, distances }
    }

    /// The stored distances.
    pub fn steps(&self) -> &[i8] {
        &self.distances
    }

    /// Whether a cell is inside.
    pub fn is_inside(&self, cell: usize) -> bool {
        self.distances[cell] < 0
    }

    /// The signed distance of the middle of a cell from the surface.
    pub fn cell_distance(&self, cell: usize) -> f32 {
        f32::from(self.distances[cell]) * (DISTANCE_STEP * self.lattice.cell)
    }

    /// The signed distance of a point from the surface, interpolated between cells.
    pub fn distance(&self, point: Vec3) -> f32 {
        let lattice = &self.lattice;
        let at = (point - lattice.origin) / lattice.cell - 0.5;
        let [nx, ny, nz] = lattice.size;
        let high = Vec3::new(nx as f32 - 1.001, ny as f32 - 1.001, nz as f32 - 1.001);
        let clamped = at.clamp(Vec3::ZERO, high.max(Vec3::ZERO));
        let beyond = at.distance(clamped);
        let (x, y, z) = (clamped.x as usize, clamped.y as usize, clamped.z as usize);
        let part = clamped - clamped.floor();
        let first = lattice.index([x, y, z]);
        let [sx, sy, sz] = lattice.strides();
        let value = |index: usize| f32::from(self.distances[index]);
        let along_x = |index: usize| value(index) + (value(index + sx) - value(index)) * part.x;
        let along_y = |index: usize| {
            let low = along_x(index);
            low + (along_x(index + sy) - low) * part.y
        };
        let low = along_y(first);
        let steps = low + (along_y(first + sz) - low) * part.z;
        (steps * DISTANCE_STEP + beyond) * lattice.cell
    }
}

/// The smallest and the largest coordinates of the corners of triangles.
fn extent(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec3, Vec3) {
    let corners = triangles.iter().flatten().map(|&v| positions[v as usize]).filter(|p| p.is_finite());
    corners.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// The edge length of the cells for a body of this size.
fn cell_size(size: Vec3, per_unit: f32) -> f32 {
    let cell = 1.0 / per_unit;
    let count = |cell: f32| (size / cell + 2.0 * MARGIN as f32 + 1.0).element_product();
    std::iter::successors(Some(cell), |cell| Some(1.1 * cell))
        .take(256)
        .find(|&cell| count(cell) <= MAX_CELLS)
        .unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orientation::rotations;

    /// A closed box from the origin.
    fn cuboid(size: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corner = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * size;
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }

    #[test]
    fn distances_are_negative_inside_and_grow_away_from_the_surface() {
        let (positions, triangles) = cuboid(Vec3::new(0.5, 1.0, 0.5));
        let body = Body::of_mesh(&positions, &triangles);
        let middle = Vec3::new(0.25, 0.5, 0.25);
        assert!((body.distance(middle) + 0.25).abs() < 0.02, "{}", body.distance(middle));
        assert!(body.distance(Vec3::new(0.5, 0.5, 0.25)).abs() < 0.02);
        let beside = Vec3::new(0.8, 0.5, 0.25);
        assert!((body.distance(beside) - 0.3).abs() < 0.03, "{}", body.distance(beside));
    }

    #[test]
    fn very_wide_bodies_have_larger_cells() {
        let (positions, triangles) = cuboid(Vec3::new(90.0, 1.0, 90.0));
        let body = Body::of_mesh(&positions, &triangles);
        assert!(body.lattice.len() as f32 <= MAX_CELLS, "{}", body.lattice.len());
        assert!(body.distance(Vec3::new(45.0, 0.5, 45.0)) < 0.0);
    }

    #[test]
    fn a_turned_body_has_the_distances_of_the_places_before() {
        let lattice = Lattice { origin: Vec3::new(-0.3, 0.1, 0.2), cell: 0.1, size: [7, 5, 6] };
        let inside: Vec<bool> = (0..lattice.len()).map(|cell| cell % 7 == 3 || cell % 11 == 5).collect();
        let body = Body::of_cells(lattice, &inside);
        for rotation in rotations() {
            let turned = body.turned(&rotation);
            for cell in 0..lattice.len() {
                let at = rotation * lattice.centre(lattice.coordinates(cell));
                let there = turned.lattice.index(turned.lattice.cell_at(at));
                assert_eq!(turned.cell_distance(there), body.cell_distance(cell), "{rotation}");
            }
        }
    }
}
