//! Tests of the model providers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod faults;
mod keys;
mod protocols;
mod recorded;
mod requests;
mod scripted;
mod support;
