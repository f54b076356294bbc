//! Admission: limits the concurrent runs and their memory, in total and per owner.

use crate::config::RuntimeConfig;
use crate::invocation::CancelToken;
use crate::usage_watch::UsageWatch;
use palyra_common::tally::WaitTally;
use palyra_common::{RuntimeLimits, WasmPluginRunError};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// Memory is counted in these units so that a semaphore can hold it.
const UNIT: u64 = 64 << 10;

/// The permits of one runtime.
pub(crate) struct Permits {
    runs: Arc<Semaphore>,
    runs_of_one_owner: usize,
    owners: Mutex<HashMap<String, Arc<Semaphore>>>,
    memory: Semaphore,
    memory_units: u32,
    queue_timeout: Duration,
    /// Runs that wait for a place.
    pub(crate) waiting_for_place: WaitTally,
    /// Runs that have a place and wait for memory.
    pub(crate) waiting_for_memory: WaitTally,
}

/// A place among the concurrent runs, which is free again when this is dropped.
#[derive(Debug)]
pub struct RunPlace {
    usage: UsageWatch,
    _of_owner: Option<OwnedSemaphorePermit>,
    _of_all: OwnedSemaphorePermit,
}

impl RunPlace {
    /// Shows the use of the run that has this place.
    pub fn usage(&self) -> &UsageWatch {
        &self.usage
    }
}

/// The memory one run holds while it is in progress.
pub(crate) struct HeldMemory<'a> {
    _memory: SemaphorePermit<'a>,
}

impl Permits {
    pub(crate) fn new(config: &RuntimeConfig) -> Self {
        let runs = (config.max_concurrent_runs as usize).max(1);
        let memory_units =
            u32::try_from(config.max_total_memory_bytes / UNIT).unwrap_or(u32::MAX >> 4).max(1);
        Self {
            runs: Arc::new(Semaphore::new(runs)),
            runs_of_one_owner: share(runs),
            owners: Mutex::default(),
            memory: Semaphore::new(memory_units as usize),
            memory_units,
            queue_timeout: config.queue_timeout,
            waiting_for_place: WaitTally::default(),
            waiting_for_memory: WaitTally::default(),
        }
    }

    /// Waits for a place of the owner, then for one of the runtime, so that an owner with many calls delays only
    /// itself.
    pub(crate) async fn admit(
        &self,
        owner: &str,
        cancel: &CancelToken,
    ) -> Result<RunPlace, WasmPluginRunError> {
        if cancel.is_cancelled() {
            return Err(WasmPluginRunError::Cancelled);
        }
        tokio::select! {
            biased;
            place = self.place(Some(owner), None) => place,
            () = cancel.cancelled() => Err(WasmPluginRunError::Cancelled),
        }
    }

    /// Waits for a place of no owner, at most the queue time and never past the run's deadline.
    pub(crate) async fn admit_until(&self, deadline: Instant) -> Result<RunPlace, WasmPluginRunError> {
        self.place(None, Some(deadline)).await
    }

