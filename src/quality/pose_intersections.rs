//! Render vertices that belong to self-intersections of a pose and not of the rest pose.
//!
//! In: an asset and positions of its render vertices. Out: indices of render vertices. Cost: one
//! search for self-intersections per pose, and one of the rest pose at the first.

use glam::Vec3;

use super::self_intersections;
use crate::model::Asset;

/// Finds self-intersections of poses of one character. The pairs of triangles that intersect at
/// rest are found once and kept.
#[derive(Clone, Debug, Default)]
pub struct PoseIntersections {
    /// Sorted pairs of triangles; none before the first pose.
    at_rest: Option<Vec<[u32; 2]>>,
}

impl PoseIntersections {
    /// The render vertices of triangles of the solve mesh that intersect others in a pose, and not
    /// at rest.
    ///
    /// `positions` are the posed render vertices. The solve mesh of `asset` must be the same in all
    /// calls. Vertices of rigid parts are not on the solve mesh and are never listed.
    pub fn vertices(&mut self, asset: &Asset, positions: &[Vec3]) -> Vec<u32> {
        let mesh = &asset.mesh;
        let at_rest =
            self.at_rest.get_or_insert_with(|| self_intersections(mesh.positions(), mesh.triangles()));
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Mesh, RenderMesh};

    /// Two triangles, the second at `second`, with the first vertex drawn twice and one vertex of a
    /// rigid part.
    fn asset(second: [Vec3; 3]) -> Asset {
        let mut positions = vec![Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y];
        positions.extend(second);
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

    const FAR: [Vec3; 3] = [Vec3::new(9.0, 9.0, 1.0), Vec3::new(9.5, 9.0, 1.0), Vec3::new(9.0, 9.5, 1.0)];
    const CROSSING: [Vec3; 3] =
        [Vec3::new(0.3, 0.3, -1.0), Vec3::new(0.3, 0.3, 1.0), Vec3::new(0.5, 0.5, 1.0)];

    /// The render vertices of an asset with the second triangle at `second`.
    fn posed(second: [Vec3; 3]) -> Vec<Vec3> {
        asset(second).render.positions
    }

    #[test]
    fn vertices_of_intersections_are_listed_with_their_copies() {
        let asset = asset(FAR);
        let mut found = PoseIntersections::default();
        assert!(found.vertices(&asset, &posed(FAR)).is_empty());
        assert_eq!(found.vertices(&asset, &posed(CROSSING)), [0, 1, 2, 3, 4, 5, 6]);
        assert!(found.vertices(&asset, &posed(FAR)).is_empty());
    }

    #[test]
    fn intersections_at_rest_are_not_listed_in_any_pose() {
        let asset = asset(CROSSING);
        let mut found = PoseIntersections::default();
        assert!(found.vertices(&asset, &posed(FAR)).is_empty());
        assert!(found.vertices(&asset, &posed(CROSSING)).is_empty());
        assert_eq!(found.at_rest, Some(vec![[0, 1]]), "found once, from the rest pose");
    }

    #[test]
    fn vertices_without_a_position_are_at_rest() {
        let found = PoseIntersections::default().vertices(&asset(FAR), &[]);
        assert!(found.is_empty());
    }
}
