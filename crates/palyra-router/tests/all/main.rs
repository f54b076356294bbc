//! Tests with natural sentences and realistic tool descriptions.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod prefilling;
mod ranking;
mod slice;
