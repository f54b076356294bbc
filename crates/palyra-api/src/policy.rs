//! The access policy: who may do what.

use palyra_common::limits::MAX_POLICY_BYTES;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tokens::ScopeName;

/// Longest body that brings a policy: every byte of it may be written as an escape.
pub const MAX_POLICY_BODY: usize = 6 * MAX_POLICY_BYTES + 1_024;

/// The answer of `GET /v1/policy`: the policy in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccessPolicy {
    /// Whether it is the one every state root begins with.
    pub default: bool,
    /// Which policy it is: the SHA-256 of its text.
    pub revision: String,
    /// Its text, in Cedar.
    pub text: String,
    /// Its rules, in the order of the text.
    pub rules: Vec<PolicyRule>,
    /// Why the stored text is not in force, where this version cannot read it.
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
    /// Its `@advice`: one sentence for whoever it stops or lets through.
    pub advice: String,
    /// Where it begins in the text, counted from 1.
    pub line: usize,
}

/// What a rule does where it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyEffect {
    /// It permits.
    Permit,
    /// It forbids, whatever permits.
    Forbid,
}

/// The body of `PUT /v1/policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyChange {
    /// The text, in Cedar.
    pub text: String,
}

/// The answer of `DELETE /v1/policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PolicyReset {
    /// Whether another policy was in force before.
    pub removed: bool,
    /// Which policy is in force now: the SHA-256 of the default.
    pub revision: String,
}

/// The body of `POST /v1/policy/check`: would this be allowed?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyQuestion {
    /// What is asked for.
    pub action: PolicyAction,
    /// What kind of caller asks.
    #[serde(default)]
    pub kind: PolicyKind,
    /// The caller's name.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub name: String,
    /// What the caller's token may do. Without this, a token, also one behind an MCP client, has the scopes it was
    /// given, a hook or routine `invoke`, and the owner every scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<ScopeName>>,
    /// Through which transport it comes.
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
    /// For `approve`: the name of whoever asked for the call; without it, the caller itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<String>,
}

/// The answer of `POST /v1/policy/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PolicyAnswer {
    /// Whether it would be allowed.
    pub allowed: bool,
    /// Why, in one sentence.
    pub reason: String,
    /// The scope it needs, whatever the policy says.
    pub scope: ScopeName,
    /// The scopes the caller was taken to have.
    #[serde(default)]
    pub scopes: Vec<ScopeName>,
    /// The rules that decided; where none did, those that came nearest.
    pub rules: Vec<PolicyRule>,
    /// The policy that was asked.
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
    /// What is asked for; see `docs/policy.md`.
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
        /// Decide whose skills are believed.
        Trust = "trust",
        /// Put or delete a secret or a signing key.
        Vault = "vault",
        /// Tokens, policies, stopping the daemon.
        Admin = "admin",
    }
}

words! {
    /// What kind of caller it is.
    PolicyKind, Token {
        /// The person who owns the state root.
        Owner = "owner",
        /// Whoever holds a minted token.
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
    /// Through which door a request comes.
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
