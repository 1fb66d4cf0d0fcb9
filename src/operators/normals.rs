//! Vertex normals.
//!
//! In: positions and triangles. Out: one unit vector per vertex, outwards where triangles are
//! counter-clockwise. Cost: one pass. Triangles are weighted by their angle at the vertex (Thürmer
//! and Wüthrich 1998), not by area. So the normal does not depend on the triangulation of flat
//! areas, the normal at the corner of a box points along its diagonal, and the sign of the dot
//! product with it distinguishes inside from outside even at edges (Bærentzen and Aanæs 2005).

use std::f64::consts::PI;

use glam::{DVec3, Vec3};

use crate::math::unit_or_f64;
use crate::model::Mesh;

/// Sums of normals shorter than this fraction of the sum of angles have no direction: opposite
/// sides of a two-sided leaf. Larger: sharp needles lose their normal. Smaller: rounding decides
/// where they point.
const MIN_LENGTH: f64 = 1e-6;

/// The vertex normals of a mesh; `Vec3::Y` where there is no surface, or two opposite ones.
pub fn vertex_normals(mesh: &Mesh) -> Vec<Vec3> {
    normals_of(mesh.positions(), mesh.triangles())
}

/// Same as [`vertex_normals`], for `positions` (n × 3) and `triangles` (m × 3 indices, all below
/// n).
pub fn normals_of(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    // In f64, because the cross product of two edges of a model in millimetres underflows in f32.
    let mut sums = vec![DVec3::ZERO; positions.len()];
    let mut angles = vec![0.0; positions.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|v| positions[v as usize].as_dvec3());
        let cross = (b - a).cross(c - a);
        let normal = unit_or_f64(cross, DVec3::ZERO);
        if normal == DVec3::ZERO {
            continue;
        }
        // The cross products of the edges at all three corners have the same length.
        let sine = cross.length();
        let at_a = sine.atan2((b - a).dot(c - a));
        let at_b = sine.atan2((c - b).dot(a - b));
        let at_corners = [at_a, at_b, (PI - at_a - at_b).max(0.0)];
        for (&vertex, at_corner) in corners.iter().zip(at_corners) {
            sums[vertex as usize] += normal * at_corner;
            angles[vertex as usize] += at_corner;
        }
    }
    sums.iter()
        .zip(angles)
        .map(|(&sum, angles)| {
            let cancelled = sum.length() <= MIN_LENGTH * angles;
            if cancelled { Vec3::Y } else { unit_or_f64(sum, DVec3::Y).as_vec3() }
        })
        .collect()
}
