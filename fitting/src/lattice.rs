//! A box of cubic cells.

use glam::Vec3;

/// A box of cubic cells. Cells are numbered with x fastest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// The corner of the box with the smallest coordinates.
    pub origin: Vec3,
    /// The edge length of a cell.
    pub cell: f32,
    /// The number of cells along each axis.
    pub size: [usize; 3],
}

impl Lattice {
    /// The lattice around a box, with `margin` empty cells on every side.
    pub fn around(low: Vec3, high: Vec3, cell: f32, margin: usize) -> Self {
        let size = ((high - low) / cell).ceil().max(Vec3::ONE);
        let count = |axis: usize| size[axis] as usize + 2 * margin;
        Self { origin: low - margin as f32 * cell, cell, size: [count(0), count(1), count(2)] }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distance in the numbering between neighbours along each axis.
    pub fn strides(&self) -> [usize; 3] {
        [1, self.size[0], self.size[0] * self.size[1]]
    }

    /// The number of a cell.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.size[0] * (y + self.size[1] * z)
    }

    /// The cell with a number.
    pub fn coordinates(&self, index: usize) -> [usize; 3] {
        let [width, height, _] = self.size;
        [index % width, index / width % height, index / (width * height)]
    }

    /// The middle of a cell.
    pub fn centre(&self, [x, y, z]: [usize; 3]) -> Vec3 {
        self.origin + (Vec3::new(x as f32, y as f32, z as f32) + 0.5) * self.cell
    }

    /// The cell that contains a point, or the nearest one.
    pub fn cell_at(&self, point: Vec3) -> [usize; 3] {
        let at = (point - self.origin) / self.cell;
        [0, 1, 2].map(|axis| (at[axis].max(0.0) as usize).min(self.size[axis] - 1))
    }
}
