//! Documents, patches and submitted forms as clients and tools write them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod documents;
mod patches;
mod rendering;
mod submitting;
