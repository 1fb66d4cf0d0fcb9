//! Ray queries.
//!
//! The triangle test is the watertight one (Woop, Benthin, Wald 2013) in f64: adjacent triangles
//! compute the same number for their common edge, so no ray passes between them. A ray exactly
//! through an edge or a vertex is treated as if shifted by an infinitesimal (simulation of
//! simplicity; Edelsbrunner and Mücke 1990), the same for all triangles. So it crosses a closed
//! surface as often as rays next to it, and parity is exact.

use std::ops::ControlFlow;

use glam::{BVec3A, DVec3, Vec3, Vec3A};

use super::{Bvh, Node, STACK};
use crate::math::larger;

/// A line segment or ray: `origin + along · direction` for `along` between `from` and `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The point at which `along` is zero.
    pub origin: Vec3,
    /// Not necessarily of unit length; a zero direction hits nothing.
    pub direction: Vec3,
    /// The smallest `along`, in lengths of the direction.
    pub from: f32,
    /// The largest `along`, in lengths of the direction; may be infinite.
    pub to: f32,
}

impl Ray {
    /// An infinite ray from `origin`.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction, from: 0.0, to: f32::INFINITY }
    }

    /// The segment from one point to another: `along` is 0 at the first and 1 at the second.
    pub fn between(start: Vec3, end: Vec3) -> Self {
        Self { origin: start, direction: end - start, from: 0.0, to: 1.0 }
    }

    /// The intersection with a triangle of these corners. Its index is set to 0.
    pub fn hit(&self, corners: &[Vec3; 3]) -> Option<Hit> {
        Sheared::of(self)?.hit(corners, self.from, self.to)
    }
}

/// An intersection of a ray with a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Parameter on the ray, in lengths of its direction.
    pub along: f32,
    /// Index of the triangle in the mesh.
    pub triangle: usize,
    /// Barycentric coordinates in the triangle.
    pub barycentric: Vec3,
    /// Whether the ray passes from the back to the front: it leaves a mesh that faces outwards.
    pub leaves: bool,
}

impl Bvh {
    /// The first hit of a ray; of several at the same point the triangle with the lowest index.
    pub fn first_hit(&self, ray: &Ray) -> Option<Hit> {
        self.first_hit_where(ray, |_| true)
    }

    /// The first hit of a ray among those that are `accepted`.
    pub fn first_hit_where(&self, ray: &Ray, accepted: impl Fn(&Hit) -> bool) -> Option<Hit> {
        let mut first: Option<Hit> = None;
        self.visit(ray, |hit, to| {
            let is_first = first.is_none_or(|f| (hit.along, hit.triangle) < (f.along, f.triangle));
            if is_first && accepted(&hit) {
                first = Some(hit);
                *to = hit.along;
            }
            ControlFlow::Continue(())
        });
        first
    }

    /// Calls `found` with every hit, in no particular order, until it returns `Break`. A ray
    /// through an edge hits one of its triangles; the parity of hits through a vertex of a closed
    /// surface is correct.
    pub fn all_hits(&self, ray: &Ray, mut found: impl FnMut(Hit) -> ControlFlow<()>) {
        self.visit(ray, |hit, _| found(hit));
    }

    /// Calls `found` with every hit and with the end of the ray, which it may shorten.
    fn visit(&self, ray: &Ray, mut found: impl FnMut(Hit, &mut f32) -> ControlFlow<()>) {
        let Some(sheared) = Sheared::of(ray) else { return };
        let slabs = Slabs::of(ray);
        let mut to = ray.to;
        let mut stack = [(0u32, 0f32); STACK];
        let mut pending = 0;
        let Some(entry) = self.nodes.first().and_then(|root| slabs.enter(root, ray.from, to)) else { return };
        let mut at = (0, entry);
        loop {
            let node = &self.nodes[at.0 as usize];
            if at.1 <= to {
                if node.is_leaf() {
                    for slot in node.range() {
                        let Some(hit) = sheared.hit(&self.corners[slot], ray.from, to) else { continue };
                        let hit = Hit { triangle: self.triangles[slot] as usize, ..hit };
                        if found(hit, &mut to).is_break() {
                            return;
                        }
                    }
                } else {
                    let (a, b) = (node.first, node.first + 1);
                    let a = slabs.enter(&self.nodes[a as usize], ray.from, to).map(|entry| (a, entry));
                    let b = slabs.enter(&self.nodes[b as usize], ray.from, to).map(|entry| (b, entry));
                    match (a, b) {
                        (Some(a), Some(b)) => {
                            let (near, far) = if b.1 < a.1 { (b, a) } else { (a, b) };
                            stack[pending] = far;
                            pending += 1;
                            at = near;
                            continue;
                        }
                        (Some(only), None) | (None, Some(only)) => {
                            at = only;
                            continue;
                        }
                        (None, None) => {}
                    }
                }
            }
            if pending == 0 {
                return;
            }
            pending -= 1;
            at = stack[pending];
        }
    }
}

