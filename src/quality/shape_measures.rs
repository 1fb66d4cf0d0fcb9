//! Measures of a posed shape against its rest shape: local thickness and stretch of edges.
//!
//! In: the mesh at rest and posed positions. Out: plain numbers. Nothing here uses the code that
//! corrects poses. Cost: one ray per vertex for the thickness, one pass over the edges for the
//! stretch.

use glam::{DVec3, Vec3};

use crate::math::unit_or_f64;
use crate::model::{Mesh, Topology};
use crate::operators::Bvh;
use crate::operators::bvh::Ray;

/// Thickness of thinner places, and shortest edge that is measured, as a share of the diagonal.
/// Larger: thin parts may move farther than they are thick. Smaller: layers of one surface that lie
/// on each other count as a body without thickness.
const MIN_LENGTH: f32 = 2e-3;

/// The length of the line through the body from each vertex, against its normal; infinite where
/// there is no other side.
pub fn local_thickness(mesh: &Mesh) -> Vec<f32> {
    let mut normals = vec![DVec3::ZERO; mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(triangle).map(|p| p.as_dvec3());
        corners.iter().for_each(|&v| normals[v as usize] += (b - a).cross(c - a));
    }
    let bvh = Bvh::of(mesh);
    let least = MIN_LENGTH * mesh.diagonal();
    let thickness = |(vertex, normal): (usize, DVec3)| {
        let inwards = -unit_or_f64(normal, DVec3::ZERO).as_vec3();
        let ray = Ray::new(mesh.positions()[vertex], inwards);
        let is_other = |triangle: usize| !mesh.triangles()[triangle].contains(&(vertex as u32));
        let hit = bvh.first_hit_where(&ray, |hit| hit.leaves && is_other(hit.triangle));
        hit.map_or(f32::INFINITY, |hit| hit.along.max(least))
    };
    normals.into_iter().enumerate().map(thickness).collect()
}

/// The largest ratio of the posed length of an edge to its length at rest.
pub fn largest_stretch(mesh: &Mesh, topology: &Topology, posed: &[Vec3]) -> f32 {
    let least = MIN_LENGTH * mesh.diagonal();
    let stretch = |ends: [u32; 2]| {
        let length = |at: &[Vec3]| at[ends[0] as usize].distance(at[ends[1] as usize]);
        let rest = length(mesh.positions());
        if rest >= least { length(posed) / rest } else { 0.0 }
    };
    topology.edges().iter().map(|edge| stretch(edge.ends)).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 1 × 2 × 3 with two triangles per side.
    fn cuboid() -> Mesh {
        let at = |i: u32| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32 * 2.0, (i >> 2) as f32 * 3.0);
        let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Mesh::new((0..8).map(at).collect(), triangles).unwrap()
    }

    #[test]
    fn the_thickness_of_a_box_is_between_its_sides_and_its_diagonal() {
        let mesh = cuboid();
        let thickness = local_thickness(&mesh);
        assert!(thickness.iter().all(|t| (1.0..=mesh.diagonal()).contains(t)), "{thickness:?}");
    }

    #[test]
    fn the_stretch_is_that_of_the_most_stretched_edge() {
        let mesh = cuboid();
        let topology = Topology::of(&mesh);
        let posed: Vec<Vec3> = mesh.positions().iter().map(|p| *p * Vec3::new(2.5, 1.0, 0.1)).collect();
        assert!((largest_stretch(&mesh, &topology, &posed) - 2.5).abs() < 1e-6);
        assert_eq!(largest_stretch(&mesh, &topology, mesh.positions()), 1.0);
    }
}
