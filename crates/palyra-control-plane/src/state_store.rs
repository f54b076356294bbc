//! Stores routines and objectives in the state root.

use std::sync::Arc;

use async_trait::async_trait;
use palyra_common::text::clip_untrusted;
use palyra_state::{
    ClaimedFire, ControlKind, ControlRow, FireCause, FireEnd, FireKey, NewFire, ObjectiveUse, State,
    StateError,
};

use crate::built_in::{built_in, is_built_in};
use crate::error::ControlError;
use crate::name::check_name;
use crate::objective::{MAX_OBJECTIVES, Objective, ObjectiveState};
use crate::routine::{MAX_ROUTINES, Routine, RoutineAction};
use crate::schedule::time;
use crate::store::{Charge, RoutineStore, ScheduledRoutine};

/// Routines, objectives and fires of an open state.
#[derive(Clone)]
pub struct StateStore(Arc<State>);

impl StateStore {
    /// Creates a store over an open state.
    pub fn new(state: Arc<State>) -> Self {
        Self(state)
    }

    /// Returns every routine by name, including built-in ones that were never changed.
    pub fn routines(&self) -> Result<Vec<Routine>, ControlError> {
        let rows = self.0.control().rows(ControlKind::Routine);
        let mut routines = rows.iter().map(read).collect::<Result<Vec<Routine>, _>>()?;
        let missing = built_in(self.made_ms());
        routines
            .extend(missing.into_iter().filter(|routine| !rows.iter().any(|row| row.name == routine.name)));
        routines.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(routines)
    }

    /// Returns one routine, or [`ControlError::Unknown`] with the names that exist.
    pub fn routine(&self, name: &str) -> Result<Routine, ControlError> {
        let mut routines = self.routines()?;
        match routines.iter().position(|routine| routine.name == name) {
            Some(at) => Ok(routines.swap_remove(at)),
            None => {
                let known = routines.into_iter().map(|routine| routine.name).collect();
                Err(unknown("routine", name, known))
            }
        }
    }

    /// Stores a routine. Fails with [`ControlError::Taken`] if it exists and `replace` is false.
    pub fn put_routine(&self, routine: &Routine, replace: bool, by: &str) -> Result<(), ControlError> {
        let now = time(self.0.now_ms()).unwrap_or_default();
        routine.check(now)?;
        check_built_in(routine)?;
        if let Some(objective) = &routine.objective {
            self.objective(objective)?;
        }
        let bytes = write(&routine.name, routine)?;
        let what = if replace { "changed" } else { "added" };
        self.0.control().change(ControlKind::Routine, &routine.name, what, by, |rows| {
            let there = is_built_in(&routine.name) || rows.iter().any(|row| row.name == routine.name);
            match there {
                true if !replace => Err(taken("routine", &routine.name)),
                false if rows.len() >= MAX_ROUTINES => {
                    Err(ControlError::TooMany { kind: "routines", most: MAX_ROUTINES })
                }
                _ => Ok(Some(bytes)),
            }
        })
    }

    /// Enables or disables a routine; due times while it is disabled are not made up for.
    pub fn switch_routine(&self, name: &str, enabled: bool, by: &str) -> Result<Routine, ControlError> {
        let mut routine = self.routine(name)?;
        if routine.enabled == enabled {
            return Ok(routine);
        }
        let since_ms = self.0.now_ms();
        let what = if enabled { "enabled" } else { "disabled" };
        self.0.control().change(ControlKind::Routine, name, what, by, |rows| {
            // Read again under the commit lock, because the definition may have been replaced since.
            match rows.iter().find(|row| row.name == name) {
                Some(row) => routine = read(row)?,
                None if is_built_in(name) => {}
                None => return Err(unknown("routine", name, names(rows))),
            }
            (routine.enabled, routine.since_ms) = (enabled, since_ms);
            write(name, &routine).map(Some)
        })?;
        Ok(routine)
    }

    /// Removes a routine; its history is kept.
    pub fn remove_routine(&self, name: &str, by: &str) -> Result<(), ControlError> {
        if is_built_in(name) {
            return Err(ControlError::BuiltIn { name: name.to_owned() });
        }
        self.0.control().change(ControlKind::Routine, name, "removed", by, |rows| {
            if rows.iter().any(|row| row.name == name) {
                Ok(None)
            } else {
                Err(unknown("routine", name, names(rows)))
            }
        })
    }

    /// Returns every objective by name.
    pub fn objectives(&self) -> Result<Vec<Objective>, ControlError> {
        self.0.control().rows(ControlKind::Objective).iter().map(read).collect()
    }

    /// Returns one objective, or [`ControlError::Unknown`] with the names that exist.
    pub fn objective(&self, name: &str) -> Result<Objective, ControlError> {
        let rows = self.0.control().rows(ControlKind::Objective);
        match rows.iter().find(|row| row.name == name) {
            Some(row) => read(row),
            None => Err(unknown("objective", name, names(&rows))),
        }
    }

    /// Returns the use of an objective.
    pub fn used(&self, name: &str) -> Result<ObjectiveUse, ControlError> {
        Ok(self.0.control().objective_use(name)?)
    }

    /// Stores a new objective. Fails with [`ControlError::Taken`] if it exists.
    pub fn add_objective(&self, objective: &Objective, by: &str) -> Result<(), ControlError> {
        objective.check()?;
        let bytes = write(&objective.name, objective)?;
        self.0.control().change(ControlKind::Objective, &objective.name, "added", by, |rows| {
            if rows.iter().any(|row| row.name == objective.name) {
                return Err(taken("objective", &objective.name));
            }
            if rows.len() < MAX_OBJECTIVES {
                Ok(Some(bytes))
            } else {
                Err(ControlError::TooMany { kind: "objectives", most: MAX_OBJECTIVES })
            }
        })
    }

