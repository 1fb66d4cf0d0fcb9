//! The cells inside a body as one connected set, and distances along paths inside it.
//!
//! Input: a body. Parts that do not touch are joined by the shortest bridges of cells, so that
//! every cell has a distance. Cost: linear in the number of cells.

use std::collections::VecDeque;

use glam::Vec3;

use crate::body::Body;
use crate::lattice::Lattice;

/// A distance that no path has.
pub const UNREACHED: u32 = u32::MAX;

/// Distances along paths count in parts of a cell: so many are one cell. Steps along edges, over
/// diagonals of faces and of cells are 10, 14 and 17.
pub const STEPS_PER_CELL: u32 = 10;

/// Components with less than this share of the cells are left out. If larger, small hooves that
/// float are lost; if smaller, dust draws bridges.
const LEAST_SHARE: f32 = 2e-3;

/// The cells inside a body, connected.
#[derive(Clone, Debug)]
pub struct Interior {
    /// All cells, inside or not.
    pub lattice: Lattice,
    /// The cells inside, in the order of the lattice.
    pub cells: Vec<u32>,
    /// Whether each cell of the lattice is inside.
    pub is_inside: Vec<bool>,
}

/// The 26 neighbours of a cell: offset in the numbering, and length of the step.
fn neighbours(lattice: &Lattice) -> Vec<(isize, u32)> {
    let [sx, sy, sz] = lattice.strides().map(|stride| stride as isize);
    let mut out = Vec::with_capacity(26);
    for (dx, dy, dz) in cube() {
        let length = match dx * dx + dy * dy + dz * dz {
            0 => continue,
            1 => STEPS_PER_CELL,
            2 => 14,
            _ => 17,
        };
        out.push((dx * sx + dy * sy + dz * sz, length));
    }
    out
}

fn cube() -> impl Iterator<Item = (isize, isize, isize)> {
    (-1..=1).flat_map(|dz| (-1..=1).flat_map(move |dy| (-1..=1).map(move |dx| (dx, dy, dz))))
}

impl Interior {
    /// The cells inside a body. Empty if no cell is inside.
    pub fn of_body(body: &Body) -> Self {
        let lattice = body.lattice;
        let is_border = |at: [usize; 3]| (0..3).any(|i| at[i] == 0 || at[i] + 1 == lattice.size[i]);
        let mut is_inside: Vec<bool> = (0..lattice.len())
            .map(|cell| body.is_inside(cell) && !is_border(lattice.coordinates(cell)))
            .collect();
        join(&lattice, &mut is_inside);
        let cells = (0..lattice.len() as u32).filter(|&cell| is_inside[cell as usize]).collect();
        Self { lattice, cells, is_inside }
    }

    /// Where the middle of a cell is.
    pub fn centre(&self, cell: usize) -> Vec3 {
        self.lattice.centre(self.lattice.coordinates(cell))
    }

    /// The mean of the middles of all cells.
    pub fn centroid(&self) -> Vec3 {
        let sum: Vec3 = self.cells.iter().map(|&cell| self.centre(cell as usize)).sum();
        sum / self.cells.len().max(1) as f32
    }

    /// The cell inside that is nearest to a point.
    pub fn nearest(&self, point: Vec3) -> Option<usize> {
        let distance = |cell: usize| self.centre(cell).distance_squared(point);
        let cells = self.cells.iter().map(|&cell| cell as usize);
        cells.min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }

    /// Distances of all cells of the lattice from the nearest source, along paths inside, in parts
    /// of a cell (see [`STEPS_PER_CELL`]).
    pub fn distances(&self, sources: &[usize]) -> Vec<u32> {
        const BUCKETS: usize = 18;
        let mut distances = vec![UNREACHED; self.lattice.len()];
        let mut buckets: [Vec<u32>; BUCKETS] = Default::default();
        for &source in sources.iter().filter(|&&source| self.is_inside[source]) {
            distances[source] = 0;
            buckets[0].push(source as u32);
        }
        let neighbours = neighbours(&self.lattice);
        let mut pending: usize = buckets[0].len();
        let mut now = 0u32;
        while pending > 0 {
            let mut cells = std::mem::take(&mut buckets[now as usize % BUCKETS]);
            pending -= cells.len();
            for cell in cells.drain(..) {
                if distances[cell as usize] != now {
                    continue;
                }
                for &(offset, length) in &neighbours {
                    let next = cell.wrapping_add_signed(offset as i32) as usize;
                    let distance = now + length;
                    if self.is_inside[next] && distance < distances[next] {
                        distances[next] = distance;
                        buckets[distance as usize % BUCKETS].push(next as u32);
                        pending += 1;
                    }
                }
            }
            // The emptied list keeps its memory.
            buckets[now as usize % BUCKETS].append(&mut cells);
            now += 1;
        }
        distances
    }
}