    /// Waits for the memory of a run, at most the queue time and never past the run's deadline.
    pub(crate) async fn memory(
        &self,
        limits: &RuntimeLimits,
        deadline: Instant,
    ) -> Result<HeldMemory<'_>, WasmPluginRunError> {
        let units =
            u32::try_from(limits.max_memory_bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.memory_units);
        let busy = WasmPluginRunError::Busy { reason: "memory" };
        if let Ok(permit) = self.memory.try_acquire_many(units) {
            return Ok(HeldMemory { _memory: permit });
        }
        let _waiting = self.waiting_for_memory.wait();
        let permit = tokio::time::timeout_at(self.until(Some(deadline)), self.memory.acquire_many(units));
        let Ok(Ok(permit)) = permit.await else { return Err(busy) };
        Ok(HeldMemory { _memory: permit })
    }

    async fn place(
        &self,
        owner: Option<&str>,
        deadline: Option<Instant>,
    ) -> Result<RunPlace, WasmPluginRunError> {
        // One timeout for both waits, which starts with the first one.
        let mut until = None;
        let of_owner = match owner {
            Some(owner) => Some(self.take(self.of_owner(owner), deadline, &mut until).await?),
            None => None,
        };
        let of_all = self.take(Arc::clone(&self.runs), deadline, &mut until).await?;
        Ok(RunPlace { usage: UsageWatch::default(), _of_owner: of_owner, _of_all: of_all })
    }

    async fn take(
        &self,
        permits: Arc<Semaphore>,
        deadline: Option<Instant>,
        until: &mut Option<Instant>,
    ) -> Result<OwnedSemaphorePermit, WasmPluginRunError> {
        // Where a place is free, no timer is set up.
        if let Ok(permit) = Arc::clone(&permits).try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = self.waiting_for_place.wait();
        let until = *until.get_or_insert_with(|| self.until(deadline));
        match tokio::time::timeout_at(until, permits.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(WasmPluginRunError::Busy { reason: "concurrency" }),
        }
    }

    fn until(&self, deadline: Option<Instant>) -> Instant {
        let queued = Instant::now() + self.queue_timeout;
        deadline.map_or(queued, |deadline| deadline.min(queued))
    }

    fn of_owner(&self, owner: &str) -> Arc<Semaphore> {
        let mut owners = self.owners.lock();
        if let Some(permits) = owners.get(owner) {
            return Arc::clone(permits);
        }
        // Owners without a run need no entry; a semaphore only we hold has all its permits.
        owners.retain(|_, permits| Arc::strong_count(permits) > 1);
        let permits = Arc::new(Semaphore::new(self.runs_of_one_owner));
        owners.insert(owner.to_owned(), Arc::clone(&permits));
        permits
    }
}

/// Returns three quarters of the places, at least one, and less than all of them if there are two or more.
fn share(runs: usize) -> usize {
    runs.saturating_sub((runs / 4).max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permits(runs: u32, queue_timeout: Duration) -> Permits {
        Permits::new(&RuntimeConfig { max_concurrent_runs: runs, queue_timeout, ..RuntimeConfig::default() })
    }

    #[tokio::test]
    async fn run_over_the_memory_of_all_runs_is_busy() {
        let limits = RuntimeLimits::default();
        let permits = Permits::new(&RuntimeConfig {
            max_total_memory_bytes: 2 * limits.max_memory_bytes,
            queue_timeout: Duration::ZERO,
            ..RuntimeConfig::default()
        });
        let deadline = Instant::now();
        let first = permits.memory(&limits, deadline).await;
        let second = permits.memory(&limits, deadline).await;
        assert!(first.is_ok() && second.is_ok());
        let third = permits.memory(&limits, deadline).await.err();
        assert!(matches!(third, Some(WasmPluginRunError::Busy { reason: "memory" })), "{third:?}");
        drop(first);
        assert!(permits.memory(&limits, deadline).await.is_ok());
    }

    #[test]
    fn one_owner_never_gets_everything() {
        let shares = [1, 2, 3, 4, 8, 256].map(share);
        assert_eq!(shares, [1, 1, 2, 3, 6, 192]);
    }

    #[tokio::test(start_paused = true)]
    async fn greedy_owner_leaves_places_for_another() {
        let permits = permits(4, Duration::from_secs(5));
        let cancel = CancelToken::default();
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(permits.admit("greedy", &cancel).await.unwrap());
        }
        let refused = permits.admit("greedy", &cancel).await.err();
        assert_eq!(refused, Some(WasmPluginRunError::Busy { reason: "concurrency" }));
        held.push(permits.admit("modest", &cancel).await.unwrap());
        assert!(permits.admit("third", &cancel).await.is_err());
        held.remove(0);
        permits.admit("greedy", &cancel).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn wait_for_a_place_can_be_cancelled() {
        let permits = permits(1, Duration::from_secs(3_600));
        let (first, second) = (CancelToken::default(), CancelToken::default());
        let _held = permits.admit("a", &first).await.unwrap();
        second.cancel();
        assert_eq!(permits.admit("a", &second).await.err(), Some(WasmPluginRunError::Cancelled));
    }
}
