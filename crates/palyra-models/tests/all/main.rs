//! Models behind one trait.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod scripted;
