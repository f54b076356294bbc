//! The enabled routines with the position up to which each is decided.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::plan::{PlannedFire, plan};
use crate::routine::Routine;
use crate::schedule::{Schedule, time};
use crate::store::ScheduledRoutine;

/// Every enabled routine with its position.
#[derive(Debug, Default)]
pub struct Timetable {
    entries: BTreeMap<String, Entry>,
    /// Time of the last step.
    looked: Option<Timestamp>,
}

#[derive(Debug)]
struct Entry {
    routine: Routine,
    schedule: Schedule,
    cursor: Timestamp,
    /// Time of the next check.
    wake: Wake,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    Now,
    At(Timestamp),
    Never,
}

/// The fires of one routine in a step.
#[derive(Debug)]
pub struct Step {
    /// The definition.
    pub routine: Routine,
    /// Newest due time that is skipped.
    pub missed: Option<Timestamp>,
    /// Fires to start, oldest first.
    pub fire: Vec<PlannedFire>,
}

impl Timetable {
    /// Replaces the definitions; unchanged ones keep their position.
    pub fn take(&mut self, routines: Vec<ScheduledRoutine>) {
        let mut before = std::mem::take(&mut self.entries);
        for ScheduledRoutine { routine, last_due_ms } in routines {
            let name = routine.name.clone();
            if let Some(entry) = before.remove(&name).filter(|entry| entry.routine == routine) {
                self.entries.insert(name, entry);
                continue;
            }
            let since = last_due_ms.map_or(routine.since_ms, |due| due.max(routine.since_ms));
            match routine.schedule() {
                Ok(schedule) => {
                    let cursor = time(since).unwrap_or(Timestamp::MAX);
                    self.entries.insert(name, Entry { routine, schedule, cursor, wake: Wake::Now });
                }
                Err(error) => tracing::error!(routine = name, %error, "cannot read a schedule"),
            }
        }
    }

    /// Returns the fires of every routine that is due; a second step at the same time returns none.
    pub fn step(&mut self, now: Timestamp) -> Vec<Step> {
        // If the clock was set back, every routine is checked again.
        let back = self.looked.is_some_and(|looked| now < looked);
        self.looked = Some(now);
        let is_due = |entry: &&mut Entry| match entry.wake {
            Wake::Now => true,
            Wake::At(at) => back || at <= now,
            Wake::Never => back,
        };
        self.entries.values_mut().filter(is_due).filter_map(|entry| entry.step(now)).collect()
    }

    /// Returns the earliest time at which a routine has to be checked.
    pub fn wake(&self) -> Option<Timestamp> {
        let wake = |entry: &Entry| match entry.wake {
            Wake::At(at) => Some(at),
            Wake::Now | Wake::Never => None,
        };
        self.entries.values().filter_map(wake).min()
    }
}

impl Entry {
    fn step(&mut self, now: Timestamp) -> Option<Step> {
        let planned = plan(&self.routine, &self.schedule, self.cursor, now);
        self.cursor = planned.cursor;
        self.wake = planned.wake.map_or(Wake::Never, Wake::At);
        let anything = planned.missed.is_some() || !planned.fire.is_empty();
        anything.then(|| Step { routine: self.routine.clone(), missed: planned.missed, fire: planned.fire })
    }
}
