//! A lattice of the inside of a mesh, to solve in where skin alone does not know what lies across a limb.
//!
//! In: [`MeshGeometry`] of the mesh, an origin and axes, and about how many cells. Out: [`Lattice`]: nodes, their stiffness and masses,
//! and where among them each vertex is. Cost: one pass over the voxels.
//!
//! - Cells are cubes. What a whole cube conducts is the mean over the four ways to cut it into tetrahedra along a diagonal (Kuhn
//!   1960): a quarter along each of its edges and nothing across, so no conductance is negative and all directions are
//!   treated alike. Along an edge of a cube that the skin cuts, it is as much as the face across that edge is [`cut_faces`]
//!   (cut cells; Ng, Min and Gibou 2009), so that skin is felt where it is and not as a staircase.
//! - A cube in which two limbs lie is there twice, once for each, and each copy meets only those copies of its neighbours
//!   that continue its own flesh (virtual nodes; Molino, Bao and Fedkiw 2004). What is flesh is judged by voxels of half
//!   the width ([`inside`]); gaps narrower than that are bridged.
//! - Whatever the skin passes through is in the lattice, so every vertex is, and sheets are a layer of it.

mod cells;
mod cut_faces;
mod inside;

use glam::{DMat3, DVec3};

use self::cells::Cells;
use self::inside::Grid;
use super::sparse::Symmetric;
use super::{MeshGeometry, Part};

/// Where a lattice begins, against its origin, in cells. Numbers that are in no simple relation keep flat skins off the planes
/// between voxels, where rounding says on which side they are.
const OFFSET: DVec3 = DVec3::new(0.371_3, 0.418_7, 0.283_1);

/// At most so many voxels. More: memory. Fewer: limbs of large thin figures merge.
const MOST_VOXELS: f64 = 6e6;

/// What is flesh only because skin touches it counts by at least this share. Larger: skin drags on what runs along it. Smaller:
/// nothing says what nodes outside are.
const LEAST_SHARE: f64 = 1e-3;

/// A node with less mass than this, in cells, is outside: eight voxels around it would count [`LEAST_SHARE`] each.
const OUTSIDE: f64 = 2.0 * LEAST_SHARE;

/// Of a cell, its eight corners or its eight voxels: bit 0 is x, bit 1 is y, bit 2 is z.
const CORNERS: std::ops::Range<usize> = 0..8;

/// What [`Lattice::of`] makes. Lengths are in cells.
#[derive(Clone, Debug)]
pub struct Lattice {
    axes: DMat3,
    origin: DVec3,
    cell: f64,
    grid: Grid,
    /// Of each cell of the grid, where its copies begin; the end of the last.
    starts: Vec<u32>,
    copies: Vec<Copied>,
    nodes: usize,
    stiffness: Symmetric,
    masses: Vec<f64>,
    places: Vec<Place>,
}

/// A cell as far as one connected piece of flesh is in it.
#[derive(Clone, Copy, Debug)]
struct Copied {
    voxels: u8,
    nodes: [u32; 8],
}

/// Where a point is: between eight nodes, by these shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The corners of its cell.
    pub nodes: [u32; 8],
    /// How near it is to each; they sum to one.
    pub shares: [f64; 8],
}

impl Place {
    /// The node it is nearest to.
    pub fn nearest(&self) -> u32 {
        let best = CORNERS.fold(0, |best, i| if self.shares[i] > self.shares[best] { i } else { best });
        self.nodes[best]
    }
}

