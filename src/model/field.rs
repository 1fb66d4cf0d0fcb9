//! Distances from a boundary, at the vertices they are known for.

/// A distance for some vertices of a mesh; all others are farther away than anyone asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceField {
    /// Every one once.
    pub vertices: Vec<u32>,
    /// In mesh units, never negative; one per vertex named.
    pub distances: Vec<f32>,
}

impl DistanceField {
    /// Every vertex with its distance.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.vertices.iter().copied().zip(self.distances.iter().copied())
    }

    /// One value for each of `vertices` vertices, infinite where it is not known.
    pub fn dense(&self, vertices: usize) -> Vec<f32> {
        let mut values = vec![f32::INFINITY; vertices];
        self.iter().for_each(|(vertex, distance)| values[vertex as usize] = distance);
        values
    }
}
