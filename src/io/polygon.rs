//! Cuts polygons into triangles.
//!
//! In: the corners of one polygon in order, nearly in a plane. Out: corner triples of the same turn,
//! n − 2 of them. A convex polygon becomes a fan around its first corner, so quads are always cut the
//! same way; a concave one loses its ears one by one (Meisters 1975), seen along its Newell normal.
//! Cost: linear for convex polygons, at most cubic for concave ones, within [`EAR_WORK`] for a whole file.
//!
//! The cut depends on coordinates where a polygon is concave; the order of vertices never does.

use glam::{DVec2, DVec3, Vec3};

/// Point tests that cutting the concave polygons of one file may take; what is left then becomes fans.
/// Larger: a hostile file of huge stars takes minutes. Smaller: honest outlines of letters are cut badly.
const EAR_WORK: usize = 200_000_000;

/// A corner that turns back by less than this share of the polygon's area counts as straight.
/// Larger: shallow dents are covered over. Smaller: rounding sends flat polygons down the slow path.
const STRAIGHT_SHARE: f64 = 1e-9;

/// Cuts the polygons of one file.
pub(super) struct Triangulator {
    work_left: usize,
    /// Polygons that were too much work and became fans in spite of their shape.
    pub fanned: usize,
    flat: Vec<DVec2>,
}

impl Triangulator {
    pub(super) fn new() -> Self {
        Self { work_left: EAR_WORK, fanned: 0, flat: Vec::new() }
    }

    /// Adds the triangles of the polygon with these corners to `triangles`, as numbers of corners.
    pub(super) fn cut(&mut self, corners: &[Vec3], triangles: &mut Vec<[u32; 3]>) {
        let ring: Vec<u32> = (0u32..).take(corners.len()).collect();
        let normal = newell_normal(corners);
        if corners.len() <= 3 || normal == DVec3::ZERO {
            return fan(&ring, triangles);
        }
        self.flatten(corners, normal);
        let tolerance = STRAIGHT_SHARE * normal.length();
        let last = ring.last().copied().unwrap_or(0);
        let before = std::iter::once(last).chain(ring.iter().copied());
        let after = ring.iter().copied().skip(1).chain(std::iter::once(0));
        let convex = before.zip(&ring).zip(after).all(|((a, &b), c)| self.turn(a, b, c) >= -tolerance);
        if convex {
            fan(&ring, triangles);
        } else {
            self.clip_ears(ring, tolerance, triangles);
        }
    }

    /// The corners as seen along the normal, so that the polygon runs counter-clockwise.
    fn flatten(&mut self, corners: &[Vec3], normal: DVec3) {
        let normal = normal.normalize_or_zero();
        let right = normal.any_orthonormal_vector();
        let up = normal.cross(right);
        let origin = corners.first().copied().unwrap_or_default().as_dvec3();
        self.flat.clear();
        self.flat.extend(corners.iter().map(|p| {
            let p = p.as_dvec3() - origin;
            DVec2::new(p.dot(right), p.dot(up))
        }));
    }

    fn clip_ears(&mut self, mut ring: Vec<u32>, tolerance: f64, triangles: &mut Vec<[u32; 3]>) {
        let (mut at, mut misses) = (0, 0);
        while ring.len() > 3 {
            let n = ring.len();
            let corner = |offset: usize| ring.get((at + offset) % n).copied().unwrap_or(0);
            let (a, b, c) = (corner(0), corner(1), corner(2));
            // After a whole round without an ear, straight corners may go too.
            let least = if misses < n { tolerance } else { -tolerance };
            let Some(work_left) = self.work_left.checked_sub(n) else {
                self.fanned += 1;
                break;
            };
            self.work_left = work_left;
            if self.turn(a, b, c) > least && !self.holds_any([a, b, c], &ring) {
                triangles.push([a, b, c]);
                ring.remove((at + 1) % n);
                // Going on from the far corner spreads the cuts instead of making one long fan.
                at = if (at + 1) % n < at { at - 1 } else { at } + 1;
                misses = 0;
            } else {
                at += 1;
                misses += 1;
            }
            at %= ring.len();
            if misses > 2 * n {
                // It crosses itself: no cut is right.
                break;
            }
        }
        fan(&ring, triangles);
    }

