//! The tree of boxes with four children to a node, for many fans and rays.
//!
//! In: a [`Bvh`]. Out: what triangles hide of a segment ([`Bvh4::hidden`]), and what a ray meets ([`Bvh4::all_hits`]). Method: every
//! second level of the tree is left out, and the boxes of four children stand side by side, so that a fan is held against all
//! of them at once. A fan meets some dozen leaves, and held against one box after the other spends most of its time on the way to
//! them. Triangles of a leaf stand side by side as well, and most of them lie beside the fan's plane. Cost: one pass over the
//! tree, and twice its memory.

use std::ops::ControlFlow;

use glam::{BVec4A, DVec3, Vec3, Vec4};

use super::ray::{Sheared, Slabs};
use super::{Bvh, Hit, Node, Ray, STACK, VisibilityFan};

/// How far boxes are widened, as a share of the fan's largest coordinate: f32 boxes against an f64 fan.
const SLACK: f64 = 1e-6;

/// Node4 boxes: by axis where they are low and where they are high.
type Boxes = [[Vec4; 2]; 3];

/// Node4 triangles: by corner and axis where they are.
type Triangles = [[Vec4; 3]; 3];

/// A node and its children.
#[derive(Clone, Copy)]
struct Node4 {
    boxes: Boxes,
    /// As [`Node::first`].
    first: [u32; 4],
    /// As [`Node::count`].
    count: [u32; 4],
    /// Of a branch, where its own children are among the fours; of a leaf, where its triangles are.
    at: [u32; 4],
}

/// Where there are fewer children: a box that nothing meets.
const NOBODY: Node4 =
    Node4 { boxes: [[Vec4::INFINITY, Vec4::NEG_INFINITY]; 3], first: [0; 4], count: [0; 4], at: [0; 4] };

/// Where there are fewer triangles: one that nothing meets.
const NOTHING: Triangles = [[Vec4::NAN; 3]; 3];

/// A tree of boxes, by fours.
pub struct Bvh4<'a> {
    bvh: &'a Bvh,
    /// The root's children first; none when there is no triangle.
    nodes: Vec<Node4>,
    /// A leaf's are one after the other.
    triangles: Vec<Triangles>,
}

impl<'a> Bvh4<'a> {
    /// Of the same boxes.
    pub fn of(bvh: &'a Bvh) -> Self {
        let (mut nodes, mut triangles) = (Vec::new(), Vec::new());
        let mut waiting: Vec<(u32, usize)> = Vec::new();
        if !bvh.is_empty() {
            nodes.push(NOBODY);
            waiting.push((0, 0));
        }
        while let Some((of, at)) = waiting.pop() {
            for (lane, child) in bvh.children_of_children(of).into_iter().enumerate() {
                let Node { low, first, high, count } = bvh.nodes[child as usize];
                for axis in 0..3 {
                    nodes[at].boxes[axis][0][lane] = low[axis];
                    nodes[at].boxes[axis][1][lane] = high[axis];
                }
                nodes[at].count[lane] = count;
                nodes[at].first[lane] = first;
                if count == 0 {
                    nodes[at].at[lane] = nodes.len() as u32;
                    waiting.push((child, nodes.len()));
                    nodes.push(NOBODY);
                } else {
                    nodes[at].at[lane] = triangles.len() as u32;
                    triangles
                        .extend(bvh.corners[bvh.nodes[child as usize].range()].chunks(4).map(side_by_side));
                }
            }
        }
        Self { bvh, nodes, triangles }
    }

