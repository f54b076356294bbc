//! Where definitions and fires are kept.

use async_trait::async_trait;
use palyra_state::{Budget, ClaimedFire, FireCause, FireEnd, FireKey, NewFire, StateError};

use crate::routine::Routine;

/// A routine, and the newest of its due times that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledRoutine {
    /// The routine.
    pub routine: Routine,
    /// In milliseconds of Unix time.
    pub last_due_ms: Option<u64>,
}

/// Whether a routine may fire as far as its objective is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Charge {
    /// It may, charged to this.
    Open(Option<Budget>),
    /// It may not, for this reason.
    Closed(&'static str),
}

/// The store of definitions and fires.
///
/// A claim is the one thing that has to be atomic: of all who claim a key, now or after a crash, one gets it.
#[async_trait]
pub trait RoutineStore: Send + Sync + 'static {
    /// Every enabled routine, as of now.
    async fn load(&self, now_ms: u64) -> Result<Vec<ScheduledRoutine>, StateError>;
    /// What a fire of a routine is charged to.
    async fn charge(&self, routine: &Routine) -> Result<Charge, StateError>;
    /// Takes a fire.
    async fn claim(&self, fire: NewFire) -> Result<ClaimedFire, StateError>;
    /// Writes down that something was due and did not fire.
    async fn pass(&self, key: FireKey, cause: FireCause, reason: &'static str) -> Result<bool, StateError>;
    /// Writes down how a fire ended.
    async fn finish(&self, key: FireKey, end: FireEnd) -> Result<(), StateError>;
}
