//! Errors of runs: one closed list, with the facts of each, for every transport.

use crate::capabilities::CapabilityKind;
use crate::error_code::ErrorCode;
use crate::limits::LimitKind;
use serde::{Deserialize, Serialize};

/// The kind of a failed run. Each kind is also an [`ErrorCode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WasmPluginRunErrorKind {
    /// The runtime or inline modules are disabled.
    Disabled,
    /// The skill, version, tool, module or export does not exist.
    NotFound,
    /// The skill is quarantined, revoked, incompatible or awaits consent.
    NotRunnable,
    /// The input or the module is invalid.
    InvalidInput,
    /// The guest's output is invalid.
    InvalidOutput,
    /// A person must approve the call first.
    ApprovalRequired,
    /// The guest used a capability that is not granted.
    CapabilityDenied,
    /// A limit was reached.
    QuotaExceeded,
    /// The wall-clock limit was reached.
    TimedOut,
    /// The guest returned an error.
    ToolFailed,
    /// A WebAssembly trap, or a violation of the ABI.
    Trapped,
    /// No capacity within the queue time.
    Busy,
    /// The caller cancelled the run.
    Cancelled,
    /// An error of Palyra itself.
    Internal,
}

impl WasmPluginRunErrorKind {
    /// Every kind, for tables and tests.
    pub const ALL: [Self; 14] = [
        Self::Disabled,
        Self::NotFound,
        Self::NotRunnable,
        Self::InvalidInput,
        Self::InvalidOutput,
        Self::ApprovalRequired,
        Self::CapabilityDenied,
        Self::QuotaExceeded,
        Self::TimedOut,
        Self::ToolFailed,
        Self::Trapped,
        Self::Busy,
        Self::Cancelled,
        Self::Internal,
    ];

    /// Returns the name of its [`ErrorCode`].
    pub fn wire_name(self) -> &'static str {
        ErrorCode::from(self).as_str()
    }
}

/// The subject of [`WasmPluginRunError::Disabled`] if the operator disabled all runs.
pub const THE_RUNNER: &str = "the runner";
/// The subject of [`WasmPluginRunError::Disabled`] if modules in the body of a call are not allowed.
pub const INLINE_MODULES: &str = "running inline modules";

/// A failed run, with its facts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum WasmPluginRunError {
    /// Runs or inline modules are disabled.
    #[error("{what} is disabled")]
    Disabled { what: String },
    /// A named item does not exist.
    #[error("{what} `{name}` does not exist")]
    NotFound {
        /// `tool`, `export`, `module` or `skill`.
        what: &'static str,
        name: String,
        /// Existing names, for a hint.
        known: Vec<String>,
    },
    /// The skill cannot run in its current state.
    #[error("`{name}` cannot run: {reason}")]
    NotRunnable {
        name: String,
        reason: String,
        /// Advice that starts with a verb, usually with a command.
        remedy: String,
    },
    /// The input or the module is invalid.
    #[error("invalid {subject}: {reason}")]
    InvalidInput {
        /// `module` or `input`.
        subject: &'static str,
        /// JSON pointer into the input; `None` for a module.
        pointer: Option<String>,
        reason: String,
        remedy: Option<String>,
    },
    /// The guest's output is invalid.
    #[error("invalid output of the tool: {reason}")]
    InvalidOutput {
        /// JSON pointer into the output.
        pointer: String,
        reason: String,
    },
    /// A person must approve the call first.
    #[error("`{tool}` needs approval `{approval_id}`: {because}")]
    ApprovalRequired {
        /// The id of the approval, which is bound to the hash of the arguments.
        approval_id: String,
        /// The id of the tool.
        tool: String,
        /// The reason why approval is required.
        because: String,
    },
    /// The guest used a capability that is not granted.
    #[error("{0}")]
    CapabilityDenied(Denial),
    /// A limit was reached.
    #[error("the run exceeded its {limit} limit of {}", limit.format_value(*allowed))]
    QuotaExceeded {
        limit: LimitKind,
        allowed: u64,
        /// The amount used or requested, in the unit of the limit.
        used: u64,
    },
    /// The wall-clock limit was reached.
    #[error("the run did not finish within {limit_ms} ms")]
    TimedOut { limit_ms: u64 },
    /// The guest returned an error.
    #[error("the tool failed: {message}")]
    ToolFailed { code: String, message: String, details: Option<serde_json::Value> },
    /// A WebAssembly trap, or a violation of the ABI.
    #[error("the guest trapped: {reason}")]
    Trapped { reason: String, backtrace: Vec<String> },
    /// No capacity within the queue time.
    #[error("no capacity for the run: {reason}")]
    Busy {
        /// `concurrency`, `memory` or `compiling`.
        reason: &'static str,
    },
    /// The principal has too many calls that wait for approval.
    #[error("the limit `{limit}` of {allowed} for one principal is reached")]
    TooManyWaiting {
        /// `waiting_approvals` or `waiting_approval_bytes`.
        limit: &'static str,
        allowed: u64,
    },
    /// The caller cancelled the run.
    #[error("the run was cancelled")]
    Cancelled,
    /// An error of Palyra itself.
    #[error("internal error: {0}")]
    Internal(String),
}

