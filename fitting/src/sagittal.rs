//! The slice of a body in its plane of symmetry: spine, neck, head and tail, without legs, ears and
//! horns.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec3;

use crate::body::Body;
use crate::interior::Interior;

/// Half the thickness of the slice, in units of the body. If larger, legs that stand close come in;
/// if smaller, tails that hang a little to one side are lost.
const HALF_BAND: f32 = 0.02;

/// What a step of one cell costs more where the body is thinner: the depth is at least this many
/// cells.
const LEAST_DEPTH: f32 = 0.35;

/// How far from a place along z columns count for the deepest place there.
const DEEP_BAND: f32 = 0.03;

/// Powers of the depth that cells count with: for the middle of a column, and for the deepest part
/// of the whole slice. If larger, single cells decide; if smaller, what lies above or below does.
const DEEP_POWER: i32 = 4;
const TRUNK_POWER: i32 = 8;

/// Rounds of smoothing of paths, whose steps follow the cells.
const PATH_ROUNDS: usize = 10;

/// A slice of a body. Cells are numbered with y fastest.
#[derive(Clone, Debug)]
pub struct Sagittal {
    /// Where the plane is.
    pub plane: f32,
    rows: usize,
    columns: usize,
    /// Middle of the first cell, in y and z.
    first: [f32; 2],
    cell: f32,
    /// Distance of each cell from the surface; not positive outside.
    depth: Vec<f32>,
}

impl Sagittal {
    /// The slice at `x = plane`.
    pub fn new(body: &Body, interior: &Interior, plane: f32) -> Self {
        let lattice = interior.lattice;
        let [width, rows, columns] = lattice.size;
        let first = lattice.centre([0, 0, 0]);
        let half = HALF_BAND.max(1.1 * lattice.cell);
        let is_near = |x: usize| (lattice.centre([x, 0, 0]).x - plane).abs() <= half;
        let near: Vec<usize> = (0..width).filter(|&x| is_near(x)).collect();
        let mut depth = vec![0.0f32; rows * columns];
        for z in 0..columns {
            for y in 0..rows {
                for &x in &near {
                    let cell = lattice.index([x, y, z]);
                    if interior.is_inside[cell] {
                        let at = &mut depth[y + rows * z];
                        *at = at.max((-body.cell_distance(cell)).max(0.25 * lattice.cell));
                    }
                }
            }
        }
        Self { plane, rows, columns, first: [first.y, first.z], cell: lattice.cell, depth }
    }

    /// The middle of a cell.
    pub fn centre(&self, cell: usize) -> Vec3 {
        let (y, z) = (cell % self.rows, cell / self.rows);
        Vec3::new(self.plane, self.first[0] + y as f32 * self.cell, self.first[1] + z as f32 * self.cell)
    }

    /// The cell that contains a point, or the nearest one.
    pub fn cell_at(&self, point: Vec3) -> usize {
        let nearest = |x: f32, first: f32, count: usize| {
            (((x - first) / self.cell).round().max(0.0) as usize).min(count - 1)
        };
        nearest(point.y, self.first[0], self.rows) + self.rows * nearest(point.z, self.first[1], self.columns)
    }

