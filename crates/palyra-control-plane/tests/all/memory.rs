//! A store, a runner and a clock for tests.

use async_trait::async_trait;
use jiff::Timestamp;
use palyra_control_plane::{
    Charge, Clock, ConcurrencyPolicy, Fires, Held, MisfirePolicy, Routine, RoutineAction, RoutineRunner,
    RoutineStore, RunOrder, ScheduledRoutine, When,
};
use palyra_state::{ClaimedFire, FireCause, FireEnd, FireKey, FireStatus, NewFire, StateError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, watch};

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn routine(name: &str, when: When) -> Routine {
    Routine {
        name: name.into(),
        enabled: true,
        action: RoutineAction::Tool { tool: "acme.bench.echo".into(), input: "{}".into() },
        when,
        time_zone: "UTC".into(),
        quiet: None,
        misfire: MisfirePolicy::Skip,
        concurrency: ConcurrencyPolicy::Allow,
        jitter_ms: 0,
        objective: None,
        wait_approval_ms: 0,
        creator: Default::default(),
        created_ms: 0,
        since_ms: 0,
    }
}

pub(crate) fn every(seconds: u64) -> When {
    When::Every { ms: seconds * 1_000, from_ms: 0 }
}

/// A clock that tests set forward or back.
#[derive(Default)]
pub(crate) struct HandClock {
    ms: AtomicI64,
    moved: Notify,
    /// Notified whenever a task starts waiting.
    pub(crate) waits: Notify,
}

impl HandClock {
    pub(crate) fn set(&self, ms: i64) {
        self.ms.store(ms, Ordering::SeqCst);
        self.moved.notify_waiters();
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.ms.load(Ordering::SeqCst)).unwrap()
    }

    async fn until(&self, at: Timestamp) {
        let before = self.now();
        loop {
            let moved = self.moved.notified();
            tokio::pin!(moved);
            moved.as_mut().enable();
            self.waits.notify_one();
            // A clock that was set back ends the wait too, as the system's does.
            if self.now() >= at || self.now() < before {
                return;
            }
            moved.await;
        }
    }
}

/// Fires in memory; like every store it permits one claim per key.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) routines: Mutex<Vec<Routine>>,
    pub(crate) fires: Mutex<BTreeMap<FireKey, String>>,
    pub(crate) ended: Notify,
}

impl Memory {
    pub(crate) fn with(routines: Vec<Routine>) -> Arc<Self> {
        Arc::new(Self { routines: Mutex::new(routines), ..Self::default() })
    }

    pub(crate) fn statuses(&self) -> Vec<(u64, String)> {
        self.fires.lock().unwrap().iter().map(|(key, status)| (key.due_ms, status.clone())).collect()
    }

    pub(crate) fn last_due(&self, routine: &str, now_ms: u64) -> Option<u64> {
        let fires = self.fires.lock().unwrap();
        fires.keys().filter(|key| key.routine == routine && key.due_ms <= now_ms).map(|key| key.due_ms).max()
    }

    fn put(&self, key: FireKey, status: String) -> bool {
        match self.fires.lock().unwrap().entry(key) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(status);
                true
            }
            std::collections::btree_map::Entry::Occupied(_) => false,
        }
    }
}

#[async_trait]
impl RoutineStore for Memory {
    async fn load(&self, now_ms: u64) -> Result<Vec<ScheduledRoutine>, StateError> {
        let routines = self.routines.lock().unwrap().clone();
        let standing = |routine: Routine| ScheduledRoutine {
            last_due_ms: self.last_due(&routine.name, now_ms),
            routine,
        };
        Ok(routines.into_iter().filter(|routine| routine.enabled).map(standing).collect())
    }

    async fn charge(&self, _: &Routine) -> Result<Charge, StateError> {
        Ok(Charge::Open(None))
    }

    async fn claim(&self, fire: NewFire) -> Result<ClaimedFire, StateError> {
        Ok(if self.put(fire.key, "running".into()) {
            ClaimedFire::Go { fuel_left: None }
        } else {
            ClaimedFire::Taken
        })
    }

    async fn pass(&self, key: FireKey, _: FireCause, reason: &'static str) -> Result<bool, StateError> {
        Ok(self.put(key, reason.into()))
    }

    async fn finish(&self, key: FireKey, end: FireEnd) -> Result<(), StateError> {
        let status = end.error.unwrap_or_else(|| end.status.as_str().to_owned());
        self.fires.lock().unwrap().insert(key, status);
        self.ended.notify_one();
        Ok(())
    }
}

/// Counts its runs; waits for a permit if the test holds them back.
pub(crate) struct Counting {
    pub(crate) ran: Mutex<Vec<FireKey>>,
    pub(crate) begun: Notify,
    pub(crate) permits: tokio::sync::Semaphore,
}

impl Counting {
    pub(crate) fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self {
            ran: Mutex::default(),
            begun: Notify::new(),
            permits: tokio::sync::Semaphore::new(permits),
        })
    }
}

#[async_trait]
impl RoutineRunner for Counting {
    fn hold(&self) -> Option<Held> {
        Some(Box::new(()))
    }

    async fn run(&self, order: RunOrder, mut ended: watch::Receiver<bool>) -> FireEnd {
        self.ran.lock().unwrap().push(order.key);
        self.begun.notify_one();
        let end = |status, error: Option<&str>| FireEnd {
            status,
            run_id: None,
            error: error.map(str::to_owned),
            message: None,
            fuel: None,
        };
        tokio::select! {
            permit = self.permits.acquire() => {
                permit.unwrap().forget();
                end(FireStatus::Completed, None)
            }
            _ = ended.wait_for(|ended| *ended) => end(FireStatus::Failed, Some("cancelled")),
        }
    }
}

pub(crate) fn fires(store: &Arc<Memory>, runner: &Arc<Counting>) -> Arc<Fires> {
    Fires::new(Arc::clone(store) as Arc<dyn RoutineStore>, Arc::clone(runner) as Arc<dyn RoutineRunner>)
}
