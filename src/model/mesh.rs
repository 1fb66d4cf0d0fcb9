//! A triangle mesh: positions and triangles, nothing else.

use glam::{DVec3, Vec3};

/// Triangles over positions. Every index is in range and every position finite; degenerate triangles,
/// borders, several parts and non-manifold edges are all allowed, and so is an empty mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// Why positions and triangles do not make a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not a number")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
}

impl Mesh {
    /// Checks and takes over `positions` (n × 3) and `triangles` (m × 3 vertex indices, counter-clockwise
    /// seen from outside).
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

    /// The corners of one triangle.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.positions[v as usize])
    }

    /// The same triangles over other positions (a posed copy, say).
    ///
    /// # Errors
    /// When the positions do not fit.
    pub fn with_positions(&self, positions: Vec<Vec3>) -> Result<Self, MeshError> {
        Self::new(positions, self.triangles.clone())
    }

    /// The smallest box around all vertices as (lowest, highest); both zero for an empty mesh.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        bounds_of(&self.positions)
    }

    /// The length of the bounding box's diagonal: the size that tolerances scale with.
    pub fn diagonal(&self) -> f32 {
        let (low, high) = self.bounds();
        low.distance(high)
    }

    /// The vertex nearest to a place; the first of several, none of an empty mesh.
    pub fn nearest_vertex(&self, place: Vec3) -> Option<usize> {
        let distance = |vertex: &usize| self.positions[*vertex].distance_squared(place);
        (0..self.positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// How often the surface winds around `point`: 1 inside a closed mesh, 0 outside, in between where
    /// the mesh is open (Jacobson et al. 2013). Cost: one pass over all triangles.
    pub fn winding_number(&self, point: Vec3) -> f64 {
        let eye = point.as_dvec3();
        let solid_angles: f64 = self
            .triangles
            .iter()
            .map(|t| solid_angle(t.map(|v| self.positions[v as usize].as_dvec3() - eye)))
            .sum();
        solid_angles / (4.0 * std::f64::consts::PI)
    }

    /// Panics with the reason if an invariant does not hold. For tests.
    pub fn assert_well_formed(&self) {
        if let Err(error) = Self::new(self.positions.clone(), self.triangles.clone()) {
            panic!("{error}");
        }
    }
}

/// The smallest box around `points`; both corners zero when there are none.
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
    fn the_winding_number_tells_inside_from_outside() {
        let mesh = tetrahedron();
        assert!((mesh.winding_number(Vec3::splat(0.1)) - 1.0).abs() < 1e-9);
        assert!(mesh.winding_number(Vec3::splat(0.9)).abs() < 1e-9);
    }

    #[test]
    fn indices_out_of_range_and_nan_are_refused_by_name() {
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
