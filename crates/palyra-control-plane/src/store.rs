//! The store of definitions and fires, as the scheduler needs it.

use async_trait::async_trait;
use palyra_state::{Budget, ClaimedFire, FireCause, FireEnd, FireKey, NewFire, StateError};

use crate::routine::Routine;

/// A routine with its newest claimed or skipped due time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledRoutine {
    /// The definition.
    pub routine: Routine,
    /// Due time in Unix milliseconds; `None` if it never fired.
    pub last_due_ms: Option<u64>,
}

/// Result of checking the objective of a routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Charge {
    /// The routine may fire, charged to this budget if there is one.
    Open(Option<Budget>),
    /// The routine may not fire, for this reason.
    Closed(&'static str),
}

/// The store of definitions and fires.
///
/// Claims must be atomic: of several claims of the same key, also across a crash, exactly one succeeds.
#[async_trait]
pub trait RoutineStore: Send + Sync + 'static {
    /// Returns every enabled routine.
    async fn load(&self, now_ms: u64) -> Result<Vec<ScheduledRoutine>, StateError>;
    /// Returns the budget that a fire of the routine is charged to.
    async fn charge(&self, routine: &Routine) -> Result<Charge, StateError>;
    /// Claims a fire.
    async fn claim(&self, fire: NewFire) -> Result<ClaimedFire, StateError>;
    /// Records that a due time is skipped; returns false if it was claimed or skipped before.
    async fn pass(&self, key: FireKey, cause: FireCause, reason: &'static str) -> Result<bool, StateError>;
    /// Records the end of a fire.
    async fn finish(&self, key: FireKey, end: FireEnd) -> Result<(), StateError>;
}
