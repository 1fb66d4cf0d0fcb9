//! Which vertices, edges and triangles of a mesh touch.
//!
//! In: [`Mesh`]. Out: edges with their triangles, triangles and neighbours around each vertex, parts.
//! Cost: one sort of the edges. Non-manifold edges keep all their triangles; degenerate triangles (a
//! vertex named twice) take no part in anything.

use super::Mesh;
use crate::math::{key_of, sort_by_keys};

/// An edge between two vertices and the triangles that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends, the lower index first.
    pub ends: [u32; 2],
    /// Where its triangles start in [`Topology::triangles_of_edge`]'s list.
    first: u32,
    /// How many triangles share it: 1 on a border, 2 inside a manifold, more where it is not one.
    pub triangles: u32,
}

/// Adjacency of a mesh, computed once.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    edges: Vec<Edge>,
    edge_triangles: Vec<u32>,
    edge_direction_agrees: Vec<bool>,
    /// From corner 0 to 1, 1 to 2, 2 to 0; none for degenerate triangles.
    triangle_edges: Vec<Option<[u32; 3]>>,
    vertex_triangles: Lists,
    vertex_edges: Lists,
    part_of_vertex: Vec<u32>,
    parts: usize,
}

/// Lists of different lengths in one allocation.
#[derive(Clone, Debug, Default)]
struct Lists {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// From `(list, item)` pairs; items keep the order they come in.
    fn collect(lists: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0u32; lists + 1];
        for (list, _) in pairs.clone() {
            offsets[list as usize + 1] += 1;
        }
        for i in 0..lists {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; offsets[lists] as usize];
        for (list, item) in pairs {
            let slot = &mut next[list as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Self { offsets, items }
    }

    fn of(&self, list: usize) -> &[u32] {
        &self.items[self.offsets[list] as usize..self.offsets[list + 1] as usize]
    }
}

impl Topology {
    /// Reads off the adjacency of `mesh`.
    pub fn of(mesh: &Mesh) -> Self {
        let vertices = mesh.positions().len();
        let triangles = mesh.triangles();
        let mut topology = edges_of(triangles);
        topology.vertex_triangles = Lists::collect(
            vertices,
            triangles
                .iter()
                .enumerate()
                .filter(|(_, t)| !is_degenerate(t))
                .flat_map(|(i, t)| t.iter().map(move |&v| (v, i as u32))),
        );
        topology.vertex_edges = Lists::collect(
            vertices,
            topology.edges.iter().enumerate().flat_map(|(i, e)| e.ends.map(|v| (v, i as u32))),
        );
        topology.label_parts(vertices);
        topology
    }

    /// Every edge once, sorted by its ends.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The triangles that share an edge.
    pub fn triangles_of_edge(&self, edge: usize) -> &[u32] {
        let Edge { first, triangles, .. } = self.edges[edge];
        &self.edge_triangles[first as usize..(first + triangles) as usize]
    }

    /// The edges of a triangle: from corner 0 to 1, 1 to 2, 2 to 0. None when it names a vertex twice.
    pub fn edges_of_triangle(&self, triangle: usize) -> Option<[u32; 3]> {
        self.triangle_edges[triangle]
    }

    /// The triangles around a vertex, in ascending order.
    pub fn triangles_of_vertex(&self, vertex: usize) -> &[u32] {
        self.vertex_triangles.of(vertex)
    }

    /// The edges that end at a vertex, in ascending order.
    pub fn edges_of_vertex(&self, vertex: usize) -> &[u32] {
        self.vertex_edges.of(vertex)
    }

    /// The vertices joined to `vertex` by an edge.
    pub fn neighbours(&self, vertex: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges_of_vertex(vertex).iter().map(move |&e| {
            let [a, b] = self.edges[e as usize].ends;
            if a as usize == vertex { b as usize } else { a as usize }
        })
    }

    /// How many separate parts there are; a vertex without triangles is a part of its own.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The part each vertex belongs to, numbered in the order of their first vertices.
    pub fn part_of_vertex(&self) -> &[u32] {
        &self.part_of_vertex
    }

    /// Edges with one triangle only.
    pub fn border_edges(&self) -> usize {
        self.edges.iter().filter(|e| e.triangles == 1).count()
    }

    /// Edges with more than two triangles.
    pub fn non_manifold_edges(&self) -> usize {
        self.edges.iter().filter(|e| e.triangles > 2).count()
    }

    /// Has triangles, and every edge has exactly two that run along it in opposite directions.
    pub fn is_closed(&self) -> bool {
        !self.edges.is_empty()
            && self.edges.iter().all(|e| e.triangles == 2)
            && self.edge_direction_agrees.iter().all(|&agrees| agrees)
    }

