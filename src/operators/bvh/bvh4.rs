//! The hierarchy with four children per node, for many fans and rays.
//!
//! In: a [`Bvh`]. Out: the intervals of a segment that triangles hide ([`Bvh4::hidden`]), and all
//! hits of a ray ([`Bvh4::all_hits`]). Method: every second level of the tree is skipped, and the
//! boxes of four children are stored side by side, so that a fan is tested against all of them at
//! once. A fan reaches some dozen leaves, and would spend most of its time on single box tests on
//! the way to them. The triangles of a leaf are stored side by side as well, and most of them lie
//! on one side of the plane of the fan. Cost: one pass over the tree, and twice its memory.

use std::ops::ControlFlow;

use glam::{BVec4A, DVec3, Vec3, Vec4};

use super::ray::{Sheared, Slabs};
use super::{Bvh, Hit, Node, Ray, STACK, VisibilityFan};

/// By how much boxes are enlarged, as a fraction of the largest coordinate of the fan: boxes are
/// f32, fans f64.
const SLACK: f64 = 1e-6;

/// Four boxes: lower and upper bounds by axis.
type Boxes = [[Vec4; 2]; 3];

/// Four triangles: coordinates by corner and axis.
type Triangles = [[Vec4; 3]; 3];

/// The boxes of up to four children.
#[derive(Clone, Copy)]
struct Node4 {
    boxes: Boxes,
    /// See [`Node::first`].
    first: [u32; 4],
    /// See [`Node::count`].
    count: [u32; 4],
    /// For an inner node the index of its `Node4`, for a leaf the index of its first `Triangles`.
    at: [u32; 4],
}

/// Padding for missing children: boxes that nothing hits.
const EMPTY_NODE: Node4 =
    Node4 { boxes: [[Vec4::INFINITY, Vec4::NEG_INFINITY]; 3], first: [0; 4], count: [0; 4], at: [0; 4] };

/// Padding for missing triangles: triangles that nothing hits.
const EMPTY_TRIANGLES: Triangles = [[Vec4::NAN; 3]; 3];

/// A bounding volume hierarchy with four children per node.
pub struct Bvh4<'a> {
    bvh: &'a Bvh,
    /// The root's children first; empty if there is no triangle.
    nodes: Vec<Node4>,
    /// Those of one leaf are consecutive.
    triangles: Vec<Triangles>,
}

