//! Reproducible pseudo-random numbers.

use std::time::Duration;

/// A linear congruential generator; the field is the seed.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    pub fn part(&mut self, of: Duration) -> Duration {
        of.mul_f64(self.below(1000) as f64 / 1000.0)
    }
}
