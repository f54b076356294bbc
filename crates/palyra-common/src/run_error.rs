//! How a run can fail: one closed list, with its facts, for every face of Palyra.

use crate::capabilities::CapabilityKind;
use crate::error_code::ErrorCode;
use crate::limits::LimitKind;
use serde::{Deserialize, Serialize};

/// The kind of a failed run; each is an [`ErrorCode`] too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WasmPluginRunErrorKind {
    /// The runtime or inline modules are disabled.
    Disabled,
    /// No such skill, version, tool, module or export.
    NotFound,
    /// Quarantined, revoked, awaiting consent or incompatible.
    NotRunnable,
    /// The input, or the module itself, is not acceptable.
    InvalidInput,
    /// The guest's output is not acceptable.
    InvalidOutput,
    /// A person must decide first.
    ApprovalRequired,
    /// The guest used something not granted.
    CapabilityDenied,
    /// A limit was reached.
    QuotaExceeded,
    /// The wall clock ran out.
    TimedOut,
    /// The guest returned its own error.
    ToolFailed,
    /// A wasm trap or a broken rule of the ABI.
    Trapped,
    /// No permit within the queue time.
    Busy,
    /// The caller cancelled the run.
    Cancelled,
    /// A fault of Palyra itself.
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

    /// The text of its [`ErrorCode`].
    pub fn wire_name(self) -> &'static str {
        ErrorCode::from(self).as_str()
    }
}

/// What is disabled where nothing runs.
pub const THE_RUNNER: &str = "the runner";
/// What is disabled where no module may come with a call.
pub const INLINE_MODULES: &str = "running inline modules";

/// A failed run with its facts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum WasmPluginRunError {
    /// Something is disabled.
    #[error("{what} is disabled")]
    Disabled { what: String },
    /// Something named does not exist.
    #[error("{what} `{name}` does not exist")]
    NotFound {
        /// `tool`, `export`, `module`, `skill`.
        what: &'static str,
        name: String,
        /// Names that do exist, for a hint.
        known: Vec<String>,
    },
    /// The skill may not run now.
    #[error("`{name}` cannot run: {reason}")]
    NotRunnable {
        name: String,
        reason: String,
        /// The command that would change it.
        remedy: String,
    },
    /// The input or the invalid module.
    #[error("invalid {subject}: {reason}")]
    InvalidInput {
        /// `module` or `input`.
        subject: &'static str,
        /// JSON pointer into the input.
        pointer: Option<String>,
        reason: String,
        remedy: Option<String>,
    },
    /// The output is not acceptable.
    #[error("invalid output of the tool: {reason}")]
    InvalidOutput {
        /// JSON pointer into the output.
        pointer: String,
        reason: String,
    },
    /// A person must decide first.
    #[error("`{tool}` needs approval `{approval_id}`: {because}")]
    ApprovalRequired {
        /// The approval, bound to the hash of these arguments.
        approval_id: String,
        /// The tool.
        tool: String,
        /// Why a person has to decide.
        because: String,
    },
    /// The guest used something not granted.
    #[error("{0}")]
    CapabilityDenied(Denial),
    /// A limit was reached.
    #[error("the run exceeded its {limit} limit of {}", limit.format_value(*allowed))]
    QuotaExceeded {
        limit: LimitKind,
        allowed: u64,
        /// The used or requested resource.
        used: u64,
    },
    /// The wall clock ran out.
    #[error("the run did not finish within {limit_ms} ms")]
    TimedOut { limit_ms: u64 },
    /// The guest returned its own error.
    #[error("the tool failed: {message}")]
    ToolFailed { code: String, message: String, details: Option<serde_json::Value> },
    /// A wasm trap or a broken rule of the ABI.
    #[error("the guest trapped: {reason}")]
    Trapped { reason: String, backtrace: Vec<String> },
    /// No permit within the queue time.
    #[error("no capacity for the run: {reason}")]
    Busy {
        /// `concurrency`, `memory` or `compiling`.
        reason: &'static str,
    },
    /// The principal has as much waiting for a person as it may.
    #[error("the limit `{limit}` of {allowed} for one principal is reached")]
    TooManyWaiting {
        /// `waiting_approvals` or `waiting_approval_bytes`.
        limit: &'static str,
        allowed: u64,
    },
    /// The caller cancelled the run.
    #[error("the run was cancelled")]
    Cancelled,
    /// A fault of Palyra itself.
    #[error("internal error: {0}")]
    Internal(String),
}

impl WasmPluginRunError {
    /// The kind, which decides how every face shows the error.
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

    /// A module that is not acceptable.
    pub fn invalid_module(reason: impl Into<String>) -> Self {
        Self::InvalidInput { subject: "module", pointer: None, reason: reason.into(), remedy: None }
    }

    /// An input that is not acceptable.
    pub fn invalid_input(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::InvalidInput {
            subject: "input",
            pointer: Some(pointer.into()),
            reason: reason.into(),
            remedy: None,
        }
    }

    /// What a person can do next; empty when there is nothing useful to say.
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

    /// The facts as JSON, for `details` of every face.
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

/// A use that was not granted, and what would have granted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind} `{subject}` is not granted: {reason}")]
pub struct Denial {
    /// The kind of capability.
    pub kind: CapabilityKind,
    /// What the guest tried, without secrets: a URL, a secret's name, a key, a channel.
    pub subject: String,
    /// The failed check.
    pub reason: String,
    /// The grant that would have allowed it, as `--grant` and profiles write it.
    pub grant: Option<String>,
    /// The line of `skill.toml` that would request it.
    pub manifest: Option<String>,
}

impl Denial {
    /// What to add, and where.
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
