//! Status of observers, published by their task for metrics.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::{Duration, Instant};

/// Minimum interval between two counts, because each one visits every binding.
const EVERY: Duration = Duration::from_millis(200);

/// Numbers of bindings by state, and of events held for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LaneCounts {
    pub(super) idle: usize,
    pub(super) waiting: usize,
    pub(super) running: usize,
    pub(super) retrying: usize,
    pub(super) held: usize,
    pub(super) events: usize,
}

/// The published status of observers.
#[derive(Debug, Default)]
pub(crate) struct HookCounts {
    idle: AtomicUsize,
    waiting: AtomicUsize,
    running: AtomicUsize,
    retrying: AtomicUsize,
    held: AtomicUsize,
    events: AtomicUsize,
}

impl HookCounts {
    pub(super) fn set(&self, counts: LaneCounts) {
        let LaneCounts { idle, waiting, running, retrying, held, events } = counts;
        let pairs = [
            (&self.idle, idle),
            (&self.waiting, waiting),
            (&self.running, running),
            (&self.retrying, retrying),
            (&self.held, held),
            (&self.events, events),
        ];
        pairs.into_iter().for_each(|(kept, number)| kept.store(number, Ordering::Relaxed));
    }

    /// Returns the number of observers by state.
    pub(crate) fn bindings(&self) -> Vec<(&'static str, usize)> {
        let states = [
            ("idle", &self.idle),
            ("waiting", &self.waiting),
            ("running", &self.running),
            ("retrying", &self.retrying),
            ("held", &self.held),
        ];
        states.into_iter().map(|(state, number)| (state, number.load(Ordering::Relaxed))).collect()
    }

    /// Returns the number of events held in memory for observers.
    pub(crate) fn events(&self) -> usize {
        self.events.load(Ordering::Relaxed)
    }
}

/// Schedules the next count: after a change, but not at once.
#[derive(Debug, Default)]
pub(super) struct Recount {
    /// Time of the first change since the last count.
    moved: Option<Instant>,
    last: Option<Instant>,
}

impl Recount {
    /// Records a change.
    pub(super) fn moved(&mut self) {
        self.moved.get_or_insert_with(Instant::now);
    }

    /// Returns when the next count is due; `None` without a change.
    pub(super) fn due(&self) -> Option<Instant> {
        self.moved.map(|moved| self.last.map_or(moved, |last| last + EVERY))
    }

    /// Returns whether a count is due, and if so marks it as done.
    pub(super) fn take(&mut self) -> bool {
        let now = Instant::now();
        let due = self.due().is_some_and(|due| due <= now);
        if due {
            *self = Self { moved: None, last: Some(now) };
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn counting_waits_for_a_move_and_is_not_done_for_each() {
        let mut recount = Recount::default();
        assert!(!recount.take() && recount.due().is_none());
        recount.moved();
        assert!(recount.take() && !recount.take());
        recount.moved();
        assert!(!recount.take() && recount.due().is_some_and(|due| due > Instant::now()));
        tokio::time::advance(EVERY).await;
        assert!(recount.take() && recount.due().is_none());
    }
}
