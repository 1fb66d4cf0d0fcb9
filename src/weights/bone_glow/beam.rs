//! The light of one bone on one vertex, in closed form (docs/theory/bone-glow.md#closed-form).
//!
//! In: a bone from `b(0)` to `b(1)` with length l and axis â, and a vertex v with normal n̂. Out:
//!
//! ```text
//! L = l ∫₀¹ V(λ) · max(d̂·n̂, 0) / |d|² · |d̂ × â| dλ,      d = v − b(λ)
//! ```
//!
//! With t the coordinate along the axis, measured from the foot of v on it, ρ the distance of v
//! from the axis, and n_ρ, n_a the components of n̂ away from the axis and along it, the integrand
//! is `ρ (ρ n_ρ − t n_a) / (ρ² + t²)²`, with the antiderivative
//!
//! ```text
//! F(t) = n_ρ/2 · ( t/(ρ² + t²) + atan(t/ρ)/ρ ) + n_a/2 · ρ/(ρ² + t²)
//! ```
//!
//! max() switches once, at `t = ρ n_ρ / n_a`. The intervals in which V = 0 are known exactly
//! ([`crate::operators::bvh::VisibilityFan`]), so the light is the sum over the intervals in
//! between. Source: Wareham and Lasenby 2008, who integrate numerically and leave the closed form
//! open. Cost: a handful of operations per interval. Tests compare with the stepped integral.

use glam::DVec3;

use crate::math::{any_orthogonal, larger_f64, smaller_f64, sort_few, unit_or_f64};

/// Distance from a bone below which a vertex lies on it, as a fraction of the bone's length.
const ON_BONE: f64 = 1e-5;

/// Mean cosine below which there is no light. Larger: flat limbs lose the light of bones in their
/// plane. Smaller: a card with its bones in its own plane is lit by rounding errors.
const GRAZING_COSINE: f64 = 1e-4;

/// Smallest distance from the axis, as a fraction of the bone's length. Larger: vertices beyond the
/// end of a bone are lit as if they were beside it. Smaller: division by zero on the axis.
const ON_AXIS: f64 = 1e-9;

/// The quantities of a bone that do not depend on the vertex.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    head: DVec3,
    axis: DVec3,
    /// Some direction orthogonal to the axis, for vertices on it.
    orthogonal: DVec3,
    length: f64,
}

impl Line {
    /// From `head` to `tail`.
    pub fn between(head: DVec3, tail: DVec3) -> Self {
        let axis = unit_or_f64(tail - head, DVec3::ZERO);
        let orthogonal = if axis == DVec3::ZERO { axis } else { any_orthogonal(axis) };
        Self { head, axis, orthogonal, length: head.distance(tail) }
    }
}

/// A bone and a vertex, in the plane that contains both.
#[derive(Clone, Copy, Debug)]
pub struct Beam {
    /// Distance of the vertex from the axis.
    rho: f64,
    /// Component of the normal away from the axis.
    away: f64,
    /// Component of the normal along the axis.
    along: f64,
    /// Coordinate of the bone's head, relative to the foot of the vertex on the axis.
    head: f64,
    length: f64,
    /// The interval of the bone from which light can reach the vertex from inside, as parameters.
    facing: (f64, f64),
    /// Whether the vertex counts as facing every point of the bone.
    faces_all: bool,
}

impl Beam {
    /// Same as [`Beam::new`], for a vertex without a normal: `max(d̂·n̂, 0)` is left out.
    pub fn without_normal(bone: &Line, vertex: DVec3) -> Self {
        let beam = Self::new(bone, vertex, DVec3::ZERO);
        let facing = if beam.length.is_normal() { (0.0, 1.0) } else { (0.0, 0.0) };
        Self { faces_all: true, facing, ..beam }
    }

    /// For a bone and a `vertex` with the outward unit `normal`.
    #[inline]
    pub fn new(bone: &Line, vertex: DVec3, normal: DVec3) -> Self {
        let Line { head, axis, orthogonal, length } = *bone;
        let foot = (vertex - head).dot(axis);
        let away = vertex - head - axis * foot;
        let rho = larger_f64(away.length(), ON_AXIS * length);
        let direction = unit_or_f64(away, orthogonal);
        let mut beam = Self {
            rho,
            away: normal.dot(direction),
            along: normal.dot(axis),
            head: -foot,
            length,
            facing: (0.0, 0.0),
            faces_all: false,
        };
        beam.facing = beam.facing();
        beam
    }

