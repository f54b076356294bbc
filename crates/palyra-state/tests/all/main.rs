//! The state root as its users see it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod calls;
mod damage;
mod guests;
mod home;
mod kill;
mod objects;
mod opening;
mod release;
mod skills;
mod tokens;
