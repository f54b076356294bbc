//! Policies as a whole: the default one, hostile texts and names, and what always holds.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod caching;
mod default_policy;
mod explanations;
mod hostile;
mod properties;
mod requests;
mod schema;
mod texts;