/// Joins the components of a set of cells by shortest bridges. Dust is removed.
fn join(lattice: &Lattice, is_inside: &mut [bool]) {
    let neighbours = neighbours(lattice);
    let mut component = vec![u32::MAX; lattice.len()];
    let mut sizes: Vec<usize> = Vec::new();
    let mut pending: Vec<u32> = Vec::new();
    for start in 0..lattice.len() {
        if !is_inside[start] || component[start] != u32::MAX {
            continue;
        }
        let id = sizes.len() as u32;
        sizes.push(0);
        component[start] = id;
        pending.push(start as u32);
        while let Some(cell) = pending.pop() {
            sizes[id as usize] += 1;
            for &(offset, _) in &neighbours {
                let next = cell.wrapping_add_signed(offset as i32);
                if is_inside[next as usize] && component[next as usize] == u32::MAX {
                    component[next as usize] = id;
                    pending.push(next);
                }
            }
        }
    }
    if sizes.len() < 2 {
        return;
    }
    let total: usize = sizes.iter().sum();
    let is_dust = |id: u32| (sizes[id as usize] as f32) < LEAST_SHARE * total as f32;
    let Some(largest) = (0..sizes.len() as u32).max_by_key(|&id| sizes[id as usize]) else { return };
    for cell in 0..lattice.len() {
        if component[cell] != u32::MAX && component[cell] != largest && is_dust(component[cell]) {
            (is_inside[cell], component[cell]) = (false, u32::MAX);
        }
    }
    if (0..sizes.len() as u32).all(|id| id == largest || is_dust(id)) {
        return;
    }
    bridge(lattice, is_inside, &component, largest);
}

/// Draws bridges from the component `largest` to all others. Steps inside cost nothing, steps
/// outside one: a search with a queue of two ends.
fn bridge(lattice: &Lattice, is_inside: &mut [bool], component: &[u32], largest: u32) {
    let strides = lattice.strides();
    let mut cost = vec![u32::MAX; lattice.len()];
    let mut from = vec![u32::MAX; lattice.len()];
    let mut queue: VecDeque<u32> = VecDeque::new();
    for cell in 0..lattice.len() {
        if component[cell] == largest {
            cost[cell] = 0;
            queue.push_back(cell as u32);
        }
    }
    let mut joined = std::collections::BTreeSet::from([largest]);
    while let Some(cell) = queue.pop_front() {
        let at = lattice.coordinates(cell as usize);
        for axis in 0..3 {
            let before = (at[axis] > 1).then(|| cell as usize - strides[axis]);
            let after = (at[axis] + 2 < lattice.size[axis]).then(|| cell as usize + strides[axis]);
            for next in [before, after].into_iter().flatten() {
                let step = u32::from(component[next] == u32::MAX);
                if cost[cell as usize] + step >= cost[next] {
                    continue;
                }
                cost[next] = cost[cell as usize] + step;
                from[next] = cell;
                if step == 0 {
                    queue.push_front(next as u32);
                } else {
                    queue.push_back(next as u32);
                }
                if step == 0 && joined.insert(component[next]) {
                    let mut back = cell;
                    while back != u32::MAX && component[back as usize] == u32::MAX {
                        is_inside[back as usize] = true;
                        back = from[back as usize];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(size: [usize; 3], inside: impl Fn([usize; 3]) -> bool) -> Body {
        let lattice = Lattice { origin: Vec3::ZERO, cell: 1.0, size };
        let cells: Vec<bool> = (0..lattice.len()).map(|cell| inside(lattice.coordinates(cell))).collect();
        Body::of_cells(lattice, &cells)
    }

    #[test]
    fn distances_along_a_bent_corridor_are_those_of_the_path() {
        // An L: ten cells along x, then ten along y.
        let body = body([14, 14, 5], |[x, y, z]| {
            z == 2 && ((y == 2 && (2..12).contains(&x)) || (x == 11 && (2..12).contains(&y)))
        });
        let interior = Interior::of_body(&body);
        let start = interior.lattice.index([2, 2, 2]);
        let end = interior.lattice.index([11, 11, 2]);
        // The corner is cut by one diagonal.
        assert_eq!(interior.distances(&[start])[end], 16 * STEPS_PER_CELL + 14);
    }

    #[test]
    fn parts_that_do_not_touch_are_joined() {
        let body = body([30, 7, 7], |[x, y, z]| {
            (2..5).contains(&y) && (2..5).contains(&z) && ((2..10).contains(&x) || (16..28).contains(&x))
        });
        let interior = Interior::of_body(&body);
        let distances = interior.distances(&[interior.lattice.index([3, 3, 3])]);
        assert!(interior.cells.iter().all(|&cell| distances[cell as usize] != UNREACHED));
        assert_eq!(interior.cells.len(), 9 * (8 + 12) + 6);
    }
}
