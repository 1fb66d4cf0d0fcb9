//! Coarser quadratics, whose solutions give initial states for the fine one.
//!
//! Adjacent unknowns are merged into clusters, and their stiffness and masses are summed. Such a
//! Laplacian is too stiff by the ratio of the widths of clusters and unknowns, but by the same
//! factor everywhere, which does not change the minimiser. No geometry is needed, so surfaces and
//! lattices are treated alike.

use super::Quadratic;
use crate::operators::sparse::Symmetric;

/// The cluster of each unknown, and their number. An unknown forms a cluster with all its
/// neighbours if none of them is assigned yet; the others join an adjacent cluster.
pub(super) fn clusters(stiffness: &Quadratic) -> (Vec<u32>, usize) {
    const UNASSIGNED: u32 = u32::MAX;
    let neighbours = |i: usize| stiffness.row(i).filter(|&(_, value)| value < 0.0).map(|(j, _)| j);
    let mut cluster_of = vec![UNASSIGNED; stiffness.size()];
    let mut count = 0;
    for i in 0..stiffness.size() {
        if cluster_of[i] == UNASSIGNED && neighbours(i).all(|j| cluster_of[j] == UNASSIGNED) {
            cluster_of[i] = count;
            neighbours(i).for_each(|j| cluster_of[j] = count);
            count += 1;
        }
    }
    let first = cluster_of.clone();
    for (i, cluster) in cluster_of.iter_mut().enumerate().filter(|(_, cluster)| **cluster == UNASSIGNED) {
        let adjacent = neighbours(i).map(|j| first[j]).find(|&cluster| cluster != UNASSIGNED);
        *cluster = adjacent.unwrap_or_else(|| {
            count += 1;
            count - 1
        });
    }
    (cluster_of, count as usize)
}

/// Stiffness and masses of the clusters.
pub(super) fn coarsened(
    stiffness: &Quadratic,
    masses: &[f64],
    cluster_of: &[u32],
    count: usize,
) -> (Symmetric, Vec<f64>) {
    let mut sums = vec![0.0; count];
    cluster_of.iter().zip(masses).for_each(|(&cluster, mass)| sums[cluster as usize] += mass);
    let mut entries = Vec::new();
    for row in 0..stiffness.size() {
        let a = cluster_of[row];
        for (column, value) in stiffness.row(row).filter(|&(column, _)| column < row) {
            let b = cluster_of[column];
            if a != b {
                entries.extend([(a, b, value), (a, a, -value), (b, b, -value)]);
            }
        }
    }
    (Symmetric::from_entries(count, &entries), sums)
}
