//! Admission: how many runs, and how much memory, may be under way at once.

use crate::config::RuntimeConfig;
use palyra_common::{RuntimeLimits, WasmPluginRunError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory is counted in these units so that a semaphore can hold it.
const UNIT: u64 = 64 << 10;

/// The permits of one runtime.
pub(crate) struct Permits {
    runs: Arc<Semaphore>,
    memory: Arc<Semaphore>,
    memory_units: u32,
    queue_timeout: Duration,
}

/// What one run holds while it is under way.
pub(crate) struct Admitted {
    _run: OwnedSemaphorePermit,
    _memory: OwnedSemaphorePermit,
}

impl Permits {
    pub(crate) fn new(config: &RuntimeConfig) -> Self {
        let memory_units =
            u32::try_from(config.max_total_memory_bytes / UNIT).unwrap_or(u32::MAX >> 4).max(1);
        Self {
            runs: Arc::new(Semaphore::new(config.max_concurrent_runs as usize)),
            memory: Arc::new(Semaphore::new(memory_units as usize)),
            memory_units,
            queue_timeout: config.queue_timeout,
        }
    }

    /// Waits for room, at most the queue time.
    pub(crate) async fn admit(&self, limits: &RuntimeLimits) -> Result<Admitted, WasmPluginRunError> {
        let units =
            u32::try_from(limits.max_memory_bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.memory_units);
        let run = take(&self.runs, 1, self.queue_timeout)
            .await
            .ok_or(WasmPluginRunError::Busy { reason: "concurrency" })?;
        let memory = take(&self.memory, units, self.queue_timeout).await;
        Ok(Admitted { _run: run, _memory: memory.ok_or(WasmPluginRunError::Busy { reason: "memory" })? })
    }
}

async fn take(semaphore: &Arc<Semaphore>, permits: u32, wait: Duration) -> Option<OwnedSemaphorePermit> {
    if let Ok(permit) = Arc::clone(semaphore).try_acquire_many_owned(permits) {
        return Some(permit);
    }
    tokio::time::timeout(wait, Arc::clone(semaphore).acquire_many_owned(permits)).await.ok()?.ok()
}
