//! Welding: merges vertices at the same position.
//!
//! In: positions and triangles of the render mesh. Out: the solve mesh and the map from render
//! vertices to it. Files split vertices wherever normals, texture coordinates or materials change;
//! without welding every such seam would be a border. Cost: linear except for sorting triangles
//! that share a vertex; about 0.2 s for a million vertices.
//!
//! - Solve vertices are in the order of their first render vertex and have exactly its position.
//!   Each render vertex joins the earliest solve vertex within the tolerance, so chains of close
//!   vertices do not merge.
//! - Triangles that lose a corner are dropped. So is the second of two equal triangles of equal
//!   winding (a layer drawn twice): the surface stays the same, while keeping it would make every
//!   edge non-manifold and double every volume.
//! - Two triangles back to back (a two-sided leaf) are both kept: they are two surfaces.
//! - Components that touch in identical positions become connected (lashes on a lid): coincident
//!   vertices are meant to move together.

use glam::{DVec3, I64Vec3, Vec3};

use crate::math::{key_of, median, sort_by_keys};
use crate::model::Mesh;

/// Largest distance of merged vertices, as a fraction of the diagonal of the bounding box. Larger:
/// the two sides of thin cloth merge. Smaller: seams between meshes with different node transforms
/// stay open.
const WELD_DISTANCE: f64 = 1e-6;

/// Upper limit of that distance, as a fraction of the median edge length. Larger: in a file with
/// one vertex far away, the diagonal is huge and the character collapses. Smaller: dense meshes are
/// no longer welded by the diagonal, which is what the tolerance is documented to be.
const MAX_EDGE_FRACTION: f64 = 1e-3;

/// Width of a hash cell, in units of the tolerance. Larger: more vertices share a cell. Smaller:
/// more vertices are so close to the boundary of a cell that the next cell must be searched as
/// well.
const CELL_WIDTH: f64 = 64.0;

/// Number of triangles sampled for the median edge length.
const EDGE_SAMPLES: usize = 4096;

/// Number of positions whose slots are prefetched together. Larger: the first have left the cache
/// again. Smaller: every position waits for memory.
const BATCH: usize = 32;

const EMPTY: u32 = u32::MAX;

/// A solve mesh and the map from render vertices to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Welded {
    /// The solve mesh.
    pub mesh: Mesh,
    /// The solve vertex of each render vertex.
    pub solve_from_render: Vec<u32>,
}

/// Welds a mesh. `positions` is n × 3 and finite, `triangles` m × 3 indices into it.
///
/// # Panics
/// If an index is out of range or a coordinate not finite: readers check both before.
pub fn weld(positions: &[Vec3], triangles: &[[u32; 3]]) -> Welded {
    let tolerance = tolerance(positions, triangles);
    let mut solve_from_render = Vec::with_capacity(positions.len());
    let mut vertices_found = VertexHash::new(positions, tolerance);
    for batch in positions.chunks(BATCH) {
        vertices_found.prefetch(batch);
        solve_from_render.extend(batch.iter().map(|&position| vertices_found.find_or_add(position)));
    }
    let kept = valid_triangles(triangles, &solve_from_render, vertices_found.found.len());
    match Mesh::new(vertices_found.found, kept) {
        Ok(mesh) => Welded { mesh, solve_from_render },
        Err(error) => panic!("unchecked vertices were given to weld: {error}"),
    }
}

/// Rebuilds the mesh that [`weld`] made from the solve vertex of each render vertex. Vertices
/// marked [`Asset::NOT_SOLVED`](crate::model::Asset::NOT_SOLVED) are left out with their triangles.
/// Returns an empty mesh if the indices are invalid.
pub fn rewelded(positions: &[Vec3], triangles: &[[u32; 3]], solve_from_render: &[u32]) -> Mesh {
    let known = || solve_from_render.iter().zip(positions).filter(|(solve, _)| **solve != EMPTY);
    let vertices = known().map(|(&solve, _)| solve as usize + 1).max().unwrap_or(0);
    let mut found = vec![Vec3::ZERO; vertices.min(positions.len())];
    // Backwards, so that the first of several copies determines the position.
    for (&solve, &position) in known().rev() {
        found.get_mut(solve as usize).into_iter().for_each(|vertex| *vertex = position);
    }
    let solved = |corner: &u32| solve_from_render.get(*corner as usize).is_some_and(|&v| v != EMPTY);
    let triangles: Vec<[u32; 3]> = triangles.iter().copied().filter(|t| t.iter().all(solved)).collect();
    let kept = valid_triangles(&triangles, solve_from_render, found.len());
    Mesh::new(found, kept).unwrap_or_default()
}

/// The largest distance of merged vertices.
fn tolerance(positions: &[Vec3], triangles: &[[u32; 3]]) -> f32 {
    let (low, high) = bounds(positions);
    let by_size = WELD_DISTANCE * low.distance(high);
    let by_edges = median_edge(positions, triangles).map_or(by_size, |edge| MAX_EDGE_FRACTION * edge);
    by_size.min(by_edges) as f32
}

fn bounds(positions: &[Vec3]) -> (DVec3, DVec3) {
    let Some(&first) = positions.first() else { return (DVec3::ZERO, DVec3::ZERO) };
    let (low, high) = positions.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)));
    (low.as_dvec3(), high.as_dvec3())
}

/// The median of the longest edges of a sample of triangles, without those of zero extent.
fn median_edge(positions: &[Vec3], triangles: &[[u32; 3]]) -> Option<f64> {
    let stride = triangles.len().div_ceil(EDGE_SAMPLES).max(1);
    let longest = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| positions.get(v as usize).map_or(DVec3::ZERO, |p| p.as_dvec3()));
        a.distance(b).max(b.distance(c)).max(c.distance(a))
    };
    let mut lengths: Vec<f64> =
        triangles.iter().step_by(stride).map(longest).filter(|&length| length > 0.0).collect();
    median(&mut lengths)
}

