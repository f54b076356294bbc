//! How often, or for how long, a class goes on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

pub(super) struct Rounds {
    left: AtomicU64,
    until: Option<Instant>,
    used_up: CancellationToken,
}

impl Rounds {
    /// So many attempts, however long they take.
    pub(super) fn counted(attempts: u64) -> Self {
        Self { left: AtomicU64::new(attempts), until: None, used_up: CancellationToken::new() }
    }

    /// As many attempts as fit into this time.
    pub(super) fn lasting(time: Duration) -> Self {
        Self { until: Some(Instant::now() + time), ..Self::counted(u64::MAX) }
    }

    /// Whether one more attempt may be made.
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

    /// Ends when no more attempts may be made.
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