    /// Calls `hides` with the shares of the segment behind every triangle between the eye and the segment that `counts`
    /// (triangle, whether its front shows); in no particular order.
    pub fn hidden(
        &self,
        fan: &VisibilityFan,
        counts: impl Fn(usize, bool) -> bool,
        mut hides: impl FnMut([f64; 2]),
    ) {
        let boxed = Boxed::of(fan);
        // Each of half as many levels leaves three waiting.
        let mut stack = [0u32; 2 * STACK];
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let four = &self.nodes[stack[waiting] as usize];
            let mut met = boxed.meets(&four.boxes);
            while met != 0 {
                let lane = (met.trailing_zeros() & 3) as usize;
                met &= met - 1;
                if four.count[lane] == 0 {
                    stack[waiting] = four.at[lane];
                    waiting += 1;
                } else {
                    self.leaf(four, lane, &boxed, |slot| {
                        let triangle = self.bvh.triangles[slot] as usize;
                        let hidden = fan.hidden_by(&self.bvh.corners[slot], |front| counts(triangle, front));
                        hidden.into_iter().for_each(&mut hides);
                    });
                }
            }
        }
    }

    /// As [`Bvh::all_hits`], in another order.
    pub fn all_hits(&self, ray: &Ray, mut found: impl FnMut(Hit) -> ControlFlow<()>) {
        let Some(sheared) = Sheared::of(ray) else { return };
        let inverse = ray.direction.recip();
        let mut stack = [0u32; 2 * STACK];
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let four = &self.nodes[stack[waiting] as usize];
            let mut met = entered(&four.boxes, ray, inverse);
            while met != 0 {
                let lane = (met.trailing_zeros() & 3) as usize;
                met &= met - 1;
                let (first, count) = (four.first[lane], four.count[lane]);
                if count == 0 {
                    stack[waiting] = four.at[lane];
                    waiting += 1;
                    continue;
                }
                for slot in first as usize..(first + count) as usize {
                    let Some(hit) = sheared.hit(&self.bvh.corners[slot], ray.from, ray.to) else { continue };
                    if found(Hit { triangle: self.bvh.triangles[slot] as usize, ..hit }).is_break() {
                        return;
                    }
                }
            }
        }
    }

    /// Calls `met` with all of a leaf that a fan may reach.
    #[inline]
    fn leaf(&self, four: &Node4, lane: usize, boxed: &Boxed, mut met: impl FnMut(usize)) {
        let (first, count, at) = (four.first[lane], four.count[lane], four.at[lane] as usize);
        let fours = &self.triangles[at..at + count.div_ceil(4) as usize];
        for (first, corners) in (first..).step_by(4).zip(fours) {
            let mut reached = boxed.meets_triangles(corners);
            while reached != 0 {
                met((first + reached.trailing_zeros()) as usize);
                reached &= reached - 1;
            }
        }
    }
}

/// Which of four boxes a ray meets, a bit for each. As for one box: what is not a number, along a wall, is left out of account.
#[inline]
fn entered(boxes: &Boxes, ray: &Ray, inverse: Vec3) -> u32 {
    let (mut enter, mut exit) = (Vec4::splat(ray.from), Vec4::INFINITY);
    for (axis, sides) in boxes.iter().enumerate() {
        let backwards = usize::from(inverse[axis] < 0.0);
        let [near, far] = [backwards, 1 - backwards]
            .map(|side| (sides[side & 1] - Vec4::splat(ray.origin[axis])) * Vec4::splat(inverse[axis]));
        enter = Vec4::select(near.cmpgt(enter), near, enter);
        exit = Vec4::select(far.cmplt(exit), far, exit);
    }
    (enter.cmple(exit * Slabs::ROUNDED_UP) & enter.cmple(Vec4::splat(ray.to))).bitmask()
}

/// Up to four triangles.
fn side_by_side(of: &[[Vec3; 3]]) -> Triangles {
    let mut all = NOTHING;
    for (lane, corners) in of.iter().enumerate() {
        for (corner, axis) in (0..3).flat_map(|corner| (0..3).map(move |axis| (corner, axis))) {
            all[corner][axis][lane] = corners[corner][axis];
        }
    }
    all
}

impl Bvh {
    /// Up to four nodes that together hold what a node does: its children, and where these are branches, theirs. A leaf is its own.
    fn children_of_children(&self, of: u32) -> Vec<u32> {
        let children = |of: u32| {
            let node = &self.nodes[of as usize];
            if node.is_leaf() { of..of + 1 } else { node.first..node.first + 2 }
        };
        children(of).flat_map(|child| if child == of { of..of + 1 } else { children(child) }).collect()
    }
}

