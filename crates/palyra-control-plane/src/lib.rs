//! Scheduling: schedules, routines and objectives.
//!
//! A [`Schedule`] determines due times, [`plan()`] decides which of them fire now, and [`Scheduler`] sleeps until the
//! next one or until a definition changes. Time comes from a [`Clock`], fires are claimed in a [`RoutineStore`] before
//! any effect, and a [`RoutineRunner`] executes them; implementations of these three are passed in.

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
