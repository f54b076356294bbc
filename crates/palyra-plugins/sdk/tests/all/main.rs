//! The SDK as an author uses it, natively.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod abi;
mod denials;
mod doors;
mod hooks;
mod http;
mod storage;
mod tools;
