//! Fires in progress: one lane per routine, which admits as many at once as its policy permits.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use crate::routine::ConcurrencyPolicy;

/// Maximum number of concurrent fires of one routine with the policy `Allow`.
const MOST_AT_ONCE: usize = 16;
/// Maximum number of queued fires of one routine.
const MOST_WAITING: usize = 10;

/// All lanes, by routine.
#[derive(Clone, Default)]
pub(crate) struct Lanes(Arc<Mutex<HashMap<String, Lane>>>);

#[derive(Default)]
struct Lane {
    next: u64,
    /// Fires in progress or queued, with a sender to end each.
    there: HashMap<u64, watch::Sender<bool>>,
    /// Held by the running fire if the policy permits one at a time.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// Admission of one fire, released on drop.
pub(crate) struct Place {
    lanes: Lanes,
    routine: String,
    number: u64,
    ended: watch::Receiver<bool>,
    turn: Option<Arc<tokio::sync::Mutex<()>>>,
}

impl Lanes {
    /// Admits a fire, or returns `None` if the policy does not permit another one.
    pub(crate) fn enter(&self, routine: &str, policy: ConcurrencyPolicy) -> Option<Place> {
        let mut lanes = self.lock();
        let lane = lanes.entry(routine.to_owned()).or_default();
        let admitted = match policy {
            ConcurrencyPolicy::Forbid => lane.there.is_empty(),
            ConcurrencyPolicy::Allow => lane.there.len() < MOST_AT_ONCE,
            ConcurrencyPolicy::Replace => true,
            ConcurrencyPolicy::Queue => lane.there.len() <= MOST_WAITING,
        };
        if !admitted {
            return None;
        }
        if policy == ConcurrencyPolicy::Replace {
            for other in lane.there.values() {
                other.send_replace(true);
            }
        }
        let (end, ended) = watch::channel(false);
        let number = lane.next;
        lane.next += 1;
        lane.there.insert(number, end);
        let one_at_a_time = matches!(policy, ConcurrencyPolicy::Replace | ConcurrencyPolicy::Queue);
        let turn = one_at_a_time.then(|| Arc::clone(&lane.turn));
        Some(Place { lanes: self.clone(), routine: routine.to_owned(), number, ended, turn })
    }

    /// Returns the number of fires of a routine that are in progress or queued.
    pub(crate) fn count(&self, routine: &str) -> usize {
        self.lock().get(routine).map_or(0, |lane| lane.there.len())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Lane>> {
        self.0.lock()
    }
}

impl Place {
    /// Returns a receiver that becomes true when another fire replaces this one.
    pub(crate) fn ended(&self) -> watch::Receiver<bool> {
        self.ended.clone()
    }

    /// Waits for its turn if the policy permits one at a time; returns `None` if another fire replaced it.
    pub(crate) async fn turn(&self) -> Option<Option<tokio::sync::OwnedMutexGuard<()>>> {
        let Some(turn) = self.turn.clone() else { return Some(None) };
        let mut ended = self.ended();
        let turn = tokio::select! {
            biased;
            turn = turn.lock_owned() => turn,
            _ = ended.wait_for(|ended| *ended) => return None,
        };
        if *self.ended.borrow() { None } else { Some(Some(turn)) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lanes = self.lanes.lock();
        if let Some(lane) = lanes.get_mut(&self.routine) {
            lane.there.remove(&self.number);
            if lane.there.is_empty() {
                lanes.remove(&self.routine);
            }
        }
    }
}
