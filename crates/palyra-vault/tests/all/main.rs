//! Tests of whole vaults, undamaged and manipulated.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod anchor;
mod canary;
mod device_keys;
mod faults;
mod files;
mod key_files;
mod keyring;
mod secrets;
mod signing_keys;
mod support;
mod tampering;
