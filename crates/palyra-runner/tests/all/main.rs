//! Calls, and everything that depends on them, over an open state root.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod approvals;
mod calls;
mod features;
mod kill;
mod notes;
mod plugins;
mod records;
mod runs;
