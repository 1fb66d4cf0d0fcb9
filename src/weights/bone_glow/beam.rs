//! The light of one bone on one vertex, as a closed form.
//!
//! In: a bone from `b(0)` to `b(1)` with length l and axis â, and a vertex v with normal n̂. Out:
//!
//! ```text
//! L = l ∫₀¹ V(λ) · max(d̂·n̂, 0) / |d|² · |d̂ × â| dλ,      d = v − b(λ)
//! ```
//!
//! With t measured along the axis from the foot of v on it, ρ the distance of v from the axis, and n̂'s parts n_ρ away
//! from the axis and n_a along it, the integrand is `ρ (ρ n_ρ − t n_a) / (ρ² + t²)²`, which has the antiderivative
//!
//! ```text
//! F(t) = n_ρ/2 · ( t/(ρ² + t²) + atan(t/ρ)/ρ ) + n_a/2 · ρ/(ρ² + t²)
//! ```
//!
//! max() switches once, at `t = ρ n_ρ / n_a`. Where V switches is known exactly ([`crate::operators::bvh::VisibilityFan`]), so the light is
//! the sum over the stretches in between. Source: Wareham and Lasenby 2008, who step numerically and leave the closed
//! form open. Cost: a handful of operations per stretch. Tests hold it against the stepped form.

use glam::DVec3;

use crate::math::{any_orthogonal, sort_few, unit_or_f64};

/// Nearer to a bone than this share of its length, a vertex lies on it.
const THROUGH: f64 = 1e-5;

/// The mean cosine below which light is none. Larger: flat limbs lose light of bones in their plane. Smaller: a card with
/// its bones in its own plane is lit by rounding errors.
const GRAZING: f64 = 1e-4;

/// A vertex nearer to the axis than this share of the bone's length counts as this near. Larger: vertices beyond a
/// bone's tip are lit as if they were beside it. Smaller: division by zero on the axis.
const ON_AXIS: f64 = 1e-9;

/// What all vertices see of a bone alike.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    head: DVec3,
    axis: DVec3,
    /// Some direction away from the axis, for vertices on it.
    aside: DVec3,
    length: f64,
}

impl Line {
    /// From `head` to `tail`.
    pub fn between(head: DVec3, tail: DVec3) -> Self {
        let axis = unit_or_f64(tail - head, DVec3::ZERO);
        let aside = if axis == DVec3::ZERO { axis } else { any_orthogonal(axis) };
        Self { head, axis, aside, length: head.distance(tail) }
    }
}

/// A bone and a vertex, in the plane that holds both.
#[derive(Clone, Copy, Debug)]
pub struct Beam {
    /// From the vertex to the axis.
    rho: f64,
    /// The normal's part away from the axis.
    away: f64,
    /// The normal's part along the axis.
    along: f64,
    /// Where the bone's head is, from the foot of the vertex on the axis.
    head: f64,
    length: f64,
    /// Where the vertex faces away from the bone, so that light can fall on it from inside; as shares of the bone.
    facing: (f64, f64),
    /// Whether the vertex counts as facing every place of the bone squarely.
    square: bool,
}

impl Beam {
    /// As [`Beam::new`] for a vertex that faces nowhere in particular: `max(d̂·n̂, 0)` is left out.
    pub fn squarely(bone: &Line, vertex: DVec3) -> Self {
        let beam = Self::new(bone, vertex, DVec3::ZERO);
        let facing = if beam.length.is_normal() { (0.0, 1.0) } else { (0.0, 0.0) };
        Self { square: true, facing, ..beam }
    }

    /// From a bone to `vertex` with a unit `normal` that points out of the body.
    pub fn new(bone: &Line, vertex: DVec3, normal: DVec3) -> Self {
        let Line { head, axis, aside, length } = *bone;
        let foot = (vertex - head).dot(axis);
        let away = vertex - head - axis * foot;
        let rho = away.length().max(ON_AXIS * length);
        let direction = unit_or_f64(away, aside);
        let mut beam = Self {
            rho,
            away: normal.dot(direction),
            along: normal.dot(axis),
            head: -foot,
            length,
            facing: (0.0, 0.0),
            square: false,
        };
        beam.facing = beam.facing();
        beam
    }

    fn facing(&self) -> (f64, f64) {
        // A bone without length gives no light, and neither does one whose length is rounding noise.
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

    /// Whether the bone runs through the vertex, so that the direction of its light is rounding.
    pub fn runs_through(&self) -> bool {
        self.rho <= THROUGH * self.length && self.head <= 0.0 && self.head + self.length >= 0.0
    }

    /// Whether the vertex, `unhindered` lit like this, faces all of the bone so flatly that rounding decides whether it is lit at all.
    pub fn is_grazing(&self, unhindered: f64) -> bool {
        let most = self.squarely_between(self.head, self.head + self.length);
        !self.square && unhindered <= GRAZING * most
    }

    /// `∫ ρ / (ρ² + t²)^(3/2) dt`: what a vertex gets that faces every place squarely.
    fn squarely_between(&self, from: f64, to: f64) -> f64 {
        let until = |t: f64| t / (self.rho * (self.rho * self.rho + t * t).sqrt());
        until(to) - until(from)
    }

    /// The light if nothing is in its way.
    pub fn unhindered(&self) -> f64 {
        self.between(self.facing.0, self.facing.1)
    }

    /// The stretch of the bone that the vertex faces, as shares of the way from head to tail; none where it faces none.
    pub fn faced(&self) -> Option<[f64; 2]> {
        let (from, to) = self.facing;
        (from < to).then_some([from, to])
    }

    /// The light that is left when the stretches `hidden`, as shares of the way from head to tail, are dark. Sorts them.
    pub fn received(&self, hidden: &mut [[f64; 2]]) -> f64 {
        sort_few(hidden, |a, b| a[0].total_cmp(&b[0]));
        let (mut start, end) = self.facing;
        let mut light = 0.0;
        for &mut [from, to] in hidden {
            light += self.between(start, from.min(end));
            start = start.max(to);
        }
        light + self.between(start, end)
    }

    /// The light between two places where the vertex faces it, as shares of the bone.
    fn between(&self, from: f64, to: f64) -> f64 {
        if from >= to {
            return 0.0;
        }
        let [from, to] = [from, to].map(|share| self.head + share * self.length);
        if self.square {
            return self.squarely_between(from, to);
        }
        let square = |t: f64| self.rho * self.rho + t * t;
        let along = 0.5 * self.along * self.rho * (from - to) * (from + to) / (square(from) * square(to));
        let (turns_from, rest_from) = self.around(from);
        let (turns_to, rest_to) = self.around(to);
        let turned = (turns_to - turns_from) * std::f64::consts::FRAC_PI_2 / self.rho;
        (0.5 * self.away * (turned + (rest_to - rest_from)) + along).max(0.0)
    }

    /// `t/(ρ² + t²) + atan(t/ρ)/ρ` as quarter turns over ρ and a rest. Far along the axis the two terms all but cancel,
    /// and so do the values of both ends: there the rest is a series in ρ/t.
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
