//! The solids bodies are made of, and their distance fields.
//!
//! In: a point. Out: a [`Sample`]: distance (negative inside), gradient, girth. One solid does for nearly
//! everything: the *round cone*, the hull of two balls, under a linear stretch; a *plate* does for ears.
//! Distances are exact for unstretched solids, and exact to first order near the surface for stretched
//! ones. Source: closed forms. Cost: two roots. No transcendental functions: the same bits everywhere.

use glam::{Mat3, Vec3};

/// What a field knows about a point.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// To the surface; negative inside.
    pub distance: f32,
    /// Of the distance; about a unit vector, shorter in the fillets of smooth unions.
    pub gradient: Vec3,
    /// The radius of the limb that is nearest: how fine a mesh has to be here.
    pub girth: f32,
}

/// The hull of two balls, seen through a linear stretch.
#[derive(Clone, Copy, Debug)]
pub struct RoundCone {
    start: Vec3,
    along: Vec3,
    length: f32,
    radius: f32,
    /// Change of the radius per length.
    slope: f32,
    /// How far the nearest ball lies off a point's foot, per distance from the axis.
    lean: f32,
    /// Symmetric, all its stretches at least one; none where it is the identity.
    stretch: Option<Mat3>,
    girth_share: f32,
}

/// Nearer to the axis than this the direction away from it is rounding noise.
const ON_AXIS: f32 = 1e-9;

impl RoundCone {
    /// The hull of two balls.
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
        let lean = slope / (1.0 - slope * slope).sqrt();
        Self { start, along, length, radius, slope, lean, stretch: None, girth_share: 1.0 }
    }

    /// The ends in the world, with their radii before stretching.
    pub fn ends(&self) -> [(Vec3, f32); 2] {
        let end = self.start + self.along * self.length;
        let world_from_local = self.stretch.map_or(Mat3::IDENTITY, |m| m.inverse());
        [
            (world_from_local * self.start, self.radius),
            (world_from_local * end, self.radius + self.slope * self.length),
        ]
    }

    /// The same ends and radii, seen through `stretch` (symmetric, all stretches at least one); edges on it
    /// are made for a limb of `girth_share` its radius.
    pub fn stretched(self, stretch: Mat3, girth_share: f32) -> Self {
        let [(a, a_radius), (b, b_radius)] = self.ends();
        Self {
            stretch: Some(stretch),
            girth_share,
            ..Self::new(stretch * a, a_radius, stretch * b, b_radius)
        }
    }

    /// The field of this solid alone.
    pub fn sample(&self, point: Vec3) -> Sample {
        let local = self.stretch.map_or(point, |m| m * point);
        let from_start = local - self.start;
        let foot = from_start.dot(self.along);
        let off_axis = (from_start.length_squared() - foot * foot).max(0.0).sqrt();
        let ball = (foot + self.lean * off_axis).clamp(0.0, self.length);
        let away = from_start - self.along * ball;
        let far = away.length();
        let radius = self.radius + self.slope * ball;
        let direction = if far > ON_AXIS { away / far } else { Vec3::Y };
        let girth = radius * self.girth_share;
        match self.stretch {
            None => Sample { distance: far - radius, gradient: direction, girth },
            Some(stretch) => {
                let gradient = stretch * direction;
                let steepness = gradient.length();
                Sample { distance: (far - radius) / steepness, gradient: gradient / steepness, girth }
            }
        }
    }
}

/// A triangle with a round skin of constant thickness: what ears are cut from. (A flat ellipsoid has a rim
/// as sharp as a knife, which no mesh of even triangles can follow.)
#[derive(Clone, Copy, Debug)]
pub struct Plate {
    /// Of the triangle.
    pub corners: [Vec3; 3],
    /// Half the thickness.
    pub radius: f32,
}

impl Plate {
    /// The field of this solid alone.
    pub fn sample(&self, point: Vec3) -> Sample {
        let away = point - self.nearest(point);
        let far = away.length();
        let [a, b, c] = self.corners;
        let direction = if far > ON_AXIS { away / far } else { (b - a).cross(c - a).normalize_or_zero() };
        Sample { distance: far - self.radius, gradient: direction, girth: PLATE_GIRTH * self.radius }
    }

    /// The point of the triangle nearest to `point` (Ericson, Real-Time Collision Detection, 5.1.5).
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

/// A sheet needs edges no finer than a limb this much thicker: it only bends at its rim.
const PLATE_GIRTH: f32 = 1.5;

/// The bodies everything is made of.
#[derive(Clone, Copy, Debug)]
pub enum Solid {
    /// A ball, ellipsoid or piece of a limb.
    RoundCone(RoundCone),
    /// A piece of a sheet.
    Plate(Plate),
}

impl Solid {
    /// A ball around it: centre and radius.
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
