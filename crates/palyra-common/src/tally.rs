//! Counters that many threads increment and that are read rarely.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How often something was found where it is kept, and how often it had to be made.
#[derive(Debug, Default)]
pub struct CacheTally {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// A [`CacheTally`] as it was at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheCount {
    /// Found.
    pub hits: u64,
    /// Not found.
    pub misses: u64,
}

impl CacheTally {
    /// Notes one look.
    pub fn note(&self, found: bool) {
        let of = if found { &self.hits } else { &self.misses };
        // Nothing else follows from these numbers.
        of.fetch_add(1, Ordering::Relaxed);
    }

    /// The numbers now.
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

/// How many wait for something.
#[derive(Debug, Default)]
pub struct WaitTally(AtomicUsize);

/// One that waits; it waits no more when this is dropped.
#[derive(Debug)]
pub struct Waiting<'a>(&'a WaitTally);

impl WaitTally {
    /// Notes one more, for as long as what it gives is kept.
    pub fn wait(&self) -> Waiting<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Waiting(self)
    }

    /// How many there are now.
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
