//! Exact Euclidean distances on a lattice.
//!
//! The squared distance is separable: one lower envelope of parabolas per line of cells and axis
//! (Felzenszwalb & Huttenlocher 2012). Cost: linear in the number of cells.

use crate::lattice::Lattice;

/// Squared distances, in cells, of all cells from the nearest one where `is_source` holds. Infinite
/// if there is none.
pub fn squared_distances(lattice: &Lattice, is_source: impl Fn(usize) -> bool) -> Vec<f32> {
    let mut values: Vec<f32> =
        (0..lattice.len()).map(|cell| if is_source(cell) { 0.0 } else { f32::INFINITY }).collect();
    let longest = lattice.size.into_iter().max().unwrap_or(0);
    let mut line = Line::new(longest);
    let strides = lattice.strides();
    for axis in 0..3 {
        let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
        for i in 0..lattice.size[a] {
            for j in 0..lattice.size[b] {
                let start = i * strides[a] + j * strides[b];
                line.transform(&mut values, start, strides[axis], lattice.size[axis]);
            }
        }
    }
    values
}

/// Scratch space for one line of cells.
struct Line {
    input: Vec<f32>,
    /// Positions of the parabolas of the lower envelope.
    vertices: Vec<usize>,
    /// Where each parabola begins to be the lowest.
    starts: Vec<f32>,
}

impl Line {
    fn new(longest: usize) -> Self {
        Self { input: vec![0.0; longest], vertices: vec![0; longest], starts: vec![0.0; longest + 1] }
    }

    fn transform(&mut self, values: &mut [f32], start: usize, stride: usize, count: usize) {
        for (i, input) in self.input[..count].iter_mut().enumerate() {
            *input = values[start + i * stride];
        }
        let Some(first) = self.input[..count].iter().position(|value| value.is_finite()) else { return };
        let mut last = 0;
        self.vertices[0] = first;
        self.starts[0] = f32::NEG_INFINITY;
        for q in first + 1..count {
            if !self.input[q].is_finite() {
                continue;
            }
            let mut crossing = self.crossing(self.vertices[last], q);
            while crossing <= self.starts[last] {
                last -= 1;
                crossing = self.crossing(self.vertices[last], q);
            }
            last += 1;
            self.vertices[last] = q;
            self.starts[last] = crossing;
        }
        self.starts[last + 1] = f32::INFINITY;
        let mut parabola = 0;
        for i in 0..count {
            while self.starts[parabola + 1] < i as f32 {
                parabola += 1;
            }
            let vertex = self.vertices[parabola];
            let offset = i as f32 - vertex as f32;
            values[start + i * stride] = offset * offset + self.input[vertex];
        }
    }

    /// Where the parabola at `q` becomes lower than the one at `p`, which is before it.
    fn crossing(&self, p: usize, q: usize) -> f32 {
        let (a, b) = (p as f32, q as f32);
        ((self.input[q] + b * b) - (self.input[p] + a * a)) / (2.0 * (b - a))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn distances_equal_those_of_a_search_over_all_sources() {
        let lattice = Lattice { origin: Vec3::ZERO, cell: 1.0, size: [9, 7, 5] };
        let sources = [3, 40, 41, 200, 314];
        let found = squared_distances(&lattice, |cell| sources.contains(&cell));
        for (cell, &found) in found.iter().enumerate() {
            let at = lattice.centre(lattice.coordinates(cell));
            let distance = |&source: &usize| at.distance_squared(lattice.centre(lattice.coordinates(source)));
            let nearest = sources.iter().map(distance).fold(f32::INFINITY, f32::min);
            assert!((found - nearest).abs() < 1e-3, "cell {cell}: {found}, not {nearest}");
        }
    }

    #[test]
    fn without_sources_distances_are_infinite() {
        let lattice = Lattice { origin: Vec3::ZERO, cell: 1.0, size: [3, 2, 1] };
        assert!(squared_distances(&lattice, |_| false).iter().all(|d| *d == f32::INFINITY));
    }
}
