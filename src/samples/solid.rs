//! Primitive solids and their distance fields.
//!
//! Input: a point. Output: a [`Sample`]: signed distance (negative inside), gradient, and limb
//! radius. Nearly everything is made of *round cones* (the convex hull of two spheres) under a
//! linear stretch; ears are made of *plates*. Distances are exact for unstretched solids, and exact
//! to first order near the surface for stretched ones. Source: closed forms. Cost: two square
//! roots. No transcendental functions are used, so results have the same bits everywhere.

use glam::{Mat3, Vec3};

/// The value of a field at a point.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Signed distance to the surface, negative inside.
    pub distance: f32,
    /// Gradient of the distance: about a unit vector, shorter in the fillets of smooth unions.
    pub gradient: Vec3,
    /// Radius of the nearest limb, which determines the edge length of the mesh.
    pub limb_radius: f32,
}

/// The convex hull of two spheres, under a linear stretch.
#[derive(Clone, Copy, Debug)]
pub struct RoundCone {
    start: Vec3,
    along: Vec3,
    length: f32,
    radius: f32,
    /// Change of the radius per length.
    slope: f32,
    /// Offset along the axis of the nearest sphere from the projection of a point, per distance
    /// from the axis.
    axial_offset: f32,
    /// Symmetric, with all eigenvalues at least one. `None` if it is the identity.
    stretch: Option<Mat3>,
    radius_factor: f32,
}

/// Distance from the axis below which the radial direction is rounding noise.
const ON_AXIS: f32 = 1e-9;

impl RoundCone {
    /// The convex hull of two spheres.
    pub fn new(a: Vec3, a_radius: f32, b: Vec3, b_radius: f32) -> Self {
        let length = a.distance(b);
        let (start, length, radius, slope) = if (a_radius - b_radius).abs() < length {
            (a, length, a_radius, (b_radius - a_radius) / length)
        } else if a_radius >= b_radius {
            (a, 0.0, a_radius, 0.0)
        } else {
            (b, 0.0, b_radius, 0.0)
        };
        let along = (b - a).normalize_or_zero();
        let axial_offset = slope / (1.0 - slope * slope).sqrt();
        Self { start, along, length, radius, slope, axial_offset, stretch: None, radius_factor: 1.0 }
    }

    /// The ends in world space, with their radii before stretching.
    pub fn ends(&self) -> [(Vec3, f32); 2] {
        let end = self.start + self.along * self.length;
        let world_from_local = self.stretch.map_or(Mat3::IDENTITY, |m| m.inverse());
        [
            (world_from_local * self.start, self.radius),
            (world_from_local * end, self.radius + self.slope * self.length),
        ]
    }

    /// The same ends and radii under `stretch` (symmetric, all eigenvalues at least one).
    /// `radius_factor` scales the limb radius that determines edge lengths.
    pub fn stretched(self, stretch: Mat3, radius_factor: f32) -> Self {
        let [(a, a_radius), (b, b_radius)] = self.ends();
        Self {
            stretch: Some(stretch),
            radius_factor,
            ..Self::new(stretch * a, a_radius, stretch * b, b_radius)
        }
    }

    /// The field of this solid alone.
    pub fn sample(&self, point: Vec3) -> Sample {
        let local = self.stretch.map_or(point, |m| m * point);
        let from_start = local - self.start;
        let foot = from_start.dot(self.along);
        let off_axis = (from_start.length_squared() - foot * foot).max(0.0).sqrt();
        let ball = (foot + self.axial_offset * off_axis).clamp(0.0, self.length);
        let offset = from_start - self.along * ball;
        let distance = offset.length();
        let radius = self.radius + self.slope * ball;
        let direction = if distance > ON_AXIS { offset / distance } else { Vec3::Y };
        let limb_radius = radius * self.radius_factor;
        match self.stretch {
            None => Sample { distance: distance - radius, gradient: direction, limb_radius },
            Some(stretch) => {
                let gradient = stretch * direction;
                let steepness = gradient.length();
                Sample {
                    distance: (distance - radius) / steepness,
                    gradient: gradient / steepness,
                    limb_radius,
                }
            }
        }
    }
}

