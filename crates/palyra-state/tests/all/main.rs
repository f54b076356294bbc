//! The state root as its users see it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod approvals;
mod backup;
mod built_in;
mod calls;
mod damage;
mod deliveries;
mod features;
mod guests;
mod home;
mod kill;
mod objects;
mod opening;
mod plugins;
mod records;
mod release;
mod runs;
mod skills;
mod tokens;
