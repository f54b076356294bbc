//! Tests of the SDK in native builds.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod abi;
mod denials;
mod doors;
mod hooks;
mod http;
mod storage;
mod tools;
