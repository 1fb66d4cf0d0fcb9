//! What a loop cuts off a region.

use super::plane::Loop;
use crate::operators::MeshGeometry;

/// Spreads over a region from one side of a loop; keeps its marks between calls.
pub(super) struct Flood {
    /// The flood that last reached each vertex.
    reached: Vec<u32>,
    /// The loop that last crossed each edge.
    crossed: Vec<u32>,
    floods: u32,
    front: Vec<u32>,
}

impl Flood {
    pub(super) fn new(operators: &MeshGeometry) -> Self {
        Self {
            reached: vec![0; operators.mesh().positions().len()],
            crossed: vec![0; operators.topology().edges().len()],
            floods: 0,
            front: Vec::new(),
        }
    }

    /// Whether the loop cuts something off region `label`: its front side does not lead around to its back.
    pub(super) fn separates(
        &mut self,
        operators: &MeshGeometry,
        labels: &[u32],
        label: u32,
        found: &Loop,
    ) -> bool {
        self.floods += 1;
        self.front.clear();
        for crossing in &found.crossings {
            self.crossed[crossing.edge as usize] = self.floods;
        }
        for crossing in &found.crossings {
            self.reach(crossing.front, labels, label);
        }
        let topology = operators.topology();
        let mut next = 0;
        while next < self.front.len() {
            let vertex = self.front[next];
            next += 1;
            for &edge in topology.edges_of_vertex(vertex as usize) {
                if self.crossed[edge as usize] != self.floods {
                    let [a, b] = topology.edges()[edge as usize].ends;
                    self.reach(if a == vertex { b } else { a }, labels, label);
                }
            }
        }
        !self.front.is_empty() && !found.crossings.iter().any(|crossing| self.is_in_front(crossing.back))
    }

    /// The vertices of the region in front of the last loop.
    pub(super) fn front(&self) -> &[u32] {
        &self.front
    }

    /// Whether the last flood reached a vertex.
    pub(super) fn is_in_front(&self, vertex: u32) -> bool {
        self.reached[vertex as usize] == self.floods
    }

    fn reach(&mut self, vertex: u32, labels: &[u32], label: u32) {
        if labels[vertex as usize] == label && !self.is_in_front(vertex) {
            self.reached[vertex as usize] = self.floods;
            self.front.push(vertex);
        }
    }
}
