//! The answer: allowed or not, by which rules, and as text.

use crate::set::PolicyRevision;
use crate::vocabulary::{Action, ResourceKind};
use palyra_common::Scope;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The answer to one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyDecision {
    /// Whether it may happen.
    pub allowed: bool,
    /// The request.
    pub action: Action,
    /// On what kind of thing.
    pub resource: ResourceKind,
    /// Reason.
    #[serde(flatten)]
    pub verdict: PolicyVerdict,
    /// The rules that decided; where no rule did, the ones that came nearest. In the order of the text.
    pub reasons: Vec<PolicyReason>,
    /// The policy that decided.
    pub revision: PolicyRevision,
}

/// Why a request is allowed or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum PolicyVerdict {
    /// The rules permit it, and none forbids it.
    Permitted,
    /// The rules forbid it, whatever permits it.
    Forbidden,
    /// No rule permits it.
    NotPermitted {
        /// The scope that would make the rules permit it, if one alone would.
        missing_scope: Option<Scope>,
    },
    /// The action is never about such a thing.
    NotAQuestion,
    /// A rule could not be evaluated, and what it would have said is not known.
    Failed {
        /// The error.
        problem: String,
    },
}

/// A rule that decided, or came nearest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyReason {
    /// The rule's `@id`.
    pub policy: String,
    /// Whether it permits or forbids.
    pub effect: RuleEffect,
    /// The rule's own `@advice`.
    pub advice: String,
    /// Its first line, counted from 1.
    pub line: usize,
}

/// Effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// It permits.
    Permit,
    /// It forbids.
    Forbid,
}

impl PolicyDecision {
    /// What was decided, without the rules; it holds nothing of the request but closed words.
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
    /// One sentence for people: what was decided, and each rule with its advice.
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
