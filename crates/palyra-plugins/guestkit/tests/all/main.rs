//! Tests of guestkit without network: text guests, encoding, the command line, and the guests of this repository.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod build;
mod command_line;
mod project_guests;
mod sandbox;
