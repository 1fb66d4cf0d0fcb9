//! Heat that spreads over the skin until it rests: `−Δ w + H w = H p`, for every bone at once.
//!
//! In: [`MeshGeometry`] and [`Sources`], which say how strongly each vertex is held (H) and to which bones (p). Out:
//! one column per bone, and how far rows were from summing to one. Source: Baran and Popović 2007, §4. In the
//! weak form `(S + M H) w = M H p`, with the stiffness S and the masses M of [`crate::operators::Laplacian`], so
//! that the result depends neither on the model's units nor on how densely it is cut into triangles. Cost: one
//! factorisation, and one solve per bone that holds anything.
//!
//! The system is singular exactly where a connected piece of skin is held nowhere; then everything is lost,
//! everywhere. [`Sources`] must hold every piece ([`pieces`]), and [`diffuse`] strengthens a hold that is so weak
//! beside the stiffness of its piece that rounding would let go of it (a hidden island of tiny triangles).
//! What such a piece follows does not change: weakly held skin takes the mean of its sources either way.

use super::rows::{LEAST_SHARE, Rows};
use crate::model::Weights;
use crate::operators::MeshGeometry;
use crate::operators::sparse::{Factor, Symmetric};
use crate::progress::{Cancelled, Progress};

/// A piece is held with at least this share of its stiffness. Larger: large, weakly held pieces follow their sources
/// less smoothly. Smaller: row sums lose digits, and below 1e-16 everything is lost.
const LEAST_HOLD: f64 = 1e-8;

/// No vertex is held with more than this many times the mean stiffness of a vertex: a vertex on a bone has an infinite
/// H. Larger: digits are lost around it. Smaller: it no longer simply follows its bone.
const MOST_HOLD: f64 = 1e6;

/// Edges that conduct less than this share of the mean stiffness of a vertex join nothing.
const NO_CONTACT: f64 = 1e-9;

/// Bones solved for between two reports of progress.
const TOGETHER: usize = 16;

/// What holds the skin, and where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// H of each vertex, per area; 0 where nothing holds it.
    holds: Vec<f64>,
    ends: Vec<u32>,
    shares: Vec<(u32, f64)>,
}

impl Sources {
    /// Appends the next vertex, held by `hold` to bones by `shares`: (bone, share) in ascending order, which sum
    /// to one unless there are none.
    pub fn push(&mut self, hold: f64, shares: &[(u32, f64)]) {
        self.holds.push(if shares.is_empty() { 0.0 } else { hold });
        self.shares.extend_from_slice(shares);
        self.ends.push(self.shares.len() as u32);
    }

    /// H of every vertex, per area.
    pub fn holds(&self) -> &[f64] {
        &self.holds
    }

    /// The bones that hold a vertex, and their shares.
    pub fn of(&self, vertex: usize) -> &[(u32, f64)] {
        let start = if vertex == 0 { 0 } else { self.ends[vertex - 1] };
        &self.shares[start as usize..self.ends[vertex] as usize]
    }

    /// Whether a vertex is held at all.
    pub fn hold_anything(&self, vertex: usize) -> bool {
        !self.of(vertex).is_empty()
    }
}

/// What came to rest, as solved.
#[derive(Debug)]
pub struct Diffused {
    bones: usize,
    starts: Vec<u32>,
    shares: Vec<(u32, f64)>,
    /// The largest distance of a row's sum from one.
    pub largest_sum_error: f64,
}

