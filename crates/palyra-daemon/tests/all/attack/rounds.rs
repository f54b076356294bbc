//! Number of attempts, or duration, of a class.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

pub(super) struct Rounds {
    left: AtomicU64,
    until: Option<Instant>,
    used_up: CancellationToken,
}

impl Rounds {
    /// Permits this many attempts.
    pub(super) fn counted(attempts: u64) -> Self {
        Self { left: AtomicU64::new(attempts), until: None, used_up: CancellationToken::new() }
    }

    /// Permits attempts for this time.
    pub(super) fn lasting(time: Duration) -> Self {
        Self { until: Some(Instant::now() + time), ..Self::counted(u64::MAX) }
    }

    /// Returns whether another attempt is permitted.
    pub(super) fn next(&self) -> bool {
        let in_time = self.until.is_none_or(|until| Instant::now() < until);
        let take = |left: u64| left.checked_sub(1);
        let taken = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
        let go_on = in_time && taken.is_ok();
        if !go_on {
            self.used_up.cancel();
        }
        go_on
    }

    /// Resolves when no more attempts are permitted.
    pub(super) async fn over(&self) {
        let late = async {
            match self.until {
                Some(until) => tokio::time::sleep_until(until.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.used_up.cancelled() => {}
            () = late => {}
        }
    }
}
