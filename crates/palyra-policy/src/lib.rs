//! Who may do what: a request is evaluated to a decision with its reasons.
//!
//! ```text
//! PolicyRequest { principal, action, resource, context } ─► PolicySet::evaluate ─► PolicyDecision
//! ```
//!
//! Rules are written in Cedar and checked against one schema before they are used. Nothing here reads a file, a
//! clock or the network; the same set and the same request always give the same decision. What no rule permits is
//! denied, a rule that forbids wins over every rule that permits, and a rule that cannot be evaluated denies.

#![forbid(unsafe_code)]

mod cache;
mod decision;
mod entities;
mod explain;
mod request;
mod set;
mod text;
mod vocabulary;

pub use cache::{DecisionCache, PolicyKey};
pub use decision::{PolicyDecision, PolicyReason, PolicyVerdict, RuleEffect};
pub use palyra_common::Scope;
pub use request::{PolicyContext, PolicyRequest, Principal, Resource, Skill, Tool};
pub use set::{DEFAULT_POLICY, PolicyRevision, PolicySet, RuleSummary, SCHEMA};
pub use text::{PolicyProblem, PolicyTextError};
pub use vocabulary::{Action, Face, PrincipalKind, ResourceKind, TrustState};
