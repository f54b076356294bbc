//! Rate limit for failed authentications, by address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Default number of failures from one address before it is rate-limited.
const BURST: u32 = 20;
/// Time after which an address gets one more attempt.
const EVERY: Duration = Duration::from_secs(1);
/// Maximum number of addresses that are tracked.
const MAX_PLACES: usize = 1_024;

/// Counts rejected requests by address.
pub(super) struct Failures {
    places: Mutex<HashMap<Option<IpAddr>, Bucket>>,
    burst: AtomicU32,
}

impl Default for Failures {
    fn default() -> Self {
        Self { places: Mutex::default(), burst: AtomicU32::new(BURST) }
    }
}

struct Bucket {
    left: u32,
    since: Instant,
}

impl Failures {
    pub(super) fn set_burst(&self, burst: u32) {
        self.burst.store(burst, Ordering::Relaxed);
    }

    /// Counts a failure; returns false if the address had too many.
    pub(super) fn count(&self, from: Option<IpAddr>) -> bool {
        self.count_at(from, Instant::now())
    }

    fn count_at(&self, from: Option<IpAddr>, now: Instant) -> bool {
        let burst = self.burst.load(Ordering::Relaxed);
        let mut places = self.places.lock();
        if places.len() >= MAX_PLACES && !places.contains_key(&from) {
            // After the waiting time the address starts with no failures.
            places.retain(|_, bucket| now.duration_since(bucket.since) < EVERY * burst);
            if places.len() >= MAX_PLACES {
                return false;
            }
        }
        let bucket = places.entry(from).or_insert(Bucket { left: burst, since: now });
        let earned = now.duration_since(bucket.since).as_secs() / EVERY.as_secs();
        if earned > 0 {
            bucket.left = bucket.left.saturating_add(u32::try_from(earned).unwrap_or(u32::MAX)).min(burst);
            bucket.since = now;
        }
        let allowed = bucket.left > 0;
        bucket.left = bucket.left.saturating_sub(1);
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_guesses_waits_and_others_do_not() {
        let (failures, now) = (Failures::default(), Instant::now());
        let (one, other) = (Some(IpAddr::from([127, 0, 0, 1])), None);
        for _ in 0..BURST {
            assert!(failures.count_at(one, now));
        }
        assert!(!failures.count_at(one, now));
        assert!(failures.count_at(other, now));
        assert!(failures.count_at(one, now + EVERY));
        assert!(!failures.count_at(one, now + EVERY));
    }
}
