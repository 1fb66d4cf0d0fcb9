//! Self-intersections of a surface.
//!
//! In: positions (n × 3) and triangles (m × 3 vertex indices). Out: pairs of triangles that
//! intersect. An edge intersects a triangle if its ends are strictly on different sides and it
//! passes strictly through the inside, by signs of volumes of tetrahedra in f64. Triangles that
//! share one vertex are tested with their opposite edges, triangles that share an edge are not
//! tested. Touching or coplanar triangles do not count. Cost: n log n for evenly sized triangles,
//! whose boxes are sorted into a grid.
//!
//! Tests measure contacts with it, so it shares no code with them.

use glam::{DVec3, UVec3, Vec3};

use crate::math::{key_of, sort_by_keys};
use crate::model::Mesh;

/// Size of a grid cell relative to the mean size of a triangle's box. Larger: more pairs per cell.
/// Smaller: more cells per triangle.
const CELL_SIZE: f32 = 2.0;

/// Smallest size of a grid cell relative to the largest triangle's box. Larger: more pairs per
/// cell. Smaller: one huge triangle fills a huge number of cells.
const MIN_CELL_SHARE: f32 = 1.0 / 32.0;

/// Pairs of triangles (the lower first, sorted) that intersect.
///
/// # Panics
/// If a triangle has a vertex index out of range.
pub fn self_intersections(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let boxes: Vec<[Vec3; 2]> = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| positions[v as usize]);
            [a.min(b).min(c), a.max(b).max(c)]
        })
        .collect();
    let extent = |b: &[Vec3; 2]| (b[1] - b[0]).max_element();
    let mean = boxes.iter().map(extent).sum::<f32>() / boxes.len().max(1) as f32;
    let largest = boxes.iter().map(extent).fold(0.0, f32::max);
    let cell = (CELL_SIZE * mean).max(MIN_CELL_SHARE * largest);
    if cell.is_nan() || cell <= 0.0 {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for (a, b) in candidates(&boxes, cell) {
        let [one, other] = [a, b].map(|t| triangles[t as usize]);
        if intersect(positions, one, other) {
            pairs.push([a.min(b), a.max(b)]);
        }
    }
    sort_by_keys(&mut pairs, |&[a, b]| key_of(a, b));
    pairs
}

/// Pairs that intersect when `mesh` is posed and do not at rest.
pub fn folds(mesh: &Mesh, posed: &[Vec3]) -> Vec<[u32; 2]> {
    let at_rest = self_intersections(mesh.positions(), mesh.triangles());
    let mut pairs = self_intersections(posed, mesh.triangles());
    pairs.retain(|pair| at_rest.binary_search(pair).is_err());
    pairs
}

/// Pairs of triangles whose boxes overlap, each once.
fn candidates(boxes: &[[Vec3; 2]], cell: f32) -> Vec<(u32, u32)> {
    let low = boxes.iter().map(|b| b[0]).fold(Vec3::splat(f32::INFINITY), Vec3::min);
    let index = |p: Vec3| ((p - low) / cell).as_uvec3();
    let key = |cell: UVec3| cell.to_array().iter().fold(0, |key, &at| key << 32 | u128::from(at));
    // The cell, and in the lowest 32 bits the triangle.
    let mut entries: Vec<u128> = Vec::new();
    for (t, [from, to]) in boxes.iter().enumerate() {
        let (from, to) = (index(*from), index(*to));
        for x in from.x..=to.x {
            for y in from.y..=to.y {
                entries.extend((from.z..=to.z).map(|z| key(UVec3::new(x, y, z)) << 32 | t as u128));
            }
        }
    }
    entries.sort_unstable();
    let mut pairs = Vec::new();
    for group in entries.chunk_by(|x, y| x >> 32 == y >> 32) {
        let here = group[0] >> 32;
        for (i, a) in group.iter().map(|&entry| entry as u32).enumerate() {
            for b in group[i + 1..].iter().map(|&entry| entry as u32) {
                let ([a_low, a_high], [b_low, b_high]) = (boxes[a as usize], boxes[b as usize]);
                let overlap = a_low.cmple(b_high).all() && b_low.cmple(a_high).all();
                // Both boxes may share several cells; the pair counts in the lowest one.
                if overlap && key(index(a_low.max(b_low))) == here {
                    pairs.push((a, b));
                }
            }
        }
    }
    pairs
}

