//! Sparse distance fields.

/// Distances of some vertices from a boundary. All other vertices are beyond the requested range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceField {
    /// Vertex indices, each at most once.
    pub vertices: Vec<u32>,
    /// Distances in mesh units, not negative; one per vertex in `vertices`.
    pub distances: Vec<f32>,
}

impl DistanceField {
    /// Every vertex with its distance.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.vertices.iter().copied().zip(self.distances.iter().copied())
    }

    /// One value for each of `vertices` vertices, infinite where it is unknown.
    pub fn dense(&self, vertices: usize) -> Vec<f32> {
        let mut values = vec![f32::INFINITY; vertices];
        self.iter().for_each(|(vertex, distance)| values[vertex as usize] = distance);
        values
    }
}
