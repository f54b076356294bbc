//! Retries of failed requests.

use crate::error::ModelError;
use std::time::Duration;

/// The number of attempts, and the waits between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of attempts, the first one included.
    pub max_attempts: u32,
    /// Longest wait before the second attempt; it doubles with each one.
    pub first_wait: Duration,
    /// Longest wait, also if the provider asks for one: a longer `Retry-After` is an error at once.
    pub max_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_attempts: 4, first_wait: Duration::from_secs(1), max_wait: Duration::from_secs(30) }
    }
}

impl RetryPolicy {
    /// Returns the wait before the next attempt, or `None` to give up.
    ///
    /// `attempts` is the number of attempts so far. `chance` in 0..=255 spreads clients that failed together over half
    /// of the wait.
    pub(crate) fn wait(&self, attempts: u32, error: &ModelError, chance: u8) -> Option<Duration> {
        if attempts >= self.max_attempts || !is_worth_a_retry(error) {
            return None;
        }
        if let ModelError::RateLimited { retry_after: Some(wait), .. } = error {
            return (*wait <= self.max_wait).then_some(*wait);
        }
        let doubled = self.first_wait.saturating_mul(1 << attempts.saturating_sub(1).min(16));
        let longest = doubled.min(self.max_wait);
        Some(longest / 2 + longest / 2 * u32::from(chance) / 255)
    }
}

/// Returns whether another attempt is useful.
///
/// A time-out has used the wait already, and a request that was too slow would be so again.
fn is_worth_a_retry(error: &ModelError) -> bool {
    error.is_transient() && !matches!(error, ModelError::TimedOut { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed() -> ModelError {
        ModelError::ProviderFailed { status: Some(503), message: String::new() }
    }

    #[test]
    fn wait_doubles_up_to_its_limit_and_ends_after_the_last_attempt() {
        let policy = RetryPolicy { max_attempts: 7, ..RetryPolicy::default() };
        let waits: Vec<_> = (1..=7).map(|attempts| policy.wait(attempts, &failed(), 255)).collect();
        let expected = [1, 2, 4, 8, 16, 30].map(|seconds| Some(Duration::from_secs(seconds)));
        assert_eq!(waits[..6], expected);
        assert_eq!(waits[6], None);
        assert_eq!(policy.wait(1, &failed(), 0), Some(Duration::from_millis(500)));
        assert!(policy.wait(u32::MAX - 1, &failed(), 0).is_none());
    }

    #[test]
    fn retry_after_is_kept_to_and_a_long_one_gives_up() {
        let limited = |seconds| ModelError::RateLimited {
            retry_after: Some(Duration::from_secs(seconds)),
            message: String::new(),
        };
        let policy = RetryPolicy::default();
        assert_eq!(policy.wait(1, &limited(7), 0), Some(Duration::from_secs(7)));
        assert_eq!(policy.wait(1, &limited(31), 0), None);
        let refused = ModelError::Refused { status: 401, message: String::new() };
        assert_eq!(policy.wait(1, &refused, 0), None);
    }
}
