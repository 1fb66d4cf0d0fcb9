//! The inside of a hand: a fine lattice, and distances inside it from a section of the forearm.
//!
//! Space: the wrist is the origin, X runs along the forearm to the fingers.

use glam::Vec3;

use super::branches::{Branch, Shape};
use crate::lattice::Lattice;
use crate::voxels;

/// Distances to neighbours that share a face, an edge or a corner, in steps (Borgefors 1986). With
/// these the distance is off by at most 6 %.
const STEPS: [u16; 3] = [10, 14, 17];

/// Steps per cell.
const STEPS_PER_CELL: f32 = 10.0;

/// A cell that is outside, or not reached.
const UNREACHED: u16 = u16::MAX;

/// Empty cells around the hand.
const MARGIN: usize = 1;

/// Cells inside a hand.
#[derive(Clone, Debug)]
pub struct HandCells {
    /// The cells.
    pub lattice: Lattice,
    /// The distance of each cell in steps.
    distances: Vec<u16>,
    /// The cells that are reached, from the nearest to the farthest.
    order: Vec<u32>,
    /// The level of the section where distances start.
    start: f32,
}

impl HandCells {
    /// The cells of a mesh in a box that begins with a section of the forearm. Distances start at
    /// the part of the section that is nearest to the X axis, at most `radius` away from it. `None`
    /// if there is none.
    pub fn new(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        [low, high]: [Vec3; 2],
        cell: f32,
        radius: f32,
    ) -> Option<Self> {
        let lattice = Lattice::around(low, high, cell, MARGIN);
        let (positions, triangles) = clip(positions, triangles, low, high);
        let inside = voxels::solid(&lattice, &positions, &triangles);
        let section = section(&lattice, &inside, radius)?;
        let (distances, order) = distances(&lattice, &inside, &section);
        Some(Self { lattice, distances, order, start: low.x })
    }

    /// The cells whose neighbours are all inside. Bodies that touch each other come apart.
    pub fn eroded(&self) -> Self {
        let mut out = self.clone();
        let is_inner = |&cell: &u32| {
            let mut is_inner = true;
            for_neighbours(&self.lattice, cell, |neighbour, _| is_inner &= self.is_reached(neighbour));
            is_inner
        };
        out.distances.fill(UNREACHED);
        out.order.retain(is_inner);
        out.order.iter().for_each(|&cell| out.distances[cell as usize] = self.distances[cell as usize]);
        out
    }

    /// Gives branches of the eroded cells all cells that are nearest to them.
    pub fn fill(&self, eroded: &Self, branches: &mut [Branch]) {
        let rest = branches.len() as u8;
        let kinds = (0..rest).chain([rest]);
        let nodes = branches.iter().map(|branch| branch.nodes.as_slice()).chain([eroded.order.as_slice()]);
        // The first seed of a cell counts.
        let seeds: Vec<(u32, u8)> =
            nodes.zip(kinds).flat_map(|(nodes, kind)| nodes.iter().map(move |&cell| (cell, kind))).collect();
        for (branch, nearest) in branches.iter_mut().zip(self.nearest(&seeds, rest.into())) {
            branch.nodes = nearest;
            branch.nodes.retain(|&cell| self.level(cell) >= branch.base);
            let volume = branch.nodes.len() as f32 * self.measure(0);
            branch.slenderness = branch.length() / self.thickness(volume, branch.length());
        }
    }

    /// The box around the cells that are reached.
    pub fn bounds(&self) -> [Vec3; 2] {
        let centres = || self.order.iter().map(|&cell| self.centre(cell));
        let low = centres().fold(Vec3::INFINITY, Vec3::min);
        let high = centres().fold(Vec3::NEG_INFINITY, Vec3::max);
        [low, high]
    }

    /// The level of the farthest cell.
    pub fn reach(&self) -> f32 {
        self.order.last().map_or(self.start, |&cell| self.level(cell))
    }

    /// The middle of a cell.
    pub fn centre(&self, cell: u32) -> Vec3 {
        self.lattice.centre(self.lattice.coordinates(cell as usize))
    }

    /// Whether a cell is inside and connected to the forearm.
    pub fn is_reached(&self, cell: u32) -> bool {
        self.distances[cell as usize] != UNREACHED
    }

