//! Randomness of a run, derived from a single seed.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// The seed of a run, recorded on its tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunSeed(pub(crate) [u8; 32]);

/// The purpose of a random stream. The streams are independent of each other.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RandomUse {
    Handles = 1,
    Secure = 2,
    Insecure = 3,
    HashSeed = 4,
}

impl RunSeed {
    /// Draws a seed from the random source of the operating system.
    pub(crate) fn draw() -> Result<Self, getrandom::Error> {
        palyra_common::random::draw().map(Self)
    }

    /// Returns the generator for one purpose.
    pub(crate) fn generator(&self, purpose: RandomUse) -> ChaCha20Rng {
        let mut generator = ChaCha20Rng::from_seed(self.0);
        generator.set_stream(purpose as u64);
        generator
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    #[test]
    fn seeds_differ_and_streams_repeat() {
        let (a, b) = (RunSeed::draw().unwrap(), RunSeed::draw().unwrap());
        assert_ne!(a, b);
        assert_eq!(a.generator(RandomUse::Secure).next_u64(), a.generator(RandomUse::Secure).next_u64());
        assert_ne!(a.generator(RandomUse::Secure).next_u64(), a.generator(RandomUse::Insecure).next_u64());
    }
}