    /// Sets the state of an objective.
    pub fn set_objective(&self, name: &str, to: ObjectiveState, by: &str) -> Result<Objective, ControlError> {
        let mut objective = self.objective(name)?;
        if objective.set_to == to {
            return Ok(objective);
        }
        self.0.control().change(ControlKind::Objective, name, to.wire_name(), by, |rows| {
            let Some(row) = rows.iter().find(|row| row.name == name) else {
                return Err(unknown("objective", name, names(rows)));
            };
            objective = read(row)?;
            objective.set_to = to;
            write(name, &objective).map(Some)
        })?;
        Ok(objective)
    }

    /// Removes an objective. Fails with [`ControlError::InUse`] if routines are charged to it.
    pub fn remove_objective(&self, name: &str, by: &str) -> Result<(), ControlError> {
        let linked = self.linked(name)?;
        if !linked.is_empty() {
            return Err(ControlError::InUse { name: name.to_owned(), routines: linked });
        }
        self.0.control().change(ControlKind::Objective, name, "removed", by, |rows| {
            if rows.iter().any(|row| row.name == name) {
                Ok(None)
            } else {
                Err(unknown("objective", name, names(rows)))
            }
        })
    }

    /// Returns the routines that are charged to an objective.
    pub fn linked(&self, objective: &str) -> Result<Vec<String>, ControlError> {
        let of_it = |routine: &Routine| routine.objective.as_deref() == Some(objective);
        Ok(self.routines()?.into_iter().filter(of_it).map(|routine| routine.name).collect())
    }

    /// Returns the creation time of the state, recorded in its first event.
    fn made_ms(&self) -> u64 {
        let first = palyra_journal::Query { limit: 1, ..palyra_journal::Query::default() };
        let first = self.0.journal().query(&first).ok().and_then(|page| page.events.into_iter().next());
        first.map_or_else(|| self.0.now_ms(), |recorded| recorded.event.at_ms)
    }

    fn scheduled(&self, now_ms: u64) -> Result<Vec<ScheduledRoutine>, StateError> {
        let routines = self.routines().map_err(|error| StateError::Record {
            doing: "read",
            key: "routine".into(),
            reason: error.to_string(),
        })?;
        let scheduled = |routine: Routine| {
            Ok(ScheduledRoutine { last_due_ms: self.0.control().last_due(&routine.name, now_ms)?, routine })
        };
        routines.into_iter().filter(|routine| routine.enabled).map(scheduled).collect()
    }
}

#[async_trait]
impl RoutineStore for StateStore {
    async fn load(&self, now_ms: u64) -> Result<Vec<ScheduledRoutine>, StateError> {
        let store = self.clone();
        blocking(move || store.scheduled(now_ms)).await
    }

    async fn charge(&self, routine: &Routine) -> Result<Charge, StateError> {
        let Some(name) = &routine.objective else { return Ok(Charge::Open(None)) };
        // Definitions are in memory. An objective that was removed or cannot be read permits no fire.
        Ok(match self.objective(name) {
            Ok(objective) => match objective.set_to {
                ObjectiveState::Active => Charge::Open(Some(objective.budget())),
                other => Charge::Closed(other.wire_name()),
            },
            Err(_) => Charge::Closed("no_objective"),
        })
    }

    async fn claim(&self, fire: NewFire) -> Result<ClaimedFire, StateError> {
        self.0.control().claim_fire(fire).await
    }

    async fn pass(&self, key: FireKey, cause: FireCause, reason: &'static str) -> Result<bool, StateError> {
        self.0.control().pass_fire(key, cause, reason).await
    }

    async fn finish(&self, key: FireKey, end: FireEnd) -> Result<(), StateError> {
        self.0.control().finish_fire(key, end).await
    }
}

/// Rejects a built-in routine with another action, and the action of a built-in routine under another name.
fn check_built_in(routine: &Routine) -> Result<(), ControlError> {
    let does = routine.action == RoutineAction::ReAudit;
    let plain = routine.objective.is_none() && routine.wait_approval_ms == 0;
    match (is_built_in(&routine.name), does) {
        (true, true) if plain => Ok(()),
        (false, false) => Ok(()),
        (true, _) => Err(ControlError::NotForBuiltIn { name: routine.name.clone() }),
        (false, true) => check_name("built-in routine", ""),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StateError> + Send + 'static,
) -> Result<T, StateError> {
    let failed = |error: tokio::task::JoinError| StateError::Record {
        doing: "read",
        key: "routine".into(),
        reason: error.to_string(),
    };
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

fn read<T: serde::de::DeserializeOwned>(row: &ControlRow) -> Result<T, ControlError> {
    serde_json::from_slice(&row.bytes)
        .map_err(|error| ControlError::Unreadable { name: row.name.clone(), reason: error.to_string() })
}

fn write<T: serde::Serialize>(name: &str, value: &T) -> Result<Vec<u8>, ControlError> {
    let failed = |error: serde_json::Error| StateError::Record {
        doing: "written",
        key: name.to_owned(),
        reason: error.to_string(),
    };
    Ok(serde_json::to_vec(value).map_err(failed)?)
}

fn names(rows: &[ControlRow]) -> Vec<String> {
    rows.iter().map(|row| row.name.clone()).collect()
}

fn unknown(kind: &'static str, name: &str, known: Vec<String>) -> ControlError {
    let name = clip_untrusted(name, 80);
    ControlError::Unknown { kind, name, known }
}

fn taken(kind: &'static str, name: &str) -> ControlError {
    ControlError::Taken { kind, name: name.to_owned() }
}
