//! Counters that many threads increment and that are read rarely.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Counts cache hits and misses.
#[derive(Debug, Default)]
pub struct CacheTally {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The counts of a [`CacheTally`] at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheCount {
    /// Number of lookups that found a value.
    pub hits: u64,
    /// Number of lookups that did not find a value.
    pub misses: u64,
}

impl CacheTally {
    /// Counts a lookup as a hit if `found`, otherwise as a miss.
    pub fn note(&self, found: bool) {
        let of = if found { &self.hits } else { &self.misses };
        // No other memory access depends on these counters.
        of.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the current counts.
    pub fn count(&self) -> CacheCount {
        CacheCount { hits: self.hits.load(Ordering::Relaxed), misses: self.misses.load(Ordering::Relaxed) }
    }
}

impl std::ops::Add for CacheCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { hits: self.hits + other.hits, misses: self.misses + other.misses }
    }
}

/// Counts the tasks that wait for a resource.
#[derive(Debug, Default)]
pub struct WaitTally(AtomicUsize);

/// A waiting task, counted until this is dropped.
#[derive(Debug)]
pub struct Waiting<'a>(&'a WaitTally);

impl WaitTally {
    /// Counts one more waiting task until the returned value is dropped.
    pub fn wait(&self) -> Waiting<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Waiting(self)
    }

    /// Returns the number of waiting tasks.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_and_waits_are_counted() {
        let (cache, waits) = (CacheTally::default(), WaitTally::default());
        [true, true, false].into_iter().for_each(|found| cache.note(found));
        assert_eq!(cache.count() + CacheCount { hits: 1, misses: 1 }, CacheCount { hits: 3, misses: 2 });
        let (one, other) = (waits.wait(), waits.wait());
        assert_eq!(waits.count(), 2);
        drop((one, other));
        assert_eq!(waits.count(), 0);
    }
}
