//! Transition functions: from 0 at the grown border of a region to 1 at its largest depth.

use serde::{Deserialize, Serialize};

/// A monotone curve from (0, 0) to (1, 1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Transition {
    /// `3l² − 2l³`: zero slope at both ends, the paper's choice.
    #[default]
    Cubic,
    /// `6l⁵ − 15l⁴ + 10l³`: zero slope and curvature at both ends.
    Quintic,
    /// `l`: the paper's comparison. Has a kink where an overlap ends.
    Linear,
    /// A monotone cubic through given points (x, y) between (0, 0) and (1, 1), both ascending
    /// (Fritsch and Carlson 1980).
    Curve(Vec<[f64; 2]>),
}

/// Why points are not a valid transition.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TransitionError {
    /// Outside the unit square, or not a number.
    #[error("point {index} of the transition is ({x}, {y}); both numbers must lie from 0 to 1")]
    OutOfRange {
        /// Index of the point, from 0.
        index: usize,
        /// Its x coordinate.
        x: f64,
        /// Its y coordinate.
        y: f64,
    },
    /// Not ascending.
    #[error(
        "point {index} of the transition does not lie to the right of the one before and at least as high"
    )]
    NotAscending {
        /// Index of the point, from 0.
        index: usize,
    },
}

impl Transition {
    /// The presets, by name.
    pub const PRESETS: [(&'static str, Self); 3] =
        [("cubic", Self::Cubic), ("quintic", Self::Quintic), ("linear", Self::Linear)];

    /// Checks the points of a curve.
    ///
    /// # Errors
    /// For the first invalid point.
    pub fn check(&self) -> Result<(), TransitionError> {
        let Self::Curve(points) = self else { return Ok(()) };
        let mut before = [0.0, 0.0];
        for (index, &[x, y]) in points.iter().enumerate() {
            if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
                return Err(TransitionError::OutOfRange { index, x, y });
            }
            let at_corner =
                [x, y] == [0.0, 0.0] && index == 0 || [x, y] == [1.0, 1.0] && index + 1 == points.len();
            if !at_corner && (x <= before[0] || y < before[1] || x >= 1.0) {
                return Err(TransitionError::NotAscending { index });
            }
            before = [x, y];
        }
        Ok(())
    }

    /// Prepares the function for evaluation.
    pub fn heights(&self) -> Heights {
        match self {
            Self::Cubic => Heights::Cubic,
            Self::Quintic => Heights::Quintic,
            Self::Linear => Heights::Linear,
            Self::Curve(points) => Heights::Knots(knots(points)),
        }
    }
}

/// A [`Transition`] prepared for evaluation.
#[derive(Clone, Debug)]
pub enum Heights {
    /// See [`Transition::Cubic`].
    Cubic,
    /// See [`Transition::Quintic`].
    Quintic,
    /// See [`Transition::Linear`].
    Linear,
    /// See [`Transition::Curve`]; with both end points.
    Knots(Vec<Knot>),
}

/// A point of a curve and the slope there.
#[derive(Clone, Copy, Debug)]
pub struct Knot {
    x: f64,
    y: f64,
    slope: f64,
}

impl Heights {
    /// The value at `l`, both from 0 to 1.
    pub fn at(&self, l: f64) -> f64 {
        let l = l.clamp(0.0, 1.0);
        match self {
            Self::Cubic => l * l * (3.0 - 2.0 * l),
            Self::Quintic => l * l * l * (l * (6.0 * l - 15.0) + 10.0),
            Self::Linear => l,
            Self::Knots(knots) => evaluate(knots, l),
        }
    }
}

/// The points with both end points added, and slopes that are zero at both ends.
fn knots(points: &[[f64; 2]]) -> Vec<Knot> {
    let inner = points.iter().copied().filter(|&[x, _]| x > 0.0 && x < 1.0);
    let points: Vec<[f64; 2]> = std::iter::once([0.0, 0.0]).chain(inner).chain([[1.0, 1.0]]).collect();
    let knot = |(at, &[x, y]): (usize, &[f64; 2])| Knot { x, y, slope: slope(&points, at) };
    points.iter().enumerate().map(knot).collect()
}

/// The slope at a point: the harmonic mean of the adjacent slopes, which never overshoots; zero at
/// the ends.
fn slope(points: &[[f64; 2]], at: usize) -> f64 {
    if at == 0 || at + 1 == points.len() {
        return 0.0;
    }
    let rise = |i: usize| (points[i + 1][1] - points[i][1]) / (points[i + 1][0] - points[i][0]);
    let (left, right) = (rise(at - 1), rise(at));
    if left + right > 0.0 { 2.0 * left * right / (left + right) } else { 0.0 }
}

/// Evaluates the monotone cubic through `knots`.
fn evaluate(knots: &[Knot], x: f64) -> f64 {
    let right = knots.partition_point(|knot| knot.x < x).clamp(1, knots.len() - 1);
    let (from, to) = (knots[right - 1], knots[right]);
    let width = to.x - from.x;
    let t = (x - from.x) / width;
    let (t2, t3) = (t * t, t * t * t);
    let height = from.y * (2.0 * t3 - 3.0 * t2 + 1.0)
        + from.slope * width * (t3 - 2.0 * t2 + t)
        + to.y * (3.0 * t2 - 2.0 * t3)
        + to.slope * width * (t3 - t2);
    height.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Transition> {
        let curve = |points: &[[f64; 2]]| Transition::Curve(points.to_vec());
        let mut all: Vec<Transition> = Transition::PRESETS.into_iter().map(|(_, preset)| preset).collect();
        all.extend([curve(&[]), curve(&[[0.3, 0.1], [0.6, 0.9]]), curve(&[[0.1, 0.5], [0.9, 0.5]])]);
        all
    }

    #[test]
    fn every_transition_climbs_from_zero_to_one() {
        for transition in all() {
            assert_eq!(transition.check(), Ok(()));
            let ready = transition.heights();
            assert_eq!((ready.at(0.0), ready.at(1.0)), (0.0, 1.0), "{transition:?}");
            let heights: Vec<f64> = (0..=1000).map(|i| ready.at(f64::from(i) / 1000.0)).collect();
            assert!(heights.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12), "{transition:?}");
        }
    }

    #[test]
    fn a_curve_goes_through_its_points() {
        let curve = Transition::Curve(vec![[0.25, 0.1], [0.5, 0.7]]).heights();
        assert!((curve.at(0.25) - 0.1).abs() < 1e-12 && (curve.at(0.5) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn curves_that_fall_or_leave_the_square_are_refused() {
        let check = |points: &[[f64; 2]]| Transition::Curve(points.to_vec()).check().unwrap_err();
        assert_eq!(check(&[[0.5, 0.5], [0.4, 0.6]]), TransitionError::NotAscending { index: 1 });
        assert_eq!(check(&[[0.5, 0.5], [0.6, 0.4]]), TransitionError::NotAscending { index: 1 });
        assert!(matches!(check(&[[0.5, 1.5]]), TransitionError::OutOfRange { index: 0, .. }));
        assert!(matches!(check(&[[f64::NAN, 0.5]]), TransitionError::OutOfRange { .. }));
    }
}