    /// Whether a point is in the box of the lattice.
    pub fn is_in_box(&self, point: Vec3) -> bool {
        let at = (point - self.lattice.origin) / self.lattice.cell;
        (0..3).all(|axis| at[axis] >= 0.0 && at[axis] < self.lattice.size[axis] as f32)
    }

    /// The mean level of the cells around a point, if any is reached.
    pub fn level_at(&self, point: Vec3) -> Option<f32> {
        if !self.is_in_box(point) {
            return None;
        }
        let cell = self.lattice.index(self.lattice.cell_at(point)) as u32;
        let (mut sum, mut count) = (0.0, 0.0);
        let mut add = |cell: u32| {
            if self.is_reached(cell) {
                sum += self.level(cell);
                count += 1.0;
            }
        };
        add(cell);
        for_neighbours(&self.lattice, cell, |neighbour, _| add(neighbour));
        (count > 0.0).then(|| sum / count)
    }

    /// The cells that are nearest to each kind of seed, by kind. Seeds are cells with a kind.
    pub fn nearest(&self, seeds: &[(u32, u8)], kinds: usize) -> Vec<Vec<u32>> {
        let mut kind_of = vec![u8::MAX; self.lattice.len()];
        let mut queue: Vec<u32> = Vec::new();
        for &(cell, kind) in seeds {
            if self.is_reached(cell) && kind_of[cell as usize] == u8::MAX {
                kind_of[cell as usize] = kind;
                queue.push(cell);
            }
        }
        let mut next = 0;
        while let Some(&cell) = queue.get(next) {
            next += 1;
            for_neighbours(&self.lattice, cell, |neighbour, _| {
                if self.is_reached(neighbour) && kind_of[neighbour as usize] == u8::MAX {
                    kind_of[neighbour as usize] = kind_of[cell as usize];
                    queue.push(neighbour);
                }
            });
        }
        let mut out = vec![Vec::new(); kinds];
        for cell in queue {
            if let Some(cells) = out.get_mut(usize::from(kind_of[cell as usize])) {
                cells.push(cell);
            }
        }
        out
    }
}

impl Shape for HandCells {
    fn len(&self) -> usize {
        self.lattice.len()
    }

    fn order(&self) -> Vec<u32> {
        self.order.iter().rev().copied().collect()
    }

    fn level(&self, cell: u32) -> f32 {
        self.start + f32::from(self.distances[cell as usize]) * self.lattice.cell / STEPS_PER_CELL
    }

    fn measure(&self, _: u32) -> f32 {
        self.lattice.cell.powi(3)
    }

    fn is_open(&self, cell: u32) -> bool {
        let at = self.lattice.coordinates(cell as usize);
        (0..3).any(|axis| at[axis] <= MARGIN || at[axis] + MARGIN + 1 >= self.lattice.size[axis])
    }

    fn neighbours(&self, cell: u32, mut visit: impl FnMut(u32)) {
        for_neighbours(&self.lattice, cell, |neighbour, _| {
            if self.is_reached(neighbour) {
                visit(neighbour);
            }
        });
    }

    /// The diameter of a cylinder with this volume.
    fn thickness(&self, volume: f32, length: f32) -> f32 {
        2.0 * (volume / (std::f32::consts::PI * length.max(f32::MIN_POSITIVE))).sqrt()
    }
}

/// Visits the neighbours of a cell across faces, edges and corners, with the number of axes that
/// differ.
fn for_neighbours(lattice: &Lattice, cell: u32, mut visit: impl FnMut(u32, usize)) {
    let at = lattice.coordinates(cell as usize);
    let range = |axis: usize| at[axis].saturating_sub(1)..=(at[axis] + 1).min(lattice.size[axis] - 1);
    for z in range(2) {
        for y in range(1) {
            for x in range(0) {
                let differing = usize::from(x != at[0]) + usize::from(y != at[1]) + usize::from(z != at[2]);
                if differing > 0 {
                    visit(lattice.index([x, y, z]) as u32, differing);
                }
            }
        }
    }
}

