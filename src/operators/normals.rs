//! Vertex normals.
//!
//! In: positions and triangles. Out: one unit vector per vertex, outwards where triangles are
//! counter-clockwise. Cost: one pass. Triangles are weighted by their angle at the vertex (Thürmer
//! and Wüthrich 1998), not by area. So the normal does not depend on the triangulation of flat
//! areas, the normal at the corner of a box points along its diagonal, and the sign of the dot
//! product with it distinguishes inside from outside even at edges (Bærentzen and Aanæs 2005).

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
        let normal = unit_or_f64((b - a).cross(c - a), DVec3::ZERO);
        if normal == DVec3::ZERO {
            continue;
        }
        let at_corners = [angle(b - a, c - a), angle(c - b, a - b), angle(a - c, b - c)];
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

fn angle(to_one: DVec3, to_other: DVec3) -> f64 {
    to_one.cross(to_other).length().atan2(to_one.dot(to_other))
}