/// A ray prepared for box tests.
pub(super) struct Slabs {
    origin: Vec3A,
    inverse: Vec3A,
    /// Axes along which the direction is negative.
    backwards: BVec3A,
}

impl Slabs {
    /// Exits are increased by the rounding of three operations (Ize 2013), so that no box is
    /// missed.
    pub(super) const ROUNDED_UP: f32 = 1.0 + 4.0 * f32::EPSILON;

    fn of(ray: &Ray) -> Self {
        let inverse = Vec3A::from(ray.direction).recip();
        Self { origin: ray.origin.into(), inverse, backwards: inverse.cmplt(Vec3A::ZERO) }
    }

    /// Parameter at which the ray enters the box, if it hits it between `from` and `to`.
    ///
    /// A ray within a face plane of the box gives zero times infinity. That NaN excludes the plane
    /// from the test, as it should. (Replacing tiny components of the direction by larger ones
    /// instead makes rays in a plane of symmetry miss the mesh.)
    #[inline]
    fn enter(&self, node: &Node, from: f32, to: f32) -> Option<f32> {
        let near = (Vec3A::select(self.backwards, node.high, node.low) - self.origin) * self.inverse;
        let far = (Vec3A::select(self.backwards, node.low, node.high) - self.origin) * self.inverse;
        let near = Vec3A::select(near.cmpeq(near), near, Vec3A::NEG_INFINITY);
        let far = Vec3A::select(far.cmpeq(far), far, Vec3A::INFINITY);
        let (enter, exit) = (larger(near.max_element(), from), far.min_element());
        (enter <= exit * Self::ROUNDED_UP && enter <= to).then_some(enter)
    }
}

/// A ray prepared for triangle tests: space is sheared so that the ray runs along its own longest
/// axis.
pub(super) struct Sheared {
    origin: DVec3,
    axes: [usize; 3],
    shear: DVec3,
}

impl Sheared {
    pub(super) fn of(ray: &Ray) -> Option<Self> {
        let direction = ray.direction.as_dvec3();
        let z = direction.abs().max_position();
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        if direction[z] == 0.0 || !direction.is_finite() {
            return None;
        }
        let shear = DVec3::new(direction[x] / direction[z], direction[y] / direction[z], 1.0 / direction[z]);
        Some(Self { origin: ray.origin.as_dvec3(), axes: [x, y, z], shear })
    }

    #[inline]
    fn to_sheared(&self, corner: Vec3) -> DVec3 {
        let relative = corner.as_dvec3() - self.origin;
        let [x, y, z] = self.axes;
        let (x, y, z) = (relative[x], relative[y], relative[z]);
        DVec3::new(x - self.shear.x * z, y - self.shear.y * z, self.shear.z * z)
    }

    /// The hit between `from` and `to`. Its triangle index is not set.
    #[inline]
    pub(super) fn hit(&self, [a, b, c]: &[Vec3; 3], from: f32, to: f32) -> Option<Hit> {
        let (a, b, c) = (self.to_sheared(*a), self.to_sheared(*b), self.to_sheared(*c));
        let (u, v, w) = (side(b, c), side(c, a), side(a, b));
        let orientation = is_left(u, b, c);
        if is_left(v, c, a) != orientation || is_left(w, a, b) != orientation {
            return None;
        }
        let sum = u + v + w;
        if sum == 0.0 {
            return None;
        }
        let barycentric = DVec3::new(u, v, w) / sum;
        let along = barycentric.dot(DVec3::new(a.z, b.z, c.z));
        let within = along >= f64::from(from) && along <= f64::from(to);
        within.then(|| Hit {
            along: along as f32,
            triangle: 0,
            barycentric: barycentric.as_vec3(),
            leaves: self.leaves(orientation),
        })
    }

    /// Whether a triangle of this orientation, seen along the sheared axis, shows its back to the
    /// ray.
    fn leaves(&self, orientation: bool) -> bool {
        orientation == (self.shear.z < 0.0)
    }
}

/// Twice the signed area of the origin and the edge from `p` to `q`, as seen along the ray.
#[inline]
fn side(p: DVec3, q: DVec3) -> f64 {
    q.x * p.y - q.y * p.x
}

/// Whether the origin lies to the left of the edge from `p` to `q`, whose [`side`] is given. An
/// edge exactly through the origin is shifted by an infinitesimal along x, then along y.
#[inline]
fn is_left(side: f64, p: DVec3, q: DVec3) -> bool {
    if side != 0.0 {
        side > 0.0
    } else if p.y != q.y {
        q.y > p.y
    } else {
        p.x > q.x
    }
}
