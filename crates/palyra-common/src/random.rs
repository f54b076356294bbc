//! Random bytes without a system call for each use.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::cell::RefCell;

/// Number of draws after which a generator is seeded again by the operating system.
const RESEED_AFTER: u32 = 1 << 20;

/// Returns unpredictable bytes from a generator per thread that the operating system seeds.
///
/// Asking the operating system each time would take longer than a small guest runs.
pub fn draw<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    thread_local! {
        static GENERATOR: RefCell<Option<(ChaCha20Rng, u32)>> = const { RefCell::new(None) };
    }
    GENERATOR.with_borrow_mut(|slot| {
        if slot.as_ref().is_none_or(|(_, drawn)| *drawn >= RESEED_AFTER) {
            let mut seed = [0; 32];
            getrandom::fill(&mut seed)?;
            *slot = Some((ChaCha20Rng::from_seed(seed), 0));
        }
        let mut bytes = [0; N];
        if let Some((generator, drawn)) = slot {
            generator.fill_bytes(&mut bytes);
            *drawn += 1;
        }
        Ok(bytes)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_two_draws_are_alike() {
        let draws: Vec<[u8; 16]> = (0..100).map(|_| super::draw().unwrap()).collect();
        let elsewhere: [u8; 16] = std::thread::spawn(|| super::draw().unwrap()).join().unwrap();
        let mut different = draws.clone();
        different.push(elsewhere);
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 101);
    }
}
