//! What happens by the time: schedules, routines and objectives.
//!
//! [`Schedule`] says when something is due, [`plan`] what to do about it now, [`Scheduler`] does it: it sleeps until
//! the next due time and is woken when a definition changes. Time comes from a [`Clock`], fires are claimed in a
//! [`RoutineStore`] before anything happens, and a [`RoutineRunner`] carries them out; none of the three is decided
//! here.

#![forbid(unsafe_code)]

mod built_in;
mod clock;
mod error;
mod fires;
mod lanes;
mod name;
mod objective;
mod plan;
mod routine;
mod schedule;
mod scheduler;
mod state_store;
mod store;

pub use built_in::{RE_AUDIT, built_in, is_built_in};
pub use clock::{Clock, SystemClock};
pub use error::{ControlError, ScheduleError};
pub use fires::{Fired, Fires, Held, RoutineRunner, RunOrder};
pub use name::{MAX_NAME, check_name};
pub use objective::{MAX_OBJECTIVES, Objective, ObjectiveState};
pub use plan::{GRACE, Plan, PlannedFire, jitter, plan};
pub use routine::{ConcurrencyPolicy, MAX_CATCH_UP, MAX_ROUTINES, MisfirePolicy, Routine, RoutineAction};
pub use schedule::{QuietHours, Schedule, When, parse_every};
pub use scheduler::{Scheduler, Timetable};
pub use state_store::StateStore;
pub use store::{Charge, RoutineStore, ScheduledRoutine};