impl Lattice {
    /// Of about `cells` cells inside of the mesh. Turns and moves with `axes` (a rotation) and `origin`.
    pub fn of(operators: &MeshGeometry, axes: DMat3, origin: DVec3, cells: usize) -> Self {
        let mesh = operators.mesh();
        let turned: Vec<DVec3> =
            mesh.positions().iter().map(|p| axes.transpose() * (p.as_dvec3() - origin)).collect();
        let cell = cell_size(operators, &turned, cells);
        let (low, high) = bounds(&turned);
        let first = ((low / cell).floor() - 1.0) - OFFSET;
        let size = ((high / cell - first).floor() + 2.0).max(DVec3::ONE);
        let grid = Grid { size: [size.x as usize, size.y as usize, size.z as usize] };
        let fine = Grid { size: grid.size.map(|n| 2 * n) };
        let in_voxels: Vec<DVec3> = turned.iter().map(|p| (*p / cell - first) * 2.0).collect();
        let cells = Cells::of(operators, fine, &in_voxels);
        let mut lattice = Self {
            axes,
            origin: origin + axes * (first * cell),
            cell,
            grid,
            starts: vec![0],
            copies: Vec::new(),
            nodes: 0,
            stiffness: Symmetric::default(),
            masses: Vec::new(),
            places: Vec::new(),
        };
        lattice.copy_cells(fine, &cells.is_full);
        lattice.join_nodes();
        lattice.measure(&cells);
        let places = in_voxels.iter().map(|&at| lattice.place_in_voxels(at));
        // Every vertex's voxel was touched; the origin is never asked for.
        lattice.places =
            places.map(|place| place.unwrap_or(Place { nodes: [0; 8], shares: [0.125; 8] })).collect();
        lattice
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// As [`super::Laplacian::stiffness`], in units of a cell's width.
    pub fn stiffness(&self) -> &Symmetric {
        &self.stiffness
    }

    /// The volume that each node stands for, in cells.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Whether a node stands for no flesh: skin touches what lies between it and others, and no more.
    pub fn is_outside(&self, node: usize) -> bool {
        self.masses[node] < OUTSIDE
    }

    /// The width of a cell, in mesh units.
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// Where each vertex of the mesh is.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Where a point in space is; none where there is no flesh.
    pub fn place(&self, point: DVec3) -> Option<Place> {
        self.place_in_voxels(self.axes.transpose() * (point - self.origin) / self.cell * 2.0)
    }

    fn place_in_voxels(&self, at: DVec3) -> Option<Place> {
        let fine = Grid { size: self.grid.size.map(|n| 2 * n) };
        let voxel = fine.voxel(at)?;
        let bit = (0..3).map(|axis| (voxel[axis] % 2) << axis).sum::<usize>();
        let copies = self.copies_of(self.grid.index(voxel.map(|i| i / 2)));
        let copy = copies.iter().find(|copy| copy.voxels >> bit & 1 == 1)?;
        let within = at / 2.0 - DVec3::from_array(voxel.map(|i| (i / 2) as f64));
        let mut shares = [0.0; 8];
        for corner in CORNERS {
            let share = |axis: usize| if corner >> axis & 1 == 1 { within[axis] } else { 1.0 - within[axis] };
            shares[corner] = share(0) * share(1) * share(2);
        }
        Some(Place { nodes: copy.nodes, shares })
    }

    fn copies_of(&self, cell: usize) -> &[Copied] {
        &self.copies[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// One copy of every cell for each connected piece of flesh in it.
    fn copy_cells(&mut self, fine: Grid, is_full: &[bool]) {
        let [nx, ny, nz] = self.grid.size;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let is_flesh = |voxel: &usize| {
                        let at = [2 * x + (voxel & 1), 2 * y + (voxel >> 1 & 1), 2 * z + (voxel >> 2)];
                        is_full[fine.index(at)]
                    };
                    let mut left: u8 = CORNERS.filter(is_flesh).map(|voxel| 1 << voxel).sum();
                    while left != 0 {
                        let piece = piece_of(left, left.trailing_zeros() as usize);
                        left &= !piece;
                        self.copies.push(Copied { voxels: piece, nodes: [0; 8] });
                    }
                    self.starts.push(self.copies.len() as u32);
                }
            }
        }
    }

    /// Numbers the nodes: copies share those of the face through which their flesh goes on.
    fn join_nodes(&mut self) {
        let mut above: Vec<u32> = (0..8 * self.copies.len() as u32).collect();
        let [nx, ny, nz] = self.grid.size;
        for cell in 0..self.grid.len() {
            let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
            for axis in 0..3 {
                let mut next = at;
                next[axis] += 1;
                if next[axis] >= [nx, ny, nz][axis] {
                    continue;
                }
                let next = self.grid.index(next);
                for a in self.starts[cell]..self.starts[cell + 1] {
                    for b in self.starts[next]..self.starts[next + 1] {
                        if goes_on(self.copies[a as usize].voxels, self.copies[b as usize].voxels, axis) {
                            for corner in CORNERS.filter(|corner| corner >> axis & 1 == 0) {
                                let high = 8 * a + (corner | 1 << axis) as u32;
                                union(&mut above, high, 8 * b + corner as u32);
                            }
                        }
                    }
                }
            }
        }
        let mut number = vec![u32::MAX; above.len()];
        for copy in 0..self.copies.len() {
            for corner in CORNERS {
                let root = root(&mut above, (8 * copy + corner) as u32) as usize;
                if number[root] == u32::MAX {
                    number[root] = self.nodes as u32;
                    self.nodes += 1;
                }
                self.copies[copy].nodes[corner] = number[root];
            }
        }
    }

