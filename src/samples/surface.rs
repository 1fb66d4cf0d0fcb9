//! A closed triangle mesh for local edits, as half-edges.
//!
//! Half-edge `h` belongs to triangle `h / 3` and runs from `corners[h]` to the next corner.
//! `twins[h]` is the opposite half-edge in the neighbour. Splits, collapses and flips take constant
//! time and preserve a closed manifold: a collapse that would change the topology is rejected (link
//! condition, Dey et al. 1999).

use glam::Vec3;

use super::extract::Soup;

/// Marks a removed vertex or triangle.
const REMOVED: u32 = u32::MAX;

/// A closed half-edge mesh. Every half-edge has a twin.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// One per vertex, including removed ones.
    pub positions: Vec<Vec3>,
    corners: Vec<u32>,
    twins: Vec<u32>,
    /// One outgoing half-edge of each vertex.
    outgoing: Vec<u32>,
    free_triangles: Vec<u32>,
    removed_vertices: usize,
    /// The last query that marked each vertex.
    marks: Vec<u32>,
    query: u32,
}

impl Surface {
    /// Builds the half-edges of a closed manifold.
    pub fn new(soup: Soup) -> Self {
        let vertices = soup.positions.len();
        let corners: Vec<u32> = soup.triangles.into_iter().flatten().collect();
        let mut starts = vec![0u32; vertices + 1];
        corners.iter().for_each(|&v| starts[v as usize + 1] += 1);
        (0..vertices).for_each(|v| starts[v + 1] += starts[v]);
        let mut leaving = vec![0u32; corners.len()];
        let mut fill = starts.clone();
        for (half, &v) in corners.iter().enumerate() {
            leaving[fill[v as usize] as usize] = half as u32;
            fill[v as usize] += 1;
        }
        let of = |v: u32| &leaving[starts[v as usize] as usize..starts[v as usize + 1] as usize];
        let twins = (0..corners.len() as u32)
            .map(|half| {
                let (from, to) = (corners[half as usize], corners[next(half) as usize]);
                of(to).iter().copied().find(|&h| corners[next(h) as usize] == from).unwrap_or(half)
            })
            .collect();
        let outgoing = (0..vertices as u32).map(|v| of(v).first().copied().unwrap_or(REMOVED)).collect();
        let marks = vec![0; vertices];
        Self { positions: soup.positions, corners, twins, outgoing, marks, ..Self::default() }
    }

    /// Positions and triangles without the removed ones, in order.
    pub fn into_soup(self) -> Soup {
        let mut new_index = vec![REMOVED; self.positions.len()];
        let mut soup = Soup::default();
        for (vertex, &position) in self.positions.iter().enumerate() {
            if self.outgoing[vertex] != REMOVED {
                new_index[vertex] = soup.positions.len() as u32;
                soup.positions.push(position);
            }
        }
        let remaining = self.corners.chunks_exact(3).filter(|t| t[0] != REMOVED);
        soup.triangles = remaining.map(|t| [t[0], t[1], t[2]].map(|v| new_index[v as usize])).collect();
        soup
    }

    /// The number of vertices, without removed ones.
    pub fn vertices(&self) -> usize {
        self.positions.len() - self.removed_vertices
    }