    /// Closed, and the triangles around every vertex form one fan (no two cones meet in a point).
    pub fn is_closed_manifold(&self, mesh: &Mesh) -> bool {
        self.is_closed() && (0..mesh.positions().len()).all(|v| self.is_one_fan(mesh, v))
    }

    fn is_one_fan(&self, mesh: &Mesh, vertex: usize) -> bool {
        let around = self.triangles_of_vertex(vertex);
        let Some(&first) = around.first() else { return true };
        let third = |t: u32, known: [u32; 2]| {
            mesh.triangles()[t as usize].into_iter().find(|v| !known.contains(v)).unwrap_or(known[0])
        };
        let start = mesh.triangles()[first as usize].into_iter().find(|&v| v as usize != vertex).unwrap_or(0);
        let (mut spoke, mut triangle, mut walked) = (third(first, [vertex as u32, start]), first, 1);
        while spoke != start && walked <= around.len() {
            let next = around
                .iter()
                .copied()
                .find(|&t| t != triangle && mesh.triangles()[t as usize].contains(&spoke));
            let Some(next) = next else { return false };
            spoke = third(next, [vertex as u32, spoke]);
            triangle = next;
            walked += 1;
        }
        walked == around.len()
    }

    fn label_parts(&mut self, vertices: usize) {
        const UNSEEN: u32 = u32::MAX;
        let mut label = vec![UNSEEN; vertices];
        let mut stack = Vec::new();
        for seed in 0..vertices {
            if label[seed] != UNSEEN {
                continue;
            }
            label[seed] = self.parts as u32;
            stack.push(seed);
            while let Some(vertex) = stack.pop() {
                for neighbour in self.neighbours(vertex) {
                    if label[neighbour] == UNSEEN {
                        label[neighbour] = self.parts as u32;
                        stack.push(neighbour);
                    }
                }
            }
            self.parts += 1;
        }
        self.part_of_vertex = label;
    }

    /// Panics with the reason if an invariant does not hold. For tests.
    pub fn assert_well_formed(&self, mesh: &Mesh) {
        for (i, edge) in self.edges.iter().enumerate() {
            assert!(edge.ends[0] < edge.ends[1], "edge {i} does not name its lower end first");
            assert!(i == 0 || self.edges[i - 1].ends < edge.ends, "edge {i} is out of order or twice there");
            assert!(edge.triangles > 0, "edge {i} has no triangle");
            for &t in self.triangles_of_edge(i) {
                let corners = mesh.triangles()[t as usize];
                assert!(edge.ends.iter().all(|v| corners.contains(v)), "edge {i} is not of triangle {t}");
                let edges = self.edges_of_triangle(t as usize);
                assert!(edges.is_some_and(|e| e.contains(&(i as u32))), "triangle {t} lacks its edge {i}");
            }
            assert_eq!(
                self.part_of_vertex[edge.ends[0] as usize], self.part_of_vertex[edge.ends[1] as usize],
                "edge {i} joins two parts"
            );
        }
        let corners: usize = (0..mesh.positions().len()).map(|v| self.triangles_of_vertex(v).len()).sum();
        let proper = mesh.triangles().iter().filter(|t| !is_degenerate(t)).count();
        assert_eq!(corners, 3 * proper, "vertices know a different number of triangles than there are");
    }
}

fn is_degenerate([a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Edges and their triangles; the per-vertex lists are filled in by the caller.
fn edges_of(triangles: &[[u32; 3]]) -> Topology {
    // (low end, high end, triangle, side of the triangle, runs from low to high)
    let mut sides: Vec<(u32, u32, u32, u8, bool)> = Vec::with_capacity(triangles.len() * 3);
    for (i, t) in triangles.iter().enumerate().filter(|(_, t)| !is_degenerate(t)) {
        for (side, (a, b)) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])].into_iter().enumerate() {
            sides.push((a.min(b), a.max(b), i as u32, side as u8, a < b));
        }
    }
    // Of one edge in the order of triangles, as they are here.
    sort_by_keys(&mut sides, |&(low, high, ..)| key_of(low, high));
    let mut topology = Topology {
        triangle_edges: triangles.iter().map(|t| (!is_degenerate(t)).then_some([0; 3])).collect(),
        ..Topology::default()
    };
    for group in sides.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        topology.edges.push(Edge {
            ends: [group[0].0, group[0].1],
            first: topology.edge_triangles.len() as u32,
            triangles: group.len() as u32,
        });
        let edge = topology.edges.len() as u32 - 1;
        for &(_, _, triangle, side, _) in group {
            topology.edge_triangles.push(triangle);
            if let Some(edges) = &mut topology.triangle_edges[triangle as usize] {
                edges[side as usize] = edge;
            }
        }
        let forward = group.iter().filter(|side| side.4).count();
        topology.edge_direction_agrees.push(2 * forward == group.len());
    }
    topology
}
