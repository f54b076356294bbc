//! Integration tests of the runtime.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod compiling;
mod foreign;
mod fuel;
mod fuzz_seeds;
mod guest_failures;
mod guests;
mod harness;
#[path = "../host_memory/hoarder.rs"]
#[allow(dead_code, reason = "shared with the test that counts the heap")]
mod hoarder;
mod host_limits;
mod hostile_budgets;
mod hostile_doors;
mod hostile_isolation;
mod hostile_pointers;
mod modules;
mod smoke;
mod tape_limits;
mod tape_replay;
mod wasi;
mod wasi_files;
mod wasi_http;
