//! A lattice of the inside of a mesh (docs/theory/biharmonic.md#interior-domain).
//!
//! In: [`MeshGeometry`] of the mesh, an origin and axes, and an approximate number of cells. Out:
//! [`Lattice`], with nodes, their stiffness and masses, and the position of each vertex among the
//! nodes. Cost: one pass over the voxels.
//!
//! - Cells are cubes. The stiffness of a whole cube is the mean over the four decompositions into
//!   tetrahedra around a diagonal (Kuhn 1960): a quarter along each of its edges and zero
//!   otherwise. So no off-diagonal entry is positive, and all directions are treated alike. Along
//!   an edge of a cube that the surface cuts, it is scaled by the open area of the face across that
//!   edge (`cut_faces`; cut cells; Ng, Min and Gibou 2009), so that the surface acts where it is
//!   and not as a staircase.
//! - A cube that contains two limbs is duplicated, one copy for each. Each copy is connected only
//!   to those copies of neighbouring cubes that continue its own limb (virtual nodes; Molino, Bao
//!   and Fedkiw 2004). Connectivity is decided on voxels of half the cell width ([`inside`]);
//!   narrower gaps are bridged.
//! - All cubes that the surface passes through are in the lattice, so every vertex is. Sheets are a
//!   layer of it.

mod cells;
mod cut_faces;
mod inside;

use glam::{DMat3, DVec3};

use self::cells::Cells;
use self::inside::Grid;
use super::sparse::Symmetric;
use super::{ComponentKind, MeshGeometry};

/// Offset of the lattice from its origin, in cells. Unrelated irrational-looking numbers keep flat
/// surfaces off the planes between voxels, where rounding would decide their side.
const OFFSET: DVec3 = DVec3::new(0.371_3, 0.418_7, 0.283_1);

/// Largest number of voxels. Larger: memory. Smaller: limbs of large thin characters merge.
const MAX_VOXELS: f64 = 6e6;

/// Smallest volume and area fraction of voxels and faces that only touch the surface. Larger: the
/// surface adds stiffness along it. Smaller: values of nodes outside are undetermined.
const MIN_FRACTION: f64 = 1e-3;

/// Mass, in cells, below which a node is outside: eight voxels around it would have
/// [`MIN_FRACTION`] each.
const OUTSIDE_MASS: f64 = 2.0 * MIN_FRACTION;

/// The eight corners or the eight voxels of a cell: bit 0 is x, bit 1 is y, bit 2 is z.
const CORNERS: std::ops::Range<usize> = 0..8;

/// A lattice of the inside of a mesh. Lengths are in cells.
#[derive(Clone, Debug)]
pub struct Lattice {
    axes: DMat3,
    origin: DVec3,
    cell: f64,
    grid: Grid,
    /// For each cell of the grid, the index of its first copy; then the end of the last.
    starts: Vec<u32>,
    copies: Vec<CellCopy>,
    nodes: usize,
    stiffness: Symmetric,
    masses: Vec<f64>,
    vertex_points: Vec<LatticePoint>,
}

/// A copy of a cell for one connected piece of the body in it.
#[derive(Clone, Copy, Debug)]
struct CellCopy {
    voxels: u8,
    nodes: [u32; 8],
}

/// A point in a cell: its eight nodes and trilinear weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticePoint {
    /// The corners of its cell.
    pub nodes: [u32; 8],
    /// Trilinear interpolation weights; their sum is one.
    pub weights: [f64; 8],
}

impl LatticePoint {
    /// The node with the largest weight.
    pub fn nearest(&self) -> u32 {
        let best = CORNERS.fold(0, |best, i| if self.weights[i] > self.weights[best] { i } else { best });
        self.nodes[best]
    }
}