impl Diffused {
    /// The shares of one vertex, by bone, but for those too small to matter.
    pub fn of(&self, vertex: usize) -> &[(u32, f64)] {
        &self.shares[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Rows that sum to one, with a column per bone.
    pub fn weights(&self) -> Weights {
        let mut rows = Rows::default();
        (0..self.starts.len() - 1).for_each(|vertex| rows.push(self.of(vertex)));
        rows.into_weights(self.bones)
    }
}

/// The connected piece of skin each vertex belongs to, numbered in the order of their first vertices. Finer than
/// the mesh's parts where triangles touch but conduct nothing.
pub fn pieces(geometry: &MeshGeometry) -> Vec<u32> {
    let stiffness = geometry.laplacian().stiffness();
    let size = stiffness.size();
    let least = NO_CONTACT * stiffness.diagonal().sum::<f64>() / size.max(1) as f64;
    let mut above: Vec<u32> = (0..size as u32).collect();
    for (row, column, value) in stiffness.entries() {
        if row != column && -value > least {
            let (a, b) = (root(&mut above, row as u32), root(&mut above, column as u32));
            above[a.max(b) as usize] = a.min(b);
        }
    }
    let mut number_of_root = vec![u32::MAX; size];
    let mut pieces = 0;
    (0..size as u32)
        .map(|vertex| {
            let number = &mut number_of_root[root(&mut above, vertex) as usize];
            if *number == u32::MAX {
                *number = pieces;
                pieces += 1;
            }
            *number
        })
        .collect()
}

fn root(above: &mut [u32], mut vertex: u32) -> u32 {
    while above[vertex as usize] != vertex {
        above[vertex as usize] = above[above[vertex as usize] as usize];
        vertex = above[vertex as usize];
    }
    vertex
}

/// Lets heat spread until it rests.
///
/// # Errors
/// [`Cancelled`] when `progress` says so.
///
/// # Panics
/// When sources are missing for vertices or for a whole piece of skin.
pub fn diffuse(
    geometry: &MeshGeometry,
    sources: &Sources,
    bones: usize,
    progress: &mut Progress,
) -> Result<Diffused, Cancelled> {
    let size = geometry.mesh().positions().len();
    assert_eq!(sources.holds.len(), size, "one source per vertex");
    let holds = weighted_holds(geometry, sources);
    let matrix: Symmetric = geometry.laplacian().stiffness().plus_diagonal(&holds);
    let factor = match Factor::of(&matrix) {
        Ok(factor) => factor,
        Err(error) => panic!("every piece of skin is held, yet {error}"),
    };
    let by_bone = by_bone(sources, bones);
    let holding: Vec<u32> = (0..bones as u32).filter(|&bone| !by_bone.of(bone).is_empty()).collect();
    let mut columns = Columns { sums: vec![0.0; size], found: Vec::new() };
    let mut rights = vec![0.0; size * holding.len().min(TOGETHER)];
    for (done, some) in holding.chunks(TOGETHER).enumerate() {
        progress.step(done * TOGETHER, holding.len())?;
        let rights = &mut rights[..size * some.len()];
        rights.fill(0.0);
        for (right, &bone) in rights.chunks_mut(size.max(1)).zip(some) {
            by_bone.of(bone).iter().for_each(|&(v, share)| right[v as usize] = holds[v as usize] * share);
        }
        factor.solve(rights);
        rights.chunks(size.max(1)).zip(some).for_each(|(column, &bone)| columns.add(column, bone));
    }
    progress.step(holding.len(), holding.len())?;
    Ok(columns.into_rows(bones))
}

/// M H of every vertex, within what can be solved.
fn weighted_holds(geometry: &MeshGeometry, sources: &Sources) -> Vec<f64> {
    let laplacian = geometry.laplacian();
    let size = sources.holds.len();
    // A mesh without any stiffness (loose vertices, all in one place) can be held by any number.
    let mean = laplacian.stiffness().diagonal().sum::<f64>() / size.max(1) as f64;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    let held = |(&hold, &mass): (&f64, &f64)| (hold * mass).clamp(0.0, MOST_HOLD * mean);
    let mut holds: Vec<f64> = sources.holds.iter().zip(laplacian.masses()).map(held).collect();
    let piece_of_vertex = pieces(geometry);
    let count = piece_of_vertex.iter().max().map_or(0, |&last| last as usize + 1);
    let mut of_piece = vec![(0.0, 0.0, 0.0f64); count];
    for (vertex, stiffness) in laplacian.stiffness().diagonal().enumerate() {
        let (stiff, held, holding) = &mut of_piece[piece_of_vertex[vertex] as usize];
        *stiff += stiffness;
        *held += holds[vertex];
        *holding += f64::from(u8::from(sources.hold_anything(vertex)));
    }
    for (vertex, hold) in holds.iter_mut().enumerate().filter(|(v, _)| sources.hold_anything(*v)) {
        let (stiff, held, holding) = of_piece[piece_of_vertex[vertex] as usize];
        let least = LEAST_HOLD * stiff.max(mean);
        if held <= 0.0 {
            *hold = least / holding;
        } else if held < least {
            *hold *= least / held;
        }
    }
    let is_held = |&(_, _, holding): &(f64, f64, f64)| holding > 0.0;
    assert!(of_piece.iter().all(is_held), "a piece of skin is held by nothing");
    holds
}

/// The vertices each bone holds.
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
    let vertices = 0..sources.holds.len();
    let all =
        vertices.flat_map(|v| sources.of(v).iter().map(move |&(bone, share)| (bone, (v as u32, share))));
    let (starts, items) = sorted_into(bones, all);
    ByBone { starts, items }
}

/// Items by the list they belong to, in the order they come; and where each list starts.
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

/// Solutions as they come, bone by bone, without what is too small to matter.
struct Columns {
    sums: Vec<f64>,
    /// (vertex, (bone, share)), by bone.
    found: Vec<(u32, (u32, f64))>,
}

impl Columns {
    fn add(&mut self, column: &[f64], bone: u32) {
        for (vertex, &share) in column.iter().enumerate() {
            self.sums[vertex] += share;
            if share > LEAST_SHARE {
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
