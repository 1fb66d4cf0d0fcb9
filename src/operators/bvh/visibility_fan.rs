//! What stands between a point and a stretch of a line, exactly.
//!
//! In: an eye and a segment that it looks at. Out: which shares of the segment triangles hide from it. The lines of
//! sight sweep a flat triangle, the fan; a triangle of the mesh cuts it in a straight piece, and the piece seen from
//! the eye is the share of the segment it hides. So one walk through the tree ([`super::Bvh4`]) tells what any number of rays would only
//! sample. A triangle shows the eye the same side wherever it is crossed, so that the side is known once per
//! triangle. Cost: about that of two rays, and as many pieces as triangles are cut.

use glam::{DVec3, Vec3};

/// An eye that looks at the points from `head` (share 0) to `tail` (share 1).
#[derive(Clone, Copy, Debug)]
pub struct VisibilityFan {
    eye: DVec3,
    /// Across the lines of sight, within the fan: to the foot of the eye on the segment's line.
    across: DVec3,
    along: DVec3,
    normal: DVec3,
    /// From the eye to the line.
    height: f64,
    /// Where head and tail are on the line, from the foot.
    head: f64,
    tail: f64,
}

/// A fan less high than this share of its segment is a line. Larger: what is hidden from points near the line is
/// missed. Smaller: directions in the fan are rounding.
const FLAT: f64 = 1e-6;

impl VisibilityFan {
    /// None where the eye is on the segment's line, or the segment is a point.
    pub fn new(eye: DVec3, head: DVec3, tail: DVec3) -> Option<Self> {
        let along = (tail - head).try_normalize()?;
        let from_eye = head - eye;
        let across = from_eye - along * from_eye.dot(along);
        let height = across.length();
        if height.is_nan() || height <= FLAT * head.distance(tail) {
            return None;
        }
        let across = across / height;
        let (head, tail) = (from_eye.dot(along), (tail - eye).dot(along));
        Some(Self { eye, across, along, normal: across.cross(along), height, head, tail })
    }

    /// The shares of the segment that a triangle hides, if it cuts the fan and `counts` when its front, or its back, shows.
    pub(super) fn hidden_by(&self, corners: &[Vec3; 3], counts: impl Fn(bool) -> bool) -> Option<[f64; 2]> {
        let corners = corners.map(|corner| corner.as_dvec3() - self.eye);
        let beside = corners.map(|corner| corner.dot(self.normal));
        if beside.iter().all(|&side| side > 0.0) || beside.iter().all(|&side| side < 0.0) {
            return None;
        }
        let [a, b, c] = corners;
        if !counts((b - a).cross(c - a).dot(a) < 0.0) {
            return None;
        }
        let flat = corners.map(|corner| (corner.dot(self.across), corner.dot(self.along)));
        let mut cut = [(0.0, 0.0); 2];
        let mut found = 0;
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            // Zero counts as above, so that a corner in the fan's plane is cut on two sides or on none.
            if (beside[i] < 0.0) != (beside[j] < 0.0) {
                let share = beside[i] / (beside[i] - beside[j]);
                let mix = |a: f64, b: f64| a + (b - a) * share;
                cut[found] = (mix(flat[i].0, flat[j].0), mix(flat[i].1, flat[j].1));
                found += 1;
            }
        }
        if found == 2 { self.projected(cut) } else { None }
    }

    /// The eye and both ends of the segment.
    pub(super) fn corners(&self) -> [DVec3; 3] {
        let foot = self.eye + self.across * self.height;
        [self.eye, foot + self.along * self.head, foot + self.along * self.tail]
    }

    /// Across its plane.
    pub(super) fn normal(&self) -> DVec3 {
        self.normal
    }

    /// The piece between two points of the fan's plane as seen from the eye, as shares of the segment.
    fn projected(&self, [mut a, mut b]: [(f64, f64); 2]) -> Option<[f64; 2]> {
        /// A piece nearer to the eye's own level than this share of the height is cut off there.
        const LEVEL: f64 = 1e-9;
        if a.0 > b.0 {
            std::mem::swap(&mut a, &mut b);
        }
        let lowest = LEVEL * self.height;
        if b.0 <= lowest || a.0 >= self.height {
            return None;
        }
        let at = |level: f64| (level, a.1 + (b.1 - a.1) * (level - a.0) / (b.0 - a.0));
        let (low, high) =
            (if a.0 < lowest { at(lowest) } else { a }, if b.0 > self.height { at(self.height) } else { b });
        let seen = [low, high]
            .map(|(level, place)| (place * self.height / level - self.head) / (self.tail - self.head));
        let (from, to) = (seen[0].min(seen[1]).max(0.0), seen[0].max(seen[1]).min(1.0));
        (from < to).then_some([from, to])
    }
}
