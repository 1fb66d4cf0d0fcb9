//! Shapes as signed distance fields.
//!
//! A sphere is a round cone of length zero, an ellipsoid a stretched sphere, a limb a chain of
//! cones along a spline, an ear a fan of plates (see `solid`). They are joined by smooth unions.
//! The smoothing can be limited to the neighbourhood of a joint, so that an armpit is filled while
//! a hand beside a thigh stays separate.
//!
//! Output: a [`Shape`], which `field` evaluates. The union is the quadratic smooth minimum. No
//! transcendental functions are used, so results have the same bits everywhere.

use glam::{Mat3, Vec3, Vec4};

use super::solid::{Plate, RoundCone, Sample, Solid};

/// How a shape is joined to those before it.
#[derive(Clone, Copy, Debug)]
pub struct Join {
    /// Smoothing radius: shapes closer than this blend into each other.
    pub radius: f32,
    /// Centre and radius of the region with smoothing. `None` if it applies everywhere.
    pub within: Option<(Vec3, f32)>,
}

impl Join {
    /// The smoothing radius at a point.
    pub fn radius_at(&self, point: Vec3) -> f32 {
        let Some((centre, reach)) = self.within else { return self.radius };
        let t = (1.0 - point.distance_squared(centre) / (reach * reach)).max(0.0);
        self.radius * t.min(FADE_START) / FADE_START
    }
}

/// A limited join has its full radius where at least this fraction of the squared reach is left.
const FADE_START: f32 = 0.5;

/// The smooth union of two samples: exactly the smaller if they differ by `radius` or more.
pub fn unite(a: Sample, b: Sample, radius: f32) -> Sample {
    let (near, far) = if a.distance <= b.distance { (a, b) } else { (b, a) };
    let overlap = radius - (far.distance - near.distance);
    if overlap <= 0.0 {
        return near;
    }
    let t = overlap / radius;
    Sample {
        distance: near.distance - 0.25 * overlap * t,
        gradient: near.gradient.lerp(far.gradient, 0.5 * t),
        limb_radius: near.limb_radius + (far.limb_radius - near.limb_radius) * 0.5 * t,
    }
}

/// A clip plane: the ground under the feet, the end of a limb.
#[derive(Clone, Copy, Debug)]
pub struct ClipPlane {
    /// A unit vector out of the body.
    pub outward: Vec3,
    /// Distance of the plane from the origin along `outward`.
    pub offset: f32,
    /// Smoothing radius of the rim.
    pub radius: f32,
}

impl ClipPlane {
    /// The ground plane y = 0.
    pub fn ground(radius: f32) -> Self {
        Self { outward: Vec3::NEG_Y, offset: 0.0, radius }
    }

    /// Clips `sample` at `point` by a smooth intersection.
    pub fn apply(&self, point: Vec3, sample: Sample) -> Sample {
        let Sample { distance, gradient, limb_radius } = sample;
        let distance_beyond = self.outward.dot(point) - self.offset;
        // An intersection is the complement of the union of the complements.
        let outside = Sample { distance: -distance, gradient: -gradient, limb_radius };
        let clipped = Sample { distance: -distance_beyond, gradient: -self.outward, limb_radius };
        let all = unite(outside, clipped, self.radius);
        Sample { distance: -all.distance, gradient: -all.gradient, limb_radius }
    }
}

/// A solid or a union of shapes.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A single solid.
    Solid(Solid),
    /// Joined in order. The join of the first one is not used.
    Group(Vec<(Shape, Join)>),
}

/// A sphere.
pub fn ball(centre: Vec3, radius: f32) -> Shape {
    cone(centre, radius, centre, radius)
}

/// The convex hull of two spheres.
pub fn cone(a: Vec3, a_radius: f32, b: Vec3, b_radius: f32) -> Shape {
    Shape::Solid(Solid::RoundCone(RoundCone::new(a, a_radius, b, b_radius)))
}

/// An ellipsoid with `radii` along the world axes.
pub fn ellipsoid(centre: Vec3, radii: Vec3) -> Shape {
    ellipsoid_along(centre, radii, Vec3::Y, Vec3::Z)
}

/// An ellipsoid whose second radius is along `up` and whose third is as close to `front` as
/// possible.
pub fn ellipsoid_along(centre: Vec3, radii: Vec3, up: Vec3, front: Vec3) -> Shape {
    let up = up.normalize_or_zero();
    let side = up.cross(front).normalize_or_zero();
    let axes = Mat3::from_cols(side, up, side.cross(up));
    let longest = radii.max_element();
    let stretch = axes * Mat3::from_diagonal(longest / radii) * axes.transpose();
    let limb_radius = (radii.min_element() / longest).sqrt();
    let ball = RoundCone::new(centre, longest, centre, longest);
    Shape::Solid(Solid::RoundCone(ball.stretched(stretch, limb_radius)))
}

/// Points of a Catmull–Rom spline through `knots`, with `pieces` steps per segment.
pub fn spline(knots: &[Vec4], pieces: usize) -> Vec<Vec4> {
    let last = knots.len() as isize - 1;
    let at = |i: isize| match i {
        _ if i < 0 => knots[0] * 2.0 - knots[1],
        _ if i > last => knots[last as usize] * 2.0 - knots[last as usize - 1],
        _ => knots[i as usize],
    };
    let mut points = vec![knots[0]];
    for i in 0..last {
        let [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
        for piece in 1..=pieces {
            let t = piece as f32 / pieces as f32;
            let linear = (c - a) * t;
            let square = (a * 2.0 - b * 5.0 + c * 4.0 - d) * (t * t);
            let cube = (b * 3.0 - a - c * 3.0 + d) * (t * t * t);
            points.push(b + (linear + square + cube) * 0.5);
        }
    }
    points
}

/// A limb: spheres of the given radii along a spline, with `pieces` cones per segment.
pub fn chain(balls: &[(Vec3, f32)], pieces: usize) -> Shape {
    let knots: Vec<Vec4> = balls.iter().map(|&(point, radius)| point.extend(radius)).collect();
    let points = spline(&knots, pieces);
    // Neighbours share a sphere, so a plain union has no visible seam. A smooth one would bulge at
    // each.
    let mut limb = Body::default();
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        limb.add(0.0, cone(a.truncate(), a.w, b.truncate(), b.w));
    }
    limb.shape()
}