/// A triangle with rounded offset surface of constant thickness, for ears. A flat ellipsoid has a
/// sharp rim, which a mesh of similar triangles cannot represent.
#[derive(Clone, Copy, Debug)]
pub struct Plate {
    /// The corners of the triangle.
    pub corners: [Vec3; 3],
    /// Half the thickness.
    pub radius: f32,
}

impl Plate {
    /// The field of this solid alone.
    pub fn sample(&self, point: Vec3) -> Sample {
        let offset = point - self.nearest(point);
        let distance = offset.length();
        let [a, b, c] = self.corners;
        let direction =
            if distance > ON_AXIS { offset / distance } else { (b - a).cross(c - a).normalize_or_zero() };
        Sample {
            distance: distance - self.radius,
            gradient: direction,
            limb_radius: PLATE_RADIUS_FACTOR * self.radius,
        }
    }

    /// The point of the triangle nearest to `point` (Ericson, Real-Time Collision Detection,
    /// 5.1.5).
    fn nearest(&self, point: Vec3) -> Vec3 {
        let [a, b, c] = self.corners;
        let (ab, ac) = (b - a, c - a);
        let at = |corner: Vec3| (ab.dot(point - corner), ac.dot(point - corner));
        let ((a1, a2), (b1, b2), (c1, c2)) = (at(a), at(b), at(c));
        if a1 <= 0.0 && a2 <= 0.0 {
            return a;
        }
        if b1 >= 0.0 && b2 <= b1 {
            return b;
        }
        if c2 >= 0.0 && c1 <= c2 {
            return c;
        }
        let over_c = a1 * b2 - b1 * a2;
        if over_c <= 0.0 && a1 >= 0.0 && b1 <= 0.0 {
            return a + ab * (a1 / (a1 - b1));
        }
        let over_b = c1 * a2 - a1 * c2;
        if over_b <= 0.0 && a2 >= 0.0 && c2 <= 0.0 {
            return a + ac * (a2 / (a2 - c2));
        }
        let over_a = b1 * c2 - c1 * b2;
        if over_a <= 0.0 && b2 - b1 >= 0.0 && c1 - c2 >= 0.0 {
            return b + (c - b) * ((b2 - b1) / ((b2 - b1) + (c1 - c2)));
        }
        a + (ab * over_b + ac * over_c) / (over_a + over_b + over_c)
    }
}

/// Limb radius of a plate relative to its half thickness. A plate is curved only at its rim, so its
/// edges may be longer than those of a limb of that radius.
const PLATE_RADIUS_FACTOR: f32 = 1.5;

/// A primitive solid.
#[derive(Clone, Copy, Debug)]
pub enum Solid {
    /// A sphere, ellipsoid or piece of a limb.
    RoundCone(RoundCone),
    /// A piece of a sheet.
    Plate(Plate),
}

impl Solid {
    /// A bounding sphere: centre and radius.
    pub fn ball(&self) -> (Vec3, f32) {
        match self {
            Self::RoundCone(cone) => {
                let [(a, a_radius), (b, b_radius)] = cone.ends();
                let between = (b - a).normalize_or_zero();
                let (start, end) = (a - between * a_radius, b + between * b_radius);
                (0.5 * (start + end), (0.5 * start.distance(end)).max(a_radius).max(b_radius))
            }
            Self::Plate(Plate { corners: [a, b, c], radius }) => {
                let middle = (*a + *b + *c) / 3.0;
                let farthest = [a, b, c].iter().map(|p| p.distance(middle)).fold(0.0, f32::max);
                (middle, farthest + radius)
            }
        }
    }

    /// The field of this solid alone.
    pub fn sample(&self, point: Vec3) -> Sample {
        match self {
            Self::RoundCone(cone) => cone.sample(point),
            Self::Plate(plate) => plate.sample(point),
        }
    }
}
