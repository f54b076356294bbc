//! Integration tests of the skills crate, including the hostile cases it must refuse.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod artifact;
mod audit;
mod corpus;
mod editor_schema;
mod grants;
mod install;
mod manifest;
mod manifest_reference;
mod manifest_roundtrip;
mod seeds;
mod update;
