//! The request and response types of the API, its error codes, and the typed client.
//!
//! A resource has one file with its types and one in [`client`] with the calls. The types do not depend on the location
//! of the daemon: [`Client`] is generic over a [`Transport`], which is HTTP over a Unix socket or TCP here, and the
//! daemon's own router without a socket if a command owns the state itself.
//!
//! Requests reject unknown fields; responses may get new fields, so that a client of an older version keeps working.

#![forbid(unsafe_code)]

pub mod activity;
pub mod approvals;
pub mod audit_policy;
pub mod backup;
pub mod bounds;
pub mod channels;
pub mod client;
pub mod codes;
pub mod console;
pub mod daemon;
pub mod deliveries;
pub mod doctor;
pub mod events;
pub mod grpc;
pub mod health;
pub mod hooks;
pub mod journal;
pub mod keys;
pub mod mcp;
pub mod models;
pub mod modules;
pub mod objectives;
pub mod packages;
pub mod plugins;
pub mod policy;
mod problem;
pub mod routines;
pub mod runner_policy;
pub mod runs;
mod secret;
pub mod sessions;
pub mod skills;
pub mod surfaces;
pub mod tokens;
pub mod tools;
pub mod trust;
pub mod vault;

pub use client::{Client, ClientError, Transport, TransportError};
pub use problem::{PROBLEM_JSON, Problem};
pub use secret::{NotBase64, SecretBytes, SecretText};