    #[inline]
    fn facing(&self) -> (f64, f64) {
        // A bone without length gives no light, and neither does one whose length is a rounding
        // error.
        if !self.length.is_normal() {
            return (0.0, 0.0);
        }
        let switch = (self.rho * self.away / self.along - self.head) / self.length;
        let (from, to) = if self.along > 0.0 {
            (0.0, switch)
        } else if self.along < 0.0 {
            (switch, 1.0)
        } else if self.away > 0.0 {
            (0.0, 1.0)
        } else {
            (0.0, 0.0)
        };
        (from.clamp(0.0, 1.0), to.clamp(0.0, 1.0))
    }

    /// Whether the bone passes through the vertex, so that the direction of its light is a rounding
    /// error.
    pub fn passes_through_vertex(&self) -> bool {
        self.rho <= ON_BONE * self.length && self.head <= 0.0 && self.head + self.length >= 0.0
    }

    /// Whether the vertex, with the light `unoccluded`, faces the bone at such a flat angle that
    /// rounding decides whether it is lit.
    pub fn is_grazing(&self, unoccluded: f64) -> bool {
        // A bone of infinite length would give twice the inverse distance, without a normal. Most
        // bones give too much light for the exact comparison.
        if self.faces_all || unoccluded * self.rho > 2.0 * GRAZING_COSINE {
            return false;
        }
        unoccluded <= GRAZING_COSINE * self.integral_without_normal(self.head, self.head + self.length)
    }

    /// `∫ ρ / (ρ² + t²)^(3/2) dt`: the light of a vertex that faces every point.
    fn integral_without_normal(&self, from: f64, to: f64) -> f64 {
        let until = |t: f64| t / (self.rho * (self.rho * self.rho + t * t).sqrt());
        until(to) - until(from)
    }

    /// The light if nothing hides the bone.
    pub fn unoccluded(&self) -> f64 {
        self.between(self.facing.0, self.facing.1)
    }

    /// The interval of the bone that the vertex faces, as parameters from head to tail; `None` if
    /// it is empty.
    pub fn facing_interval(&self) -> Option<[f64; 2]> {
        let (from, to) = self.facing;
        (from < to).then_some([from, to])
    }

    /// The light without the intervals `hidden`, which are parameters from head to tail. Sorts
    /// them.
    pub fn light_except(&self, hidden: &mut [[f64; 2]]) -> f64 {
        sort_few(hidden, |a, b| a[0].total_cmp(&b[0]));
        let (mut start, end) = self.facing;
        let mut light = 0.0;
        for &mut [from, to] in hidden {
            light += self.between(start, smaller_f64(from, end));
            start = larger_f64(start, to);
        }
        light + self.between(start, end)
    }

    /// The light of an interval that the vertex faces, as parameters.
    #[inline]
    fn between(&self, from: f64, to: f64) -> f64 {
        if from >= to {
            return 0.0;
        }
        let (from, to) = (self.head + from * self.length, self.head + to * self.length);
        if self.faces_all {
            return self.integral_without_normal(from, to);
        }
        let squared = |t: f64| self.rho * self.rho + t * t;
        let along = 0.5 * self.along * self.rho * (from - to) * (from + to) / (squared(from) * squared(to));
        let (turns_from, rest_from) = self.around(from);
        let (turns_to, rest_to) = self.around(to);
        let turned = (turns_to - turns_from) * std::f64::consts::FRAC_PI_2 / self.rho;
        larger_f64(0.5 * self.away * (turned + (rest_to - rest_from)) + along, 0.0)
    }

    /// `t/(ρ² + t²) + atan(t/ρ)/ρ` as multiples of π/2 over ρ and a remainder. Far along the axis
    /// the two terms nearly cancel, and so do the values of both ends: there the remainder is a
    /// series in ρ/t.
    #[inline]
    fn around(&self, t: f64) -> (f64, f64) {
        /// Below this ρ/t, six terms of the series are exact to rounding.
        const SERIES: f64 = 0.05;
        let rho = self.rho;
        if t.abs() <= rho {
            return (0.0, t / (rho * rho + t * t) + (t / rho).atan() / rho);
        }
        let x = rho / t;
        let rest = if x.abs() > SERIES {
            x / (1.0 + x * x) - x.atan()
        } else {
            // x/(1 + x²) − atan x = Σ (−1)^k 2k/(2k + 1) x^(2k + 1)
            let s = x * x;
            x * s * (-2.0 / 3.0 + s * (4.0 / 5.0 + s * (-6.0 / 7.0 + s * (8.0 / 9.0 - s * (10.0 / 11.0)))))
        };
        (t.signum(), rest / rho)
    }
}
