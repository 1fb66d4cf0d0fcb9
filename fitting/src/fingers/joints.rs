//! Joints of a finger, on its centre line.

use glam::Vec3;

use super::branches::{Branch, Shape};
use super::cells::HandCells;

/// Distance between points of a centre line, in cells.
const SPACING: f32 = 1.5;

/// Rounds of smoothing of a centre line.
const SMOOTHING: usize = 2;

/// The share of a centre line that gives the direction at its base.
const BASE_SHARE: f32 = 0.4;

/// The line in the middle of a finger, from the base to the tip.
#[derive(Clone, Debug)]
pub struct CentreLine {
    /// At least two points.
    pub points: Vec<Vec3>,
    /// From the base into the palm, a unit vector.
    pub inwards: Vec3,
}

impl CentreLine {
    /// The centre line of a branch, in the space of the cells. `None` if the branch has no extent.
    pub fn new(cells: &HandCells, branch: &Branch) -> Option<Self> {
        let count = (branch.length() / (SPACING * cells.lattice.cell)).ceil().max(2.0);
        let mut sums = vec![(Vec3::ZERO, 0.0); count as usize];
        for &cell in &branch.nodes {
            let part = (cells.level(cell) - branch.base) / branch.length().max(f32::MIN_POSITIVE);
            let bin = ((part * count).max(0.0) as usize).min(sums.len() - 1);
            sums[bin].0 += cells.centre(cell);
            sums[bin].1 += 1.0;
        }
        let mut points: Vec<Vec3> = sums.iter().filter(|sum| sum.1 > 0.0).map(|sum| sum.0 / sum.1).collect();
        for _ in 0..SMOOTHING {
            let before = points.clone();
            for i in 1..points.len().saturating_sub(1) {
                points[i] = 0.25 * before[i - 1] + 0.5 * before[i] + 0.25 * before[i + 1];
            }
        }
        let &[first, second, ..] = points.as_slice() else { return None };
        let &[.., before_last, last] = points.as_slice() else { return None };
        // Means of slices are half a slice from the ends.
        points.insert(0, first + 0.5 * (first - second));
        points.push(last + 0.5 * (last - before_last));
        let mut line = Self { points, inwards: Vec3::ZERO };
        line.inwards = (line.at(0.0) - line.at(BASE_SHARE)).try_normalize()?;
        Some(line)
    }

    /// From the base to the tip, along the line.
    pub fn length(&self) -> f32 {
        self.points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    /// The point at a share of the length from the base. Below zero it is in the palm, above one
    /// beyond the tip.
    pub fn at(&self, share: f32) -> Vec3 {
        let length = self.length();
        let [first, last] = [self.points[0], self.points[self.points.len() - 1]];
        if share < 0.0 {
            return first - self.inwards * (share * length);
        }
        let mut rest = share * length;
        for pair in self.points.windows(2) {
            let step = pair[0].distance(pair[1]);
            if rest <= step && step > 0.0 {
                return pair[0].lerp(pair[1], rest / step);
            }
            rest -= step;
        }
        last
    }

    /// The line with all points and directions moved.
    pub fn map(&self, point: impl Fn(Vec3) -> Vec3, direction: impl Fn(Vec3) -> Vec3) -> Self {
        Self { points: self.points.iter().map(|&p| point(p)).collect(), inwards: direction(self.inwards) }
    }

    /// The line with the way into the palm turned towards a point, by a share.
    #[must_use]
    pub fn turned(mut self, towards: Vec3, share: f32) -> Self {
        let direct = (towards - self.points[0]).normalize_or(self.inwards);
        self.inwards = self.inwards.lerp(direct, share).normalize_or(self.inwards);
        self
    }
}
