//! The surface of a hand: its vertices and edges, with the distances of the cells beside them.
//!
//! Fingers that touch each other are one body in the lattice, but separate on the surface.

use std::collections::HashMap;

use glam::Vec3;

use super::branches::{Branch, Shape};
use super::cells::HandCells;

/// Distance between samples of a triangle, in cells.
const SAMPLE_STEP: f32 = 0.7;

/// Samples along an edge, at most.
const MAX_SAMPLES: f32 = 256.0;

/// The surface of a hand.
#[derive(Clone, Debug)]
pub struct HandSurface {
    /// Vertices at equal positions are one.
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    neighbours: Vec<Vec<u32>>,
    /// NaN where no cell is near.
    levels: Vec<f32>,
    areas: Vec<f32>,
    /// Whether the surface leaves the box of the cells here.
    is_open: Vec<bool>,
}

impl HandSurface {
    /// The surface of a mesh, with the levels of cells.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]], cells: &HandCells) -> Self {
        let mut welded: HashMap<[u32; 3], u32> = HashMap::new();
        let mut surface = Self {
            positions: Vec::new(),
            triangles: Vec::new(),
            neighbours: Vec::new(),
            levels: Vec::new(),
            areas: Vec::new(),
            is_open: Vec::new(),
        };
        for triangle in triangles {
            let corners = triangle.map(|vertex| positions[vertex as usize]);
            let [a, b, c] = corners.map(|p| {
                let key = [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
                *welded.entry(key).or_insert_with(|| {
                    surface.positions.push(p);
                    surface.neighbours.push(Vec::new());
                    surface.levels.push(cells.level_at(p).unwrap_or(f32::NAN));
                    surface.areas.push(0.0);
                    surface.is_open.push(false);
                    surface.positions.len() as u32 - 1
                })
            });
            let is_open = corners.iter().any(|&p| !cells.is_in_box(p));
            let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length() / 6.0;
            for (vertex, others) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                surface.areas[vertex as usize] += area;
                surface.is_open[vertex as usize] |= is_open;
                surface.neighbours[vertex as usize].extend(others);
            }
            surface.triangles.push([a, b, c]);
        }
        surface
    }

    /// Gives branches of the surface the cells that are nearest to them.
    pub fn fill(&self, cells: &HandCells, branches: &mut [Branch]) {
        // What is not a branch is of one more kind.
        let rest = branches.len() as u8;
        let mut kind_of = vec![rest; self.positions.len()];
        for (kind, branch) in branches.iter().enumerate() {
            branch.nodes.iter().for_each(|&vertex| kind_of[vertex as usize] = kind as u8);
        }
        let mut seeds = Vec::new();
        for triangle in &self.triangles {
            // Vertices of two branches are not neighbours.
            let kind = triangle.map(|vertex| kind_of[vertex as usize]).into_iter().fold(rest, u8::min);
            let base = branches.get(usize::from(kind)).map_or(0.0, |branch| branch.base);
            let [l, m, n] = triangle.map(|vertex| self.levels[vertex as usize]);
            let [p, q, r] = triangle.map(|vertex| self.positions[vertex as usize]);
            let longest = p.distance(q).max(q.distance(r)).max(r.distance(p));
            let steps =
                (longest / (SAMPLE_STEP * cells.lattice.cell)).ceil().clamp(1.0, MAX_SAMPLES) as usize;
            for i in 0..=steps {
                for j in 0..=steps - i {
                    let (u, v) = (i as f32 / steps as f32, j as f32 / steps as f32);
                    let point = p + (q - p) * u + (r - p) * v;
                    let level = l + (m - l) * u + (n - l) * v;
                    let kind = if level < base { rest } else { kind };
                    seeds.push((cells.lattice.index(cells.lattice.cell_at(point)) as u32, kind));
                }
            }
        }
        for (branch, nearest) in branches.iter_mut().zip(cells.nearest(&seeds, rest.into())) {
            branch.nodes = nearest;
            branch.nodes.retain(|&cell| cells.level(cell) >= branch.base);
        }
    }
}

impl Shape for HandSurface {
    fn len(&self) -> usize {
        self.positions.len()
    }

    fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> =
            (0..self.len() as u32).filter(|&v| !self.levels[v as usize].is_nan()).collect();
        order.sort_by(|&a, &b| self.level(b).total_cmp(&self.level(a)).then(a.cmp(&b)));
        order
    }

    fn level(&self, vertex: u32) -> f32 {
        self.levels[vertex as usize]
    }

    fn measure(&self, vertex: u32) -> f32 {
        self.areas[vertex as usize]
    }

    fn is_open(&self, vertex: u32) -> bool {
        self.is_open[vertex as usize]
    }

    fn neighbours(&self, vertex: u32, mut visit: impl FnMut(u32)) {
        for &other in &self.neighbours[vertex as usize] {
            if !self.levels[other as usize].is_nan() {
                visit(other);
            }
        }
    }

    /// The diameter of a cylinder with this area around it.
    fn thickness(&self, area: f32, length: f32) -> f32 {
        area / (std::f32::consts::PI * length.max(f32::MIN_POSITIVE))
    }
}
