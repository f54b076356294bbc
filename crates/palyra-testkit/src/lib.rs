//! Fixtures shared by the tests of several crates; only used as a dev-dependency.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::new_without_default,
    missing_docs,
    reason = "test support: a failure is a failed test"
)]

mod guests;
mod home;
mod release;

pub use guests::{COUNTER, ECHO, HONEST, counting_to, describing, one_operation};
pub use home::{Home, keys, options, signing_key};
pub use release::{Release, agree, build, install, permitting, try_install, update};
