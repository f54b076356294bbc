//! HTTP `/v1`: JSON in, JSON or problem details out.

mod access;
mod aliases;
mod answer;
mod approvals;
mod blocking;
mod body;
mod channels;
mod events;
mod health;
mod hooks;
mod journal;
mod keys;
mod mcp;
mod objectives;
mod openapi;
mod packages;
mod params;
mod plugins;
mod policy;
pub mod route;
mod router;
mod routines;
mod runs;
mod shape;
mod skills;
mod telemetry;
mod tokens;
mod tools;
mod trust;
mod upload;
mod vault;

pub use access::Arrival;
pub(crate) use access::RequestId;
pub(crate) use body::BodyTimeout;
pub use openapi::document as openapi_document;
pub use router::{router, routes};
