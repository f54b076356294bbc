//! Parses rules and checks that each has an id, an advice and valid types under the schema.

use super::scan::find_rules;
use super::{MAX_ADVICE_BYTES, MAX_ID_BYTES, PolicyProblem, PolicyTextError, error_at, place};
use crate::decision::RuleEffect;
use cedar_policy as cedar;
use miette::Diagnostic;
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_untrusted;
use std::collections::BTreeMap;

/// One rule of a policy.
#[derive(Debug, Clone)]
pub(crate) struct CheckedRule {
    pub(crate) id: String,
    pub(crate) advice: String,
    pub(crate) effect: RuleEffect,
    /// The line of its beginning, counted from 1.
    pub(crate) line: usize,
    pub(crate) policy: cedar::Policy,
}

/// Reads every rule and checks it against a schema, if there is one to check; the first that is wrong is the error.
pub(crate) fn check_rules(
    text: &str,
    validator: Option<&cedar::Validator>,
) -> Result<Vec<CheckedRule>, PolicyTextError> {
    let mut rules: Vec<CheckedRule> = Vec::new();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for range in find_rules(text)? {
        let source = text.get(range.clone()).unwrap_or_default();
        let refuse = |problem| error_at(text, range.start, problem);
        let rule = read_rule(source, place(text, range.start).0)
            .map_err(|(offset, problem)| error_at(text, range.start + offset, problem))?;
        if let Some(line) = lines.insert(rule.id.clone(), rule.line) {
            return Err(refuse(PolicyProblem::SameId { id: rule.id, line }));
        }
        if let Some(validator) = validator {
            validate(&rule, validator)
                .map_err(|(offset, problem)| error_at(text, range.start + offset, problem))?;
        }
        rules.push(rule);
    }
    Ok(rules)
}

/// A problem and its offset from the start of the rule, in bytes.
type Wrong = (usize, PolicyProblem);

fn read_rule(source: &str, line: usize) -> Result<CheckedRule, Wrong> {
    let policy = match cedar::Policy::parse(None, source) {
        Ok(policy) => policy,
        Err(_) if cedar::Template::parse(None, source).is_ok() => return Err((0, PolicyProblem::Template)),
        Err(errors) => {
            let (offset, reason, help) = diagnosis(&errors);
            return Err((offset, PolicyProblem::NotCedar { reason, help }));
        }
    };
    let id = policy.annotation("id").ok_or((0, PolicyProblem::NoId))?;
    if !is_name(id) {
        return Err((0, PolicyProblem::BadId { id: shown(id) }));
    }
    let advice = policy.annotation("advice").ok_or((0, PolicyProblem::NoAdvice))?;
    if advice.is_empty() || advice.len() > MAX_ADVICE_BYTES || escape_untrusted(advice) != advice {
        return Err((0, PolicyProblem::BadAdvice));
    }
    let (id, advice) = (id.to_owned(), advice.to_owned());
    let effect = match policy.effect() {
        cedar::Effect::Permit => RuleEffect::Permit,
        cedar::Effect::Forbid => RuleEffect::Forbid,
    };
    let policy = policy.new_id(cedar::PolicyId::new(&id));
    Ok(CheckedRule { id, advice, effect, line, policy })
}

/// Validates a rule. Warnings are errors too: a rule that never applies, or that looks like another, is a mistake.
fn validate(rule: &CheckedRule, validator: &cedar::Validator) -> Result<(), Wrong> {
    let wrong = |(offset, reason, help)| (offset, PolicyProblem::NotOfSchema { reason, help });
    let set =
        cedar::PolicySet::from_policies([rule.policy.clone()]).map_err(|error| wrong(diagnosis(&error)))?;
    let result = validator.validate(&set, cedar::ValidationMode::Strict);
    let error = result.validation_errors().map(|error| diagnosis(error)).min();
    let warning = || result.validation_warnings().map(|warning| diagnosis(warning)).min();
    error.or_else(warning).map_or(Ok(()), |diagnosis| Err(wrong(diagnosis)))
}

/// Returns the offset, the message and the help text of a diagnostic.
fn diagnosis(problem: &dyn Diagnostic) -> (usize, String, Option<String>) {
    let offset = problem.labels().and_then(|labels| labels.map(|label| label.offset()).min()).unwrap_or(0);
    (offset, shown(&problem.to_string()), problem.help().map(|help| shown(&help.to_string())))
}

fn is_name(id: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    !id.is_empty() && id.len() <= MAX_ID_BYTES && id.bytes().all(plain)
}

/// Clips and escapes text that can repeat parts of the policy.
fn shown(text: &str) -> String {
    clip_untrusted(text, 300)
}
