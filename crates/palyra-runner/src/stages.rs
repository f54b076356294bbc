//! Duration of each stage of a call.

use std::time::{Duration, Instant};

/// Duration of each stage; their sum is the duration of the call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Schema, module, policy, grants and settings, without compilation.
    pub resolve: Duration,
    /// Time until the module is compiled, including a compilation that another call started.
    pub compile: Duration,
    /// Gates, approval, admission, and the row of the run.
    pub begin: Duration,
    /// Execution of the guest.
    pub execute: Duration,
    /// Check of the output, tape, and commit of the receipt.
    pub receipt: Duration,
}

impl StageTimes {
    /// Returns each stage with its name.
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

/// Measures consecutive stages.
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
