//! The text of a policy: what is accepted, and the errors for the rest.

mod rules;
mod scan;

pub(crate) use rules::{CheckedRule, check_rules};
pub(crate) use scan::reads_arguments;

use crate::vocabulary::Action;
use palyra_common::limits::{MAX_POLICY_BYTES, MAX_POLICY_RULES};

/// Maximum number of tokens in a rule, which bounds the parser's recursion.
pub(crate) const MAX_RULE_TOKENS: usize = 400;
/// Maximum nesting of brackets in a rule.
pub(crate) const MAX_RULE_DEPTH: usize = 24;
/// Maximum length of an `@id`, in bytes.
pub(crate) const MAX_ID_BYTES: usize = 64;
/// Maximum length of an `@advice`, in bytes.
pub(crate) const MAX_ADVICE_BYTES: usize = 300;

/// An invalid policy, with the position of the first problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct PolicyTextError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// The problem at this position.
    pub problem: PolicyProblem,
}

/// A problem of a policy text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum PolicyProblem {
    /// The text exceeds the maximum length.
    #[error("the policy has {bytes} bytes, the limit is {MAX_POLICY_BYTES}")]
    TooLong { bytes: usize },
    /// The policy has too many rules.
    #[error("the policy has more than {MAX_POLICY_RULES} rules")]
    TooManyRules,
    /// A rule has too many tokens.
    #[error("the rule has more than {MAX_RULE_TOKENS} tokens")]
    RuleTooLong,
    /// A rule is nested too deeply.
    #[error("the rule is nested more than {MAX_RULE_DEPTH} levels deep")]
    TooDeep,
    /// A rule is not valid Cedar.
    #[error("{reason}")]
    NotCedar { reason: String, help: Option<String> },
    /// A rule is a template. Templates are not supported, because nothing fills their slots.
    #[error("the rule has a template slot such as `?principal`")]
    Template,
    /// A rule has no `@id`.
    #[error("the rule has no `@id`")]
    NoId,
    /// An `@id` is empty, too long or has other characters than lower-case letters, digits and dashes.
    #[error("`@id(\"{id}\")` is not a name of lower-case letters, digits and dashes")]
    BadId {
        /// The id as written, clipped and escaped.
        id: String,
    },
    /// Two rules have the same `@id`.
    #[error("`@id(\"{id}\")` is also the name of the rule in line {line}")]
    SameId {
        id: String,
        /// The line of the earlier rule.
        line: usize,
    },
    /// A rule has no `@advice`.
    #[error("the rule has no `@advice`")]
    NoAdvice,
    /// An `@advice` is empty, too long, or cannot be displayed on one line.
    #[error("the `@advice` is empty, longer than {MAX_ADVICE_BYTES} bytes or contains invisible characters")]
    BadAdvice,
    /// A rule refers to an unknown entity or attribute, or compares values that can never be equal.
    #[error("{reason}")]
    NotOfSchema { reason: String, help: Option<String> },
}

impl PolicyTextError {
    /// Returns advice on how to correct the text.
    pub fn hint(&self) -> String {
        match &self.problem {
            PolicyProblem::TooLong { .. } | PolicyProblem::TooManyRules => {
                "shorten the policy; cover several tools with `resource in Skill::\"…\"`".into()
            }
            PolicyProblem::RuleTooLong | PolicyProblem::TooDeep => "split it into several rules".into(),
            PolicyProblem::Template => "write the principal or resource out".into(),
            PolicyProblem::NoId => "write `@id(\"NAME\")` above it".into(),
            PolicyProblem::BadId { .. } => {
                format!("use a name like `nightly-read`, at most {MAX_ID_BYTES} bytes")
            }
            PolicyProblem::SameId { .. } => "rename one of them".into(),
            PolicyProblem::NoAdvice | PolicyProblem::BadAdvice => {
                "write `@advice(\"…\")` above it: one sentence that explains the decision to the \
                caller"
                    .into()
            }
            PolicyProblem::NotCedar { help, .. } => help.clone().unwrap_or_else(|| {
                "a rule is `permit (principal, action, resource) when { … };`, see `docs/policy.md`".into()
            }),
            // For an unknown action the engine suggests an arbitrary one, so all of them are listed instead.
            PolicyProblem::NotOfSchema { help: Some(help), .. } if help.contains("`Action::") => {
                let actions: Vec<&str> = Action::ALL.iter().map(|action| action.as_str()).collect();
                format!("choose from {}", actions.join(", "))
            }
            PolicyProblem::NotOfSchema { help, .. } => {
                help.clone().unwrap_or_else(|| "see `docs/policy.md` for everything a rule can name".into())
            }
        }
    }
}

/// Returns line and column of an offset in a text, both counted from 1.
pub(crate) fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..text.floor_char_boundary(offset)).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// Creates the error for an offset in a text.
pub(crate) fn error_at(text: &str, offset: usize, problem: PolicyProblem) -> PolicyTextError {
    let (line, column) = place(text, offset);
    PolicyTextError { line, column, problem }
}
