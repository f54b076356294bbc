//! The bounded cache of all crates, which evicts the least recently used value.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use hashlink::LruCache;
use parking_lot::{Mutex, MutexGuard};

use crate::tally::{CacheCount, CacheTally};

/// An LRU cache of at most a fixed number of values, which counts its hits and misses.
///
/// Values are cloned out of it, so its lock is held during a lookup only and never while a value is computed. Two
/// callers that miss at the same time both compute the value, and the later one is kept. Large values are stored in an
/// [`Arc`].
pub struct BoundedCache<K, V> {
    kept: Mutex<LruCache<K, V>>,
    tally: Arc<CacheTally>,
}

impl<K: Eq + Hash, V: Clone> BoundedCache<K, V> {
    /// Creates a cache of at most `most` values.
    pub fn new(most: usize) -> Self {
        Self::counted(most, Arc::default())
    }

    /// Creates a cache that shares its counters with others.
    pub fn counted(most: usize, tally: Arc<CacheTally>) -> Self {
        Self { kept: Mutex::new(LruCache::new(most)), tally }
    }

    /// Returns a clone of the value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.get_if(key, |_| true)
    }

    /// Returns the value of a key if `usable` accepts it; a rejected value counts as a miss.
    pub fn get_if<Q: Eq + Hash + ?Sized>(&self, key: &Q, usable: impl FnOnce(&V) -> bool) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let found = self.kept().get(key).filter(|value| usable(value)).cloned();
        self.tally.note(found.is_some());
        found
    }

    /// Stores a value, replacing an earlier one of the same key.
    pub fn insert(&self, key: K, value: V) {
        self.kept().insert(key, value);
    }

    /// Removes the value of a key.
    pub fn remove<Q: Eq + Hash + ?Sized>(&self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.kept().remove(key);
    }

    /// Returns how often a value was found, and how often not.
    pub fn count(&self) -> CacheCount {
        self.tally.count()
    }

    fn kept(&self) -> MutexGuard<'_, LruCache<K, V>> {
        // A value is inserted whole or not at all.
        self.kept.lock()
    }
}

impl<K, V> fmt::Debug for BoundedCache<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BoundedCache").field("tally", &self.tally).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_cache_forgets_what_was_not_asked_for_the_longest() {
        let cache = BoundedCache::new(2);
        cache.insert("a", 1);
        cache.insert("b", 2);
        assert_eq!(cache.get("a"), Some(1));
        cache.insert("c", 3);
        assert_eq!((cache.get("a"), cache.get("b"), cache.get("c")), (Some(1), None, Some(3)));
        cache.remove("a");
        assert_eq!(cache.get("a"), None);
    }

    #[test]
    fn value_that_cannot_be_used_counts_as_not_found() {
        let cache = BoundedCache::new(2);
        cache.insert(1, "old");
        assert_eq!(cache.get_if(&1, |value| *value == "new"), None);
        cache.insert(1, "new");
        assert_eq!(cache.get_if(&1, |value| *value == "new"), Some("new"));
        assert_eq!(cache.count(), CacheCount { hits: 1, misses: 1 });
    }
}
