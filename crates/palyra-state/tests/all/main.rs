//! The state root as its users see it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod backup;
mod built_in;
mod damage;
mod deliveries;
mod models;
mod objects;
mod opening;
mod skills;
mod tokens;
