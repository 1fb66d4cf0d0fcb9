//! Adjacency of vertices, edges and triangles of a mesh.
//!
//! Input: [`Mesh`]. Output: edges with their triangles, triangles and neighbours of each vertex,
//! and connected components. Cost: linear, and one sort of the edges at each vertex. Non-manifold
//! edges keep all their triangles. Degenerate triangles (with a repeated vertex) are ignored.

use super::Mesh;
use crate::math::sort_by_keys;

/// An edge between two vertices and the triangles that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The two vertices, the lower index first.
    pub ends: [u32; 2],
    /// Offset of its triangles in the list of [`Topology::triangles_of_edge`].
    first: u32,
    /// Number of adjacent triangles: 1 on a boundary, 2 inside a manifold, more at a non-manifold
    /// edge.
    pub triangles: u32,
}

/// Adjacency of a mesh, computed once.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    edges: Vec<Edge>,
    edge_triangles: Vec<u32>,
    edge_direction_agrees: Vec<bool>,
    /// Edges from corner 0 to 1, 1 to 2, 2 to 0. `None` for degenerate triangles.
    triangle_edges: Vec<Option<[u32; 3]>>,
    vertex_triangles: Lists<u32>,
    /// Edges that end at each vertex, and their other ends.
    vertex_edges: Lists<[u32; 2]>,
    component_of_vertex: Vec<u32>,
    components: usize,
}

