//! Sentences as people write them, against tools as skills describe them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod prefilling;
mod ranking;
mod slice;
