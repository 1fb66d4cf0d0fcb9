//! Extracts a first mesh of the surface of a field, by marching cubes along the surface.
//!
//! Input: a [`ShapeField`], a point inside, a grid step. Output: one closed manifold with poor
//! triangles, oriented outwards, which `remesh` improves. Starting from one crossed cube,
//! neighbours across crossed faces are visited. So only cubes at the surface are evaluated, and the
//! result is connected. Corner values are stored in small blocks that exist only near the surface.
//! Source: see `cubes`. Cost: about three samples and 100 bytes per vertex, plus four bytes for
//! every block of the bounding box.

use glam::Vec3;

use super::cubes::{self, CORNERS, FACES, Polygon};
use super::field::ShapeField;
use crate::math::sort_by_keys;
use crate::operators::morton_order;

/// Corners along the side of a block. A power of two, so that coordinates are split by shifts.
/// Larger blocks contain more corners that are far from the surface.
const SIDE: usize = 4;
const SLOTS: usize = SIDE * SIDE * SIDE;

const MISSING: u32 = u32::MAX;

/// Smallest distance of a vertex from the ends of its grid edge, relative to the edge. If smaller,
/// the remesher has to remove needle triangles. If larger, the surface is dented until it is
/// projected.
const MIN_END_DISTANCE: f32 = 0.12;

/// Positions and triangles, not yet checked.
#[derive(Clone, Debug, Default)]
pub struct Soup {
    /// One per vertex.
    pub positions: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    /// Reorders vertices and triangles so that neighbours are close in memory, as exporters do. A
    /// frame with 80,000 vertices takes a tenth less time.
    pub fn in_nearby_order(self) -> Self {
        let order = morton_order(&self.positions);
        let mut new_index = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&vertex, new)| new_index[vertex as usize] = new);
        let positions = order.iter().map(|&vertex| self.positions[vertex as usize]).collect();
        let renumbered = |corners: [u32; 3]| corners.map(|vertex| new_index[vertex as usize]);
        let mut triangles: Vec<[u32; 3]> = self.triangles.into_iter().map(renumbered).collect();
        sort_by_keys(&mut triangles, |&[a, b, c]| a.min(b).min(c).into());
        Self { positions, triangles }
    }
}

/// Values and vertices of a block of grid corners.
#[derive(Clone)]
struct Block {
    values: [f32; SLOTS],
    /// The vertex on the grid edge that leaves each corner along each axis.
    vertices: [[u32; 3]; SLOTS],
    evaluated: u64,
    visited: u64,
}

type GridCoord = [usize; 3];

struct Grid<'a> {
    field: &'a mut ShapeField,
    origin: Vec3,
    step: f32,
    blocks_along: GridCoord,
    block_at: Vec<u32>,
    blocks: Vec<Block>,
    soup: Soup,
}

/// Extracts the component of the surface around `inside`.
pub fn extract(field: &mut ShapeField, inside: Vec3, step: f32) -> Soup {
    let table = cubes::table();
    let mut grid = Grid::new(field, step);
    let mut stack = vec![grid.first_cube(inside)];
    grid.visit(stack[0]);
    while let Some(cube) = stack.pop() {
        let values: [f32; CORNERS] = std::array::from_fn(|c| grid.value(corner_of(cube, c)));
        let pattern = (0..CORNERS).filter(|&c| values[c] < 0.0).fold(0, |bits, c| bits | 1 << c);
        for polygon in &table[pattern] {
            grid.add_polygon(cube, &values, polygon);
        }
        for (face, corners) in FACES.iter().enumerate() {
            let inside = corners.iter().filter(|&&c| pattern >> c & 1 == 1).count();
            if inside == 0 || inside == corners.len() {
                continue;
            }
            let mut neighbour = cube;
            neighbour[face / 2] = if face % 2 == 1 { cube[face / 2] + 1 } else { cube[face / 2] - 1 };
            if grid.visit(neighbour) {
                stack.push(neighbour);
            }
        }
    }
    grid.soup
}

fn corner_of(cube: GridCoord, corner: usize) -> GridCoord {
    [cube[0] + (corner & 1), cube[1] + (corner >> 1 & 1), cube[2] + (corner >> 2)]
}

