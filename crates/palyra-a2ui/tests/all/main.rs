//! Tests of documents, patches and submitted forms.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod documents;
mod examples;
mod generated;
mod interop;
mod patches;
mod prompting;
mod rendering;
mod submitting;