    fn measure(&mut self, cells: &Cells) {
        self.masses = vec![0.0; self.nodes];
        let mut entries = Vec::with_capacity(36 * self.copies.len());
        let [nx, ny, _] = self.grid.size;
        for cell in 0..self.grid.len() {
            let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
            for copy in &self.copies[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                for corner in CORNERS {
                    // Around each corner lies a voxel, and between those of an edge's ends the face across it.
                    let voxel = [0, 1, 2].map(|axis| 2 * at[axis] + (corner >> axis & 1));
                    let is_own = |corner: usize| copy.voxels >> corner & 1 == 1;
                    let share = if is_own(corner) { cells.share(voxel) } else { 0.0 };
                    self.masses[copy.nodes[corner] as usize] += share.max(LEAST_SHARE) / 8.0;
                    for axis in (0..3).filter(|axis| corner >> axis & 1 == 0) {
                        let other = corner | 1 << axis;
                        let (a, b) = (copy.nodes[corner], copy.nodes[other]);
                        let is_open = is_own(corner) && is_own(other);
                        let share = if is_open { cells.open(axis, voxel) } else { 0.0 };
                        let along = share.max(LEAST_SHARE) / 4.0;
                        if a != b {
                            entries.extend([(a, b, -along), (a, a, along), (b, b, along)]);
                        }
                    }
                }
            }
        }
        self.stiffness = Symmetric::from_entries(self.nodes, &entries);
    }
}

/// The voxels of `cells` that are connected with `first` through faces.
fn piece_of(cells: u8, first: usize) -> u8 {
    let mut piece = 1u8 << first;
    loop {
        // Steps along x, y and z swap neighbouring bits, pairs and halves.
        let spread = (piece & 0x55) << 1
            | (piece & 0xaa) >> 1
            | (piece & 0x33) << 2
            | (piece & 0xcc) >> 2
            | piece << 4
            | piece >> 4;
        let grown = piece | spread & cells;
        if grown == piece {
            return piece;
        }
        piece = grown;
    }
}

/// Whether flesh of one cell touches that of the next one along an axis.
fn goes_on(a: u8, b: u8, axis: usize) -> bool {
    let low = [0x55u8, 0x33, 0x0f][axis];
    (a & !low) >> (1 << axis) & b & low != 0
}

fn root(above: &mut [u32], mut node: u32) -> u32 {
    while above[node as usize] != node {
        above[node as usize] = above[above[node as usize] as usize];
        node = above[node as usize];
    }
    node
}

fn union(above: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(above, a), root(above, b));
    above[a.max(b) as usize] = a.min(b);
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let Some(&first) = points.first() else { return (DVec3::ZERO, DVec3::ZERO) };
    points.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)))
}

/// So that about `cells` of them fill the bodies, and not many more are passed through by skin.
fn cell_size(operators: &MeshGeometry, turned: &[DVec3], cells: usize) -> f64 {
    let (low, high) = bounds(turned);
    let middle = 0.5 * (low + high);
    let (mut volume, mut area) = (0.0, 0.0);
    for (t, triangle) in operators.mesh().triangles().iter().enumerate() {
        let [a, b, c] = triangle.map(|v| turned[v as usize] - middle);
        area += 0.5 * (b - a).cross(c - a).length();
        let parts = operators.parts();
        volume += match parts.part(parts.of_triangle(t)) {
            Part::Outward => a.dot(b.cross(c)) / 6.0,
            Part::Inward => -a.dot(b.cross(c)) / 6.0,
            Part::Sheet => 0.0,
        };
    }
    let cells = cells.max(1) as f64;
    let extent = high - low;
    let by_size = (extent + extent.max_element() * 0.05).x
        * (extent + extent.max_element() * 0.05).y
        * (extent + extent.max_element() * 0.05).z;
    let wanted = (volume.max(0.0) / cells).cbrt().max((area / (2.0 * cells)).sqrt());
    wanted.max(2.0 * (by_size / MOST_VOXELS).cbrt()).max(f64::MIN_POSITIVE.sqrt())
}
