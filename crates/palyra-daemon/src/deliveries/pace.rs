//! Limits the share of the machine that observers get while calls are arriving.

use std::time::Duration;

use tokio::time::Instant;

/// Ratio of rest to work of observers while calls are arriving.
const REST: u32 = 12;
/// Maximum duration of a rest.
const LONGEST_REST: Duration = Duration::from_millis(500);

/// Limits how fast deliveries are begun while calls are arriving, so that calls keep the CPU.
#[derive(Debug, Default)]
pub(super) struct Pace {
    calls_seen: u64,
    calls_come: bool,
    rest_until: Option<Instant>,
}

impl Pace {
    /// Records the duration of work, and the number of calls started so far.
    pub(super) fn worked(&mut self, took: Duration, calls_begun: u64) {
        self.calls_come = calls_begun != self.calls_seen;
        self.calls_seen = calls_begun;
        let rest = (took * REST).min(LONGEST_REST);
        self.rest_until = self.calls_come.then(|| Instant::now() + rest);
    }

    /// Returns the end of the current rest, if there is one.
    pub(super) fn rest_until(&self) -> Option<Instant> {
        self.rest_until.filter(|until| *until > Instant::now())
    }

    /// Returns the number of deliveries that may run at once.
    pub(super) fn parallel(&self, most: usize) -> usize {
        if self.calls_come { 1 } else { most.max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observers_rest_only_while_calls_come() {
        let mut pace = Pace::default();
        pace.worked(Duration::from_millis(1), 0);
        assert_eq!((pace.rest_until(), pace.parallel(2)), (None, 2));
        pace.worked(Duration::from_secs(1), 7);
        assert!(pace.rest_until().is_some_and(|until| until <= Instant::now() + LONGEST_REST));
        assert_eq!(pace.parallel(2), 1);
        pace.worked(Duration::from_secs(1), 7);
        assert_eq!((pace.rest_until(), pace.parallel(2)), (None, 2));
    }
}
