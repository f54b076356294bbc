//! Room for runs: as many as the machine takes, and never all of it for one skill.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use palyra_common::WasmPluginRunError;
use palyra_common::tally::WaitTally;
use palyra_plugins_runtime::CancelToken;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How long a call waits for room before it is `busy`.
pub(super) const QUEUE_TIME: Duration = Duration::from_secs(5);

/// The permits of one caller.
pub(super) struct CallPermits {
    all: Arc<Semaphore>,
    of_one_skill: usize,
    queue_time: Duration,
    skills: Mutex<HashMap<String, Arc<Semaphore>>>,
    waiting: WaitTally,
}

/// What a run holds while it is under way.
pub(super) struct Admitted {
    _of_skill: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl CallPermits {
    pub(super) fn new(runs: u32, queue_time: Duration) -> Self {
        let runs = (runs as usize).max(1);
        Self {
            all: Arc::new(Semaphore::new(runs)),
            of_one_skill: share(runs),
            queue_time,
            skills: Mutex::default(),
            waiting: WaitTally::default(),
        }
    }

    /// Waits for a place of the skill, then for one of all: a skill that wants many waits for itself first.
    pub(super) async fn admit(
        &self,
        skill_id: &str,
        cancel: &CancelToken,
    ) -> Result<Admitted, WasmPluginRunError> {
        let mut deadline = None;
        let of_skill = self.take(self.of_skill(skill_id), cancel, &mut deadline).await?;
        let of_all = self.take(Arc::clone(&self.all), cancel, &mut deadline).await?;
        Ok(Admitted { _of_skill: of_skill, _of_all: of_all })
    }

    /// How many calls wait for room.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.count()
    }

    fn of_skill(&self, skill_id: &str) -> Arc<Semaphore> {
        let mut skills = self.skills.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(permits) = skills.get(skill_id) {
            return Arc::clone(permits);
        }
        // Skills nobody calls now need no entry; a semaphore only we hold has all its permits.
        skills.retain(|_, permits| Arc::strong_count(permits) > 1);
        let permits = Arc::new(Semaphore::new(self.of_one_skill));
        skills.insert(skill_id.to_owned(), Arc::clone(&permits));
        permits
    }

    async fn take(
        &self,
        permits: Arc<Semaphore>,
        cancel: &CancelToken,
        deadline: &mut Option<Instant>,
    ) -> Result<OwnedSemaphorePermit, WasmPluginRunError> {
        if cancel.is_cancelled() {
            return Err(WasmPluginRunError::Cancelled);
        }
        // Where there is room nobody waits, and nothing has to be set up for waiting.
        if let Ok(permit) = Arc::clone(&permits).try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = self.waiting.wait();
        // One for both waits, from when the first begins.
        let deadline = *deadline.get_or_insert_with(|| Instant::now() + self.queue_time);
        let busy = WasmPluginRunError::Busy { reason: "concurrency" };
        tokio::select! {
            permit = permits.acquire_owned() => permit.map_err(|_| busy),
            () = cancel.cancelled() => Err(WasmPluginRunError::Cancelled),
            () = tokio::time::sleep_until(deadline) => Err(busy),
        }
    }
}

/// Three quarters of the room, and never all of it where there is room for two.
fn share(runs: usize) -> usize {
    runs.saturating_sub((runs / 4).max(1)).max(1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn one_skill_never_gets_everything() {
        let shares = [1, 2, 3, 4, 8, 256].map(share);
        assert_eq!(shares, [1, 1, 2, 3, 6, 192]);
    }

    #[tokio::test(start_paused = true)]
    async fn greedy_skill_leaves_permits_for_another() {
        let permits = CallPermits::new(4, QUEUE_TIME);
        let cancel = CancelToken::default();
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(permits.admit("greedy", &cancel).await.unwrap());
        }
        assert_eq!(
            permits.admit("greedy", &cancel).await.err(),
            Some(WasmPluginRunError::Busy { reason: "concurrency" })
        );
        held.push(permits.admit("modest", &cancel).await.unwrap());
        assert!(permits.admit("third", &cancel).await.is_err());
        held.remove(0);
        permits.admit("greedy", &cancel).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_waits_can_be_cancelled() {
        let permits = CallPermits::new(1, Duration::from_secs(3_600));
        let (first, second) = (CancelToken::default(), CancelToken::default());
        let _held = permits.admit("a", &first).await.unwrap();
        second.cancel();
        assert_eq!(permits.admit("a", &second).await.err(), Some(WasmPluginRunError::Cancelled));
    }
}