/// A direction in which a box may lie beside a fan.
#[derive(Clone, Copy)]
struct Side {
    direction: Vec3,
    /// By axis: whether a box is nearest where it is high.
    nearest: [usize; 3],
    /// How far along the direction a box may begin that reaches the fan.
    limit: f32,
}

impl Side {
    fn of(direction: DVec3, limit: f64) -> Self {
        let nearest = [direction.x, direction.y, direction.z].map(|along| usize::from(along < 0.0));
        Self { direction: direction.as_vec3(), nearest, limit: limit as f32 }
    }

    /// How far along the direction each corner of four triangles is.
    #[inline]
    fn along(&self, corners: &Triangles) -> [Vec4; 3] {
        let Vec3 { x: along_x, y: along_y, z: along_z } = self.direction;
        [0, 1, 2].map(|corner| {
            let [x, y, z] = corners[corner];
            x * along_x + y * along_y + z * along_z
        })
    }

    /// Which of four boxes do not begin beyond the limit.
    #[inline]
    fn reaches(&self, [x, y, z]: &Boxes) -> BVec4A {
        let Vec3 { x: along_x, y: along_y, z: along_z } = self.direction;
        let [at_x, at_y, at_z] = self.nearest;
        let begins = x[at_x & 1] * along_x + y[at_y & 1] * along_y + z[at_z & 1] * along_z;
        begins.cmple(Vec4::splat(self.limit))
    }
}

/// A fan made ready for boxes and triangles.
struct Boxed {
    low: Vec3,
    high: Vec3,
    /// Out of it across its sides, and across its plane both ways.
    sides: [Side; 5],
}

impl Boxed {
    fn of(fan: &VisibilityFan) -> Self {
        let corners = fan.corners();
        let low = corners.into_iter().fold(DVec3::INFINITY, DVec3::min);
        let high = corners.into_iter().fold(DVec3::NEG_INFINITY, DVec3::max);
        let slack = SLACK * low.abs().max(high.abs()).max_element();
        let side = |i: usize| {
            let [a, b, c] = [i, i + 1, i + 2].map(|k| corners[k % 3]);
            let out = fan.normal().cross(b - a).normalize_or_zero();
            let out = if out.dot(c - a) > 0.0 { -out } else { out };
            (out, out.dot(a))
        };
        let (up, level) = (fan.normal(), fan.normal().dot(corners[0]));
        let all = [side(0), side(1), side(2), (up, level), (-up, -level)];
        Self {
            low: (low - slack).as_vec3(),
            high: (high + slack).as_vec3(),
            sides: all.map(|(out, offset)| Side::of(out, offset + slack)),
        }
    }

    /// Which of four boxes the fan may reach into, a bit for each: no face of the box, and neither the fan's plane nor its sides, part them.
    #[inline]
    fn meets(&self, boxes: &Boxes) -> u32 {
        let mut met = BVec4A::new(true, true, true, true);
        for (axis, [low, high]) in boxes.iter().enumerate() {
            met &= low.cmple(Vec4::splat(self.high[axis])) & high.cmpge(Vec4::splat(self.low[axis]));
        }
        if met.any() {
            self.sides.iter().for_each(|side| met &= side.reaches(boxes));
        }
        met.bitmask()
    }

    /// Which of four triangles the fan may reach, a bit for each: neither the fan's plane nor its sides part them.
    #[inline]
    fn meets_triangles(&self, corners: &Triangles) -> u32 {
        let [sides @ .., above, below] = &self.sides;
        let [a, b, c] = above.along(corners);
        let mut met = a.min(b).min(c).cmple(Vec4::splat(above.limit));
        met &= a.max(b).max(c).cmpge(Vec4::splat(-below.limit));
        if met.any() {
            for side in sides {
                let [a, b, c] = side.along(corners);
                met &= a.min(b).min(c).cmple(Vec4::splat(side.limit));
            }
        }
        met.bitmask()
    }
}
