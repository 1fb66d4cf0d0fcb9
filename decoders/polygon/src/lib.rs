//! Triangulates polygons.
//!
//! Input: the corners of one nearly planar polygon, in order. Output: n − 2 corner triples with the
//! same orientation. A convex polygon becomes a triangle fan around its first corner, so quads are
//! always split the same way. A concave polygon is triangulated by ear clipping (Meisters 1975) in
//! the plane orthogonal to its Newell normal. Cost: linear for convex polygons, at most cubic for
//! concave ones, bounded by [`MAX_EAR_TESTS`] per file.
//!
//! The triangulation of a concave polygon depends on coordinates; the order of vertices never does.

use glam::{DVec2, DVec3};

/// Largest number of point-in-triangle tests for the concave polygons of one file. Polygons beyond
/// it become fans. If larger, a malicious file of huge star shapes takes minutes. If smaller, valid
/// outlines such as letters are triangulated badly.
const MAX_EAR_TESTS: usize = 200_000_000;

/// Relative tolerance of a reflex corner: twice the signed area of its triangle divided by twice
/// the area of the polygon. Corners within it count as straight. If larger, shallow dents are
/// filled. If smaller, rounding sends planar convex polygons to ear clipping.
const STRAIGHT_TOLERANCE: f64 = 1e-9;

/// Triangulates the polygons of one file.
#[derive(Debug)]
pub struct Triangulator {
    tests_left: usize,
    /// Number of polygons that became fans although they are concave, because of the limit.
    pub fanned: usize,
    projected: Vec<DVec2>,
}

impl Default for Triangulator {
    fn default() -> Self {
        Self { tests_left: MAX_EAR_TESTS, fanned: 0, projected: Vec::new() }
    }
}

impl Triangulator {
    /// Appends the triangles of the polygon to `triangles`, as indices into `corners`.
    pub fn triangulate(&mut self, corners: &[DVec3], triangles: &mut Vec<[u32; 3]>) {
        let ring: Vec<u32> = (0u32..).take(corners.len()).collect();
        let normal = newell_normal(corners);
        if corners.len() <= 3 || normal == DVec3::ZERO {
            return fan(&ring, triangles);
        }
        self.project(corners, normal);
        let tolerance = STRAIGHT_TOLERANCE * normal.length();
        let last = ring.last().copied().unwrap_or(0);
        let before = std::iter::once(last).chain(ring.iter().copied());
        let after = ring.iter().copied().skip(1).chain(std::iter::once(0));
        let convex =
            before.zip(&ring).zip(after).all(|((a, &b), c)| self.signed_area2(a, b, c) >= -tolerance);
        if convex {
            fan(&ring, triangles);
        } else {
            self.clip_ears(ring, tolerance, triangles);
        }
    }

    /// Projects the corners along the normal, so that the polygon is counter-clockwise.
    fn project(&mut self, corners: &[DVec3], normal: DVec3) {
        let normal = normal.normalize_or_zero();
        let right = normal.any_orthonormal_vector();
        let up = normal.cross(right);
        let origin = corners.first().copied().unwrap_or_default();
        self.projected.clear();
        self.projected.extend(corners.iter().map(|p| {
            let p = p - origin;
            DVec2::new(p.dot(right), p.dot(up))
        }));
    }

    fn clip_ears(&mut self, mut ring: Vec<u32>, tolerance: f64, triangles: &mut Vec<[u32; 3]>) {
        let (mut at, mut misses) = (0, 0);
        while ring.len() > 3 {
            let n = ring.len();
            let corner = |offset: usize| ring.get((at + offset) % n).copied().unwrap_or(0);
            let (a, b, c) = (corner(0), corner(1), corner(2));
            // After a full round without an ear, straight corners are accepted as well.
            let min_area2 = if misses < n { tolerance } else { -tolerance };
            let Some(tests_left) = self.tests_left.checked_sub(n) else {
                self.fanned += 1;
                break;
            };
            self.tests_left = tests_left;
            if self.signed_area2(a, b, c) > min_area2 && !self.contains_any([a, b, c], &ring) {
                triangles.push([a, b, c]);
                ring.remove((at + 1) % n);
                // Continuing at the far corner avoids one long fan.
                at = if (at + 1) % n < at { at - 1 } else { at } + 1;
                misses = 0;
            } else {
                at += 1;
                misses += 1;
            }
            at %= ring.len();
            if misses > 2 * n {
                // The polygon intersects itself; it has no valid triangulation.
                break;
            }
        }
        fan(&ring, triangles);
    }

    /// Whether a corner of the ring is inside the triangle, other than at its corners.
    fn contains_any(&self, [a, b, c]: [u32; 3], ring: &[u32]) -> bool {
        let own = [self.point(a), self.point(b), self.point(c)];
        ring.iter().any(|&p| {
            !own.contains(&self.point(p))
                && self.signed_area2(a, b, p) >= 0.0
                && self.signed_area2(b, c, p) >= 0.0
                && self.signed_area2(c, a, p) >= 0.0
        })
    }

    /// Twice the signed area of a triangle; positive if it is counter-clockwise.
    fn signed_area2(&self, a: u32, b: u32, c: u32) -> f64 {
        (self.point(b) - self.point(a)).perp_dot(self.point(c) - self.point(a))
    }

    fn point(&self, corner: u32) -> DVec2 {
        self.projected.get(corner as usize).copied().unwrap_or_default()
    }
}

fn fan(ring: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let Some((&apex, rest)) = ring.split_first() else { return };
    triangles.extend(rest.windows(2).filter_map(|pair| match pair {
        &[b, c] => Some([apex, b, c]),
        _ => None,
    }));
}

/// Twice the area of the polygon along its mean normal. Zero if it is degenerate.
fn newell_normal(corners: &[DVec3]) -> DVec3 {
    let Some(&origin) = corners.first() else { return DVec3::ZERO };
    let from_origin = |p: DVec3| p - origin;
    corners.windows(2).fold(DVec3::ZERO, |sum, pair| match pair {
        &[b, c] => sum + from_origin(b).cross(from_origin(c)),
        _ => sum,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(corners: &[[f32; 2]]) -> Vec<[u32; 3]> {
        let corner = |&[x, y]: &[f32; 2]| DVec3::new(x.into(), 2.0, (-y).into());
        let corners: Vec<DVec3> = corners.iter().map(corner).collect();
        let mut triangles = Vec::new();
        Triangulator::default().triangulate(&corners, &mut triangles);
        triangles
    }

    /// Asserts that the signed areas sum to the polygon's and that no triangle is flipped, so that
    /// nothing overlaps.
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
    fn a_convex_quad_is_a_fan_around_its_first_corner() {
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
    fn self_intersecting_and_degenerate_polygons_terminate() {
        assert_eq!(cut(&[[0., 0.], [1., 1.], [1., 0.], [0., 1.]]).len(), 2);
        assert_eq!(cut(&[[1., 1.]; 6]).len(), 4);
        assert_eq!(cut(&[[0., 0.], [1., 0.]]).len(), 0);
    }
}
