//! Types that the libraries and the API share as they are.
//!
//! A library stores or computes a value of these types and `palyra-api` describes the same type to clients, so there is
//! nothing to convert. A type belongs here only if both need exactly the same fields; `ToSchema` gives it its name in the
//! OpenAPI document.

pub mod approvals;
pub mod audit;
pub mod deliveries;
pub mod grants;
pub mod models;
pub mod plugins;
pub mod policy;
pub mod routines;
pub mod runs;
pub mod skills;
