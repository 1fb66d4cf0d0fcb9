//! What stands between a point and a stretch of a line, exactly.
//!
//! In: an eye and a segment that it looks at. Out: which shares of the segment triangles hide from it. The lines of
//! sight sweep a flat triangle, the fan; a triangle of the mesh cuts it in a straight piece, and the piece seen from
//! the eye is the share of the segment it hides. So one walk through the tree tells what any number of rays would only
//! sample. A triangle shows the eye the same side wherever it is crossed, so that the side is known once per
//! triangle. Cost: about that of two rays, and as many pieces as triangles are cut.

use glam::{DVec3, Vec3, Vec3A, Vec4};

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

    /// The shares of the segment that a triangle hides, if it cuts the fan and `counts` when its front, or its back, shows.
    fn hidden_by(&self, corners: &[Vec3; 3], counts: impl Fn(bool) -> bool) -> Option<[f64; 2]> {
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
    /// Calls `hides` with the shares of the segment behind every triangle between the eye and the segment that `counts`
    /// (triangle, whether its front shows); in no particular order.
    pub fn hidden(&self, fan: &Fan, counts: impl Fn(usize, bool) -> bool, mut hides: impl FnMut([f64; 2])) {
        let boxed = Boxed::of(fan);
        let mut stack = [0u32; STACK];
        let mut waiting = usize::from(self.nodes.first().is_some_and(|root| boxed.meets(root)));
        while waiting > 0 {
            waiting -= 1;
            let node = &self.nodes[stack[waiting] as usize];
            if node.is_leaf() {
                for slot in node.range() {
                    if !boxed.meets_triangle(&self.corners[slot]) {
                        continue;
                    }
                    let triangle = self.triangles[slot] as usize;
                    let hidden = fan.hidden_by(&self.corners[slot], |front| counts(triangle, front));
                    hidden.into_iter().for_each(&mut hides);
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

/// A fan made ready for boxes: four directions in which a box may lie beside it, side by side for four lanes. The first
/// three are out of the fan across its sides, the last is across its plane, where both ways are out.
struct Boxed {
    low: Vec3A,
    high: Vec3A,
    across: [Vec4; 3],
    reach: [Vec4; 3],
    offset: Vec4,
    slack: Vec4,
}

/// What takes the last lane, and no other, to its opposite.
const BOTH_WAYS: Vec4 = Vec4::new(1.0, 1.0, 1.0, -1.0);

impl Boxed {
    fn of(fan: &Fan) -> Self {
        let foot = fan.eye + fan.across * fan.height;
        let corners = [fan.eye, foot + fan.along * fan.head, foot + fan.along * fan.tail];
        let low = corners.into_iter().fold(DVec3::INFINITY, DVec3::min);
        let high = corners.into_iter().fold(DVec3::NEG_INFINITY, DVec3::max);
        let slack = SLACK * low.abs().max(high.abs()).max_element() as f32;
        let side = |i: usize| {
            let [a, b, c] = [i, i + 1, i + 2].map(|k| corners[k % 3]);
            let out = fan.normal.cross(b - a).normalize_or_zero();
            let out = if out.dot(c - a) > 0.0 { -out } else { out };
            (out, out.dot(a))
        };
        let all = [side(0), side(1), side(2), (fan.normal, fan.normal.dot(fan.eye))];
        let lane =
            |of: &dyn Fn(&(DVec3, f64)) -> f64| Vec4::from_array([0, 1, 2, 3].map(|i| of(&all[i]) as f32));
        let across = [lane(&|d| d.0.x), lane(&|d| d.0.y), lane(&|d| d.0.z)];
        Self {
            low: low.as_vec3a() - slack,
            high: high.as_vec3a() + slack,
            across,
            reach: across.map(|axis| axis.abs() * 0.5),
            offset: lane(&|d| d.1),
            slack: Vec4::splat(slack),
        }
    }

    /// Whether the fan may reach into the box: no face of the box, and neither the fan's plane nor its sides, part them.
    #[inline]
    fn meets(&self, node: &Node) -> bool {
        if self.low.cmpgt(node.high).any() || self.high.cmplt(node.low).any() {
            return false;
        }
        let (middle, size) = ((node.low + node.high) * 0.5, node.high - node.low);
        let [x, y, z] = self.across;
        let beyond = x * middle.x + y * middle.y + z * middle.z - self.offset;
        let [x, y, z] = self.reach;
        let reach = x * size.x + y * size.y + z * size.z;
        (beyond.max(beyond * BOTH_WAYS) - reach).cmple(self.slack).all()
    }

    /// Whether the fan may reach a triangle: neither the fan's plane nor its sides part them.
    #[inline]
    fn meets_triangle(&self, corners: &[Vec3; 3]) -> bool {
        let [x, y, z] = self.across;
        let beyond = corners.map(|corner| x * corner.x + y * corner.y + z * corner.z - self.offset);
        let [a, b, c] = beyond.map(|lanes| lanes * BOTH_WAYS);
        let nearest = beyond[0].min(beyond[1]).min(beyond[2]);
        nearest.max(a.min(b).min(c)).cmple(self.slack).all()
    }
}
