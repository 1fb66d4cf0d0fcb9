//! Smaller quadratics that look like a large one, to guess from where its minimum rests on bounds.
//!
//! Unknowns that touch are gathered into clusters, and stiffness and masses summed. Gathered so, a Laplacian is too stiff
//! by how much wider clusters are than unknowns, but everywhere alike, which no minimiser notices. No geometry is
//! needed, so skins and lattices are treated alike.

use super::Quadratic;
use crate::operators::sparse::Symmetric;

/// The cluster of each unknown: one with all its neighbours where nobody of them is taken, then whatever touches.
pub(super) fn clusters(stiffness: &Quadratic) -> (Vec<u32>, usize) {
    const NOBODY: u32 = u32::MAX;
    let touching = |i: usize| stiffness.row(i).filter(|&(_, value)| value < 0.0).map(|(j, _)| j);
    let mut cluster_of = vec![NOBODY; stiffness.size()];
    let mut count = 0;
    for i in 0..stiffness.size() {
        if cluster_of[i] == NOBODY && touching(i).all(|j| cluster_of[j] == NOBODY) {
            cluster_of[i] = count;
            touching(i).for_each(|j| cluster_of[j] = count);
            count += 1;
        }
    }
    let first = cluster_of.clone();
    for (i, cluster) in cluster_of.iter_mut().enumerate().filter(|(_, cluster)| **cluster == NOBODY) {
        let beside = touching(i).map(|j| first[j]).find(|&cluster| cluster != NOBODY);
        *cluster = beside.unwrap_or_else(|| {
            count += 1;
            count - 1
        });
    }
    (cluster_of, count as usize)
}

/// Stiffness and masses of the clusters.
pub(super) fn gathered(
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
