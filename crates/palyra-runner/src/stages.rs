//! How long each stage of a call took.

use std::time::{Duration, Instant};

/// How long each stage of a call took; together they are the call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Schema, module, policy, grants and settings.
    pub resolve: Duration,
    /// Waiting for code that was compiled in this call.
    pub compile: Duration,
    /// Approval, room, and the row of the run.
    pub begin: Duration,
    /// The guest.
    pub execute: Duration,
    /// Output, tape, and the receipt in the journal.
    pub receipt: Duration,
}

impl StageTimes {
    /// Each stage by name.
    pub fn named(&self) -> [(&'static str, Duration); 5] {
        [
            ("resolve", self.resolve),
            ("compile", self.compile),
            ("begin", self.begin),
            ("execute", self.execute),
            ("receipt", self.receipt),
        ]
    }
}

/// Tells the time since it was last asked.
pub(super) struct StageClock(Instant);

impl StageClock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now.saturating_duration_since(std::mem::replace(&mut self.0, now))
    }
}
