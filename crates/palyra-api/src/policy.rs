//! The access policy: who may do what.

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

/// Effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyEffect {
    /// It permits.
    Permit,
    /// It forbids, whatever permits.
    Forbid,
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
    #[serde(default)]
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
    #[serde(default)]
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

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $default:ident { $($(#[$word_doc:meta])* $word:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$word_doc])* $word,)*
        }

        impl $name {
            /// Every word.
            pub const ALL: &'static [Self] = &[$(Self::$word),*];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)*
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        }
    };
}

words! {
    /// The action; see `docs/policy.md`.
    PolicyAction, Read {
        /// Look.
        Read = "read",
        /// Call a tool.
        Invoke = "invoke",
        /// Decide whether a waiting call may run.
        Approve = "approve",
        /// Cancel, replay, quarantine, switch off.
        Operate = "operate",
        /// Install, update, go back to or remove a release.
        Install = "install",
        /// Enable, consent, accept a finding, lift a quarantine.
        Promote = "promote",
        /// Change what a plugin may touch.
        Grant = "grant",
        /// Manage trusted publishers.
        Trust = "trust",
        /// Put or delete a secret or a signing key.
        Vault = "vault",
        /// Tokens, policies, stopping the daemon.
        Admin = "admin",
    }
}

words! {
    /// Kind of principal.
    PolicyKind, Token {
        /// The person who owns the state root.
        Owner = "owner",
        /// The holder of a token.
        Token = "token",
        /// A model behind an MCP client.
        Mcp = "mcp",
        /// A hook that runs because of an event.
        Hook = "hook",
        /// A routine that runs because of the time.
        Routine = "routine",
        /// The model of the agent loop.
        Agent = "agent",
    }
}

words! {
    /// Transport of a request.
    PolicyFace, Http {
        /// `palyra` with a person at the terminal.
        Terminal = "terminal",
        /// `palyra` without a person.
        Command = "command",
        /// The console in a browser.
        Console = "console",
        /// HTTP.
        Http = "http",
        /// gRPC.
        Grpc = "grpc",
        /// MCP.
        Mcp = "mcp",
        /// The agent loop.
        Agent = "agent",
        /// The delivery of an event.
        Hook = "hook",
        /// The scheduler.
        Routine = "routine",
    }
}
