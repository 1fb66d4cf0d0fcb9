//! Diffusion over the surface until equilibrium: `−Δ w + H w = H p`, for all bones
//! (docs/theory/bone-heat.md#equation).
//!
//! In: [`MeshGeometry`] and [`Sources`]: the conductance (H) of each vertex and its bones (p). Out:
//! one column per bone, and the largest deviation of row sums from one. Source: Baran and Popović
//! 2007, section 4. In the weak form `(S + M H) w = M H p`, with the stiffness S and the masses M
//! of [`crate::operators::Laplacian`], so that the result depends neither on the units of the model
//! nor on the density of the mesh. Cost: one factorisation, and one solve per bone that is a
//! source.
//!
//! The system is singular if a connected piece of the surface has no vertex with H > 0
//! (docs/theory/bone-heat.md#singular-systems). [`Sources`] must have one in every piece
//! ([`pieces`]). [`diffuse`] increases conductances that are so small relative to the stiffness of
//! their piece that rounding would make the system singular (a hidden island of tiny triangles).
//! The weights of such a piece do not change: with a small conductance they are the mean of its
//! sources either way.

use super::rows::{MIN_SHARE, Rows};
use crate::model::Weights;
use crate::operators::MeshGeometry;
use crate::operators::sparse::{Factor, Symmetric};
use crate::progress::{Cancelled, Progress};

/// Smallest sum of conductances of a piece, as a fraction of its stiffness. Larger: large pieces
/// with a small conductance follow their sources less smoothly. Smaller: row sums lose digits, and
/// below 1e-16 the system is singular.
const MIN_CONDUCTANCE: f64 = 1e-8;

/// Largest conductance of a vertex, in units of the mean stiffness of a vertex: H is infinite for a
/// vertex on a bone. Larger: digits are lost around it. Smaller: it no longer follows its bone
/// exactly.
const MAX_CONDUCTANCE: f64 = 1e6;

/// Edges with a smaller stiffness than this fraction of the mean stiffness of a vertex do not
/// connect.
const MIN_COUPLING: f64 = 1e-9;

/// Number of bones solved for between two progress reports.
const BLOCK: usize = 16;

/// The conductance H and the source p of every vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// H of each vertex, per area; 0 where it has no source.
    conductances: Vec<f64>,
    ends: Vec<u32>,
    shares: Vec<(u32, f64)>,
}

impl Sources {
    /// Appends the next vertex with the conductance `conductance` and the bones in `shares`: (bone,
    /// share) in ascending order, which sum to one unless there are none.
    pub fn push(&mut self, conductance: f64, shares: &[(u32, f64)]) {
        self.conductances.push(if shares.is_empty() { 0.0 } else { conductance });
        self.shares.extend_from_slice(shares);
        self.ends.push(self.shares.len() as u32);
    }

    /// H of every vertex, per area.
    pub fn conductances(&self) -> &[f64] {
        &self.conductances
    }

    /// p of a vertex: its bones and their shares.
    pub fn of(&self, vertex: usize) -> &[(u32, f64)] {
        let start = if vertex == 0 { 0 } else { self.ends[vertex - 1] };
        &self.shares[start as usize..self.ends[vertex] as usize]
    }

    /// Whether a vertex has a source.
    pub fn has_source(&self, vertex: usize) -> bool {
        !self.of(vertex).is_empty()
    }
}

/// The solution of the diffusion.
#[derive(Debug)]
pub struct Diffused {
    bones: usize,
    starts: Vec<u32>,
    shares: Vec<(u32, f64)>,
    /// The largest deviation of a row sum from one.
    pub largest_sum_error: f64,
}

