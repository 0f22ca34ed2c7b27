//! Pseudo-random numbers that are the same in every run.
//!
//! They are for generating text and never for anything that must be unpredictable.

/// A linear congruential generator with Knuth's constants.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The high bits are the good ones.
        (self.0 >> 33) as usize % limit
    }

    /// Returns a number from `least` to `most`.
    pub(crate) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// Returns true `times` times in a thousand.
    pub(crate) fn chance_permille(&mut self, times: usize) -> bool {
        self.below(1000) < times
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