/// A sheet of the given half thickness: a fan of triangles from `hub` along `rim`.
pub fn sheet(hub: Vec3, rim: &[Vec3], radius: f32) -> Shape {
    let mut sheet = Body::default();
    for pair in rim.windows(2) {
        sheet.add(0.0, Shape::Solid(Solid::Plate(Plate { corners: [hub, pair[0], pair[1]], radius })));
    }
    sheet.shape()
}

impl Shape {
    /// Scales the thickness along `axis` by `factor`. Plates are not changed.
    pub fn flattened(self, axis: Vec3, factor: f32) -> Self {
        let axis = axis.normalize_or_zero();
        let more = 1.0 / factor - 1.0;
        let stretch = Mat3::IDENTITY
            + Mat3::from_cols(axis * (axis.x * more), axis * (axis.y * more), axis * (axis.z * more));
        self.map(&|solid| solid.stretched(stretch, factor.sqrt()))
    }

    fn map(self, change: &impl Fn(RoundCone) -> RoundCone) -> Self {
        match self {
            Self::Solid(Solid::RoundCone(cone)) => Self::Solid(Solid::RoundCone(change(cone))),
            Self::Solid(Solid::Plate(_)) => self,
            Self::Group(members) => {
                Self::Group(members.into_iter().map(|(shape, join)| (shape.map(change), join)).collect())
            }
        }
    }

    /// The bounding box as (minimum, maximum).
    pub fn bounds(&self) -> (Vec3, Vec3) {
        match self {
            Self::Solid(Solid::Plate(Plate { corners: [a, b, c], radius })) => {
                (a.min(*b).min(*c) - *radius, a.max(*b).max(*c) + *radius)
            }
            Self::Solid(Solid::RoundCone(solid)) => {
                let [(a, a_radius), (b, b_radius)] = solid.ends();
                ((a - a_radius).min(b - b_radius), (a + a_radius).max(b + b_radius))
            }
            Self::Group(members) => members
                .iter()
                .map(|(shape, _)| shape.bounds())
                .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), (l, h)| (low.min(l), high.max(h))),
        }
    }
}

/// A union under construction.
#[derive(Clone, Debug, Default)]
pub struct Body {
    members: Vec<(Shape, Join)>,
}

impl Body {
    /// Adds `shape`, with smoothing `radius` everywhere.
    pub fn add(&mut self, radius: f32, shape: Shape) {
        self.members.push((shape, Join { radius, within: None }));
    }

    /// Adds `shape`, with smoothing `radius` only around `centre`, fading out at distance `reach`.
    pub fn add_at(&mut self, radius: f32, centre: Vec3, reach: f32, shape: Shape) {
        self.members.push((shape, Join { radius, within: Some((centre, reach)) }));
    }

    /// The union of all shapes.
    pub fn shape(self) -> Shape {
        Shape::Group(self.members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(shape: &Shape, point: Vec3) -> Sample {
        match shape {
            Shape::Solid(solid) => solid.sample(point),
            Shape::Group(members) => {
                let mut members = members.iter();
                let first = members.next().map(|(shape, _)| sample(shape, point)).unwrap();
                members
                    .fold(first, |all, (shape, join)| unite(all, sample(shape, point), join.radius_at(point)))
            }
        }
    }

    #[test]
    fn the_distance_to_a_round_cone_is_that_to_its_nearest_sphere() {
        let (a, b) = (Vec3::new(0.1, -0.4, 0.2), Vec3::new(0.9, 0.8, -0.3));
        let solid = cone(a, 0.5, b, 0.1);
        for i in 0..200 {
            let point = Vec3::new((i % 7) as f32 - 3.0, (i % 5) as f32 - 2.0, (i % 11) as f32 * 0.4 - 2.0);
            let balls = (0..=1000).map(|t| t as f32 / 1000.0);
            let nearest = balls.map(|t| point.distance(a.lerp(b, t)) - (0.5 - 0.4 * t)).fold(9e9, f32::min);
            assert!((sample(&solid, point).distance - nearest).abs() < 1e-4);
        }
    }

    #[test]
    fn newton_steps_reach_the_surface() {
        let mut body = Body::default();
        body.add(0.0, ellipsoid_along(Vec3::ZERO, Vec3::new(1.0, 0.5, 0.7), Vec3::ONE, Vec3::X));
        body.add(0.3, chain(&[(Vec3::ZERO, 0.4), (Vec3::X, 0.3), (Vec3::new(1.5, 1.0, 0.0), 0.2)], 3));
        let shape = body.shape();
        for i in 0..100 {
            let mut point = Vec3::new(
                (i % 10) as f32 * 0.2 - 0.7,
                (i / 10) as f32 * 0.15 - 0.5,
                0.45 - (i % 3) as f32 * 0.3,
            );
            for _ in 0..12 {
                let Sample { distance, gradient, .. } = sample(&shape, point);
                point -= gradient * distance / gradient.length_squared().max(0.25);
            }
            assert!(sample(&shape, point).distance.abs() < 1e-3, "from start {i}");
        }
    }
}
