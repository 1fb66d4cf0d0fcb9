//! Local thickness of a body: the length of the line through it from a vertex against its normal.
//!
//! In: the mesh at rest and some of its vertices. Out: a length per vertex. Cost: one ray per
//! vertex, once per rig.

use glam::{Vec3, Vec3A};

use crate::model::Mesh;
use crate::operators::Bvh;
use crate::operators::bvh::Ray;

/// Smallest thickness, as a share of the diagonal. Larger: thin parts move farther than they are
/// thick. Smaller: layers that lie on each other do not move at all.
const MIN_THICKNESS: f32 = 2e-3;

/// The thickness at each of `vertices`; infinite where there is no other side.
pub(super) fn local_thickness(mesh: &Mesh, vertices: &[u32]) -> Vec<f32> {
    let mut normals = vec![Vec3A::ZERO; mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(triangle).map(Vec3A::from);
        corners.iter().for_each(|&v| normals[v as usize] += (b - a).cross(c - a));
    }
    let bvh = Bvh::of(mesh);
    let least = MIN_THICKNESS * mesh.diagonal();
    let thickness = |&vertex: &u32| {
        let inwards = -Vec3::from(normals[vertex as usize].normalize_or_zero());
        let ray = Ray::new(mesh.positions()[vertex as usize], inwards);
        let is_other = |triangle: usize| !mesh.triangles()[triangle].contains(&vertex);
        let hit = bvh.first_hit_where(&ray, |hit| hit.leaves && is_other(hit.triangle));
        hit.map_or(f32::INFINITY, |hit| hit.along.max(least))
    };
    vertices.iter().map(thickness).collect()
}
