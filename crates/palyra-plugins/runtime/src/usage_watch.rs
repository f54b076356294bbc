//! The use of a run while it is in progress.

use crate::report::RunUsage;
use crate::run_context::RunContext;
use palyra_common::RuntimeLimits;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, Weak};

/// Reads the use of one run from outside; clones read the same run.
#[derive(Clone, Default)]
pub struct UsageWatch(Arc<OnceLock<Weak<RunContext>>>);

impl UsageWatch {
    pub(crate) fn begin(&self, run: &Arc<RunContext>) {
        // A place has one run.
        let _ = self.0.set(Arc::downgrade(run));
    }

    /// Returns the use so far and the limits in force; `None` before the run begins and after its end.
    ///
    /// Fuel is at most one tick of the clock of all deadlines behind.
    pub fn read(&self) -> Option<(RunUsage, RuntimeLimits)> {
        let run = self.0.get()?.upgrade()?;
        let changing = run.changing();
        let usage = RunUsage {
            fuel: run.fuel.load(Ordering::Relaxed),
            peak_memory_bytes: run.memory.peak(),
            elapsed: run.started.elapsed(),
            host_calls: changing.host_calls,
            egress_bytes: run.budget.used(),
            log_bytes: changing.log.bytes(),
            output_bytes: 0,
        };
        drop(changing);
        Some((usage, run.limits.clone()))
    }
}

impl std::fmt::Debug for UsageWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UsageWatch").finish_non_exhaustive()
    }
}
