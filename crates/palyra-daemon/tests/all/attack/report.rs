//! The table of `cargo xtask attack`.

use super::Tally;
use super::honest::Outcome;
use serde::Serialize;
use std::time::Duration;

/// Maximum memory of the daemon in KiB above that of an idle one.
const MAX_GROWTH_KIB: u64 = 512 << 10;
/// Latency that is always acceptable for an honest request.
const MIN_BOUND: Duration = Duration::from_millis(50);
/// Acceptable multiple of the idle latency.
const MAX_FACTOR: u32 = 10;

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) idle_p99_us: u64,
    pub(super) idle_rss_kib: u64,
    pub(super) p99_bound_us: u64,
    pub(super) rss_bound_kib: u64,
    pub(super) classes: Vec<ClassReport>,
    pub(super) failures: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct ClassReport {
    pub(super) class: &'static str,
    pub(super) tried: u64,
    pub(super) stopped: u64,
    pub(super) lost: u64,
    pub(super) peak_rss_kib: u64,
    pub(super) honest_requests: u64,
    pub(super) honest_p99_us: u64,
    /// The first failures.
    pub(super) notes: Vec<String>,
}

impl Report {
    pub(super) fn new(idle: &Outcome, idle_rss_kib: u64) -> Self {
        assert!(idle.failures.is_empty(), "{:?}", idle.failures);
        let bound = (idle.p99() * MAX_FACTOR).max(MIN_BOUND);
        Self {
            idle_p99_us: micros(idle.p99()),
            idle_rss_kib,
            p99_bound_us: micros(bound),
            rss_bound_kib: idle_rss_kib + MAX_GROWTH_KIB,
            classes: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Adds a note for each violated requirement; latencies are checked only after a long measurement.
    pub(super) fn judge(&mut self, with_latencies: bool) {
        for class in &self.classes {
            let ClassReport { class: name, lost, peak_rss_kib, honest_p99_us, .. } = class;
            if *lost > 0 {
                self.failures.push(format!("{name}: {lost} lost: {:?}", class.notes));
            }
            if *peak_rss_kib > self.rss_bound_kib {
                self.failures.push(format!("{name}: {peak_rss_kib} KiB of at most {}", self.rss_bound_kib));
            }
            if with_latencies && *honest_p99_us > self.p99_bound_us {
                self.failures
                    .push(format!("{name}: p99 {honest_p99_us} µs of at most {}", self.p99_bound_us));
            }
        }
    }
}

impl ClassReport {
    /// Creates the report of a class; a failed honest request counts as lost.
    pub(super) fn new(class: &'static str, tally: Tally, honest: &Outcome, peak_rss_kib: u64) -> Self {
        let Tally { tried, lost } = tally;
        Self {
            class,
            tried,
            stopped: tried - lost.len() as u64,
            lost: (lost.len() + honest.failures.len()) as u64,
            peak_rss_kib,
            honest_requests: honest.latencies.len() as u64,
            honest_p99_us: micros(honest.p99()),
            notes: lost.into_iter().chain(honest.failures.iter().cloned()).take(5).collect(),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
