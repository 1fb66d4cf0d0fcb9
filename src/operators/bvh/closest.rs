//! Nearest point queries.

use glam::{DVec3, Vec3};

use super::{Bvh, Node, STACK};

/// The nearest point of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The nearest point.
    pub point: Vec3,
    /// Index of its triangle in the mesh; the lowest of several equally near ones.
    pub triangle: usize,
    /// Distance from the query point.
    pub distance: f32,
    /// Barycentric coordinates in the triangle: not negative, sum 1.
    pub barycentric: Vec3,
}

impl Bvh {
    /// The point of the surface nearest to `point`; `None` if there is no surface.
    pub fn closest(&self, point: Vec3) -> Option<Closest> {
        self.closest_within(point, f32::INFINITY)
    }

    /// Same as [`Bvh::closest`], of the triangles that do not face away from `direction`; none does
    /// from zero.
    pub fn closest_facing(&self, point: Vec3, direction: Vec3) -> Option<Closest> {
        self.closest_by(point, f32::INFINITY, direction)
    }

    /// Same as [`Bvh::closest`], if the distance is at most `reach`.
    pub fn closest_within(&self, point: Vec3, reach: f32) -> Option<Closest> {
        self.closest_by(point, reach, Vec3::ZERO)
    }

    fn closest_by(&self, point: Vec3, reach: f32, direction: Vec3) -> Option<Closest> {
        let mut best = (f64::from(reach) * f64::from(reach), None);
        let root = self.nodes.first()?;
        let mut stack = [(0u32, 0f32); STACK];
        let mut pending = 0;
        let mut at = (0, root.squared_distance(point));
        loop {
            let (node, apart) = (&self.nodes[at.0 as usize], at.1);
            if f64::from(apart) <= best.0 {
                if node.is_leaf() {
                    self.closest_in_leaf(node, point, direction, &mut best);
                } else {
                    let (a, b) = (node.first, node.first + 1);
                    let a = (a, self.nodes[a as usize].squared_distance(point));
                    let b = (b, self.nodes[b as usize].squared_distance(point));
                    let (near, far) = if b.1 < a.1 { (b, a) } else { (a, b) };
                    if f64::from(far.1) <= best.0 {
                        stack[pending] = far;
                        pending += 1;
                    }
                    at = near;
                    continue;
                }
            }
            if pending == 0 {
                break;
            }
            pending -= 1;
            at = stack[pending];
        }
        let (squared, found) = best;
        let (slot, barycentric) = found?;
        let [a, b, c] = self.corners[slot].map(|p| p.as_dvec3());
        let on = a * barycentric.x + b * barycentric.y + c * barycentric.z;
        Some(Closest {
            point: on.as_vec3(),
            triangle: self.triangles[slot] as usize,
            distance: squared.sqrt() as f32,
            barycentric: barycentric.as_vec3(),
        })
    }

    fn closest_in_leaf(
        &self,
        leaf: &Node,
        point: Vec3,
        direction: Vec3,
        best: &mut (f64, Option<(usize, DVec3)>),
    ) {
        let origin = point.as_dvec3();
        for slot in leaf.range() {
            // Most triangles of a leaf are excluded by their bounding box, at a tenth of the cost.
            let [a, b, c] = self.corners[slot];
            if f64::from(squared_distance(a.min(b).min(c), a.max(b).max(c), point)) > best.0
                || (b - a).cross(c - a).dot(direction) < 0.0
            {
                continue;
            }
            let relative = self.corners[slot].map(|p| p.as_dvec3() - origin);
            let barycentric = nearest_to_origin(relative);
            let [a, b, c] = relative;
            let squared = (a * barycentric.x + b * barycentric.y + c * barycentric.z).length_squared();
            let is_nearer = match best.1 {
                Some((other, _)) => {
                    squared < best.0 || (squared == best.0 && self.triangles[slot] < self.triangles[other])
                }
                None => squared <= best.0,
            };
            if is_nearer {
                *best = (squared, Some((slot, barycentric)));
            }
        }
    }
}

impl Node {
    #[inline]
    fn squared_distance(&self, point: Vec3) -> f32 {
        squared_distance(self.low.into(), self.high.into(), point)
    }
}

/// Squared distance from `point` to the box, rounded down so that no box is missed.
#[inline]
fn squared_distance(low: Vec3, high: Vec3, point: Vec3) -> f32 {
    const ROUNDED_DOWN: f32 = 1.0 - 4.0 * f32::EPSILON;
    let apart = (low - point).max(point - high).max(Vec3::ZERO);
    apart.length_squared() * ROUNDED_DOWN
}

/// Barycentric coordinates of the point of a triangle nearest to the origin (Ericson 2004, section
/// 5.1.5). In f64, in which slivers with f32 corners are accurate; a division by zero yields a
/// corner.
fn nearest_to_origin([a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return DVec3::X;
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return DVec3::Y;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = clamped_ratio(d1, d1 - d3);
        return DVec3::new(1.0 - v, v, 0.0);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return DVec3::Z;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = clamped_ratio(d2, d2 - d6);
        return DVec3::new(1.0 - w, 0.0, w);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = clamped_ratio(d4 - d3, (d4 - d3) + (d5 - d6));
        return DVec3::new(0.0, 1.0 - w, w);
    }
    let sum = va + vb + vc;
    let (v, w) = (clamped_ratio(vb, sum), clamped_ratio(vc, sum));
    DVec3::new((1.0 - v - w).max(0.0), v, w)
}

fn clamped_ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}