/// The solve vertices found so far, in a hash grid with cells much larger than the tolerance. A
/// position is looked up in its own cell and, near a boundary of the cell, in the adjacent ones.
struct VertexHash {
    found: Vec<Vec3>,
    /// (high bits of the hash, index into `found`), probed linearly.
    slots: Vec<(u32, u32)>,
    low: DVec3,
    cells_per_unit: f64,
    tolerance: f32,
}

impl VertexHash {
    fn new(positions: &[Vec3], tolerance: f32) -> Self {
        let cell = (CELL_WIDTH * f64::from(tolerance)).max(f64::from(f32::MIN_POSITIVE));
        Self {
            found: Vec::with_capacity(positions.len()),
            slots: vec![(0, EMPTY); (2 * positions.len()).next_power_of_two()],
            low: bounds(positions).0,
            cells_per_unit: cell.recip(),
            tolerance,
        }
    }

    /// Reads the slots of all positions of `batch`, so that the memory latencies overlap. On a
    /// million vertices they are most of the time.
    fn prefetch(&self, batch: &[Vec3]) {
        let mask = self.slots.len() - 1;
        let slots = batch.iter().map(|&position| {
            let cell = self.cell(position.as_dvec3() - self.low);
            self.slots[hash([cell.x, cell.y, cell.z]) as usize & mask].1
        });
        std::hint::black_box(slots.fold(0, |all, slot| all ^ slot));
    }

    /// The earliest vertex within the tolerance of `position`, or a new one.
    fn find_or_add(&mut self, position: Vec3) -> u32 {
        let reach = f64::from(self.tolerance);
        let relative = position.as_dvec3() - self.low;
        let from = self.cell(relative - reach);
        let to = self.cell(relative + reach);
        let mut earliest = EMPTY;
        for x in from.x..=to.x {
            for y in from.y..=to.y {
                for z in from.z..=to.z {
                    earliest = earliest.min(self.earliest_in(hash([x, y, z]), position));
                }
            }
        }
        if earliest == EMPTY {
            earliest = self.found.len() as u32;
            self.found.push(position);
            let own = self.cell(relative);
            self.insert(hash([own.x, own.y, own.z]), earliest);
        }
        earliest
    }

    /// The cell of a position relative to `low`. Offset by one cell, so that truncation rounds
    /// down: `floor` is a call into libm on plain x86-64, and nine of them were half of the time of
    /// a weld.
    fn cell(&self, relative: DVec3) -> I64Vec3 {
        (relative * self.cells_per_unit + 1.0).as_i64vec3()
    }

    fn earliest_in(&self, hash: u64, position: Vec3) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        let mut earliest = EMPTY;
        while self.slots[slot].1 != EMPTY {
            let (tag, vertex) = self.slots[slot];
            if tag == (hash >> 32) as u32 && vertex < earliest {
                // Per axis, since squares of tiny distances underflow.
                let apart = (self.found[vertex as usize] - position).abs().max_element();
                if apart <= self.tolerance {
                    earliest = vertex;
                }
            }
            slot = (slot + 1) & mask;
        }
        earliest
    }

    fn insert(&mut self, hash: u64, vertex: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = ((hash >> 32) as u32, vertex);
    }
}

/// Hashes three numbers; deterministic, unlike the hasher of the standard library.
fn hash(numbers: [i64; 3]) -> u64 {
    numbers.into_iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, number| {
        let mixed = (hash ^ number as u64).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 32)
    })
}

/// The triangles over `vertices` solve vertices, without degenerate and repeated ones.
///
/// Equal triangles are found by sorting those that share their lowest vertex. Tried: a hash of all
/// three corners, which spent 0.2 s per two million triangles waiting for memory; neighbours in a
/// file are neighbours here.
fn valid_triangles(triangles: &[[u32; 3]], solve_from_render: &[u32], vertices: usize) -> Vec<[u32; 3]> {
    let solved =
        |corners: &[u32; 3]| corners.map(|v| solve_from_render.get(v as usize).copied().unwrap_or(v));
    let is_valid = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    let mut kept: Vec<[u32; 3]> = triangles.iter().map(solved).filter(is_valid).collect();
    if kept.iter().flatten().any(|&v| v as usize >= vertices) {
        return kept;
    }
    let mut ends = vec![0u32; vertices + 1];
    for t in &kept {
        ends[lowest_first(*t)[0] as usize + 1] += 1;
    }
    for v in 0..vertices {
        ends[v + 1] += ends[v];
    }
    let starts = ends.clone();
    let mut sharing = vec![[0; 3]; kept.len()];
    for (i, t) in kept.iter().enumerate() {
        let [lowest, b, c] = lowest_first(*t);
        let end = &mut ends[lowest as usize];
        sharing[*end as usize] = [b, c, i as u32];
        *end += 1;
    }
    let mut repeated = Vec::new();
    for v in 0..vertices {
        let same_lowest = &mut sharing[starts[v] as usize..starts[v + 1] as usize];
        sort_by_keys(same_lowest, |&[b, c, _]| key_of(b, c));
        let pairs = same_lowest.windows(2).filter(|pair| pair[0][..2] == pair[1][..2]);
        repeated.extend(pairs.map(|pair| pair[1][2]));
    }
    if !repeated.is_empty() {
        repeated.sort_unstable();
        let mut i = 0;
        kept.retain(|_| {
            i += 1;
            repeated.binary_search(&(i - 1)).is_err()
        });
    }
    kept
}

/// The same triangle, rotated so that its lowest vertex comes first.
fn lowest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}