    /// Whether a corner of the ring lies in the triangle, other than at its corners.
    fn holds_any(&self, [a, b, c]: [u32; 3], ring: &[u32]) -> bool {
        let own = [self.at(a), self.at(b), self.at(c)];
        ring.iter().any(|&p| {
            !own.contains(&self.at(p))
                && self.turn(a, b, p) >= 0.0
                && self.turn(b, c, p) >= 0.0
                && self.turn(c, a, p) >= 0.0
        })
    }

    /// Twice the signed area of a triangle: positive for a left turn.
    fn turn(&self, a: u32, b: u32, c: u32) -> f64 {
        (self.at(b) - self.at(a)).perp_dot(self.at(c) - self.at(a))
    }

    fn at(&self, corner: u32) -> DVec2 {
        self.flat.get(corner as usize).copied().unwrap_or_default()
    }
}

fn fan(ring: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let Some((&apex, rest)) = ring.split_first() else { return };
    triangles.extend(rest.windows(2).filter_map(|pair| match pair {
        &[b, c] => Some([apex, b, c]),
        _ => None,
    }));
}

/// Twice the polygon's area along its mean normal; zero when it has none.
fn newell_normal(corners: &[Vec3]) -> DVec3 {
    let Some(&origin) = corners.first() else { return DVec3::ZERO };
    let from_origin = |p: Vec3| p.as_dvec3() - origin.as_dvec3();
    corners.windows(2).fold(DVec3::ZERO, |sum, pair| match pair {
        &[b, c] => sum + from_origin(b).cross(from_origin(c)),
        _ => sum,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(corners: &[[f32; 2]]) -> Vec<[u32; 3]> {
        let corners: Vec<Vec3> = corners.iter().map(|&[x, y]| Vec3::new(x, 2.0, -y)).collect();
        let mut triangles = Vec::new();
        Triangulator::new().cut(&corners, &mut triangles);
        triangles
    }

    /// The sum of signed areas equals the polygon's, and no triangle is turned over: nothing overlaps.
    fn assert_covers(corners: &[[f32; 2]]) {
        let triangles = cut(corners);
        assert_eq!(triangles.len(), corners.len() - 2);
        let at = |i: u32| glam::Vec2::from(corners[i as usize]).as_dvec2();
        let areas: Vec<f64> =
            triangles.iter().map(|&[a, b, c]| (at(b) - at(a)).perp_dot(at(c) - at(a)) / 2.0).collect();
        let n = corners.len() as u32;
        let whole: f64 = (0..n).map(|i| at(i).perp_dot(at((i + 1) % n)) / 2.0).sum();
        assert!(areas.iter().all(|&a| a >= -1e-9), "{areas:?}");
        assert!((areas.iter().sum::<f64>() - whole).abs() < 1e-6 * whole);
    }

    #[test]
    fn a_convex_quad_is_cut_from_its_first_corner() {
        assert_eq!(cut(&[[0., 0.], [1., 0.], [1., 1.], [0., 1.]]), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn concave_polygons_are_covered_once() {
        assert_covers(&[[0., 0.], [2., 1.], [0., 2.], [0.5, 1.]]);
        assert_covers(&[[0.5, 1.], [0., 0.], [2., 1.], [0., 2.]]);
        assert_covers(&[[0., 0.], [4., 0.], [4., 3.], [3., 3.], [3., 1.], [1., 1.], [1., 3.], [0., 3.]]);
        let star = |i: usize| {
            let (radius, angle) =
                (if i.is_multiple_of(2) { 3.0 } else { 1.0 }, i as f32 * 0.1 * std::f32::consts::PI);
            [radius * angle.cos(), radius * angle.sin()]
        };
        assert_covers(&(0..20).map(star).collect::<Vec<_>>());
        let comb: Vec<[f32; 2]> = (0..60)
            .map(|i| [60.0 - i as f32, if i % 2 == 0 { 9.0 } else { 1.0 }])
            .chain([[0., 0.], [61., 0.]])
            .collect();
        assert_covers(&comb);
    }

    #[test]
    fn crossing_and_collapsed_polygons_still_end() {
        assert_eq!(cut(&[[0., 0.], [1., 1.], [1., 0.], [0., 1.]]).len(), 2);
        assert_eq!(cut(&[[1., 1.]; 6]).len(), 4);
        assert_eq!(cut(&[[0., 0.], [1., 0.]]).len(), 0);
    }
}
