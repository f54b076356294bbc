//! Schedules, plans and the scheduler with a manual clock; no test sleeps.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod memory;

mod once;
mod plans;
mod scheduler;
mod schedules;
mod state;
