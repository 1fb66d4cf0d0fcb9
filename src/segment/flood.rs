//! Flood fill of a region from one side of a loop.

use super::plane::Loop;
use crate::operators::MeshGeometry;

/// A flood fill of one region that does not cross a loop. Its buffers are reused between calls.
pub(super) struct Flood {
    /// Number of the flood fill that last reached each vertex.
    reached: Vec<u32>,
    /// Number of the flood fill whose loop last had each vertex on its back side.
    behind: Vec<u32>,
    /// Number of the flood fill whose loop last crossed each edge.
    crossed: Vec<u32>,
    floods: u32,
    front: Vec<u32>,
}

impl Flood {
    pub(super) fn new(geometry: &MeshGeometry) -> Self {
        Self {
            reached: vec![0; geometry.mesh().positions().len()],
            behind: vec![0; geometry.mesh().positions().len()],
            crossed: vec![0; geometry.topology().edges().len()],
            floods: 0,
            front: Vec::new(),
        }
    }

    /// Returns whether the loop separates region `label`: whether the fill from its front side does
    /// not reach its back side. If it does, the fill ends there.
    pub(super) fn separates(
        &mut self,
        geometry: &MeshGeometry,
        labels: &[u32],
        label: u32,
        found: &Loop,
    ) -> bool {
        self.floods += 1;
        self.front.clear();
        for crossing in &found.crossings {
            self.crossed[crossing.edge as usize] = self.floods;
            self.behind[crossing.back as usize] = self.floods;
        }
        for crossing in &found.crossings {
            self.reach(crossing.front, labels, label);
        }
        let topology = geometry.topology();
        let mut next = 0;
        while let Some(&vertex) = self.front.get(next) {
            if self.behind[vertex as usize] == self.floods {
                return false;
            }
            next += 1;
            for &[edge, other] in topology.edges_of_vertex(vertex as usize) {
                if self.crossed[edge as usize] != self.floods {
                    self.reach(other, labels, label);
                }
            }
        }
        next > 0
    }

    /// The vertices of the region in front of the loop of the last flood fill, if it separates.
    pub(super) fn front(&self) -> &[u32] {
        &self.front
    }

    /// Whether the last flood fill reached a vertex.
    #[inline]
    pub(super) fn is_in_front(&self, vertex: u32) -> bool {
        self.reached[vertex as usize] == self.floods
    }

    #[inline]
    fn reach(&mut self, vertex: u32, labels: &[u32], label: u32) {
        if labels[vertex as usize] == label && !self.is_in_front(vertex) {
            self.reached[vertex as usize] = self.floods;
            self.front.push(vertex);
        }
    }
}