impl WasmPluginRunError {
    /// Returns the kind, which determines how each transport reports the error.
    pub fn kind(&self) -> WasmPluginRunErrorKind {
        use WasmPluginRunErrorKind as Kind;
        match self {
            Self::Disabled { .. } => Kind::Disabled,
            Self::NotFound { .. } => Kind::NotFound,
            Self::NotRunnable { .. } => Kind::NotRunnable,
            Self::InvalidInput { .. } => Kind::InvalidInput,
            Self::InvalidOutput { .. } => Kind::InvalidOutput,
            Self::ApprovalRequired { .. } => Kind::ApprovalRequired,
            Self::CapabilityDenied(_) => Kind::CapabilityDenied,
            Self::QuotaExceeded { .. } => Kind::QuotaExceeded,
            Self::TimedOut { .. } => Kind::TimedOut,
            Self::ToolFailed { .. } => Kind::ToolFailed,
            Self::Trapped { .. } => Kind::Trapped,
            Self::Busy { .. } | Self::TooManyWaiting { .. } => Kind::Busy,
            Self::Cancelled => Kind::Cancelled,
            Self::Internal(_) => Kind::Internal,
        }
    }

    /// Creates the error for an invalid module.
    pub fn invalid_module(reason: impl Into<String>) -> Self {
        Self::InvalidInput { subject: "module", pointer: None, reason: reason.into(), remedy: None }
    }

    /// Creates the error for an invalid input.
    pub fn invalid_input(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::InvalidInput {
            subject: "input",
            pointer: Some(pointer.into()),
            reason: reason.into(),
            remedy: None,
        }
    }

    /// Returns advice for the user; empty if there is none.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Disabled { what } => disabled_hints(what),
            Self::NotFound { known, .. } if !known.is_empty() => {
                vec![format!("choose from {}", quoted_list(known))]
            }
            Self::NotRunnable { remedy, .. } => vec![remedy.clone()],
            Self::InvalidInput { remedy: Some(remedy), .. } => vec![remedy.clone()],
            Self::CapabilityDenied(denial) => denial.hints(),
            Self::QuotaExceeded { limit, used, .. } => quota_hints(*limit, *used),
            Self::TimedOut { limit_ms } => {
                vec![format!("allow more time with `--limit timeout={}ms`", limit_ms.saturating_mul(2))]
            }
            Self::ApprovalRequired { approval_id, .. } => {
                vec![format!("palyra approvals approve {approval_id}")]
            }
            Self::Busy { .. } => vec!["try again later".into()],
            Self::TooManyWaiting { .. } => vec![
                "decide pending approvals, listed by `palyra approvals \
                list`"
                    .into(),
            ],
            _ => Vec::new(),
        }
    }

    /// Returns the facts as JSON, for the `details` of every transport.
    pub fn details(&self) -> serde_json::Value {
        use serde_json::json;
        match self {
            Self::Disabled { what } => json!({ "what": what }),
            Self::NotFound { what, name, known } => json!({ "what": what, "name": name, "known": known }),
            Self::NotRunnable { name, reason, remedy } => {
                json!({ "name": name, "reason": reason, "remedy": remedy })
            }
            Self::InvalidInput { subject, pointer, reason, .. } => {
                json!({ "subject": subject, "pointer": pointer, "reason": reason })
            }
            Self::InvalidOutput { pointer, reason } => json!({ "pointer": pointer, "reason": reason }),
            Self::ApprovalRequired { approval_id, tool, because } => {
                json!({ "approval_id": approval_id, "tool_id": tool, "because": because })
            }
            Self::CapabilityDenied(denial) => serde_json::to_value(denial).unwrap_or_default(),
            Self::QuotaExceeded { limit, allowed, used } => {
                json!({ "limit": limit, "allowed": allowed, "used": used })
            }
            Self::TimedOut { limit_ms } => json!({ "limit_ms": limit_ms }),
            Self::ToolFailed { code, message, details } => {
                json!({ "code": code, "message": message, "details": details })
            }
            Self::Trapped { reason, backtrace } => json!({ "reason": reason, "backtrace": backtrace }),
            Self::Busy { reason } => json!({ "reason": reason }),
            Self::TooManyWaiting { limit, allowed } => {
                json!({ "reason": "approvals", "limit": limit, "allowed": allowed })
            }
            Self::Cancelled | Self::Internal(_) => json!({}),
        }
    }
}

/// A use of a capability that is not granted, with the grant that would allow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind} `{subject}` is not granted: {reason}")]
pub struct Denial {
    /// The kind of capability.
    pub kind: CapabilityKind,
    /// The attempted use, without secrets: a URL, the name of a secret, a key or a channel.
    pub subject: String,
    /// The failed check, as text.
    pub reason: String,
    /// The grant that would allow it, as written in `--grant` and in profiles.
    pub grant: Option<String>,
    /// The line of `skill.toml` that would request it.
    pub manifest: Option<String>,
}

impl Denial {
    /// Returns the grant and the line of `skill.toml` to add.
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        if let Some(grant) = &self.grant {
            hints.push(format!("allow it with `--grant '{grant}'`"));
        }
        if let Some(manifest) = &self.manifest {
            hints.push(format!("in skill.toml: {manifest}"));
        }
        hints
    }
}

fn disabled_hints(what: &str) -> Vec<String> {
    let setting = match what {
        THE_RUNNER => "enabled",
        INLINE_MODULES => "allow_inline_modules",
        _ => return Vec::new(),
    };
    vec![format!("ask an operator to allow it with `palyra runner-policy set {setting}=true`")]
}

fn quota_hints(limit: LimitKind, used: u64) -> Vec<String> {
    if LimitKind::SETTABLE.contains(&limit) {
        let wanted = limit.format_value(used.max(1).saturating_mul(2));
        vec![format!("allow more with `--limit {limit}={wanted}`")]
    } else {
        Vec::new()
    }
}

fn quoted_list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_their_own_codes() {
        let mut names = std::collections::BTreeSet::new();
        for kind in WasmPluginRunErrorKind::ALL {
            assert!(names.insert(kind.wire_name()), "{kind:?}");
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.wire_name());
        }
    }
}
