//! The text of a policy: what is accepted, and what a refusal says.

mod rules;
mod scan;

pub(crate) use rules::{CheckedRule, check_rules};
pub(crate) use scan::reads_arguments;

use crate::vocabulary::Action;
use palyra_common::limits::{MAX_POLICY_BYTES, MAX_POLICY_RULES};

/// Most words and signs of one rule; what the parser recurses over stays small.
pub(crate) const MAX_RULE_TOKENS: usize = 400;
/// Deepest nesting of brackets in a rule.
pub(crate) const MAX_RULE_DEPTH: usize = 24;
/// Longest `@id`.
pub(crate) const MAX_ID_BYTES: usize = 64;
/// Longest `@advice`.
pub(crate) const MAX_ADVICE_BYTES: usize = 300;

/// A policy that cannot be used, and where it goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct PolicyTextError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// What is wrong there.
    pub problem: PolicyProblem,
}

/// What can be wrong with the text of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum PolicyProblem {
    /// The text is too long.
    #[error("the policy has {bytes} bytes, the limit is {MAX_POLICY_BYTES}")]
    TooLong { bytes: usize },
    /// There are too many rules.
    #[error("the policy has more than {MAX_POLICY_RULES} rules")]
    TooManyRules,
    /// One rule is too long.
    #[error("the rule has more than {MAX_RULE_TOKENS} tokens")]
    RuleTooLong,
    /// One rule is nested too deeply.
    #[error("the rule is nested more than {MAX_RULE_DEPTH} levels deep")]
    TooDeep,
    /// The rule is not Cedar.
    #[error("{reason}")]
    NotCedar { reason: String, help: Option<String> },
    /// A template: there is nothing here that would fill its slots.
    #[error("the rule has a template slot such as `?principal`")]
    Template,
    /// No `@id`.
    #[error("the rule has no `@id`")]
    NoId,
    /// An `@id` of another form.
    #[error("`@id(\"{id}\")` is not a name of lower-case letters, digits and dashes")]
    BadId {
        /// As it is written, made safe to show.
        id: String,
    },
    /// An `@id` twice.
    #[error("`@id(\"{id}\")` is also the name of the rule in line {line}")]
    SameId {
        id: String,
        /// Where the other rule is.
        line: usize,
    },
    /// No `@advice`.
    #[error("the rule has no `@advice`")]
    NoAdvice,
    /// An `@advice` that cannot be shown on one line.
    #[error("the `@advice` is empty, longer than {MAX_ADVICE_BYTES} bytes or contains invisible characters")]
    BadAdvice,
    /// It is about something that does not exist, or compares what cannot be equal.
    #[error("{reason}")]
    NotOfSchema { reason: String, help: Option<String> },
}

impl PolicyTextError {
    /// What to write instead.
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
            // The engine's guess at an action is any of them.
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

/// Line and column of a place in a text, counted from 1.
pub(crate) fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..text.floor_char_boundary(offset)).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// The error at a place of a text.
pub(crate) fn error_at(text: &str, offset: usize, problem: PolicyProblem) -> PolicyTextError {
    let (line, column) = place(text, offset);
    PolicyTextError { line, column, problem }
}
