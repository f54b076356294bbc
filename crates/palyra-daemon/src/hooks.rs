//! Corridor 4: events of the journal to the observers that are bound to them.
//!
//! The journal is the queue: an observer has a cursor in it, and what stands behind the cursor was told and recorded.
//! A run of an observer moves the cursor in the transaction of its receipt. One event at a time for each binding, in
//! their order; one that fails is tried again, then put aside, and keeps nobody but its own binding waiting. While calls
//! come, observers take a small part of the machine; when none does, as much as they may.

mod counts;
mod delivery;
mod failure;
mod lane;
mod lanes;
mod pace;
mod reading;

use std::time::Duration;

pub(crate) use counts::HookCounts;
pub(crate) use delivery::deliver;

/// How observers are told.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryOptions {
    /// Observers that may run at once; calls have the rest of the machine.
    pub parallel: usize,
    /// How long a first failure waits.
    pub first_retry: Duration,
    /// How long a later one waits at most; each waits twice as long as the one before.
    pub longest_retry: Duration,
    /// How long observers are still told once the daemon stops.
    pub stop_grace: Duration,
}

impl Default for DeliveryOptions {
    fn default() -> Self {
        Self {
            parallel: 2,
            first_retry: Duration::from_secs(1),
            longest_retry: Duration::from_secs(300),
            stop_grace: Duration::from_secs(2),
        }
    }
}

impl DeliveryOptions {
    /// How long to wait after so many failures.
    fn wait_after(&self, attempts: u32) -> Duration {
        let doubled = self.first_retry.saturating_mul(1 << attempts.saturating_sub(1).min(20));
        doubled.min(self.longest_retry)
    }
}
