//! Decides what a routine does now: a pure function of its schedule, its last due time and the clock.

use std::time::Duration;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::routine::{MisfirePolicy, Routine};
use crate::schedule::Schedule;

/// Delay up to which a fire is on time.
pub const GRACE: Duration = Duration::from_secs(60);
/// Maximum number of due times within the grace period that all fire.
const MOST_ON_TIME: usize = 60;

/// A due time with the start of its fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedFire {
    /// Due time; identifies the fire together with its routine.
    pub due: Timestamp,
    /// Start of the fire: the due time plus jitter.
    pub start: Timestamp,
}

/// The fires of a routine now, and the time of the next check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Fires to start now, oldest first.
    pub fire: Vec<PlannedFire>,
    /// Newest due time that is skipped, if any is.
    pub missed: Option<Timestamp>,
    /// Time up to which every due time is decided.
    pub cursor: Timestamp,
    /// Start of the next fire; `None` if there is none.
    pub wake: Option<Timestamp>,
}

/// Plans a routine whose due times up to `cursor` are decided.
///
/// If the clock was set back, the cursor is in the future and due times repeat; their claims fail, so none fires twice.
pub fn plan(routine: &Routine, schedule: &Schedule, cursor: Timestamp, now: Timestamp) -> Plan {
    let cursor = cursor.min(now);
    let keep = match routine.misfire {
        MisfirePolicy::CatchUp(most) => usize::from(most),
        MisfirePolicy::Skip | MisfirePolicy::FireOnce => 1,
    };
    let found = schedule.latest(cursor, now, keep.max(MOST_ON_TIME) + 1);
    let planned: Vec<PlannedFire> = found.into_iter().map(|due| planned(routine, due)).collect();
    // In order: a due time whose start is in the future also delays those after it.
    let ready = planned.iter().take_while(|fire| fire.start <= now).count();
    let (ready, waiting) = planned.split_at(ready);
    let on_time = ready.iter().rev().take_while(|fire| !is_late(fire, now)).count();
    let kept = match routine.misfire {
        MisfirePolicy::Skip => on_time,
        MisfirePolicy::FireOnce => on_time.max(1),
        MisfirePolicy::CatchUp(most) => on_time.max(usize::from(most)),
    };
    let first = ready.len().saturating_sub(kept);
    let (given_up, fire) = ready.split_at(first);
    let decided = ready.last().map_or(cursor, |fire| fire.due);
    let wake = match waiting.first() {
        Some(fire) => Some(fire.start),
        None => schedule.next_after(decided.max(now)).map(|due| planned_start(routine, due)),
    };
    Plan { fire: fire.to_vec(), missed: given_up.last().map(|fire| fire.due), cursor: decided, wake }
}

/// Returns the delay of a fire in milliseconds: constant for one routine and due time, and spread over different ones.
pub fn jitter(routine: &str, due: Timestamp, most_ms: u64) -> u64 {
    let mut hash = Sha256::new();
    hash.update(b"palyra.routine.jitter/v1");
    hash.update(due.as_millisecond().to_be_bytes());
    hash.update(routine.as_bytes());
    let digest = hash.finalize();
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    number % most_ms.saturating_add(1).max(1)
}

fn planned(routine: &Routine, due: Timestamp) -> PlannedFire {
    PlannedFire { due, start: planned_start(routine, due) }
}

fn planned_start(routine: &Routine, due: Timestamp) -> Timestamp {
    let offset = i64::try_from(jitter(&routine.name, due, routine.jitter_ms)).unwrap_or(0);
    Timestamp::from_millisecond(due.as_millisecond().saturating_add(offset)).unwrap_or(due)
}

fn is_late(fire: &PlannedFire, now: Timestamp) -> bool {
    now.duration_since(fire.start) > jiff::SignedDuration::try_from(GRACE).unwrap_or_default()
}