impl<'a> Bvh4<'a> {
    /// Converts a binary hierarchy.
    pub fn of(bvh: &'a Bvh) -> Self {
        let (mut nodes, mut triangles) = (Vec::new(), Vec::new());
        let mut pending: Vec<(u32, usize)> = Vec::new();
        if !bvh.is_empty() {
            nodes.push(EMPTY_NODE);
            pending.push((0, 0));
        }
        while let Some((of, at)) = pending.pop() {
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
                    pending.push((child, nodes.len()));
                    nodes.push(EMPTY_NODE);
                } else {
                    nodes[at].at[lane] = triangles.len() as u32;
                    triangles.extend(bvh.corners[bvh.nodes[child as usize].range()].chunks(4).map(pack));
                }
            }
        }
        Self { bvh, nodes, triangles }
    }

    /// Calls `hides` with the interval of the segment behind every triangle between the origin of
    /// the fan and the segment for which `counts(triangle, shows its front)` holds, in no
    /// particular order.
    pub fn hidden(
        &self,
        fan: &VisibilityFan,
        counts: impl Fn(usize, bool) -> bool,
        mut hides: impl FnMut([f64; 2]),
    ) {
        let fan_bounds = FanBounds::of(fan);
        // Half as many levels, each of which leaves three nodes on the stack.
        let mut stack = [0u32; 2 * STACK];
        let mut pending = usize::from(!self.nodes.is_empty());
        while pending > 0 {
            pending -= 1;
            let node = &self.nodes[stack[pending] as usize];
            let mut mask = fan_bounds.overlapping_boxes(&node.boxes);
            while mask != 0 {
                let lane = (mask.trailing_zeros() & 3) as usize;
                mask &= mask - 1;
                if node.count[lane] == 0 {
                    stack[pending] = node.at[lane];
                    pending += 1;
                } else {
                    self.leaf(node, lane, &fan_bounds, |slot| {
                        let triangle = self.bvh.triangles[slot] as usize;
                        let hidden = fan.hidden_by(&self.bvh.corners[slot], |front| counts(triangle, front));
                        hidden.into_iter().for_each(&mut hides);
                    });
                }
            }
        }
    }

    /// Same as [`Bvh::all_hits`], in another order.
    pub fn all_hits(&self, ray: &Ray, mut found: impl FnMut(Hit) -> ControlFlow<()>) {
        let Some(sheared) = Sheared::of(ray) else { return };
        let inverse = ray.direction.recip();
        let mut stack = [0u32; 2 * STACK];
        let mut pending = usize::from(!self.nodes.is_empty());
        while pending > 0 {
            pending -= 1;
            let node = &self.nodes[stack[pending] as usize];
            let mut mask = hit_boxes(&node.boxes, ray, inverse);
            while mask != 0 {
                let lane = (mask.trailing_zeros() & 3) as usize;
                mask &= mask - 1;
                let (first, count) = (node.first[lane], node.count[lane]);
                if count == 0 {
                    stack[pending] = node.at[lane];
                    pending += 1;
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

    /// Calls `found` with all triangles of a leaf that the fan may reach.
    #[inline]
    fn leaf(&self, node: &Node4, lane: usize, fan_bounds: &FanBounds, mut found: impl FnMut(usize)) {
        let (first, count, at) = (node.first[lane], node.count[lane], node.at[lane] as usize);
        let quadruples = &self.triangles[at..at + count.div_ceil(4) as usize];
        for (first, corners) in (first..).step_by(4).zip(quadruples) {
            let mut reached = fan_bounds.overlapping_triangles(corners);
            while reached != 0 {
                found((first + reached.trailing_zeros()) as usize);
                reached &= reached - 1;
            }
        }
    }
}

/// Bit mask of the boxes that a ray hits. As for one box, a NaN excludes a face plane from the
/// test.
#[inline]
fn hit_boxes(boxes: &Boxes, ray: &Ray, inverse: Vec3) -> u32 {
    let (mut enter, mut exit) = (Vec4::splat(ray.from), Vec4::INFINITY);
    let [x, y, z] = boxes;
    for ([low, high], origin, inverse) in
        [(x, ray.origin.x, inverse.x), (y, ray.origin.y, inverse.y), (z, ray.origin.z, inverse.z)]
    {
        let (near, far) = if inverse < 0.0 { (high, low) } else { (low, high) };
        let near = (*near - Vec4::splat(origin)) * Vec4::splat(inverse);
        let far = (*far - Vec4::splat(origin)) * Vec4::splat(inverse);
        enter = Vec4::select(near.cmpgt(enter), near, enter);
        exit = Vec4::select(far.cmplt(exit), far, exit);
    }
    (enter.cmple(exit * Slabs::ROUNDED_UP) & enter.cmple(Vec4::splat(ray.to))).bitmask()
}

/// Stores up to four triangles side by side.
fn pack(of: &[[Vec3; 3]]) -> Triangles {
    let mut all = EMPTY_TRIANGLES;
    for (lane, corners) in of.iter().enumerate() {
        for (corner, axis) in (0..3).flat_map(|corner| (0..3).map(move |axis| (corner, axis))) {
            all[corner][axis][lane] = corners[corner][axis];
        }
    }
    all
}

impl Bvh {
    /// Up to four nodes that together contain the same triangles as a node: its children, with
    /// inner nodes replaced by their own children. A leaf is returned as it is.
    fn children_of_children(&self, of: u32) -> Vec<u32> {
        let children = |of: u32| {
            let node = &self.nodes[of as usize];
            if node.is_leaf() { of..of + 1 } else { node.first..node.first + 2 }
        };
        children(of).flat_map(|child| if child == of { of..of + 1 } else { children(child) }).collect()
    }
}

/// A direction along which a box may be separated from a fan.
#[derive(Clone, Copy)]
struct SeparatingAxis {
    direction: Vec3,
    /// By axis, whether the corner of a box with the smallest projection has the upper bound.
    nearest_bound: [usize; 3],
    /// Largest projection of the fan onto the direction.
    limit: f32,
}

impl SeparatingAxis {
    fn of(direction: DVec3, limit: f64) -> Self {
        let nearest_bound =
            [direction.x, direction.y, direction.z].map(|component| usize::from(component < 0.0));
        Self { direction: direction.as_vec3(), nearest_bound, limit: limit as f32 }
    }

    /// Projections of the corners of four triangles onto the direction.
    #[inline(always)]
    fn project(&self, [a, b, c]: &Triangles) -> [Vec4; 3] {
        [self.project_points(a), self.project_points(b), self.project_points(c)]
    }

    /// Projections of four points onto the direction.
    #[inline(always)]
    fn project_points(&self, [x, y, z]: &[Vec4; 3]) -> Vec4 {
        *x * self.direction.x + *y * self.direction.y + *z * self.direction.z
    }

    /// Which of four boxes are not separated along the direction.
    #[inline(always)]
    fn reaches(&self, [x, y, z]: &Boxes) -> BVec4A {
        let Vec3 { x: along_x, y: along_y, z: along_z } = self.direction;
        let [at_x, at_y, at_z] = self.nearest_bound;
        let nearest_projection = x[at_x & 1] * along_x + y[at_y & 1] * along_y + z[at_z & 1] * along_z;
        nearest_projection.cmple(Vec4::splat(self.limit))
    }
}

/// A fan prepared for tests against boxes and triangles (separating axis theorem).
struct FanBounds {
    low: Vec3,
    high: Vec3,
    /// Outward normals of its edges within its plane, and both normals of its plane.
    sides: [SeparatingAxis; 5],
}

impl FanBounds {
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
            sides: all.map(|(out, offset)| SeparatingAxis::of(out, offset + slack)),
        }
    }

    /// Bit mask of the boxes that the fan may reach: not separated by a face of the box, by the
    /// plane of the fan, or by its edges.
    #[inline]
    fn overlapping_boxes(&self, boxes: &Boxes) -> u32 {
        let mut mask = BVec4A::new(true, true, true, true);
        let [x, y, z] = boxes;
        mask &= x[0].cmple(Vec4::splat(self.high.x)) & x[1].cmpge(Vec4::splat(self.low.x));
        mask &= y[0].cmple(Vec4::splat(self.high.y)) & y[1].cmpge(Vec4::splat(self.low.y));
        mask &= z[0].cmple(Vec4::splat(self.high.z)) & z[1].cmpge(Vec4::splat(self.low.z));
        if mask.any() {
            self.sides.iter().for_each(|side| mask &= side.reaches(boxes));
        }
        mask.bitmask()
    }

    /// Bit mask of the triangles that the fan may reach: not separated by the plane of the fan or
    /// by its edges.
    #[inline]
    fn overlapping_triangles(&self, corners: &Triangles) -> u32 {
        let [sides @ .., above, below] = &self.sides;
        let [a, b, c] = above.project(corners);
        let mut mask = a.min(b).min(c).cmple(Vec4::splat(above.limit));
        mask &= a.max(b).max(c).cmpge(Vec4::splat(-below.limit));
        if mask.any() {
            for side in sides {
                let [a, b, c] = side.project(corners);
                mask &= a.min(b).min(c).cmple(Vec4::splat(side.limit));
            }
        }
        mask.bitmask()
    }
}