/// The cells of the first layer that are connected with the one nearest to the X axis.
fn section(lattice: &Lattice, inside: &[bool], radius: f32) -> Option<Vec<u32>> {
    let layer = |y: usize, z: usize| lattice.index([MARGIN, y, z]);
    let off_axis = |y: usize, z: usize| lattice.centre([MARGIN, y, z]).with_x(0.0).length();
    let mut nearest: Option<(f32, [usize; 2])> = None;
    for z in 0..lattice.size[2] {
        for y in 0..lattice.size[1] {
            let distance = off_axis(y, z);
            let is_nearer = nearest.is_none_or(|(least, _)| distance < least);
            if inside[layer(y, z)] && distance <= radius && is_nearer {
                nearest = Some((distance, [y, z]));
            }
        }
    }
    let (_, first) = nearest?;
    let mut is_found = vec![false; lattice.size[1] * lattice.size[2]];
    let mut pending = vec![first];
    let mut out = Vec::new();
    while let Some([y, z]) = pending.pop() {
        let found = &mut is_found[y + lattice.size[1] * z];
        if *found || !inside[layer(y, z)] || off_axis(y, z) > radius {
            continue;
        }
        *found = true;
        out.push(layer(y, z) as u32);
        pending.extend([[y.wrapping_sub(1), z], [y + 1, z], [y, z.wrapping_sub(1)], [y, z + 1]]);
        pending.retain(|&[y, z]| y < lattice.size[1] && z < lattice.size[2]);
    }
    Some(out)
}

/// Distances inside from some cells, in steps, and the cells that are reached in their order.
fn distances(lattice: &Lattice, inside: &[bool], sources: &[u32]) -> (Vec<u16>, Vec<u32>) {
    // Dial's queue: one list per distance, as many as the longest step needs.
    const LISTS: usize = STEPS[2] as usize + 1;
    let mut distances = vec![UNREACHED; lattice.len()];
    let mut lists: [Vec<u32>; LISTS] = std::array::from_fn(|_| Vec::new());
    for &source in sources {
        distances[source as usize] = 0;
        lists[0].push(source);
    }
    let mut order = Vec::new();
    let (mut distance, mut empty) = (0u16, 0);
    while empty < LISTS && distance < UNREACHED - STEPS[2] {
        let list = std::mem::take(&mut lists[usize::from(distance) % LISTS]);
        empty = if list.is_empty() { empty + 1 } else { 0 };
        for cell in list {
            if distances[cell as usize] != distance {
                continue;
            }
            order.push(cell);
            for_neighbours(lattice, cell, |neighbour, differing| {
                let next = distance + STEPS[differing - 1];
                if inside[neighbour as usize] && next < distances[neighbour as usize] {
                    distances[neighbour as usize] = next;
                    lists[usize::from(next) % LISTS].push(neighbour);
                }
            });
        }
        distance += 1;
    }
    (distances, order)
}

/// The part of a mesh in a box, as triangles.
fn clip(positions: &[Vec3], triangles: &[[u32; 3]], low: Vec3, high: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut out = positions.to_vec();
    let mut kept = Vec::new();
    let is_in = |p: Vec3| p.cmpge(low).all() && p.cmple(high).all();
    for triangle in triangles {
        let corners = triangle.map(|v| positions[v as usize]);
        if corners.iter().all(|&p| is_in(p)) {
            kept.push(*triangle);
            continue;
        }
        let mut polygon = corners.to_vec();
        for axis in 0..3 {
            cut(&mut polygon, |p| p[axis] - low[axis]);
            cut(&mut polygon, |p| high[axis] - p[axis]);
        }
        if polygon.len() < 3 {
            continue;
        }
        // Corners that are in the box stay the same bits, so that neighbours stay connected.
        let first = out.len() as u32;
        out.extend(&polygon);
        kept.extend((1..polygon.len() as u32 - 1).map(|i| [first, first + i, first + i + 1]));
    }
    (out, kept)
}

/// Cuts away the part of a convex polygon where `side` is negative.
fn cut(polygon: &mut Vec<Vec3>, side: impl Fn(Vec3) -> f32) {
    let corners = std::mem::take(polygon);
    for (i, &p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % corners.len()];
        let (a, b) = (side(p), side(q));
        if a >= 0.0 {
            polygon.push(p);
        }
        // From the end that stays, so that both triangles of an edge are cut at the same bits.
        if a >= 0.0 && b < 0.0 {
            polygon.push(p + (q - p) * (a / (a - b)));
        } else if a < 0.0 && b >= 0.0 {
            polygon.push(q + (p - q) * (b / (b - a)));
        }
    }
}
