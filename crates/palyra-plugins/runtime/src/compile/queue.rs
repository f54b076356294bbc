//! The queue of compilations, which is fair between owners and lets small modules pass large ones.

use palyra_common::WasmPluginRunError;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Compilations at once; each may use all cores.
const SLOTS: usize = 2;
/// Of these, how many may compile large modules; the others are for small ones only.
const LARGE_SLOTS: usize = 1;
/// Size from which a module counts as large, in bytes.
pub(crate) const LARGE_MODULE_BYTES: usize = 1 << 20;
/// Maximum number of modules that wait to be compiled, and of their bytes in total.
const MAX_WAITING: usize = 64;
const MAX_WAITING_BYTES: usize = 256 << 20;
/// Number of owners from which those without a compilation are forgotten.
const MAX_OWNERS: usize = 256;

/// Owner and size class. Each lane has one compilation at a time.
type Lane = (Box<str>, bool);

/// The slots for compilations, shared fairly between owners.
pub(crate) struct CompileQueue {
    slots: Arc<Semaphore>,
    large_slots: Arc<Semaphore>,
    lanes: Mutex<HashMap<Lane, Weak<Semaphore>>>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    modules: usize,
    bytes: usize,
}

/// A slot for a compilation, released when dropped.
pub(crate) struct CompilePermit {
    _lane: OwnedSemaphorePermit,
    _large: Option<OwnedSemaphorePermit>,
    _slot: OwnedSemaphorePermit,
}

impl Default for CompileQueue {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(SLOTS)),
            large_slots: Arc::new(Semaphore::new(LARGE_SLOTS)),
            lanes: Mutex::default(),
            waiting: Mutex::default(),
        }
    }
}

impl CompileQueue {
    /// Waits for a permit to compile.
    ///
    /// Dropping the future gives up the wait. A full queue is `busy` at once.
    pub(crate) async fn admit(&self, owner: &str, bytes: usize) -> Result<CompilePermit, WasmPluginRunError> {
        let _waiting = self.enter(bytes)?;
        let large = bytes >= LARGE_MODULE_BYTES;
        let lane = acquire(&self.lane(owner, large)).await?;
        let large = if large { Some(acquire(&self.large_slots).await?) } else { None };
        Ok(CompilePermit { _lane: lane, _large: large, _slot: acquire(&self.slots).await? })
    }

    fn lane(&self, owner: &str, large: bool) -> Arc<Semaphore> {
        let mut lanes = self.lanes.lock();
        if lanes.len() >= MAX_OWNERS {
            lanes.retain(|_, lane| lane.strong_count() > 0);
        }
        let entry = lanes.entry((owner.into(), large)).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let lane = Arc::new(Semaphore::new(1));
            *entry = Arc::downgrade(&lane);
            lane
        })
    }

    fn enter(&self, bytes: usize) -> Result<InQueue<'_>, WasmPluginRunError> {
        let mut waiting = self.waiting.lock();
        let more = waiting.bytes.saturating_add(bytes);
        // One module may always wait, however large it is.
        let full = waiting.modules >= MAX_WAITING || (waiting.modules > 0 && more > MAX_WAITING_BYTES);
        if full {
            return Err(WasmPluginRunError::Busy { reason: "compiling" });
        }
        waiting.modules += 1;
        waiting.bytes = more;
        Ok(InQueue { queue: self, bytes })
    }
}

struct InQueue<'a> {
    queue: &'a CompileQueue,
    bytes: usize,
}

impl Drop for InQueue<'_> {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting.lock();
        waiting.modules = waiting.modules.saturating_sub(1);
        waiting.bytes = waiting.bytes.saturating_sub(self.bytes);
    }
}

async fn acquire(semaphore: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, WasmPluginRunError> {
    let permit = Arc::clone(semaphore).acquire_owned().await;
    permit.map_err(|closed| WasmPluginRunError::Internal(closed.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    const SMALL: usize = 1_000;
    const LARGE: usize = 5 << 20;

    /// Returns a permit if one is free now.
    fn now(queue: &CompileQueue, owner: &str, bytes: usize) -> Option<CompilePermit> {
        queue.admit(owner, bytes).now_or_never().map(Result::unwrap)
    }

    #[test]
    fn small_modules_do_not_wait_for_large_ones() {
        let queue = CompileQueue::default();
        let _large = now(&queue, "a", LARGE).unwrap();
        assert!(now(&queue, "b", LARGE).is_none(), "large modules have one place");
        assert!(now(&queue, "b", SMALL).is_some());
        assert!(now(&queue, "a", SMALL).is_some(), "not even behind a large one of the same owner");
    }

    #[test]
    fn one_owner_leaves_a_place_for_others() {
        let queue = CompileQueue::default();
        let first = now(&queue, "a", SMALL).unwrap();
        assert!(now(&queue, "a", SMALL).is_none());
        let second = now(&queue, "b", SMALL).unwrap();
        assert!(now(&queue, "c", SMALL).is_none(), "both places are taken");
        drop(first);
        assert!(now(&queue, "c", SMALL).is_some());
        drop(second);
    }

    #[test]
    fn full_queue_is_busy() {
        let queue = CompileQueue::default();
        let _running = now(&queue, "a", SMALL).unwrap();
        let mut waiting: Vec<_> = (0..MAX_WAITING).map(|_| Box::pin(queue.admit("a", SMALL))).collect();
        for future in &mut waiting {
            assert!(future.as_mut().now_or_never().is_none());
        }
        let refused = queue.admit("b", SMALL).now_or_never().unwrap();
        assert!(matches!(refused, Err(WasmPluginRunError::Busy { reason: "compiling" })));
        waiting.clear();
        assert!(now(&queue, "b", SMALL).is_some(), "those who go away leave room");
    }

    #[test]
    fn waiting_modules_are_bounded_by_their_bytes() {
        let queue = CompileQueue::default();
        let _running = now(&queue, "a", LARGE).unwrap();
        let mut first = Box::pin(queue.admit("a", MAX_WAITING_BYTES));
        assert!(first.as_mut().now_or_never().is_none());
        let refused = queue.admit("b", 1).now_or_never().unwrap();
        assert!(matches!(refused, Err(WasmPluginRunError::Busy { .. })));
    }

    #[test]
    fn owners_without_a_compilation_are_forgotten() {
        let queue = CompileQueue::default();
        for number in 0..10_000 {
            drop(now(&queue, &number.to_string(), SMALL).unwrap());
        }
        assert!(queue.lanes.lock().len() <= MAX_OWNERS);
    }
}
