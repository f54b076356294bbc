//! The decision about a request: allowed or denied, the rules that decided, and its text.

pub use palyra_common::model::policy::PolicyEffect as RuleEffect;

use crate::set::PolicyRevision;
use crate::vocabulary::{Action, ResourceKind};
use palyra_common::Scope;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The decision about one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyDecision {
    /// Whether the request is allowed.
    pub allowed: bool,
    /// The action of the request.
    pub action: Action,
    /// The kind of resource of the request.
    pub resource: ResourceKind,
    /// The reason for `allowed`.
    #[serde(flatten)]
    pub verdict: PolicyVerdict,
    /// The rules that decided, in the order of the policy text. If no rule decided, the ones that came closest.
    pub reasons: Vec<PolicyReason>,
    /// The revision of the policy that decided.
    pub revision: PolicyRevision,
}

/// The reason why a request is allowed or denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum PolicyVerdict {
    /// At least one rule permits the request and none forbids it.
    Permitted,
    /// A rule forbids the request. Forbidding rules take precedence over permitting ones.
    Forbidden,
    /// No rule permits it.
    NotPermitted {
        /// The scope with which the rules would permit the request, if a single one is missing.
        missing_scope: Option<Scope>,
    },
    /// The action does not apply to this kind of resource.
    NotAQuestion,
    /// A rule could not be evaluated. The request is denied, because that rule might have forbidden it.
    Failed {
        /// The error of the policy engine, clipped and escaped.
        problem: String,
    },
}

/// A rule that decided, or came closest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyReason {
    /// The `@id` of the rule.
    pub policy: String,
    /// Whether the rule permits or forbids.
    pub effect: RuleEffect,
    /// The `@advice` of the rule.
    pub advice: String,
    /// The first line of the rule, counted from 1.
    pub line: usize,
}

impl PolicyDecision {
    /// Returns the decision without the rules. Contains no text from the request, only names of actions and kinds.
    pub fn headline(&self) -> String {
        let (action, resource) = (self.action, self.resource.description());
        match &self.verdict {
            PolicyVerdict::Permitted => format!("`{action}` on {resource} is permitted"),
            PolicyVerdict::Forbidden => format!("`{action}` on {resource} is forbidden"),
            PolicyVerdict::NotPermitted { missing_scope: Some(scope) } => {
                format!("no rule permits `{action}` on {resource} without the scope `{scope}`")
            }
            PolicyVerdict::NotPermitted { missing_scope: None } if self.reasons.is_empty() => {
                format!("no rule permits `{action}` on {resource} for any principal")
            }
            PolicyVerdict::NotPermitted { missing_scope: None } => {
                format!("no rule permits `{action}` on {resource} for this caller")
            }
            PolicyVerdict::NotAQuestion => format!("`{action}` does not apply to {resource}"),
            PolicyVerdict::Failed { problem } => {
                format!(
                    "`{action}` on {resource} is denied, because a rule could not be evaluated: {problem}"
                )
            }
        }
    }
}

impl fmt::Display for PolicyDecision {
    /// Writes the decision as one sentence, with each rule and its advice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        let first = match self.verdict {
            PolicyVerdict::NotPermitted { .. } => "; the nearest is",
            _ => " by",
        };
        for (position, reason) in self.reasons.iter().enumerate() {
            let before = if position == 0 { first } else { " and" };
            write!(f, "{before} `{}` (line {}): {}", reason.policy, reason.line, reason.advice)?;
        }
        Ok(())
    }
}
