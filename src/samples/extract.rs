//! A first mesh of a field's surface, by following it through a grid.
//!
//! In: a [`Field`], a point inside, a grid step. Out: one closed manifold with crude triangles, outward,
//! to be evened out by `remesh`. From one crossed cube on, neighbours across crossed faces are visited, so
//! only cubes at the surface are ever looked at and the result is in one part by construction. Corner
//! values live in small blocks that exist where the surface is. Source: marching cubes, see `cubes`.
//! Cost: about three samples and 100 bytes per vertex, plus four bytes for every block of the box.

use glam::Vec3;

use super::cubes::{self, CORNERS, FACES, Polygon};
use super::field::Field;
use crate::math::sort_by_keys;
use crate::operators::morton_order;

/// Corners along a block's side. A power of two, so that places split by shifting; larger blocks hold
/// more corners the surface never comes near.
const SIDE: usize = 4;
const SLOTS: usize = SIDE * SIDE * SIDE;

const MISSING: u32 = u32::MAX;

/// A vertex keeps at least this share of a grid edge away from its ends. Smaller: needle triangles for
/// the remesher to clear. Larger: the surface is dented until it is projected back.
const KEEP_OFF: f32 = 0.12;

/// Positions and triangles, not yet checked.
#[derive(Clone, Debug, Default)]
pub struct Soup {
    /// One per vertex.
    pub positions: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    /// The same with neighbours near each other in memory, as exporters leave it: frames over 80,000 vertices take a tenth less.
    pub fn along_curve(self) -> Self {
        let order = morton_order(&self.positions);
        let mut place = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&vertex, new)| place[vertex as usize] = new);
        let positions = order.iter().map(|&vertex| self.positions[vertex as usize]).collect();
        let placed = |corners: [u32; 3]| corners.map(|vertex| place[vertex as usize]);
        let mut triangles: Vec<[u32; 3]> = self.triangles.into_iter().map(placed).collect();
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
    known: u64,
    visited: u64,
}

type Place = [usize; 3];

struct Grid<'a> {
    field: &'a mut Field,
    origin: Vec3,
    step: f32,
    blocks_along: Place,
    block_at: Vec<u32>,
    blocks: Vec<Block>,
    soup: Soup,
}

/// Follows the surface around `inside`.
pub fn extract(field: &mut Field, inside: Vec3, step: f32) -> Soup {
    let table = cubes::table();
    let mut grid = Grid::new(field, step);
    let mut open = vec![grid.first_cube(inside)];
    grid.visit(open[0]);
    while let Some(cube) = open.pop() {
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
                open.push(neighbour);
            }
        }
    }
    grid.soup
}

fn corner_of(cube: Place, corner: usize) -> Place {
    [cube[0] + (corner & 1), cube[1] + (corner >> 1 & 1), cube[2] + (corner >> 2)]
}

impl<'a> Grid<'a> {
    fn new(field: &'a mut Field, step: f32) -> Self {
        let (low, high) = field.bounds();
        // Two corners of air all around: no cube at the surface lacks a neighbour.
        let origin = low - 2.0 * step;
        let corners = (high - low) / step + 5.0;
        let blocks_along = corners.to_array().map(|corners| corners as usize / SIDE + 1);
        let block_at = vec![MISSING; blocks_along.iter().product()];
        Self { field, origin, step, blocks_along, block_at, blocks: Vec::new(), soup: Soup::default() }
    }

    fn position(&self, place: Place) -> Vec3 {
        self.origin + Vec3::from_array(place.map(|i| i as f32)) * self.step
    }

    /// The block and the slot of a place; made when first asked for.
    fn slot(&mut self, place: Place) -> (usize, usize) {
        let [x, y, z] = place.map(|i| i / SIDE);
        let at = (z * self.blocks_along[1] + y) * self.blocks_along[0] + x;
        if self.block_at[at] == MISSING {
            self.block_at[at] = self.blocks.len() as u32;
            self.blocks.push(Block {
                values: [0.0; SLOTS],
                vertices: [[MISSING; 3]; SLOTS],
                known: 0,
                visited: 0,
            });
        }
        let [x, y, z] = place.map(|i| i % SIDE);
        (self.block_at[at] as usize, (z * SIDE + y) * SIDE + x)
    }

    fn value(&mut self, place: Place) -> f32 {
        let (block, slot) = self.slot(place);
        if self.blocks[block].known >> slot & 1 == 0 {
            let value = self.field.sample(self.position(place)).distance;
            self.blocks[block].values[slot] = value;
            self.blocks[block].known |= 1 << slot;
        }
        self.blocks[block].values[slot]
    }

    /// Marks a cube; whether it was not marked before.
    fn visit(&mut self, cube: Place) -> bool {
        let (block, slot) = self.slot(cube);
        let fresh = self.blocks[block].visited >> slot & 1 == 0;
        self.blocks[block].visited |= 1 << slot;
        fresh
    }

    /// The first crossed cube from `inside` along +X.
    fn first_cube(&mut self, inside: Vec3) -> Place {
        let start = ((inside - self.origin) / self.step).to_array().map(|i| i as usize);
        let last = self.blocks_along[0] * SIDE - 2;
        let is_inside = |grid: &mut Self, x: usize| grid.value([x, start[1], start[2]]) < 0.0;
        let crossed = (start[0]..last).find(|&x| is_inside(self, x) && !is_inside(self, x + 1));
        [crossed.unwrap_or(start[0]), start[1], start[2]]
    }

    fn add_polygon(&mut self, cube: Place, values: &[f32; CORNERS], polygon: &Polygon) {
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

    /// The vertex on an edge of a cube; shared by the four cubes around the edge.
    fn vertex(&mut self, cube: Place, values: &[f32; CORNERS], edge: usize) -> u32 {
        let axis = edge / 4;
        let low = cubes::lower_corner(edge);
        let place = corner_of(cube, low);
        let (block, slot) = self.slot(place);
        if self.blocks[block].vertices[slot][axis] == MISSING {
            let (from, to) = (values[low], values[low | 1 << axis]);
            let share = (from / (from - to)).clamp(KEEP_OFF, 1.0 - KEEP_OFF);
            let mut position = self.position(place);
            position[axis] += share * self.step;
            self.blocks[block].vertices[slot][axis] = self.soup.positions.len() as u32;
            self.soup.positions.push(position);
        }
        self.blocks[block].vertices[slot][axis]
    }
}
