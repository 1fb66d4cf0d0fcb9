//! What stands between a point and a stretch of a line, exactly.
//!
//! In: an eye and a segment that it looks at. Out: which shares of the segment triangles hide from it. The lines of
//! sight sweep a flat triangle, the fan; a triangle of the mesh cuts it in a straight piece, and the piece seen from
//! the eye is the share of the segment it hides. So one walk through the tree tells what any number of rays would only
//! sample. A triangle shows the eye the same side wherever it is crossed, so that the side is known once per
//! triangle. Cost: about that of two rays, and as many pieces as triangles are cut.

use glam::{DVec3, Vec3};

use super::{Bvh, Node, STACK};

/// An eye that looks at the points from `head` (share 0) to `tail` (share 1).
#[derive(Clone, Copy, Debug)]
pub struct Fan {
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

/// How far boxes are widened, as a share of the fan's largest coordinate: f32 boxes against an f64 fan.
const SLACK: f32 = 1e-6;

impl Fan {
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

    /// The shares of the segment that the triangle hides, if it cuts the fan.
    fn hidden_by(&self, corners: [DVec3; 3]) -> Option<[f64; 2]> {
        let corners = corners.map(|corner| corner - self.eye);
        let beside = corners.map(|corner| corner.dot(self.normal));
        if beside.iter().all(|&side| side > 0.0) || beside.iter().all(|&side| side < 0.0) {
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

impl Bvh {
    /// Calls `hides` with the triangle, whether its front faces the eye, and the shares of the segment behind it, for every
    /// triangle between the eye and the segment that `counts` (triangle, front) for; in no particular order.
    pub fn hidden(&self, fan: &Fan, counts: impl Fn(usize, bool) -> bool, mut hides: impl FnMut([f64; 2])) {
        let boxed = Boxed::of(fan);
        let mut stack = [0u32; STACK];
        let mut waiting = usize::from(self.nodes.first().is_some_and(|root| boxed.meets(root)));
        while waiting > 0 {
            waiting -= 1;
            let node = &self.nodes[stack[waiting] as usize];
            if node.is_leaf() {
                for slot in node.range() {
                    let corners = self.corners[slot].map(|corner| corner.as_dvec3());
                    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                    let shows_front = normal.dot(fan.eye - corners[0]) > 0.0;
                    if counts(self.triangles[slot] as usize, shows_front) {
                        fan.hidden_by(corners).into_iter().for_each(&mut hides);
                    }
                }
                continue;
            }
            for child in [node.first, node.first + 1] {
                stack[waiting] = child;
                waiting += usize::from(boxed.meets(&self.nodes[child as usize]));
            }
        }
    }
}

/// A fan made ready for boxes.
struct Boxed {
    low: Vec3,
    high: Vec3,
    /// The fan's plane and, at right angles to it, its three sides; the fan is where all four are at most zero.
    normal: Vec3,
    offset: f32,
    sides: [(Vec3, f32); 3],
    slack: f32,
}

impl Boxed {
    fn of(fan: &Fan) -> Self {
        let foot = fan.eye + fan.across * fan.height;
        let corners = [fan.eye, foot + fan.along * fan.head, foot + fan.along * fan.tail];
        let [low, high] = [
            corners.iter().copied().fold(corners[0], DVec3::min),
            corners.iter().copied().fold(corners[0], DVec3::max),
        ];
        let slack = SLACK * low.abs().max(high.abs()).max_element() as f32;
        let side = |i: usize| {
            let [a, b, c] = [i, i + 1, i + 2].map(|k| corners[k % 3]);
            let out = fan.normal.cross(b - a).normalize_or_zero();
            let out = if out.dot(c - a) > 0.0 { -out } else { out };
            (out.as_vec3(), out.dot(a) as f32 + slack)
        };
        Self {
            low: low.as_vec3() - slack,
            high: high.as_vec3() + slack,
            normal: fan.normal.as_vec3(),
            offset: fan.normal.dot(fan.eye) as f32,
            sides: [side(0), side(1), side(2)],
            slack,
        }
    }

    /// Whether the fan may reach into the box: no face of the box, and neither the fan's plane nor its sides, part them.
    #[inline]
    fn meets(&self, node: &Node) -> bool {
        if self.low.cmpgt(node.high).any() || self.high.cmplt(node.low).any() {
            return false;
        }
        let middle = (node.low + node.high) * 0.5;
        let half = (node.high - node.low) * 0.5;
        let reach = |direction: Vec3| direction.abs().dot(half);
        (self.normal.dot(middle) - self.offset).abs() <= reach(self.normal) + self.slack
            && self.sides.iter().all(|&(out, offset)| out.dot(middle) - reach(out) <= offset)
    }
}