fn intersect(positions: &[Vec3], one: [u32; 3], other: [u32; 3]) -> bool {
    let shared: Vec<u32> = one.into_iter().filter(|v| other.contains(v)).collect();
    let at = |t: [u32; 3]| t.map(|v| positions[v as usize].as_dvec3());
    match shared[..] {
        [] => any_edge_intersects(at(one), at(other)) || any_edge_intersects(at(other), at(one)),
        [v] => {
            let ([a, b], [c, d]) = (without(one, v), without(other, v));
            let position = |v: u32| positions[v as usize].as_dvec3();
            edge_intersects(position(a), position(b), at(other))
                || edge_intersects(position(c), position(d), at(one))
        }
        _ => false,
    }
}

fn without([a, b, c]: [u32; 3], v: u32) -> [u32; 2] {
    if a == v {
        [b, c]
    } else if b == v {
        [a, c]
    } else {
        [a, b]
    }
}

fn any_edge_intersects([a, b, c]: [DVec3; 3], triangle: [DVec3; 3]) -> bool {
    [(a, b), (b, c), (c, a)].into_iter().any(|(from, to)| edge_intersects(from, to, triangle))
}

fn edge_intersects(from: DVec3, to: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let side = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| (q - p).cross(r - p).dot(s - p);
    if side(a, b, c, from) * side(a, b, c, to) >= 0.0 {
        return false;
    }
    let [x, y, z] = [side(from, to, a, b), side(from, to, b, c), side(from, to, c, a)];
    (x > 0.0 && y > 0.0 && z > 0.0) || (x < 0.0 && y < 0.0 && z < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(other: [Vec3; 3]) -> usize {
        let positions = [[Vec3::ZERO, Vec3::X, Vec3::Y], other].concat();
        self_intersections(&positions, &[[0, 1, 2], [3, 4, 5]]).len()
    }

    #[test]
    fn triangles_that_intersect_are_found_and_those_that_touch_are_not() {
        let at = Vec3::new;
        assert_eq!(
            pairs([at(0.2, 0.2, -1.0), at(0.2, 0.2, 1.0), at(2.0, 2.0, 0.0)]),
            1,
            "an edge goes through"
        );
        assert_eq!(pairs([at(0.2, 0.2, 0.5), at(0.2, 0.2, 1.0), at(2.0, 2.0, 1.0)]), 0, "above");
        assert_eq!(pairs([at(0.2, 0.2, 0.0), at(0.2, 0.2, 1.0), at(2.0, 2.0, 1.0)]), 0, "a corner touches");
        assert_eq!(pairs([at(0.1, 0.1, 0.0), at(0.9, 0.2, 0.0), at(0.2, 0.9, 0.0)]), 0, "coplanar");
        assert_eq!(pairs([at(5.0, 0.2, -1.0), at(5.0, 0.2, 1.0), at(6.0, 2.0, 0.0)]), 0, "far");
    }

    #[test]
    fn neighbours_are_tested_with_the_edges_they_do_not_share() {
        let at = Vec3::new;
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, at(0.3, 0.3, -1.0), at(0.3, 0.3, 1.0)];
        assert_eq!(self_intersections(&positions, &[[0, 1, 2], [0, 3, 4]]), [[0, 1]]);
        assert!(self_intersections(&positions, &[[0, 1, 2], [0, 1, 4]]).is_empty());
        assert!(self_intersections(&[], &[]).is_empty());
    }
}