    /// The edge length of a cell.
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// All cells inside.
    pub fn cells(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.depth.len()).filter(|&cell| self.depth[cell] > 0.0)
    }

    /// Distance of a cell from the surface.
    pub fn depth(&self, cell: usize) -> f32 {
        self.depth[cell]
    }

    /// The middle of the deep part of the slice at a z, and its depth. Columns around it count too,
    /// so that it does not jump by a cell. `None` where the slice is empty.
    pub fn deepest(&self, z: f32) -> Option<(Vec3, f32)> {
        let reach = DEEP_BAND.max(self.cell);
        let (mut sum, mut total, mut depths, mut columns) = (0.0, 0.0, 0.0, 0.0);
        for column in 0..self.columns {
            let near = 1.0 - (self.first[1] + column as f32 * self.cell - z).abs() / reach;
            let most = self.column(column).map(|cell| self.depth[cell]).fold(0.0, f32::max);
            if near <= 0.0 || most <= 0.0 {
                continue;
            }
            for cell in self.column(column) {
                let weight = near * self.depth[cell].max(0.0).powi(DEEP_POWER);
                sum += weight * self.centre(cell).y;
                total += weight;
            }
            depths += near * most;
            columns += near;
        }
        (total > 0.0).then(|| (Vec3::new(self.plane, sum / total, z), depths / columns))
    }

    /// The middle of the deepest part of the slice, and its depth. `None` if the slice is empty.
    pub fn trunk(&self) -> Option<(Vec3, f32)> {
        let most = self.cells().map(|cell| self.depth[cell]).fold(0.0, f32::max);
        let weight = |cell: usize| (self.depth[cell] / most).powi(TRUNK_POWER);
        let (sum, total) = self.cells().fold((0.0, 0.0), |(sum, total), cell| {
            (sum + weight(cell) * self.centre(cell).z, total + weight(cell))
        });
        self.deepest(sum / total)
    }

    fn column(&self, column: usize) -> std::ops::Range<usize> {
        column * self.rows..(column + 1) * self.rows
    }

    /// The lowest and the highest place inside at a z.
    pub fn extent(&self, z: f32) -> Option<[f32; 2]> {
        let column = self.cell_at(Vec3::new(0.0, 0.0, z)) / self.rows;
        let mut inside = self.column(column).filter(|&cell| self.depth[cell] > 0.0);
        let low = inside.next()?;
        let high = inside.next_back().unwrap_or(low);
        Some([self.centre(low).y - 0.5 * self.cell, self.centre(high).y + 0.5 * self.cell])
    }

    fn neighbours(&self, cell: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let (y, z) = ((cell % self.rows) as isize, (cell / self.rows) as isize);
        (0..9).filter_map(move |i: isize| {
            let (dy, dz) = (i % 3 - 1, i / 3 - 1);
            let (v, w) = (y + dy, z + dz);
            let is_valid = (dy, dz) != (0, 0)
                && (0..self.rows as isize).contains(&v)
                && (0..self.columns as isize).contains(&w);
            let length = if dy != 0 && dz != 0 { std::f32::consts::SQRT_2 } else { 1.0 };
            is_valid.then(|| (v as usize + self.rows * w as usize, length * self.cell))
        })
    }

    /// Costs of the cheapest paths from a place, and the cell each comes from.
    fn search(&self, from: Vec3, cost: impl Fn(usize) -> f32) -> (Vec<f32>, Vec<usize>) {
        let start = self.cell_at(from);
        let mut costs = vec![f32::INFINITY; self.depth.len()];
        let mut previous = vec![usize::MAX; self.depth.len()];
        costs[start] = 0.0;
        // Costs are not negative, so their bits have their order.
        let mut queue = BinaryHeap::from([(Reverse(0u32), start)]);
        while let Some((Reverse(bits), cell)) = queue.pop() {
            if f32::from_bits(bits) > costs[cell] {
                continue;
            }
            for (next, length) in self.neighbours(cell) {
                let total = costs[cell] + length * 0.5 * (cost(cell) + cost(next));
                if total < costs[next] {
                    costs[next] = total;
                    previous[next] = cell;
                    queue.push((Reverse(total.to_bits()), next));
                }
            }
        }
        (costs, previous)
    }

    /// Lengths of the shortest paths inside from a place. Infinite where none leads.
    pub fn distances(&self, from: Vec3) -> Vec<f32> {
        self.search(from, |cell| if self.depth[cell] > 0.0 { 1.0 } else { f32::INFINITY }).0
    }

    /// The path between two places that keeps to the middle of the body, smoothed.
    pub fn path(&self, from: Vec3, to: Vec3) -> Vec<Vec3> {
        let least = LEAST_DEPTH * self.cell;
        let cost = |cell: usize| {
            let depth = self.depth[cell].max(0.0) / least + f32::from(u8::from(self.depth[cell] > 0.0));
            (1.0 / depth.max(0.1)).powi(2)
        };
        let (_, previous) = self.search(from, cost);
        let next = |&cell: &usize| (previous[cell] != usize::MAX).then(|| previous[cell]);
        let cells: Vec<usize> = std::iter::successors(Some(self.cell_at(to)), next).collect();
        let mut points: Vec<Vec3> = cells.iter().rev().map(|&cell| self.centre(cell)).collect();
        if let (Some(first), true) = (points.first_mut(), cells.len() > 1) {
            *first = Vec3::new(self.plane, from.y, from.z);
        }
        if let Some(last) = points.last_mut() {
            *last = Vec3::new(self.plane, to.y, to.z);
        }
        smooth(&mut points, PATH_ROUNDS);
        points
    }
}

/// Moves each point but the ends to the mean of its neighbours and itself, some times.
pub fn smooth(points: &mut [Vec3], rounds: usize) {
    for _ in 0..rounds {
        let old = points.to_vec();
        for i in 1..old.len().saturating_sub(1) {
            points[i] = (old[i - 1] + old[i] + old[i + 1]) / 3.0;
        }
    }
}
