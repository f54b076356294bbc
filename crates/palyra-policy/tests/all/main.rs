//! Tests of whole policies: the default one, hostile texts and names, and invariants.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod caching;
mod default_policy;
mod explanations;
mod hostile;
mod properties;
mod requests;
mod schema;
mod texts;
