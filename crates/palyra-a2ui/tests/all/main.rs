//! Documents, patches and submitted forms as clients and tools write them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod documents;
mod examples;
mod generated;
mod interop;
mod patches;
mod prompting;
mod rendering;
mod submitting;
