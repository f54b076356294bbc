//! Carries out one fire: admission, claim, execution, and recording its end.

use std::sync::Arc;

use async_trait::async_trait;
use palyra_state::{ClaimedFire, FireCause, FireEnd, FireKey, FireStatus, NewFire, StateError};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::lanes::{Lanes, Place};
use crate::routine::Routine;
use crate::store::{Charge, RoutineStore};

/// Maximum number of due times tried for a manual fire: two in the same millisecond need different ones.
const MOST_TRIES: u64 = 100;

/// One claimed fire for a runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOrder {
    /// Definition of the routine at the time it fired.
    pub routine: Routine,
    /// Routine and due time.
    pub key: FireKey,
    /// Fuel it reserved of its budget; `None` if unlimited.
    pub fuel_left: Option<u64>,
}

/// Held while a fire is in progress, so that the owner of the state does not shut down before it is recorded.
pub type Held = Box<dyn Send + Sync>;

/// Executes fires: calls their tool, or audits the installed releases.
#[async_trait]
pub trait RoutineRunner: Send + Sync + 'static {
    /// Prevents the owner from shutting down; returns `None` if it is shutting down already.
    fn hold(&self) -> Option<Held>;

    /// Returns the maximum fuel that a fire of the routine can use, or `None` if it is unknown.
    fn most_fuel(&self, _routine: &Routine) -> Option<u64> {
        None
    }

    /// Executes the routine until it is done or `ended` becomes true.
    async fn run(&self, order: RunOrder, ended: watch::Receiver<bool>) -> FireEnd;
}

/// Result of firing a routine.
#[derive(Debug)]
pub enum Fired {
    /// In progress, with the task that carries it out.
    Begun(FireKey, JoinHandle<()>),
    /// Not fired for this reason, which is recorded.
    Passed(FireKey, &'static str),
    /// The due time was claimed or skipped before.
    Taken,
    /// The owner is shutting down.
    Ending,
}

/// Fires routines, each due time once.
pub struct Fires {
    store: Arc<dyn RoutineStore>,
    runner: Arc<dyn RoutineRunner>,
    lanes: Lanes,
}

impl Fires {
    /// Creates fires over a store, executed by a runner.
    pub fn new(store: Arc<dyn RoutineStore>, runner: Arc<dyn RoutineRunner>) -> Arc<Self> {
        Arc::new(Self { store, runner, lanes: Lanes::default() })
    }

    /// Returns the store of definitions and fires.
    pub fn store(&self) -> &Arc<dyn RoutineStore> {
        &self.store
    }

    /// Returns the number of fires of a routine that are in progress or queued.
    pub fn under_way(&self, routine: &str) -> usize {
        self.lanes.count(routine)
    }

    /// Fires a routine for a due time.
    pub async fn fire(
        self: &Arc<Self>,
        routine: &Routine,
        due_ms: u64,
        late_ms: u64,
        cause: FireCause,
    ) -> Result<Fired, StateError> {
        let Some(held) = self.runner.hold() else { return Ok(Fired::Ending) };
        let key = FireKey { routine: routine.name.clone(), due_ms };
        let Some(place) = self.lanes.enter(&routine.name, routine.concurrency) else {
            return self.pass(key, cause, "overlap").await;
        };
        let budget = match self.store.charge(routine).await? {
            Charge::Open(budget) => budget,
            Charge::Closed(reason) => return self.pass(key, cause, reason).await,
        };
        let (principal, tool_id) = (routine.principal(), routine.tool().map(str::to_owned));
        let most_fuel = budget.as_ref().and_then(|_| self.runner.most_fuel(routine));
        let fire = NewFire { key: key.clone(), cause, principal, tool_id, late_ms, budget, most_fuel };
        let fuel_left = match self.store.claim(fire).await? {
            ClaimedFire::Go { fuel_left } => fuel_left,
            ClaimedFire::Taken => return Ok(Fired::Taken),
            ClaimedFire::Exhausted => return Ok(Fired::Passed(key, "budget")),
        };
        let order = RunOrder { routine: routine.clone(), key: key.clone(), fuel_left };
        let fires = Arc::clone(self);
        let task = tokio::spawn(async move { fires.carry_out(order, place, held).await });
        Ok(Fired::Begun(key, task))
    }

    /// Fires a routine now, on request.
    pub async fn fire_by_hand(self: &Arc<Self>, routine: &Routine, now_ms: u64) -> Result<Fired, StateError> {
        for later in 0..MOST_TRIES {
            let fired = self.fire(routine, now_ms.saturating_add(later), 0, FireCause::Manual).await?;
            if !matches!(fired, Fired::Taken) {
                return Ok(fired);
            }
        }
        Ok(Fired::Taken)
    }

    async fn pass(&self, key: FireKey, cause: FireCause, reason: &'static str) -> Result<Fired, StateError> {
        Ok(if self.store.pass(key.clone(), cause, reason).await? {
            Fired::Passed(key, reason)
        } else {
            Fired::Taken
        })
    }

    async fn carry_out(self: Arc<Self>, order: RunOrder, place: Place, held: Held) {
        let key = order.key.clone();
        let end = match place.turn().await {
            Some(_turn) => self.runner.run(order, place.ended()).await,
            None => replaced(),
        };
        if let Err(error) = self.store.finish(key.clone(), end).await {
            tracing::error!(routine = key.routine, due_ms = key.due_ms, %error, "cannot record the end of \
                a routine run");
        }
        drop(place);
        drop(held);
    }
}

/// Returns the end of a fire that a later one replaced before its turn.
fn replaced() -> FireEnd {
    FireEnd {
        status: FireStatus::Failed,
        run_id: None,
        error: Some("cancelled".into()),
        message: Some("replaced by a later run".into()),
        fuel: None,
    }
}