/// Lists of different lengths in one allocation (compressed rows).
#[derive(Clone, Debug, Default)]
struct Lists<T> {
    offsets: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Builds the lists from `(list, item)` pairs. Items keep their order.
    fn collect(lists: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut offsets = vec![0u32; lists + 1];
        for (list, _) in pairs.clone() {
            offsets[list as usize + 1] += 1;
        }
        for i in 0..lists {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut items = vec![T::default(); offsets[lists] as usize];
        for (list, item) in pairs {
            let slot = &mut next[list as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Self { offsets, items }
    }

    #[inline]
    fn of(&self, list: usize) -> &[T] {
        &self.items[self.offsets[list] as usize..self.offsets[list + 1] as usize]
    }

    #[inline]
    fn of_mut(&mut self, list: usize) -> &mut [T] {
        &mut self.items[self.offsets[list] as usize..self.offsets[list + 1] as usize]
    }
}

impl Topology {
    /// Computes the adjacency of `mesh`.
    pub fn of(mesh: &Mesh) -> Self {
        let vertices = mesh.positions().len();
        let triangles = mesh.triangles();
        let mut topology = edges_of(vertices, triangles);
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
            topology.edges.iter().enumerate().flat_map(|(i, &Edge { ends: [low, high], .. })| {
                [(low, [i as u32, high]), (high, [i as u32, low])]
            }),
        );
        topology.label_components(vertices);
        topology
    }

    /// Every edge once, sorted by its vertices.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The triangles that share an edge.
    #[inline]
    pub fn triangles_of_edge(&self, edge: usize) -> &[u32] {
        let Edge { first, triangles, .. } = self.edges[edge];
        &self.edge_triangles[first as usize..(first + triangles) as usize]
    }

    /// The edges of a triangle: from corner 0 to 1, 1 to 2, 2 to 0. `None` if it repeats a vertex.
    #[inline]
    pub fn edges_of_triangle(&self, triangle: usize) -> Option<[u32; 3]> {
        self.triangle_edges[triangle]
    }

    /// The triangles around a vertex, in ascending order.
    #[inline]
    pub fn triangles_of_vertex(&self, vertex: usize) -> &[u32] {
        self.vertex_triangles.of(vertex)
    }

    /// The edges that end at a vertex, in ascending order, each with its other end.
    #[inline]
    pub fn edges_of_vertex(&self, vertex: usize) -> &[[u32; 2]] {
        self.vertex_edges.of(vertex)
    }

    /// The vertices joined to `vertex` by an edge.
    #[inline]
    pub fn neighbours(&self, vertex: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges_of_vertex(vertex).iter().map(|&[_, other]| other as usize)
    }

    /// The number of connected components. An isolated vertex is a component of its own.
    pub fn components(&self) -> usize {
        self.components
    }

    /// The component of each vertex, numbered in the order of their first vertices.
    pub fn component_of_vertex(&self) -> &[u32] {
        &self.component_of_vertex
    }

    /// The number of boundary edges (edges with one triangle).
    pub fn border_edges(&self) -> usize {
        self.edges.iter().filter(|e| e.triangles == 1).count()
    }

    /// The number of edges with more than two triangles.
    pub fn non_manifold_edges(&self) -> usize {
        self.edges.iter().filter(|e| e.triangles > 2).count()
    }

    /// Whether the mesh has triangles, and every edge has exactly two of opposite direction.
    pub fn is_closed(&self) -> bool {
        !self.edges.is_empty()
            && self.edges.iter().all(|e| e.triangles == 2)
            && self.edge_direction_agrees.iter().all(|&agrees| agrees)
    }

    /// Whether the mesh is closed and the triangles around every vertex form a single fan.
    pub fn is_closed_manifold(&self, mesh: &Mesh) -> bool {
        self.is_closed() && (0..mesh.positions().len()).all(|v| self.is_single_fan(mesh, v))
    }

    /// Adds the edge of two vertices, the lower first. Half-edges are `[higher, half-edge]`.
    fn add_edge(&mut self, triangles: &[[u32; 3]], ends: [u32; 2], halfedges: &[[u32; 2]]) {
        let edge = self.edges.len() as u32;
        let first = self.edge_triangles.len() as u32;
        self.edges.push(Edge { ends, first, triangles: halfedges.len() as u32 });
        let mut forward = 0;
        for &[_, halfedge] in halfedges {
            let (triangle, side) = ((halfedge / 3) as usize, (halfedge % 3) as usize);
            self.edge_triangles.push(triangle as u32);
            self.triangle_edges[triangle].iter_mut().for_each(|edges| edges[side] = edge);
            forward += usize::from(triangles[triangle][side] == ends[0]);
        }
        self.edge_direction_agrees.push(2 * forward == halfedges.len());
    }

    fn is_single_fan(&self, mesh: &Mesh, vertex: usize) -> bool {
        let around = self.triangles_of_vertex(vertex);
        let Some(&first) = around.first() else { return true };
        let third = |t: u32, known: [u32; 2]| {
            mesh.triangles()[t as usize].into_iter().find(|v| !known.contains(v)).unwrap_or(known[0])
        };
        let start = mesh.triangles()[first as usize].into_iter().find(|&v| v as usize != vertex).unwrap_or(0);
        let (mut rim_vertex, mut triangle, mut visited) = (third(first, [vertex as u32, start]), first, 1);
        while rim_vertex != start && visited <= around.len() {
            let next = around
                .iter()
                .copied()
                .find(|&t| t != triangle && mesh.triangles()[t as usize].contains(&rim_vertex));
            let Some(next) = next else { return false };
            rim_vertex = third(next, [vertex as u32, rim_vertex]);
            triangle = next;
            visited += 1;
        }
        visited == around.len()
    }

    fn label_components(&mut self, vertices: usize) {
        const UNVISITED: u32 = u32::MAX;
        let mut label = vec![UNVISITED; vertices];
        let mut stack = Vec::new();
        for seed in 0..vertices {
            if label[seed] != UNVISITED {
                continue;
            }
            label[seed] = self.components as u32;
            stack.push(seed);
            while let Some(vertex) = stack.pop() {
                for neighbour in self.neighbours(vertex) {
                    if label[neighbour] == UNVISITED {
                        label[neighbour] = self.components as u32;
                        stack.push(neighbour);
                    }
                }
            }
            self.components += 1;
        }
        self.component_of_vertex = label;
    }

    /// Panics with the reason if an invariant is violated. For tests.
    pub fn assert_well_formed(&self, mesh: &Mesh) {
        for (i, edge) in self.edges.iter().enumerate() {
            assert!(edge.ends[0] < edge.ends[1], "edge {i} has its vertices in the wrong order");
            assert!(i == 0 || self.edges[i - 1].ends < edge.ends, "edge {i} is out of order or repeated");
            assert!(edge.triangles > 0, "edge {i} has no triangle");
            for &t in self.triangles_of_edge(i) {
                let corners = mesh.triangles()[t as usize];
                assert!(edge.ends.iter().all(|v| corners.contains(v)), "edge {i} is not of triangle {t}");
                let edges = self.edges_of_triangle(t as usize);
                assert!(
                    edges.is_some_and(|e| e.contains(&(i as u32))),
                    "triangle {t} does not list its edge {i}"
                );
            }
            assert_eq!(
                self.component_of_vertex[edge.ends[0] as usize],
                self.component_of_vertex[edge.ends[1] as usize],
                "edge {i} connects two components"
            );
        }
        let corners: usize = (0..mesh.positions().len()).map(|v| self.triangles_of_vertex(v).len()).sum();
        let proper = mesh.triangles().iter().filter(|t| !is_degenerate(t)).count();
        assert_eq!(corners, 3 * proper, "the triangles of vertices do not match the triangles of the mesh");
    }
}

fn is_degenerate([a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Computes edges and their triangles. The caller fills in the lists per vertex.
fn edges_of(vertices: usize, triangles: &[[u32; 3]]) -> Topology {
    // Half-edge `3t + k` of triangle `t` leads from its corner `k` to the next. They are listed by
    // the lower vertex, each with the higher one, in the order of triangles.
    let proper = triangles.iter().enumerate().filter(|(_, t)| !is_degenerate(t));
    let halfedges = proper.flat_map(|(i, &[a, b, c])| {
        let ends = [(a, b, 0), (b, c, 1), (c, a, 2)];
        ends.map(|(from, to, side)| (from.min(to), [from.max(to), 3 * i as u32 + side]))
    });
    let mut by_lower = Lists::collect(vertices, halfedges);
    let mut topology = Topology {
        edges: Vec::with_capacity(by_lower.items.len() / 2),
        edge_triangles: Vec::with_capacity(by_lower.items.len()),
        triangle_edges: triangles.iter().map(|t| (!is_degenerate(t)).then_some([0; 3])).collect(),
        ..Topology::default()
    };
    for lower in 0..vertices {
        let from_lower = by_lower.of_mut(lower);
        // The sort is stable, so the half-edges of an edge stay in the order of triangles.
        sort_by_keys(from_lower, |&[higher, _]| u64::from(higher));
        for halfedges in from_lower.chunk_by(|x, y| x[0] == y[0]) {
            topology.add_edge(triangles, [lower as u32, halfedges[0][0]], halfedges);
        }
    }
    topology
}
