//! A tree of boxes over triangles: what is nearest, what does a ray meet.
//!
//! In: a [`Mesh`]. Out: [`Bvh`], which keeps its own copy of the corners in tree order. Questions are in
//! `closest` (nearest point) and `ray` (first hit, any hit, all crossings). Cost: about n log n to build
//! by the surface area heuristic over bins (Wald 2007), logarithmic to ask. Triangles without
//! area are left out: they bound nothing, and their edges belong to their neighbours as well.
//!
//! Our own, as measured in WASM (Node, milliseconds; a lumpy torus of 20,000 and 96,800 triangles; 200,000 ways from
//! below the skin to points inside, the first thing met; the nearest point to 50,000 points):
//!
//! ```text
//!                 build        ways         nearest
//! ours            13    45     282    363   235    466
//! parry3d 0.31    15    69     255    390   366    757
//! bvh 0.13        21    78     781  1,229   –
//! ```
//!
//! Ours is also the only one that no way slips through: it met more of the same skin than either.

mod build;
mod bvh4;
mod closest;
mod ray;
mod visibility_fan;

use glam::{Vec3, Vec3A};

pub use bvh4::Bvh4;
pub use closest::Closest;
pub use ray::{Hit, Ray};
pub use visibility_fan::VisibilityFan;

use crate::model::Mesh;

/// Boxes waiting while one is looked into. The tree is never deeper: see `HEURISTIC_DEPTH`.
const STACK: usize = 64;

/// A box and what is in it: 48 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    low: Vec3A,
    /// A leaf's first triangle, else the first of two children that stand side by side.
    first: u32,
    high: Vec3A,
    /// How many triangles a leaf has; 0 for a branch.
    count: u32,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.count > 0
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A tree of boxes over the triangles of a mesh.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    /// The root first; none when there is no triangle.
    nodes: Vec<Node>,
    /// In the order of the leaves.
    corners: Vec<[Vec3; 3]>,
    /// The mesh's number of each of `corners`.
    triangles: Vec<u32>,
}

impl Bvh {
    /// Over all triangles of `mesh` that have an area.
    pub fn of(mesh: &Mesh) -> Self {
        Self::over(mesh.positions(), mesh.triangles())
    }

    /// As [`Bvh::of`] for `positions` (n × 3) and `triangles` (m × 3 indices, all below n).
    pub fn over(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        build::build(positions, triangles)
    }

    /// Moves the boxes with vertices that have moved; `triangles` are those it was made for. The tree stays
    /// as it was, so rays are slower where the shape has changed a lot. Cost: linear.
    pub fn refit(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) {
        for (corners, &triangle) in self.corners.iter_mut().zip(&self.triangles) {
            *corners = triangles[triangle as usize].map(|vertex| positions[vertex as usize]);
        }
        // Children come after their parents.
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let (low, high) = if node.is_leaf() {
                let points = self.corners[node.range()].iter().flatten().map(|&point| Vec3A::from(point));
                points
                    .fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
            } else {
                let [a, b] = [self.nodes[node.first as usize], self.nodes[node.first as usize + 1]];
                (a.low.min(b.low), a.high.max(b.high))
            };
            (self.nodes[at].low, self.nodes[at].high) = (low, high);
        }
    }

    /// Whether there is nothing to meet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Panics with the reason if the tree does not hold what `mesh` has. For tests.
    pub fn assert_well_formed(&self, mesh: &Mesh) {
        let with_area =
            (0..mesh.triangles().len()).filter(|&t| build::has_area(&mesh.corners(t))).collect::<Vec<_>>();
        let mut held: Vec<usize> = self.triangles.iter().map(|&t| t as usize).collect();
        held.sort_unstable();
        assert_eq!(held, with_area, "the tree holds other triangles than the mesh");
        for (corners, &triangle) in self.corners.iter().zip(&self.triangles) {
            assert_eq!(*corners, mesh.corners(triangle as usize), "corners of triangle {triangle}");
        }
        let (mut seen, mut leaves) = (vec![false; self.nodes.len()], 0);
        let mut stack: Vec<(usize, usize)> = if self.nodes.is_empty() { vec![] } else { vec![(0, 1)] };
        while let Some((at, depth)) = stack.pop() {
            assert!(depth <= STACK, "the tree is deeper than the stack");
            assert!(!std::mem::replace(&mut seen[at], true), "node {at} is reached twice");
            let node = &self.nodes[at];
            let holds = |low: Vec3A, high: Vec3A| node.low.cmple(low).all() && node.high.cmpge(high).all();
            if node.is_leaf() {
                let inside = self.corners[node.range()].iter().flatten().all(|&p| holds(p.into(), p.into()));
                assert!(inside, "leaf {at} does not hold its triangles");
                leaves += node.count as usize;
            } else {
                for child in [node.first as usize, node.first as usize + 1] {
                    let Node { low, high, .. } = self.nodes[child];
                    assert!(holds(low, high), "node {at} does not hold its child {child}");
                    stack.push((child, depth + 1));
                }
            }
        }
        assert!(seen.iter().all(|&s| s), "a node is never reached");
        assert_eq!(leaves, self.triangles.len(), "the leaves hold each triangle once");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{self, SampleCharacter};

    #[test]
    fn a_refitted_tree_holds_the_moved_triangles() {
        let mesh = samples::make(SampleCharacter::Arm, 500).unwrap().mesh;
        let mut bvh = Bvh::of(&mesh);
        let moved: Vec<Vec3> = mesh
            .positions()
            .iter()
            .map(|p| Vec3::new(p.y, -p.x, 2.0 * p.z) + Vec3::splat(p.x * p.x))
            .collect();
        bvh.refit(&moved, mesh.triangles());
        bvh.assert_well_formed(&Mesh::new(moved, mesh.triangles().to_vec()).unwrap());
    }
}
