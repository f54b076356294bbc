//! Delivers events of the journal to observers, and messages of guests to files and webhooks.
//!
//! One engine serves every lane. The items of a lane are delivered in order, one at a time. A failed item is tried
//! again with growing delays, then moved to the dead letters, and blocks no other lane. The outcome of an item is
//! recorded before the next one is sent: for an observer in the transaction of its run's receipt. While calls are
//! arriving, observers use a small part of the machine.

mod counts;
mod engine;
mod lane;
mod lanes;
mod pace;
mod reading;
mod retry;
mod sinks;

use std::time::Duration;

pub(crate) use counts::HookCounts;
pub(crate) use engine::deliver;
pub(crate) use retry::{Retried, retry};
pub(crate) use sinks::body_text;

/// Options of the delivery engine.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryOptions {
    /// Maximum number of concurrent observers, which leaves the rest of the machine to calls.
    pub parallel: usize,
    /// Waits between the attempts of an observer; its binding sets their number.
    pub hooks: Backoff,
    /// Delays between the attempts of a channel.
    pub channels: Backoff,
    /// Maximum number of attempts for a message.
    pub channel_attempts: u32,
    /// Time for which observers may still run after the daemon starts to stop.
    pub stop_grace: Duration,
}

/// Delays between attempts; each is twice the previous one.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// Delay after the first failure.
    pub first: Duration,
    /// Maximum wait.
    pub longest: Duration,
}

impl Default for DeliveryOptions {
    fn default() -> Self {
        let backoff =
            |longest| Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(longest) };
        Self {
            parallel: 2,
            hooks: backoff(300),
            channels: backoff(600),
            channel_attempts: 8,
            stop_grace: Duration::from_secs(2),
        }
    }
}

impl Backoff {
    fn wait_after(&self, attempts: u32) -> Duration {
        let doubled = self.first.saturating_mul(1 << attempts.saturating_sub(1).min(20));
        doubled.min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let backoff = DeliveryOptions::default().hooks;
        let seconds = |attempts| backoff.wait_after(attempts).as_secs();
        assert_eq!([0, 1, 2, 3, 9, 10, u32::MAX].map(seconds), [1, 1, 2, 4, 256, 300, 300]);
    }
}
