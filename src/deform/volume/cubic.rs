//! Solves the cubic `c₁τ + c₂τ² + c₃τ³ = v` for the step τ that changes a volume by `v`.
//!
//! Only one of up to three roots is reached from τ = 0 on a rising branch, and only this one
//! changes continuously while a character moves. In ordinary poses it is the root nearest to
//! `v / c₁`. If the branch ends before, its end is the answer (docs/theory/volume.md#exact-step).
//! Cost: a few dozen operations.

/// Largest number of Newton steps. Each either converges quadratically or halves the bracket, and
/// 64 halvings exhaust the digits of an f64.
const MAX_STEPS: usize = 64;

/// Volume gained along a displacement, as a cubic in τ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cubic {
    /// Coefficients of τ, τ² and τ³.
    pub gains: [f64; 3],
}

impl Cubic {
    /// Volume gained at τ.
    pub fn at(&self, tau: f64) -> f64 {
        let [c1, c2, c3] = self.gains;
        tau * (c1 + tau * (c2 + tau * c3))
    }

    /// Derivative at τ.
    pub fn slope(&self, tau: f64) -> f64 {
        let [c1, c2, c3] = self.gains;
        c1 + tau * (2.0 * c2 + tau * 3.0 * c3)
    }

    /// Interval around zero, within ±`reach`, on which the cubic rises; none unless it rises at
    /// zero.
    pub fn branch(&self, reach: f64) -> Option<[f64; 2]> {
        let [c1, c2, c3] = self.gains;
        // The condition is negated so that NaN gives none.
        if !(c1 > 0.0 && reach > 0.0) {
            return None;
        }
        let mut ends = [-reach, reach];
        let (a, b) = (3.0 * c3, 2.0 * c2);
        let discriminant = b * b - 4.0 * a * c1;
        if discriminant >= 0.0 {
            let q = -0.5 * (b + discriminant.sqrt().copysign(b));
            for turn in [q / a, c1 / q].into_iter().filter(|turn| turn.is_finite()) {
                ends = if turn < 0.0 { [ends[0].max(turn), ends[1]] } else { [ends[0], ends[1].min(turn)] };
            }
        }
        Some(ends)
    }

    /// τ on the rising branch at which the volume gained is `gain`; the end of the branch if it
    /// never is; zero if there is no branch.
    pub fn root(&self, gain: f64, reach: f64) -> f64 {
        let Some([low, high]) = self.branch(reach) else { return 0.0 };
        let (low, high) = if gain > 0.0 { (0.0, high) } else { (low, 0.0) };
        if gain >= self.at(high) {
            return high;
        }
        if gain <= self.at(low) {
            return low;
        }
        self.root_between(gain, low, high)
    }

    /// Newton's method, with a bisection where a step leaves the bracket.
    fn root_between(&self, gain: f64, mut low: f64, mut high: f64) -> f64 {
        let mut tau = (gain / self.gains[0]).clamp(low, high);
        for _ in 0..MAX_STEPS {
            let error = self.at(tau) - gain;
            if error > 0.0 {
                high = tau;
            } else {
                low = tau;
            }
            let step = tau - error / self.slope(tau);
            let next = if step > low && step < high { step } else { 0.5 * (low + high) };
            if next == tau {
                break;
            }
            tau = next;
        }
        tau
    }
}
