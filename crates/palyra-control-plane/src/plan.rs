//! What to do about a routine now: a pure function of its schedule, its last due time and the clock.

use std::time::Duration;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::routine::{MisfirePolicy, Routine};
use crate::schedule::Schedule;

/// What begins within this time is not late.
pub const GRACE: Duration = Duration::from_secs(60);
/// Most dues within the grace that all fire.
const MOST_ON_TIME: usize = 60;

/// A due time, and when its fire begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedFire {
    /// Due time; with its routine the key of the fire.
    pub due: Timestamp,
    /// When it begins: a little later, where the routine has a jitter.
    pub start: Timestamp,
}

/// What to do now, and when to look again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What fires now, oldest first.
    pub fire: Vec<PlannedFire>,
    /// The newest due time that is given up, where any is.
    pub missed: Option<Timestamp>,
    /// Everything up to here has been decided about.
    pub cursor: Timestamp,
    /// Start of the next fire.
    pub wake: Option<Timestamp>,
}

/// What to do about a routine whose due times up to `cursor` were decided about.
///
/// A clock that was restored leaves the cursor in the future: then due times come again, and their keys are taken.
pub fn plan(routine: &Routine, schedule: &Schedule, cursor: Timestamp, now: Timestamp) -> Plan {
    let cursor = cursor.min(now);
    let keep = match routine.misfire {
        MisfirePolicy::CatchUp(most) => usize::from(most),
        MisfirePolicy::Skip | MisfirePolicy::FireOnce => 1,
    };
    let found = schedule.latest(cursor, now, keep.max(MOST_ON_TIME) + 1);
    let planned: Vec<PlannedFire> = found.into_iter().map(|due| planned(routine, due)).collect();
    // One after the other: a due time whose start is still to come holds up those after it.
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

/// How much later a fire begins than it is due; always the same for one key, spread over keys.
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
