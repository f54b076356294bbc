//! Admission: how many runs, and how much memory, may be under way at once.

use crate::config::RuntimeConfig;
use palyra_common::tally::WaitTally;
use palyra_common::{RuntimeLimits, WasmPluginRunError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Memory is counted in these units so that a semaphore can hold it.
const UNIT: u64 = 64 << 10;

/// The permits of one runtime.
pub(crate) struct Permits {
    runs: Semaphore,
    memory: Semaphore,
    memory_units: u32,
    queue_timeout: Duration,
    pub(crate) waiting: WaitTally,
}

/// What one run holds while it is under way.
pub(crate) struct Admitted<'a> {
    _run: SemaphorePermit<'a>,
    _memory: SemaphorePermit<'a>,
}

impl Permits {
    pub(crate) fn new(config: &RuntimeConfig) -> Self {
        let memory_units =
            u32::try_from(config.max_total_memory_bytes / UNIT).unwrap_or(u32::MAX >> 4).max(1);
        Self {
            runs: Semaphore::new(config.max_concurrent_runs as usize),
            memory: Semaphore::new(memory_units as usize),
            memory_units,
            queue_timeout: config.queue_timeout,
            waiting: WaitTally::default(),
        }
    }

    /// Waits for room, at most the queue time and never past the run's deadline.
    pub(crate) async fn admit(
        &self,
        limits: &RuntimeLimits,
        deadline: Instant,
    ) -> Result<Admitted<'_>, WasmPluginRunError> {
        let units =
            u32::try_from(limits.max_memory_bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.memory_units);
        let run = self
            .take(&self.runs, 1, deadline)
            .await
            .ok_or(WasmPluginRunError::Busy { reason: "concurrency" })?;
        let memory = self.take(&self.memory, units, deadline).await;
        Ok(Admitted { _run: run, _memory: memory.ok_or(WasmPluginRunError::Busy { reason: "memory" })? })
    }

    async fn take<'a>(
        &self,
        semaphore: &'a Semaphore,
        permits: u32,
        deadline: Instant,
    ) -> Option<SemaphorePermit<'a>> {
        if let Ok(permit) = semaphore.try_acquire_many(permits) {
            return Some(permit);
        }
        let _waiting = self.waiting.wait();
        let wait = self.queue_timeout.min(deadline.saturating_duration_since(Instant::now()));
        tokio::time::timeout(wait, semaphore.acquire_many(permits)).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn run_over_the_memory_of_all_runs_is_busy() {
        let limits = RuntimeLimits::default();
        let permits = Permits::new(&RuntimeConfig {
            max_total_memory_bytes: 2 * limits.max_memory_bytes,
            queue_timeout: Duration::ZERO,
            ..RuntimeConfig::default()
        });
        let deadline = Instant::now();
        let first = permits.admit(&limits, deadline).await;
        let second = permits.admit(&limits, deadline).await;
        assert!(first.is_ok() && second.is_ok());
        let third = permits.admit(&limits, deadline).await.err();
        assert!(matches!(third, Some(WasmPluginRunError::Busy { reason: "memory" })), "{third:?}");
        drop(first);
        assert!(permits.admit(&limits, deadline).await.is_ok());
    }
}
