//! Access control: evaluates a request to a decision with its reasons.
//!
//! ```text
//! PolicyRequest { principal, action, resource, context } ─► PolicySet::evaluate ─► PolicyDecision
//! ```
//!
//! Rules are written in Cedar and checked against one schema before they are used. Evaluation reads no file, clock or
//! network; the same set and the same request always give the same decision. Requests that no rule permits are denied,
//! a forbidding rule takes precedence over every permitting rule, and a rule that cannot be evaluated denies.

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
pub use vocabulary::{Action, Face, PrincipalKind, ResourceKind, TrustState, resources};