impl Lattice {
    /// Builds a lattice of about `cells` cells inside the mesh. It is aligned with `axes` (a
    /// rotation) and `origin`.
    pub fn of(geometry: &MeshGeometry, axes: DMat3, origin: DVec3, cells: usize) -> Self {
        let mesh = geometry.mesh();
        let in_axes: Vec<DVec3> =
            mesh.positions().iter().map(|p| axes.transpose() * (p.as_dvec3() - origin)).collect();
        let cell = cell_size(geometry, &in_axes, cells);
        let (low, high) = bounds(&in_axes);
        let first = ((low / cell).floor() - 1.0) - OFFSET;
        let size = ((high / cell - first).floor() + 2.0).max(DVec3::ONE);
        let grid = Grid { size: [size.x as usize, size.y as usize, size.z as usize] };
        let fine = Grid { size: grid.size.map(|n| 2 * n) };
        let in_voxels: Vec<DVec3> = in_axes.iter().map(|p| (*p / cell - first) * 2.0).collect();
        let cells = Cells::of(geometry, fine, &in_voxels);
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
            vertex_points: Vec::new(),
        };
        lattice.copy_cells(fine, &cells.is_full);
        lattice.join_nodes();
        lattice.assemble(&cells);
        let vertex_points = in_voxels.iter().map(|&at| lattice.locate_in_voxels(at));
        // The voxel of every vertex is in the lattice, so the fallback is never used.
        lattice.vertex_points = vertex_points
            .map(|point| point.unwrap_or(LatticePoint { nodes: [0; 8], weights: [0.125; 8] }))
            .collect();
        lattice
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The stiffness matrix, as [`super::Laplacian::stiffness`], with the cell width as unit of
    /// length.
    pub fn stiffness(&self) -> &Symmetric {
        &self.stiffness
    }

    /// The volume of each node, in cells.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Whether a node is outside of the body: the cells around it only touch the surface.
    pub fn is_outside(&self, node: usize) -> bool {
        self.masses[node] < OUTSIDE_MASS
    }

    /// The width of a cell, in mesh units.
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// The position of each vertex of the mesh in the lattice.
    pub fn vertex_points(&self) -> &[LatticePoint] {
        &self.vertex_points
    }

    /// The position of a point in the lattice; `None` outside of its cells.
    pub fn locate(&self, point: DVec3) -> Option<LatticePoint> {
        self.locate_in_voxels(self.axes.transpose() * (point - self.origin) / self.cell * 2.0)
    }

    fn locate_in_voxels(&self, at: DVec3) -> Option<LatticePoint> {
        let fine = Grid { size: self.grid.size.map(|n| 2 * n) };
        let voxel = fine.voxel(at)?;
        let bit = (0..3).map(|axis| (voxel[axis] % 2) << axis).sum::<usize>();
        let copies = self.copies_of(self.grid.index(voxel.map(|i| i / 2)));
        let copy = copies.iter().find(|copy| copy.voxels >> bit & 1 == 1)?;
        let within = at / 2.0 - DVec3::from_array(voxel.map(|i| (i / 2) as f64));
        let mut weights = [0.0; 8];
        for corner in CORNERS {
            let fraction =
                |axis: usize| if corner >> axis & 1 == 1 { within[axis] } else { 1.0 - within[axis] };
            weights[corner] = fraction(0) * fraction(1) * fraction(2);
        }
        Some(LatticePoint { nodes: copy.nodes, weights })
    }

