//! How far to go so that a volume is right: the cubic `c₁τ + c₂τ² + c₃τ³ = wanted`.
//!
//! Of its up to three roots only one is reached from τ = 0 without the volume ever turning back, and only that
//! one moves without a jump while a character moves. It lies on the rising branch around zero, ends where
//! the branch ends, and is there in every ordinary pose the root nearest to the linear guess. Cost: a few dozen
//! operations.

/// What a volume gains along a displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cubic {
    /// Coefficients of τ, τ² and τ³.
    pub gains: [f64; 3],
}

impl Cubic {
    /// The gain at τ.
    pub fn at(&self, tau: f64) -> f64 {
        let [c1, c2, c3] = self.gains;
        tau * (c1 + tau * (c2 + tau * c3))
    }

    /// How fast it grows there.
    pub fn slope(&self, tau: f64) -> f64 {
        let [c1, c2, c3] = self.gains;
        c1 + tau * (2.0 * c2 + tau * 3.0 * c3)
    }

    /// The stretch around zero on which it rises, within `reach` either way; none unless it rises at zero.
    pub fn branch(&self, reach: f64) -> Option<[f64; 2]> {
        let [c1, c2, c3] = self.gains;
        // Not `c1 <= 0`, which would let NaN through.
        if !(c1 > 0.0 && reach > 0.0) {
            return None;
        }
        let mut ends = [-reach, reach];
        let (a, b) = (3.0 * c3, 2.0 * c2);
        let under_root = b * b - 4.0 * a * c1;
        if under_root >= 0.0 {
            let q = -0.5 * (b + under_root.sqrt().copysign(b));
            for turn in [q / a, c1 / q].into_iter().filter(|turn| turn.is_finite()) {
                ends = if turn < 0.0 { [ends[0].max(turn), ends[1]] } else { [ends[0], ends[1].min(turn)] };
            }
        }
        Some(ends)
    }

    /// Where the gain is `wanted`, on the rising branch; the branch's end where it is never as much. Zero when
    /// nothing is gained at all.
    pub fn root(&self, wanted: f64, reach: f64) -> f64 {
        let Some([low, high]) = self.branch(reach) else { return 0.0 };
        let (mut low, mut high) = if wanted > 0.0 { (0.0, high) } else { (low, 0.0) };
        if wanted >= self.at(high) {
            return high;
        }
        if wanted <= self.at(low) {
            return low;
        }
        let mut tau = (wanted / self.gains[0]).clamp(low, high);
        // Newton's steps, halving where one leaves the bracket; halving alone would need about fifty.
        for _ in 0..64 {
            let off = self.at(tau) - wanted;
            if off > 0.0 {
                high = tau;
            } else {
                low = tau;
            }
            let step = tau - off / self.slope(tau);
            let next = if step > low && step < high { step } else { 0.5 * (low + high) };
            if next == tau {
                break;
            }
            tau = next;
        }
        tau
    }
}