impl Diffused {
    /// The weights of one vertex, by bone, without those too small to matter.
    pub fn of(&self, vertex: usize) -> &[(u32, f64)] {
        &self.shares[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Normalised rows with a column per bone.
    pub fn weights(&self) -> Weights {
        let mut rows = Rows::default();
        (0..self.starts.len() - 1).for_each(|vertex| rows.push(self.of(vertex)));
        rows.into_weights(self.bones)
    }
}

/// The connected piece of the surface of each vertex, numbered in the order of their first
/// vertices. Finer than the components of the mesh where triangles touch but have no stiffness in
/// common.
pub fn pieces(geometry: &MeshGeometry) -> Vec<u32> {
    let stiffness = geometry.laplacian().stiffness();
    let size = stiffness.size();
    let least = MIN_COUPLING * stiffness.diagonal().sum::<f64>() / size.max(1) as f64;
    let mut parent: Vec<u32> = (0..size as u32).collect();
    for (row, column, value) in stiffness.entries() {
        if row != column && -value > least {
            let (a, b) = (root(&mut parent, row as u32), root(&mut parent, column as u32));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut number_of_root = vec![u32::MAX; size];
    let mut pieces = 0;
    (0..size as u32)
        .map(|vertex| {
            let number = &mut number_of_root[root(&mut parent, vertex) as usize];
            if *number == u32::MAX {
                *number = pieces;
                pieces += 1;
            }
            *number
        })
        .collect()
}

fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
    while parent[vertex as usize] != vertex {
        parent[vertex as usize] = parent[parent[vertex as usize] as usize];
        vertex = parent[vertex as usize];
    }
    vertex
}

/// Solves the diffusion equation.
///
/// # Errors
/// [`Cancelled`] if `progress` cancels.
///
/// # Panics
/// If sources are missing for vertices or for a whole piece of skin.
pub fn diffuse(
    geometry: &MeshGeometry,
    sources: &Sources,
    bones: usize,
    progress: &mut Progress,
) -> Result<Diffused, Cancelled> {
    let size = geometry.mesh().positions().len();
    assert_eq!(sources.conductances.len(), size, "one source per vertex");
    let conductances = system_conductances(geometry, sources);
    let matrix: Symmetric = geometry.laplacian().stiffness().plus_diagonal(&conductances);
    let factor = match Factor::of(&matrix) {
        Ok(factor) => factor,
        Err(error) => panic!("every piece of the surface has a source, yet {error}"),
    };
    let by_bone = by_bone(sources, bones);
    let source_bones: Vec<u32> = (0..bones as u32).filter(|&bone| !by_bone.of(bone).is_empty()).collect();
    let mut columns = Columns { sums: vec![0.0; size], found: Vec::new() };
    let mut rights = vec![0.0; size * source_bones.len().min(BLOCK)];
    for (done, some) in source_bones.chunks(BLOCK).enumerate() {
        progress.step(done * BLOCK, source_bones.len())?;
        let rights = &mut rights[..size * some.len()];
        rights.fill(0.0);
        for (right, &bone) in rights.chunks_mut(size.max(1)).zip(some) {
            by_bone
                .of(bone)
                .iter()
                .for_each(|&(v, share)| right[v as usize] = conductances[v as usize] * share);
        }
        factor.solve(rights);
        rights.chunks(size.max(1)).zip(some).for_each(|(column, &bone)| columns.add(column, bone));
    }
    progress.step(source_bones.len(), source_bones.len())?;
    Ok(columns.into_rows(bones))
}

/// M H of every vertex, within the limits of what can be solved.
fn system_conductances(geometry: &MeshGeometry, sources: &Sources) -> Vec<f64> {
    let laplacian = geometry.laplacian();
    let size = sources.conductances.len();
    // A mesh without any stiffness (isolated vertices, all at one position) can have any
    // conductance.
    let mean = laplacian.stiffness().diagonal().sum::<f64>() / size.max(1) as f64;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    let limited =
        |(&conductance, &mass): (&f64, &f64)| (conductance * mass).clamp(0.0, MAX_CONDUCTANCE * mean);
    let mut conductances: Vec<f64> =
        sources.conductances.iter().zip(laplacian.masses()).map(limited).collect();
    let piece_of_vertex = pieces(geometry);
    let count = piece_of_vertex.iter().max().map_or(0, |&last| last as usize + 1);
    let mut of_piece = vec![(0.0, 0.0, 0.0f64); count];
    for (vertex, stiffness) in laplacian.stiffness().diagonal().enumerate() {
        let (piece_stiffness, total, source_count) = &mut of_piece[piece_of_vertex[vertex] as usize];
        *piece_stiffness += stiffness;
        *total += conductances[vertex];
        *source_count += f64::from(u8::from(sources.has_source(vertex)));
    }
    for (vertex, conductance) in conductances.iter_mut().enumerate().filter(|(v, _)| sources.has_source(*v)) {
        let (piece_stiffness, total, source_count) = of_piece[piece_of_vertex[vertex] as usize];
        let least = MIN_CONDUCTANCE * piece_stiffness.max(mean);
        if total <= 0.0 {
            *conductance = least / source_count;
        } else if total < least {
            *conductance *= least / total;
        }
    }
    let has_source = |&(_, _, source_count): &(f64, f64, f64)| source_count > 0.0;
    assert!(of_piece.iter().all(has_source), "a piece of the surface has no source");
    conductances
}

/// The vertices whose source is each bone.
struct ByBone {
    starts: Vec<u32>,
    items: Vec<(u32, f64)>,
}

impl ByBone {
    fn of(&self, bone: u32) -> &[(u32, f64)] {
        &self.items[self.starts[bone as usize] as usize..self.starts[bone as usize + 1] as usize]
    }
}

fn by_bone(sources: &Sources, bones: usize) -> ByBone {
    let vertices = 0..sources.conductances.len();
    let all =
        vertices.flat_map(|v| sources.of(v).iter().map(move |&(bone, share)| (bone, (v as u32, share))));
    let (starts, items) = sorted_into(bones, all);
    ByBone { starts, items }
}

/// Sorts items into lists, stably; returns the start of each list and the items.
fn sorted_into<T: Copy + Default>(
    lists: usize,
    all: impl Iterator<Item = (u32, T)> + Clone,
) -> (Vec<u32>, Vec<T>) {
    let mut starts = vec![0u32; lists + 1];
    all.clone().for_each(|(list, _)| starts[list as usize + 1] += 1);
    for i in 0..lists {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut items = vec![T::default(); starts[lists] as usize];
    for (list, item) in all {
        items[next[list as usize] as usize] = item;
        next[list as usize] += 1;
    }
    (starts, items)
}

/// Solutions bone by bone, without values too small to matter.
struct Columns {
    sums: Vec<f64>,
    /// (vertex, (bone, share)), by bone.
    found: Vec<(u32, (u32, f64))>,
}

impl Columns {
    fn add(&mut self, column: &[f64], bone: u32) {
        for (vertex, &share) in column.iter().enumerate() {
            self.sums[vertex] += share;
            if share > MIN_SHARE {
                self.found.push((vertex as u32, (bone, share)));
            }
        }
    }

    fn into_rows(self, bones: usize) -> Diffused {
        let (starts, shares) = sorted_into(self.sums.len(), self.found.iter().copied());
        let largest_sum_error = self.sums.iter().map(|sum| (sum - 1.0).abs()).fold(0.0, f64::max);
        Diffused { bones, starts, shares, largest_sum_error }
    }
}
