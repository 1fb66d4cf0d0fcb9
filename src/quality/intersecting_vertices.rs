//! Render vertices that belong to self-intersections of a pose.

use glam::Vec3;

use super::self_intersections;
use crate::model::Asset;

/// The render vertices of triangles of the solve mesh that intersect others in a pose, and not at rest.
///
/// `at_rest` are the sorted pairs of [`self_intersections`] of the rest pose, `positions` are the posed render
/// vertices. Vertices of rigid parts are not on the solve mesh and are never listed.
pub fn intersecting_vertices(asset: &Asset, at_rest: &[[u32; 2]], positions: &[Vec3]) -> Vec<u32> {
    let mesh = &asset.mesh;
    let posed = |(&render, &rest): (&u32, &Vec3)| positions.get(render as usize).copied().unwrap_or(rest);
    let posed: Vec<Vec3> = asset.render_from_solve().iter().zip(mesh.positions()).map(posed).collect();
    let mut intersects = vec![false; posed.len()];
    for pair in self_intersections(&posed, mesh.triangles()) {
        if at_rest.binary_search(&pair).is_err() {
            let corners = pair.iter().flat_map(|&triangle| mesh.triangles()[triangle as usize]);
            corners.for_each(|corner| intersects[corner as usize] = true);
        }
    }
    let is_listed = |solve: u32| intersects.get(solve as usize).copied().unwrap_or_default();
    let copies = asset.solve_from_render.iter().zip(0..);
    copies.filter(|&(&solve, _)| is_listed(solve)).map(|(_, render)| render).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Mesh, RenderMesh};

    /// Two crossing triangles, with the first vertex drawn twice and one vertex of a rigid part.
    fn asset() -> Asset {
        let points = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [9.0, 9.0, 1.0], [9.5, 9.0, 1.0]];
        let mut positions: Vec<Vec3> = points.map(Vec3::from_array).to_vec();
        positions.push(Vec3::new(9.0, 9.5, 1.0));
        let triangles = vec![[0, 1, 2], [3, 4, 5]];
        let mut render = positions.clone();
        render.extend([positions[0], Vec3::ZERO]);
        Asset {
            mesh: Mesh::new(positions, triangles.clone()).unwrap(),
            render: RenderMesh { positions: render, triangles, ..RenderMesh::default() },
            solve_from_render: vec![0, 1, 2, 3, 4, 5, 0, Asset::NOT_SOLVED],
            ..Asset::default()
        }
    }

    #[test]
    fn copies_are_listed_and_intersections_at_rest_are_not() {
        let asset = asset();
        let mut posed = asset.render.positions.clone();
        assert!(intersecting_vertices(&asset, &[], &posed).is_empty());
        posed[3] = Vec3::new(0.3, 0.3, -1.0);
        posed[4] = Vec3::new(0.3, 0.3, 1.0);
        posed[5] = Vec3::new(0.5, 0.5, 1.0);
        assert_eq!(intersecting_vertices(&asset, &[], &posed), [0, 1, 2, 3, 4, 5, 6]);
        assert!(intersecting_vertices(&asset, &[[0, 1]], &posed).is_empty());
    }
}
