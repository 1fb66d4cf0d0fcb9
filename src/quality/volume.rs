//! The volume a mesh encloses.
//!
//! In: positions (n × 3) and triangles (m × 3 vertex indices). Out: the signed volume in cubic mesh
//! units, positive if triangles are counter-clockwise seen from outside. Source: the divergence
//! theorem (docs/theory/volume.md#volume-and-gradient). Cost: one pass over the vertices and one
//! over the triangles.

use glam::{DVec3, Vec3};

/// The signed volume, `1/6 Σ p_i · (p_j × p_k)`, in f64 and relative to the mean of the vertices,
/// because the terms of a distant mesh are large and cancel. The volume of an open mesh is that of
/// the mesh closed by a fan from its border to that mean. Zero without triangles.
///
/// # Panics
/// If a triangle has a vertex index out of range.
pub fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let sum: DVec3 = positions.iter().map(|p| p.as_dvec3()).sum();
    let mean = sum / positions.len().max(1) as f64;
    let six_fold: f64 = triangles
        .iter()
        .map(|corners| {
            let [a, b, c] = corners.map(|v| positions[v as usize].as_dvec3() - mean);
            a.dot(b.cross(c))
        })
        .sum();
    six_fold / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tetrahedron at the corner of a unit cube, moved by `offset`.
    fn tetrahedron(offset: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p + offset).to_vec();
        (positions, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    }

    #[test]
    fn a_tetrahedron_has_a_sixth_of_its_cube_wherever_it_is() {
        for offset in [Vec3::ZERO, Vec3::splat(-3.0), Vec3::new(4096.0, -8192.0, 1024.0)] {
            let (positions, triangles) = tetrahedron(offset);
            assert!((volume(&positions, &triangles) - 1.0 / 6.0).abs() < 1e-12, "at {offset}");
        }
    }

    #[test]
    fn turned_inside_out_it_is_negative() {
        let (positions, mut triangles) = tetrahedron(Vec3::ONE);
        triangles.iter_mut().for_each(|t| t.reverse());
        assert!((volume(&positions, &triangles) + 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_mesh_without_triangles_has_no_volume() {
        assert_eq!(volume(&[], &[]), 0.0);
        assert_eq!(volume(&[Vec3::ONE], &[]), 0.0);
    }
}
