//! The state machine as its owner drives it: inputs in, plans out.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod fixture;

mod model;
mod pauses;
mod resume;
mod router;
mod small;
