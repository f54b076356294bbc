//! Delivery of messages: each channel with a place of its own to send to, a cursor, and nobody else to wait for.
//!
//! A message is written down before it is sent, and what became of it is written down before the next one.

mod delivery;
mod file;
mod webhook;

use std::time::Duration;

pub(crate) use delivery::{deliver_channels, try_once};
pub(crate) use webhook::body_text;

/// How messages are delivered.
#[derive(Debug, Clone, Copy)]
pub struct ChannelOptions {
    /// How often a message is tried before it is given up.
    pub max_attempts: u32,
    /// How long a first failure waits.
    pub first_retry: Duration,
    /// How long a later one waits at most; each waits twice as long as the one before.
    pub longest_retry: Duration,
}

impl Default for ChannelOptions {
    fn default() -> Self {
        Self { max_attempts: 8, first_retry: Duration::from_secs(1), longest_retry: Duration::from_secs(600) }
    }
}

impl ChannelOptions {
    fn wait_after(&self, attempts: u32) -> Duration {
        let doubled = self.first_retry.saturating_mul(1 << attempts.saturating_sub(1).min(20));
        doubled.min(self.longest_retry)
    }
}
