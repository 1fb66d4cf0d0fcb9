//! Harmonic distances, by Laplace's equation.
//!
//! In: a boundary and the geodesic distances around it. Out: on the same vertices, the harmonic
//! function that keeps the values of the vertices at the curve and the geodesic distances of the
//! farthest vertices (Aujay et al. 2007). Cost: one sparse factorisation over the vertices of the
//! field.
//!
//! A single fixed vertex would be a spike whose height depends on the mesh density, so all vertices
//! within [`FAR_FRACTION`] of the largest distance on their side are fixed.

use crate::model::{Boundary, DistanceField};
use crate::operators::MeshGeometry;
use crate::operators::sparse::{Factor, Symmetric};

/// Fraction of the largest distance from which on vertices are fixed. Larger: spikes. Smaller:
/// distances are constant at the end of a limb.
const FAR_FRACTION: f32 = 0.95;

const OUTSIDE: u32 = u32::MAX;

pub(super) fn distances(
    geometry: &MeshGeometry,
    boundary: &Boundary,
    geodesic: DistanceField,
) -> DistanceField {
    let vertices = geometry.mesh().positions().len();
    let mut local = vec![OUTSIDE; vertices];
    for (i, &vertex) in geodesic.vertices.iter().enumerate() {
        local[vertex as usize] = i as u32;
    }
    let fixed = fixed_vertices(geometry, boundary, &geodesic, &local);
    let free: Vec<u32> = (0..geodesic.vertices.len() as u32).filter(|&i| !fixed[i as usize]).collect();
    match solve(geometry, &geodesic, &local, &fixed, &free) {
        Some(solution) => {
            let mut field = geodesic;
            for (&i, value) in free.iter().zip(solution) {
                field.distances[i as usize] = value.max(0.0) as f32;
            }
            field
        }
        // A surface without area has no Laplacian, but distances along its edges.
        None => geodesic,
    }
}

/// The vertices of the field with fixed distances: those at the curve, and the farthest of each
/// side.
fn fixed_vertices(
    geometry: &MeshGeometry,
    boundary: &Boundary,
    field: &DistanceField,
    local: &[u32],
) -> Vec<bool> {
    let mut fixed = vec![false; field.vertices.len()];
    for (triangle, _) in boundary.segments() {
        for corner in geometry.mesh().triangles()[triangle as usize] {
            if local[corner as usize] != OUTSIDE {
                fixed[local[corner as usize] as usize] = true;
            }
        }
    }
    let mut visited = fixed.clone();
    let mut far = Vec::new();
    for seed in 0..field.vertices.len() {
        if visited[seed] {
            continue;
        }
        visited[seed] = true;
        let mut side = vec![seed];
        let mut next = 0;
        while next < side.len() {
            for neighbour in geometry.topology().neighbours(field.vertices[side[next]] as usize) {
                let i = local[neighbour];
                if i != OUTSIDE && !visited[i as usize] {
                    visited[i as usize] = true;
                    side.push(i as usize);
                }
            }
            next += 1;
        }
        let farthest = side.iter().map(|&i| field.distances[i]).fold(0.0, f32::max);
        far.extend(side.into_iter().filter(|&i| field.distances[i] >= FAR_FRACTION * farthest));
    }
    far.into_iter().for_each(|i| fixed[i] = true);
    fixed
}

/// The values of the free vertices; `None` if the system cannot be solved.
fn solve(
    geometry: &MeshGeometry,
    field: &DistanceField,
    local: &[u32],
    fixed: &[bool],
    free: &[u32],
) -> Option<Vec<f64>> {
    let mut unknown = vec![OUTSIDE; fixed.len()];
    free.iter().enumerate().for_each(|(i, &vertex)| unknown[vertex as usize] = i as u32);
    let mut rights = vec![0.0; free.len()];
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    let stiffness = geometry.laplacian().stiffness();
    let domain = field.vertices.iter().map(|&vertex| vertex as usize);
    for (column, i) in domain.zip(0u32..) {
        for (row, value) in stiffness.column(column).skip(1) {
            let j = local[row];
            // Edges that leave the domain are left out (natural boundary conditions).
            if j == OUTSIDE || value == 0.0 {
                continue;
            }
            let pair = [i, j].map(|i| unknown[i as usize]);
            for (this, other, other_field) in [(pair[0], pair[1], j), (pair[1], pair[0], i)] {
                if this != OUTSIDE {
                    entries.push((this, this, -value));
                    if other == OUTSIDE {
                        rights[this as usize] -= value * f64::from(field.distances[other_field as usize]);
                    }
                }
            }
            if pair[0] != OUTSIDE && pair[1] != OUTSIDE {
                entries.push((pair[0], pair[1], value));
            }
        }
    }
    let factor = Factor::of(&Symmetric::from_entries(free.len(), &entries)).ok()?;
    factor.solve(&mut rights);
    rights.iter().all(|value| value.is_finite()).then_some(rights)
}
