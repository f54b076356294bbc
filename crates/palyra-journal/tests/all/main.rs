//! Integration tests of the journal through its public interface.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod append;
mod archive;
mod damage;
mod home;
mod kill;
mod naive;
mod opening;
mod proofs;
mod query;
mod transaction;
