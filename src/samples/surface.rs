//! A closed triangle mesh that can be changed edge by edge.
//!
//! Half-edge `h` belongs to triangle `h / 3` and runs from `corners[h]` to the next corner; `twins[h]` runs
//! the other way in the neighbour. Splits, collapses and flips take constant time and keep the surface a
//! closed manifold: a collapse that would pinch it is refused (the link condition, Dey et al. 1999).

use glam::Vec3;

use super::extract::Soup;

/// Marks a removed vertex or triangle.
const GONE: u32 = u32::MAX;

/// Every half-edge has a twin; nothing is ever open.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// One per vertex, removed ones included.
    pub positions: Vec<Vec3>,
    corners: Vec<u32>,
    twins: Vec<u32>,
    /// A half-edge that leaves each vertex.
    spokes: Vec<u32>,
    free_triangles: Vec<u32>,
    removed_vertices: usize,
    /// The last question each vertex was marked by.
    marks: Vec<u32>,
    question: u32,
}

impl Surface {
    /// Links up a closed manifold.
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
        let spokes = (0..vertices as u32).map(|v| of(v).first().copied().unwrap_or(GONE)).collect();
        let marks = vec![0; vertices];
        Self { positions: soup.positions, corners, twins, spokes, marks, ..Self::default() }
    }

    /// Positions and triangles without the removed ones, in the order they have.
    pub fn into_soup(self) -> Soup {
        let mut new_index = vec![GONE; self.positions.len()];
        let mut soup = Soup::default();
        for (vertex, &position) in self.positions.iter().enumerate() {
            if self.spokes[vertex] != GONE {
                new_index[vertex] = soup.positions.len() as u32;
                soup.positions.push(position);
            }
        }
        let alive = self.corners.chunks_exact(3).filter(|t| t[0] != GONE);
        soup.triangles = alive.map(|t| [t[0], t[1], t[2]].map(|v| new_index[v as usize])).collect();
        soup
    }

    /// How many vertices there are, without the removed ones.
    pub fn vertices(&self) -> usize {
        self.positions.len() - self.removed_vertices
    }

    /// Whether a vertex has not been removed.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        self.spokes[vertex as usize] != GONE
    }

    /// One more than the highest half-edge, those of removed triangles included.
    pub fn half_edges(&self) -> u32 {
        self.corners.len() as u32
    }

    /// Whether this is the half-edge that stands for its edge, and not removed.
    pub fn is_edge(&self, half: u32) -> bool {
        self.corners[half as usize] != GONE && half < self.twins[half as usize]
    }

    /// The ends of a half-edge.
    pub fn ends(&self, half: u32) -> [u32; 2] {
        [self.corners[half as usize], self.corners[next(half) as usize]]
    }

    /// The half-edge the other way.
    pub fn twin(&self, half: u32) -> u32 {
        self.twins[half as usize]
    }

    /// The corner of its triangle that a half-edge does not touch.
    pub fn opposite(&self, half: u32) -> u32 {
        self.corners[previous(half) as usize]
    }

    /// The corners of every triangle that is left.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.corners.chunks_exact(3).filter(|t| t[0] != GONE).map(|t| [t[0], t[1], t[2]])
    }

    /// The half-edges that leave a vertex, once around.
    pub fn around(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.spokes[vertex as usize];
        let step = move |&half: &u32| {
            let following = self.twins[previous(half) as usize];
            (following != first).then_some(following)
        };
        std::iter::successors(Some(first), step)
    }

    /// The neighbours of a vertex, once around.
    pub fn neighbours(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.around(vertex).map(|half| self.corners[next(half) as usize])
    }

    /// The half-edge from one vertex to another, if they are neighbours.
    pub fn half_edge_between(&self, from: u32, to: u32) -> Option<u32> {
        self.around(from).find(|&half| self.corners[next(half) as usize] == to)
    }

    /// How many neighbours a vertex has.
    pub fn valence(&self, vertex: u32) -> usize {
        self.around(vertex).count()
    }

    /// How many neighbours every vertex has; zero for removed ones.
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

    /// Whether the edge may be turned: its opposite corners are not neighbours yet.
    pub fn can_flip(&self, half: u32) -> bool {
        let (c, d) = (self.opposite(half), self.opposite(self.twin(half)));
        c != d && self.half_edge_between(c, d).is_none()
    }

    /// Joins the two corners opposite an edge instead of its ends.
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
        self.spokes[a as usize] = previous(half);
        self.spokes[b as usize] = previous(twin);
        self.spokes[c as usize] = twin;
        self.spokes[d as usize] = half;
    }

    fn new_triangle(&mut self) -> u32 {
        if let Some(triangle) = self.free_triangles.pop() {
            return 3 * triangle;
        }
        let first = self.corners.len() as u32;
        self.corners.extend([GONE; 3]);
        self.twins.extend([GONE; 3]);
        first
    }

    /// Puts a vertex on an edge, and joins it to the two corners opposite.
    pub fn split(&mut self, half: u32, position: Vec3) -> u32 {
        let twin = self.twin(half);
        let ([a, b], c, d) = (self.ends(half), self.opposite(half), self.opposite(twin));
        let (bc, ad) = (self.twins[next(half) as usize], self.twins[next(twin) as usize]);
        let (right, left) = (self.new_triangle(), self.new_triangle());
        let middle = self.positions.len() as u32;
        self.positions.push(position);
        self.marks.push(0);
        self.spokes.push(right);
        self.set(right + 1, b, bc);
        self.set(left + 1, a, ad);
        self.set(next(half), middle, right + 2);
        self.corners[right as usize + 2] = c;
        self.set(next(twin), middle, left + 2);
        self.corners[left as usize + 2] = d;
        self.set(right, middle, twin);
        self.set(left, middle, half);
        self.spokes[a as usize] = half;
        self.spokes[b as usize] = twin;
        self.spokes[c as usize] = previous(half);
        self.spokes[d as usize] = previous(twin);
        middle
    }

    /// Whether the ends of an edge may become one vertex without pinching the surface.
    pub fn can_collapse(&mut self, half: u32) -> bool {
        let [a, b] = self.ends(half);
        let (c, d) = (self.opposite(half), self.opposite(self.twin(half)));
        self.question += 1;
        let question = self.question;
        let mut edge = self.spokes[a as usize];
        let (first, mut valence) = (edge, 0);
        loop {
            let neighbour = self.corners[next(edge) as usize];
            self.marks[neighbour as usize] = question;
            valence += 1;
            edge = self.twins[previous(edge) as usize];
            if edge == first {
                break;
            }
        }
        let common = self.neighbours(b).filter(|&v| self.marks[v as usize] == question).count();
        common == 2 && valence > 3 && [b, c, d].iter().all(|&v| self.valence(v) > 3)
    }

    /// Removes the first end of an edge and its two triangles; what hung on it hangs on the second end.
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
        self.spokes[a as usize] = GONE;
        self.spokes[b as usize] = ca;
        self.spokes[c as usize] = bc;
        self.spokes[d as usize] = ad;
        for triangle in [half / 3, twin / 3] {
            (0..3).for_each(|i| self.corners[(3 * triangle + i) as usize] = GONE);
            self.free_triangles.push(triangle);
        }
        self.removed_vertices += 1;
    }
}

/// The next half-edge of the same triangle.
pub fn next(half: u32) -> u32 {
    if half % 3 == 2 { half - 2 } else { half + 1 }
}

/// The half-edge before, in the same triangle.
pub fn previous(half: u32) -> u32 {
    if half.is_multiple_of(3) { half + 2 } else { half - 1 }
}
