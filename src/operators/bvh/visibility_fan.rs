//! The intervals of a segment that are hidden from a point, exactly.
//!
//! In: a point (the origin of the fan) and a segment. Out: which intervals of the segment are
//! hidden by triangles. The lines of sight sweep a flat triangle, the fan. A triangle of the mesh
//! cuts the fan in a straight segment, whose projection from the origin is the interval it hides.
//! So one BVH traversal ([`super::Bvh4`]) gives what any number of rays would only sample. A
//! triangle shows the origin the same side wherever the fan cuts it, so its side is computed once.
//! Cost: about that of two rays, and one interval per triangle that is cut.

use glam::{DVec3, Vec3};

use crate::math::{larger_f64, smaller_f64};

/// A point and the segment from `head` (parameter 0) to `tail` (parameter 1) that is seen from it.
#[derive(Clone, Copy, Debug)]
pub struct VisibilityFan {
    origin: DVec3,
    /// Unit vector from the point to its foot on the line of the segment.
    across: DVec3,
    along: DVec3,
    normal: DVec3,
    /// Distance of the point from the line.
    height: f64,
    /// Coordinates of head and tail along the line, relative to the foot.
    head: f64,
    tail: f64,
}

/// Smallest height of a fan, as a fraction of the length of its segment; below it the fan is a
/// line. Larger: what is hidden from points near the line is missed. Smaller: directions in the fan
/// are dominated by rounding.
const MIN_HEIGHT: f64 = 1e-6;

impl VisibilityFan {
    /// `None` if the point is on the line of the segment, or the segment has no length.
    pub fn new(origin: DVec3, head: DVec3, tail: DVec3) -> Option<Self> {
        let along = (tail - head).try_normalize()?;
        let from_origin = head - origin;
        let across = from_origin - along * from_origin.dot(along);
        let height = across.length();
        if height.is_nan() || height <= MIN_HEIGHT * head.distance(tail) {
            return None;
        }
        let across = across / height;
        let (head, tail) = (from_origin.dot(along), (tail - origin).dot(along));
        Some(Self { origin, across, along, normal: across.cross(along), height, head, tail })
    }

    /// The interval of the segment that a triangle hides, if it cuts the fan and `counts(shows its
    /// front)` holds.
    pub(super) fn hidden_by(&self, corners: &[Vec3; 3], counts: impl Fn(bool) -> bool) -> Option<[f64; 2]> {
        // Written out: `map` of an array is a call if the compiler optimises for size.
        let [a, b, c] = corners;
        let (a, b, c) = (a.as_dvec3() - self.origin, b.as_dvec3() - self.origin, c.as_dvec3() - self.origin);
        let side_of_plane = [a.dot(self.normal), b.dot(self.normal), c.dot(self.normal)];
        let [of_a, of_b, of_c] = side_of_plane;
        if (of_a > 0.0 && of_b > 0.0 && of_c > 0.0) || (of_a < 0.0 && of_b < 0.0 && of_c < 0.0) {
            return None;
        }
        if !counts((b - a).cross(c - a).dot(a) < 0.0) {
            return None;
        }
        let flat = [self.flat(a), self.flat(b), self.flat(c)];
        let mut cut = [(0.0, 0.0); 2];
        let mut found = 0;
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            // Zero counts as above, so that a corner in the plane of the fan gives two cut edges or
            // none.
            if (side_of_plane[i] < 0.0) != (side_of_plane[j] < 0.0) {
                let parameter = side_of_plane[i] / (side_of_plane[i] - side_of_plane[j]);
                let mix = |a: f64, b: f64| a + (b - a) * parameter;
                cut[found] = (mix(flat[i].0, flat[j].0), mix(flat[i].1, flat[j].1));
                found += 1;
            }
        }
        if found == 2 { self.projected(cut) } else { None }
    }

    /// The coordinates of a point within the plane of the fan.
    #[inline(always)]
    fn flat(&self, point: DVec3) -> (f64, f64) {
        (point.dot(self.across), point.dot(self.along))
    }

    /// The point and both ends of the segment.
    pub(super) fn corners(&self) -> [DVec3; 3] {
        let foot = self.origin + self.across * self.height;
        [self.origin, foot + self.along * self.head, foot + self.along * self.tail]
    }

    /// Unit normal of the plane of the fan.
    pub(super) fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Projection from the point onto the segment of the line between two points of the plane, as
    /// parameters.
    fn projected(&self, [mut a, mut b]: [(f64, f64); 2]) -> Option<[f64; 2]> {
        /// Lines are clipped at this fraction of the height in front of the point.
        const NEAR_PLANE: f64 = 1e-9;
        if a.0 > b.0 {
            std::mem::swap(&mut a, &mut b);
        }
        let lowest = NEAR_PLANE * self.height;
        if b.0 <= lowest || a.0 >= self.height {
            return None;
        }
        let at = |level: f64| (level, a.1 + (b.1 - a.1) * (level - a.0) / (b.0 - a.0));
        let (low, high) =
            (if a.0 < lowest { at(lowest) } else { a }, if b.0 > self.height { at(self.height) } else { b });
        let projected = [low, high]
            .map(|(level, place)| (place * self.height / level - self.head) / (self.tail - self.head));
        let [of_low, of_high] = projected;
        let from = larger_f64(smaller_f64(of_low, of_high), 0.0);
        let to = smaller_f64(larger_f64(of_low, of_high), 1.0);
        (from < to).then_some([from, to])
    }
}
