//! Random numbers that are the same on every machine.

use glam::Vec3;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence for each seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D);
        random.bits();
        random
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f32) -> bool {
        self.unit() < p
    }

    /// Below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count.max(1) as u64) as usize
    }

    /// Normal with unit variance.
    pub fn normal(&mut self) -> f32 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f32::consts::TAU * self.unit()).cos()
    }

    /// A factor: `exp` of a normal number with deviation `spread`, at most two deviations away.
    pub fn factor(&mut self, spread: f32) -> f32 {
        (spread * self.normal().clamp(-2.0, 2.0)).exp()
    }

    /// Normal with unit variance along each axis.
    pub fn normal3(&mut self) -> Vec3 {
        Vec3::new(self.normal(), self.normal(), self.normal())
    }
}