    fn copies_of(&self, cell: usize) -> &[CellCopy] {
        &self.copies[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Makes one copy of every cell for each connected piece of the body in it.
    fn copy_cells(&mut self, fine: Grid, is_full: &[bool]) {
        let [nx, ny, nz] = self.grid.size;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let is_in_body = |voxel: &usize| {
                        let at = [2 * x + (voxel & 1), 2 * y + (voxel >> 1 & 1), 2 * z + (voxel >> 2)];
                        is_full[fine.index(at)]
                    };
                    let mut left: u8 = CORNERS.filter(is_in_body).map(|voxel| 1 << voxel).sum();
                    while left != 0 {
                        let piece = connected_voxels(left, left.trailing_zeros() as usize);
                        left &= !piece;
                        self.copies.push(CellCopy { voxels: piece, nodes: [0; 8] });
                    }
                    self.starts.push(self.copies.len() as u32);
                }
            }
        }
    }

    /// Numbers the nodes: copies share the nodes of the face through which their piece of the body
    /// continues.
    fn join_nodes(&mut self) {
        let mut parent: Vec<u32> = (0..8 * self.copies.len() as u32).collect();
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
                        if are_connected(self.copies[a as usize].voxels, self.copies[b as usize].voxels, axis)
                        {
                            for corner in CORNERS.filter(|corner| corner >> axis & 1 == 0) {
                                let high = 8 * a + (corner | 1 << axis) as u32;
                                union(&mut parent, high, 8 * b + corner as u32);
                            }
                        }
                    }
                }
            }
        }
        let mut number = vec![u32::MAX; parent.len()];
        for copy in 0..self.copies.len() {
            for corner in CORNERS {
                let root = root(&mut parent, (8 * copy + corner) as u32) as usize;
                if number[root] == u32::MAX {
                    number[root] = self.nodes as u32;
                    self.nodes += 1;
                }
                self.copies[copy].nodes[corner] = number[root];
            }
        }
    }

    fn assemble(&mut self, cells: &Cells) {
        self.masses = vec![0.0; self.nodes];
        let mut entries = Vec::with_capacity(36 * self.copies.len());
        let [nx, ny, _] = self.grid.size;
        for cell in 0..self.grid.len() {
            let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
            for copy in &self.copies[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                for corner in CORNERS {
                    // Each corner has its voxel, and the face across an edge lies between the
                    // voxels of its ends.
                    let voxel = [0, 1, 2].map(|axis| 2 * at[axis] + (corner >> axis & 1));
                    let is_own = |corner: usize| copy.voxels >> corner & 1 == 1;
                    let fraction = if is_own(corner) { cells.fraction(voxel) } else { 0.0 };
                    self.masses[copy.nodes[corner] as usize] += fraction.max(MIN_FRACTION) / 8.0;
                    for axis in (0..3).filter(|axis| corner >> axis & 1 == 0) {
                        let other = corner | 1 << axis;
                        let (a, b) = (copy.nodes[corner], copy.nodes[other]);
                        let is_open = is_own(corner) && is_own(other);
                        let fraction = if is_open { cells.open_fraction(axis, voxel) } else { 0.0 };
                        let along = fraction.max(MIN_FRACTION) / 4.0;
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
fn connected_voxels(cells: u8, first: usize) -> u8 {
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

/// Whether the bodies of two cells adjacent along an axis touch at their common face.
fn are_connected(a: u8, b: u8, axis: usize) -> bool {
    let low = [0x55u8, 0x33, 0x0f][axis];
    (a & !low) >> (1 << axis) & b & low != 0
}

fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

fn union(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let Some(&first) = points.first() else { return (DVec3::ZERO, DVec3::ZERO) };
    points.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)))
}

/// The cell width with which about `cells` cells fill the solid components, and not many more touch
/// the surface.
fn cell_size(geometry: &MeshGeometry, in_axes: &[DVec3], cells: usize) -> f64 {
    let (low, high) = bounds(in_axes);
    let middle = 0.5 * (low + high);
    let (mut volume, mut area) = (0.0, 0.0);
    for (t, triangle) in geometry.mesh().triangles().iter().enumerate() {
        let [a, b, c] = triangle.map(|v| in_axes[v as usize] - middle);
        area += 0.5 * (b - a).cross(c - a).length();
        let components = geometry.components();
        volume += match components.kind(components.of_triangle(t)) {
            ComponentKind::Outward => a.dot(b.cross(c)) / 6.0,
            ComponentKind::Inward => -a.dot(b.cross(c)) / 6.0,
            ComponentKind::Sheet => 0.0,
        };
    }
    let cells = cells.max(1) as f64;
    let extent = high - low;
    let by_size = (extent + extent.max_element() * 0.05).x
        * (extent + extent.max_element() * 0.05).y
        * (extent + extent.max_element() * 0.05).z;
    let wanted_width = (volume.max(0.0) / cells).cbrt().max((area / (2.0 * cells)).sqrt());
    wanted_width.max(2.0 * (by_size / MAX_VOXELS).cbrt()).max(f64::MIN_POSITIVE.sqrt())
}
