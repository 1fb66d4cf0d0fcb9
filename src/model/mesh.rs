//! Triangle meshes: positions and triangles.

use glam::{DVec3, Vec3};

/// A triangle mesh. Every index is in range and every position is finite. Degenerate triangles,
/// boundaries, several components, non-manifold edges and empty meshes are allowed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// Why positions and triangles are not a valid mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The vertex index.
        vertex: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
}

impl Mesh {
    /// Checks `positions` and `triangles` (counter-clockwise seen from outside) and takes
    /// ownership.
    ///
    /// # Errors
    /// The first index out of range or coordinate that is not finite.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshError::NotFinite { vertex });
        }
        let vertices = positions.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(MeshError::IndexOutOfRange { triangle, vertex, vertices });
            }
        }
        Ok(Self { positions, triangles })
    }

    /// One position per vertex.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Three vertex indices per triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corner positions of a triangle.
    #[inline]
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        let [a, b, c] = self.triangles[triangle];
        [self.positions[a as usize], self.positions[b as usize], self.positions[c as usize]]
    }

    /// A mesh with the same triangles and other positions (for example a pose).
    ///
    /// # Errors
    /// If the positions do not match the triangles.
    pub fn with_positions(&self, positions: Vec<Vec3>) -> Result<Self, MeshError> {
        Self::new(positions, self.triangles.clone())
    }

    /// The axis-aligned bounding box as (minimum, maximum). Both are zero for an empty mesh.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        bounds_of(&self.positions)
    }

    /// The length of the diagonal of the bounding box, to which tolerances are relative.
    pub fn diagonal(&self) -> f32 {
        let (low, high) = self.bounds();
        low.distance(high)
    }

    /// The vertex nearest to a point. The first of several; `None` for an empty mesh.
    pub fn nearest_vertex(&self, point: Vec3) -> Option<usize> {
        let distance = |vertex: &usize| self.positions[*vertex].distance_squared(point);
        (0..self.positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The generalised winding number at `point`: 1 inside a closed mesh, 0 outside, in between
    /// near the holes of an open mesh (Jacobson et al. 2013). Cost: one pass over all triangles.
    pub fn winding_number(&self, point: Vec3) -> f64 {
        let all: Vec<u32> = (0..self.triangles.len() as u32).collect();
        self.winding_number_of(&all, point)
    }

    /// Same as [`Mesh::winding_number`], of some triangles alone.
    pub fn winding_number_of(&self, triangles: &[u32], point: Vec3) -> f64 {
        let origin = point.as_dvec3();
        let seen = |&triangle: &u32| self.corners(triangle as usize).map(|corner| corner.as_dvec3() - origin);
        let solid_angles: f64 = triangles.iter().map(|triangle| solid_angle(seen(triangle))).sum();
        solid_angles / (4.0 * std::f64::consts::PI)
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self) {
        if let Err(error) = Self::new(self.positions.clone(), self.triangles.clone()) {
            panic!("{error}");
        }
    }
}

/// The axis-aligned bounding box of `points`. Both corners are zero if there are none.
pub(crate) fn bounds_of(points: &[Vec3]) -> (Vec3, Vec3) {
    let Some(&first) = points.first() else { return (Vec3::ZERO, Vec3::ZERO) };
    points.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p)))
}

/// The signed solid angle of a triangle seen from the origin (van Oosterom and Strackee 1983).
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * numerator.atan2(denominator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> Mesh {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        Mesh::new(positions, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
    }

    #[test]
    fn the_winding_number_distinguishes_inside_from_outside() {
        let mesh = tetrahedron();
        assert!((mesh.winding_number(Vec3::splat(0.1)) - 1.0).abs() < 1e-9);
        assert!(mesh.winding_number(Vec3::splat(0.9)).abs() < 1e-9);
    }

    #[test]
    fn indices_out_of_range_and_nan_are_rejected() {
        let error = Mesh::new(vec![Vec3::ZERO], vec![[0, 0, 7]]).unwrap_err();
        assert_eq!(error, MeshError::IndexOutOfRange { triangle: 0, vertex: 7, vertices: 1 });
        let error = Mesh::new(vec![Vec3::ZERO, Vec3::NAN], vec![]).unwrap_err();
        assert_eq!(error, MeshError::NotFinite { vertex: 1 });
    }

    #[test]
    fn an_empty_mesh_has_no_size() {
        assert_eq!(Mesh::default().diagonal(), 0.0);
    }
}
