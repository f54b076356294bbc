//! The guard against a real server on loopback, row by row of the hostile cases.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod addresses;
mod authority;
mod bodies;
mod budget;
mod connections;
mod deadlines;
mod secrets;
mod streaming;
mod support;
mod tls;