    /// Whether a vertex has not been removed.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        self.outgoing[vertex as usize] != REMOVED
    }

    /// The number of half-edges, including those of removed triangles.
    pub fn half_edges(&self) -> u32 {
        self.corners.len() as u32
    }

    /// Whether this half-edge is the one with the lower index of its edge and not removed.
    pub fn is_edge(&self, half: u32) -> bool {
        self.corners[half as usize] != REMOVED && half < self.twins[half as usize]
    }

    /// The start and end vertex of a half-edge.
    pub fn ends(&self, half: u32) -> [u32; 2] {
        [self.corners[half as usize], self.corners[next(half) as usize]]
    }

    /// The opposite half-edge.
    pub fn twin(&self, half: u32) -> u32 {
        self.twins[half as usize]
    }

    /// The corner of its triangle that is not on the half-edge.
    pub fn opposite(&self, half: u32) -> u32 {
        self.corners[previous(half) as usize]
    }

    /// The corners of every triangle that is not removed.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.corners.chunks_exact(3).filter(|t| t[0] != REMOVED).map(|t| [t[0], t[1], t[2]])
    }

    /// The outgoing half-edges of a vertex, in order.
    pub fn around(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.outgoing[vertex as usize];
        let step = move |&half: &u32| {
            let following = self.twins[previous(half) as usize];
            (following != first).then_some(following)
        };
        std::iter::successors(Some(first), step)
    }

    /// The neighbours of a vertex, in order.
    pub fn neighbours(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.around(vertex).map(|half| self.corners[next(half) as usize])
    }

    /// The half-edge from one vertex to another, if they are neighbours.
    pub fn half_edge_between(&self, from: u32, to: u32) -> Option<u32> {
        self.around(from).find(|&half| self.corners[next(half) as usize] == to)
    }

    /// The number of neighbours of a vertex.
    pub fn valence(&self, vertex: u32) -> usize {
        self.around(vertex).count()
    }

    /// The number of neighbours of every vertex; zero for removed ones.
    pub fn valences(&self) -> Vec<i32> {
        let mut valences = vec![0; self.positions.len()];
        self.triangles().flatten().for_each(|v| valences[v as usize] += 1);
        valences
    }

    fn set(&mut self, half: u32, corner: u32, twin: u32) {
        self.corners[half as usize] = corner;
        self.twins[half as usize] = twin;
        self.twins[twin as usize] = half;
    }

    /// Whether an edge can be flipped: its opposite corners are not neighbours yet.
    pub fn can_flip(&self, half: u32) -> bool {
        let (c, d) = (self.opposite(half), self.opposite(self.twin(half)));
        c != d && self.half_edge_between(c, d).is_none()
    }

    /// Replaces an edge by the one between its opposite corners.
    pub fn flip(&mut self, half: u32) {
        let twin = self.twin(half);
        let ([a, b], c, d) = (self.ends(half), self.opposite(half), self.opposite(twin));
        let outer = |h: u32| self.twins[h as usize];
        let (bc, ca) = (outer(next(half)), outer(previous(half)));
        let (ad, db) = (outer(next(twin)), outer(previous(twin)));
        self.set(next(half), c, ca);
        self.set(previous(half), a, ad);
        self.set(next(twin), d, db);
        self.set(previous(twin), b, bc);
        self.set(half, d, twin);
        self.corners[twin as usize] = c;
        self.outgoing[a as usize] = previous(half);
        self.outgoing[b as usize] = previous(twin);
        self.outgoing[c as usize] = twin;
        self.outgoing[d as usize] = half;
    }

    fn new_triangle(&mut self) -> u32 {
        if let Some(triangle) = self.free_triangles.pop() {
            return 3 * triangle;
        }
        let first = self.corners.len() as u32;
        self.corners.extend([REMOVED; 3]);
        self.twins.extend([REMOVED; 3]);
        first
    }

    /// Inserts a vertex on an edge and connects it to the two opposite corners.
    pub fn split(&mut self, half: u32, position: Vec3) -> u32 {
        let twin = self.twin(half);
        let ([a, b], c, d) = (self.ends(half), self.opposite(half), self.opposite(twin));
        let (bc, ad) = (self.twins[next(half) as usize], self.twins[next(twin) as usize]);
        let (right, left) = (self.new_triangle(), self.new_triangle());
        let middle = self.positions.len() as u32;
        self.positions.push(position);
        self.marks.push(0);
        self.outgoing.push(right);
        self.set(right + 1, b, bc);
        self.set(left + 1, a, ad);
        self.set(next(half), middle, right + 2);
        self.corners[right as usize + 2] = c;
        self.set(next(twin), middle, left + 2);
        self.corners[left as usize + 2] = d;
        self.set(right, middle, twin);
        self.set(left, middle, half);
        self.outgoing[a as usize] = half;
        self.outgoing[b as usize] = twin;
        self.outgoing[c as usize] = previous(half);
        self.outgoing[d as usize] = previous(twin);
        middle
    }

    /// Whether an edge can be collapsed without changing the topology.
    pub fn can_collapse(&mut self, half: u32) -> bool {
        let [a, b] = self.ends(half);
        let (c, d) = (self.opposite(half), self.opposite(self.twin(half)));
        self.query += 1;
        let query = self.query;
        let mut edge = self.outgoing[a as usize];
        let (first, mut valence) = (edge, 0);
        loop {
            let neighbour = self.corners[next(edge) as usize];
            self.marks[neighbour as usize] = query;
            valence += 1;
            edge = self.twins[previous(edge) as usize];
            if edge == first {
                break;
            }
        }
        let common = self.neighbours(b).filter(|&v| self.marks[v as usize] == query).count();
        common == 2 && valence > 3 && [b, c, d].iter().all(|&v| self.valence(v) > 3)
    }

    /// Collapses an edge: removes its start vertex and its two triangles. Other triangles of the
    /// start vertex use the end vertex.
    pub fn collapse(&mut self, half: u32) {
        let twin = self.twin(half);
        let ([a, b], c, d) = (self.ends(half), self.opposite(half), self.opposite(twin));
        let outer = |h: u32| self.twins[h as usize];
        let (bc, ca) = (outer(next(half)), outer(previous(half)));
        let (ad, db) = (outer(next(twin)), outer(previous(twin)));
        let mut edge = half;
        loop {
            self.corners[edge as usize] = b;
            edge = self.twins[previous(edge) as usize];
            if edge == half {
                break;
            }
        }
        self.twins[bc as usize] = ca;
        self.twins[ca as usize] = bc;
        self.twins[ad as usize] = db;
        self.twins[db as usize] = ad;
        self.outgoing[a as usize] = REMOVED;
        self.outgoing[b as usize] = ca;
        self.outgoing[c as usize] = bc;
        self.outgoing[d as usize] = ad;
        for triangle in [half / 3, twin / 3] {
            (0..3).for_each(|i| self.corners[(3 * triangle + i) as usize] = REMOVED);
            self.free_triangles.push(triangle);
        }
        self.removed_vertices += 1;
    }
}

/// The next half-edge of the same triangle.
pub fn next(half: u32) -> u32 {
    if half % 3 == 2 { half - 2 } else { half + 1 }
}

/// The previous half-edge of the same triangle.
pub fn previous(half: u32) -> u32 {
    if half.is_multiple_of(3) { half + 2 } else { half - 1 }
}
