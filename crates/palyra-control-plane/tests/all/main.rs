//! Schedules, plans and the scheduler, by a clock the tests hold: nothing here sleeps.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod memory;

mod once;
mod plans;
mod scheduler;
mod schedules;
mod state;
