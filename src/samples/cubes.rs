//! Marching-cubes table: the polygons of the surface in a cube, for every pattern of inside
//! corners.
//!
//! Output: a table from the 256 patterns to closed polygons over the edges of the cube,
//! counter-clockwise seen from outside the body. The table is derived: on every face, each run of
//! inside corners is cut off by one segment. The rule depends on the face alone, so both cubes at a
//! face agree and the surface is a closed manifold for every pattern (Lorensen and Cline 1987, with
//! ambiguous faces as in Montani et al. 1994). Cost: 256 short loops, once per extraction.

/// Corner `c` of a cube is at x = bit 0, y = bit 1, z = bit 2.
pub const CORNERS: usize = 8;

/// Edge `4 · axis + n` is parallel to `axis` and starts at the `n`-th corner whose bit `axis` is
/// zero.
pub const EDGES: usize = 12;

/// The lower corner of an edge.
pub fn lower_corner(edge: usize) -> usize {
    let (axis, n) = (edge / 4, edge % 4);
    let (low, high) = (n & ((1 << axis) - 1), n >> axis);
    low | (high << (axis + 1))
}

/// The corners of each face, counter-clockwise seen from outside the cube; face `2 · axis + side`.
pub const FACES: [[usize; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// A closed polygon over cube edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygon {
    /// Cube edges, in order around the polygon.
    pub edges: Vec<u8>,
    /// Whether it must be triangulated as a fan around a new vertex at its centre. A diagonal
    /// between two edges of one face might also be drawn by the cube on the other side of the face.
    pub needs_centre: bool,
}

/// The polygons of every pattern. Bit `c` of a pattern is set if corner `c` is inside.
pub fn table() -> Vec<Vec<Polygon>> {
    (0..256).map(polygons).collect()
}

fn edge_between(a: usize, b: usize) -> usize {
    let axis = (a ^ b).trailing_zeros() as usize;
    let low = a & b;
    4 * axis + ((low & ((1 << axis) - 1)) | ((low >> (axis + 1)) << axis))
}

fn polygons(pattern: usize) -> Vec<Polygon> {
    const NONE: usize = usize::MAX;
    let inside = |corner: usize| pattern >> corner & 1 == 1;
    let mut next = [NONE; EDGES];
    for face in FACES {
        for i in 0..4 {
            let (before, first) = (face[i], face[(i + 1) % 4]);
            if inside(before) || !inside(first) {
                continue;
            }
            // A run of inside corners starts at `first`; find its end.
            let mut last = i + 1;
            while inside(face[(last + 1) % 4]) {
                last += 1;
            }
            next[edge_between(before, first)] = edge_between(face[last % 4], face[(last + 1) % 4]);
        }
    }
    let mut polygons = Vec::new();
    for start in 0..EDGES {
        let mut edges = Vec::new();
        let mut edge = start;
        while next[edge] != NONE {
            edges.push(edge as u8);
            edge = std::mem::replace(&mut next[edge], NONE);
        }
        if !edges.is_empty() {
            polygons.push(with_safe_diagonal(edges));
        }
    }
    polygons
}

/// Rotates a quad so that its first diagonal is not on a face, and marks polygons without such
/// diagonals.
fn with_safe_diagonal(mut edges: Vec<u8>) -> Polygon {
    let share_face = |a: u8, b: u8| {
        FACES.iter().any(|face| {
            let is_on_face =
                |edge: u8| (0..4).any(|i| edge_between(face[i], face[(i + 1) % 4]) == edge as usize);
            is_on_face(a) && is_on_face(b)
        })
    };
    if edges.len() == 4 && share_face(edges[0], edges[2]) {
        edges.rotate_left(1);
    }
    let needs_centre = edges.len() > 4 || (edges.len() == 4 && share_face(edges[0], edges[2]));
    Polygon { edges, needs_centre }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crossed_edge_is_used_once_in_every_pattern() {
        for (pattern, polygons) in table().iter().enumerate() {
            let mut used: Vec<u8> = polygons.iter().flat_map(|p| p.edges.iter().copied()).collect();
            used.sort_unstable();
            let crossed: Vec<u8> = (0..EDGES)
                .filter(|&e| {
                    let low = lower_corner(e);
                    (pattern >> low & 1) != (pattern >> (low | 1 << (e / 4)) & 1)
                })
                .map(|e| e as u8)
                .collect();
            assert_eq!(used, crossed, "pattern {pattern:08b}");
            assert!(polygons.iter().all(|p| p.edges.len() >= 3));
        }
    }

    #[test]
    fn the_polygon_of_a_single_inside_corner_faces_outwards() {
        // Edges 0, 4 and 8 leave corner 0 along x, y and z. In this order the polygon faces (1, 1,
        // 1).
        assert_eq!(table()[1], [Polygon { edges: vec![0, 4, 8], needs_centre: false }]);
    }
}