impl<'a> Grid<'a> {
    fn new(field: &'a mut ShapeField, step: f32) -> Self {
        let (low, high) = field.bounds();
        // Two corners of margin, so that every cube at the surface has all neighbours.
        let origin = low - 2.0 * step;
        let corners = (high - low) / step + 5.0;
        let blocks_along = corners.to_array().map(|corners| corners as usize / SIDE + 1);
        let block_at = vec![MISSING; blocks_along.iter().product()];
        Self { field, origin, step, blocks_along, block_at, blocks: Vec::new(), soup: Soup::default() }
    }

    fn position(&self, coord: GridCoord) -> Vec3 {
        self.origin + Vec3::from_array(coord.map(|i| i as f32)) * self.step
    }

    /// The block and the slot of a grid corner. The block is created if it does not exist.
    fn slot(&mut self, coord: GridCoord) -> (usize, usize) {
        let [x, y, z] = coord.map(|i| i / SIDE);
        let at = (z * self.blocks_along[1] + y) * self.blocks_along[0] + x;
        if self.block_at[at] == MISSING {
            self.block_at[at] = self.blocks.len() as u32;
            self.blocks.push(Block {
                values: [0.0; SLOTS],
                vertices: [[MISSING; 3]; SLOTS],
                evaluated: 0,
                visited: 0,
            });
        }
        let [x, y, z] = coord.map(|i| i % SIDE);
        (self.block_at[at] as usize, (z * SIDE + y) * SIDE + x)
    }

    fn value(&mut self, coord: GridCoord) -> f32 {
        let (block, slot) = self.slot(coord);
        if self.blocks[block].evaluated >> slot & 1 == 0 {
            let value = self.field.sample(self.position(coord)).distance;
            self.blocks[block].values[slot] = value;
            self.blocks[block].evaluated |= 1 << slot;
        }
        self.blocks[block].values[slot]
    }

    /// Marks a cube as visited. Returns whether it was not visited before.
    fn visit(&mut self, cube: GridCoord) -> bool {
        let (block, slot) = self.slot(cube);
        let is_new = self.blocks[block].visited >> slot & 1 == 0;
        self.blocks[block].visited |= 1 << slot;
        is_new
    }

    /// The first crossed cube from `inside` along +X.
    fn first_cube(&mut self, inside: Vec3) -> GridCoord {
        let start = ((inside - self.origin) / self.step).to_array().map(|i| i as usize);
        let last = self.blocks_along[0] * SIDE - 2;
        let is_inside = |grid: &mut Self, x: usize| grid.value([x, start[1], start[2]]) < 0.0;
        let crossed = (start[0]..last).find(|&x| is_inside(self, x) && !is_inside(self, x + 1));
        [crossed.unwrap_or(start[0]), start[1], start[2]]
    }

    fn add_polygon(&mut self, cube: GridCoord, values: &[f32; CORNERS], polygon: &Polygon) {
        let mut corners = [0; cubes::EDGES];
        let count = polygon.edges.len();
        for (corner, &edge) in corners.iter_mut().zip(&polygon.edges) {
            *corner = self.vertex(cube, values, edge as usize);
        }
        let corners = &corners[..count];
        if polygon.needs_centre {
            let sum: Vec3 = corners.iter().map(|&v| self.soup.positions[v as usize]).sum();
            let centre = self.soup.positions.len() as u32;
            self.soup.positions.push(sum / count as f32);
            let fan = (0..count).map(|i| [corners[i], corners[(i + 1) % count], centre]);
            self.soup.triangles.extend(fan);
        } else {
            self.soup.triangles.extend((1..count - 1).map(|i| [corners[0], corners[i], corners[i + 1]]));
        }
    }

    /// The vertex on an edge of a cube, shared by the four cubes around the edge.
    fn vertex(&mut self, cube: GridCoord, values: &[f32; CORNERS], edge: usize) -> u32 {
        let axis = edge / 4;
        let low = cubes::lower_corner(edge);
        let coord = corner_of(cube, low);
        let (block, slot) = self.slot(coord);
        if self.blocks[block].vertices[slot][axis] == MISSING {
            let (from, to) = (values[low], values[low | 1 << axis]);
            let t = (from / (from - to)).clamp(MIN_END_DISTANCE, 1.0 - MIN_END_DISTANCE);
            let mut position = self.position(coord);
            position[axis] += t * self.step;
            self.blocks[block].vertices[slot][axis] = self.soup.positions.len() as u32;
            self.soup.positions.push(position);
        }
        self.blocks[block].vertices[slot][axis]
    }
}
