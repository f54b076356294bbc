//! The access policy: who may do what.

pub use palyra_common::model::policy::PolicyEffect;
pub use palyra_common::{Action as PolicyAction, PrincipalKind as PolicyKind, Transport as PolicyFace};

use palyra_common::limits::MAX_POLICY_BYTES;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::sessions::SessionLabels;
use crate::tokens::ScopeName;

/// Longest body that brings a policy: every byte of it may be written as an escape.
pub const MAX_POLICY_BODY: usize = 6 * MAX_POLICY_BYTES + 1_024;

/// Response of `GET /v1/policy`: the policy in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccessPolicy {
    /// Whether it is the default policy.
    pub default: bool,
    /// SHA-256 of the policy text.
    pub revision: String,
    /// The policy as Cedar text.
    pub text: String,
    /// Its rules, in the order of the text.
    pub rules: Vec<PolicyRule>,
    /// Why the stored policy is not in force, if this version cannot read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PolicyRule {
    /// Its `@id`.
    pub id: String,
    /// Whether it permits or forbids.
    pub effect: PolicyEffect,
    /// Its `@advice`: one sentence that explains the decision.
    pub advice: String,
    /// Its first line, counted from 1.
    pub line: usize,
}

/// Request body of `PUT /v1/policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyChange {
    /// The policy as Cedar text.
    pub text: String,
}

/// Response of `DELETE /v1/policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PolicyReset {
    /// Whether a different policy was in force before.
    pub removed: bool,
    /// SHA-256 of the default policy, now in force.
    pub revision: String,
}

/// Request body of `POST /v1/policy/check`: would this be allowed?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyQuestion {
    /// The request.
    pub action: PolicyAction,
    /// Kind of principal.
    #[serde(default = "default_kind")]
    pub kind: PolicyKind,
    /// The caller's name.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub name: String,
    /// Scopes to check with. By default a token has its own scopes, a hook or routine `invoke`, and the owner every
    /// scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<ScopeName>>,
    /// Transport.
    #[serde(default = "default_transport")]
    pub face: PolicyFace,
    /// The tool it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The skill it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The publisher it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// For `approve`: the requester of the call; by default the principal itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<String>,
    /// For `invoke`: what the session of the call has read.
    #[serde(default)]
    pub labels: SessionLabels,
    /// For `invoke`: whether the call can change something outside the state root. Without this, for a tool, what its
    /// grants allow now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes_outside: Option<bool>,
}

/// Response of `POST /v1/policy/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PolicyAnswer {
    /// Whether it would be allowed.
    pub allowed: bool,
    /// Whether it would be allowed after a person approves the call.
    #[serde(default)]
    pub with_approval: bool,
    /// Reason, in one sentence.
    pub reason: String,
    /// The scope it requires in addition to the policy.
    pub scope: ScopeName,
    /// The scopes used for the check.
    #[serde(default)]
    pub scopes: Vec<ScopeName>,
    /// The rules that decided, or the nearest ones.
    pub rules: Vec<PolicyRule>,
    /// The policy that decided.
    pub revision: String,
}

fn default_kind() -> PolicyKind {
    PolicyKind::Token
}

fn default_transport() -> PolicyFace {
    PolicyFace::Http
}
