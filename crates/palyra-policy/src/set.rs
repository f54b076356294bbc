//! A policy, parsed once and evaluated many times.

mod slices;

use crate::decision::{PolicyDecision, PolicyReason, PolicyVerdict, RuleEffect};
use crate::entities;
use crate::explain::nearest;
use crate::request::PolicyRequest;
use crate::text::{CheckedRule, PolicyProblem, PolicyTextError, check_rules, error_at, reads_arguments};
use cedar_policy as cedar;
use palyra_common::text::clip_untrusted;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use slices::Slices;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

/// The policy of a new state root.
pub const DEFAULT_POLICY: &str = concat!(include_str!("default.cedar"), include_str!("labels.cedar"));
/// The default rule about labels, which policies of earlier versions lack.
const LABEL_RULE: &str = include_str!("labels.cedar");
/// The Cedar schema: the entities, actions and context that rules can refer to.
pub const SCHEMA: &str = include_str!("schema.cedarschema");

static VALIDATOR: LazyLock<Result<cedar::Validator, String>> = LazyLock::new(|| {
    let schema = cedar::Schema::from_str(SCHEMA).map_err(|error| error.to_string())?;
    Ok(cedar::Validator::new(schema))
});

/// A checked policy: every rule has an id and an advice, and is valid under [`SCHEMA`].
#[derive(Debug)]
pub struct PolicySet {
    text: String,
    rules: Vec<CheckedRule>,
    slices: Slices,
    authorizer: cedar::Authorizer,
    revision: PolicyRevision,
    reads_arguments: bool,
}

/// The revision of a policy: the SHA-256 of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyRevision([u8; 32]);

/// A rule of a policy, for display.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleSummary {
    /// The `@id`, effect, `@advice` and line of the rule.
    #[serde(flatten)]
    pub rule: PolicyReason,
    /// The text of the rule.
    pub text: String,
}

impl PolicySet {
    /// Parses and checks a policy. The empty text is a valid policy, which permits nothing.
    ///
    /// # Errors
    /// The first invalid rule, with its position.
    pub fn parse(text: &str) -> Result<Self, PolicyTextError> {
        let validator = VALIDATOR.as_ref().map_err(|reason| unusable(text, reason))?;
        Self::read(text, Some(validator))
    }

    /// Parses a policy that was written before rules could refer to labels, and adds the default rule about labels.
    ///
    /// The resulting text contains that rule, unless a rule of the policy has the same id.
    pub fn parse_before_labels(text: &str) -> Result<Self, PolicyTextError> {
        let validator = VALIDATOR.as_ref().map_err(|reason| unusable(text, reason))?;
        let mut rules = check_rules(text, Some(validator))?;
        let lines = text.matches('\n').count();
        for mut rule in check_rules(LABEL_RULE, None)? {
            if rules.iter().any(|other| other.id == rule.id) {
                return Self::of_rules(text, rules);
            }
            rule.line += lines;
            rules.push(rule);
        }
        Self::of_rules(&format!("{text}{LABEL_RULE}"), rules)
    }

    fn read(text: &str, validator: Option<&cedar::Validator>) -> Result<Self, PolicyTextError> {
        Self::of_rules(text, check_rules(text, validator)?)
    }

    fn of_rules(text: &str, rules: Vec<CheckedRule>) -> Result<Self, PolicyTextError> {
        let slices = Slices::new(&rules).map_err(|reason| unusable(text, &reason))?;
        Ok(Self {
            text: text.to_owned(),
            rules,
            slices,
            authorizer: cedar::Authorizer::new(),
            revision: PolicyRevision(Sha256::digest(text).into()),
            reads_arguments: reads_arguments(text),
        })
    }

    /// Returns the policy of a new state root.
    pub fn standard() -> Arc<Self> {
        static STANDARD: LazyLock<Arc<PolicySet>> = LazyLock::new(|| {
            // A test checks the default policy against the schema, so that not every command has to. If it could not be
            // parsed, nothing would be permitted.
            Arc::new(PolicySet::read(DEFAULT_POLICY, None).unwrap_or_else(|_| PolicySet::nothing()))
        });
        Arc::clone(&STANDARD)
    }

    /// Creates a policy without rules, which permits nothing.
    pub fn nothing() -> Self {
        Self {
            text: String::new(),
            rules: Vec::new(),
            slices: Slices::default(),
            authorizer: cedar::Authorizer::new(),
            revision: PolicyRevision(Sha256::digest("").into()),
            reads_arguments: false,
        }
    }

    /// Returns the text of the policy.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Decides a request. The same set and request always give the same decision.
    pub fn evaluate(&self, request: &PolicyRequest) -> PolicyDecision {
        let Some(slice) = self.slices.get(request.action, request.resource.kind()) else {
            return self.decide(request, PolicyVerdict::NotAQuestion, Vec::new());
        };
        let (question, entities) = match entities::question(request) {
            Ok(question) => question,
            Err(problem) => return self.fail(request, &problem, Vec::new()),
        };
        let response = self.authorizer.is_authorized(&question, slice, &entities);
        let diagnostics = response.diagnostics();
        // The engine skips a rule that fails, but that rule might have forbidden the request.
        if let Some(error) = diagnostics.errors().next() {
            let cedar::AuthorizationError::PolicyEvaluationError(failed) = error;
            let reasons = self.reasons(|rule| rule.policy.id() == failed.policy_id());
            return self.fail(request, &failed.inner().to_string(), reasons);
        }
        let decided = self.reasons(|rule| diagnostics.reason().any(|id| id == rule.policy.id()));
        match (response.decision(), decided.is_empty()) {
            (cedar::Decision::Allow, _) => self.decide(request, PolicyVerdict::Permitted, decided),
            (cedar::Decision::Deny, false) => self.decide(request, PolicyVerdict::Forbidden, decided),
            (cedar::Decision::Deny, true) => {
                let (missing_scope, reasons) = nearest(self, request);
                self.decide(request, PolicyVerdict::NotPermitted { missing_scope }, reasons)
            }
        }
    }

    /// Returns the revision of the policy.
    pub fn revision(&self) -> PolicyRevision {
        self.revision
    }

    /// Returns the rules, in the order of the text.
    pub fn rules(&self) -> impl Iterator<Item = RuleSummary> {
        self.rules.iter().map(|rule| RuleSummary { rule: reason(rule), text: rule.policy.to_string() })
    }

    /// Returns whether a decision can depend on the arguments of a call. Only then are they part of the cache key.
    pub fn reads_arguments(&self) -> bool {
        self.reads_arguments
    }

    /// Returns the deciding rules if the policy permits the request, else `None`.
    pub(crate) fn permits(&self, request: &PolicyRequest) -> Option<Vec<PolicyReason>> {
        let slice = self.slices.get(request.action, request.resource.kind())?;
        let (question, entities) = entities::question(request).ok()?;
        let response = self.authorizer.is_authorized(&question, slice, &entities);
        let permitted = response.decision() == cedar::Decision::Allow;
        let ids = response.diagnostics();
        permitted.then(|| self.reasons(|rule| ids.reason().any(|id| id == rule.policy.id())))
    }

    /// Returns the permitting rules for the action and kind of resource, without regard to the principal.
    pub(crate) fn permits_about(&self, request: &PolicyRequest) -> Vec<PolicyReason> {
        let slice = self.slices.get(request.action, request.resource.kind());
        self.reasons(|rule| {
            rule.effect == RuleEffect::Permit
                && slice.is_some_and(|slice| slice.policy(rule.policy.id()).is_some())
        })
    }

    fn reasons(&self, wanted: impl Fn(&CheckedRule) -> bool) -> Vec<PolicyReason> {
        self.rules.iter().filter(|rule| wanted(rule)).map(reason).collect()
    }

    fn fail(&self, request: &PolicyRequest, problem: &str, reasons: Vec<PolicyReason>) -> PolicyDecision {
        let problem = clip_untrusted(problem, 200);
        self.decide(request, PolicyVerdict::Failed { problem }, reasons)
    }

    fn decide(
        &self,
        request: &PolicyRequest,
        verdict: PolicyVerdict,
        reasons: Vec<PolicyReason>,
    ) -> PolicyDecision {
        PolicyDecision {
            allowed: verdict == PolicyVerdict::Permitted,
            action: request.action,
            resource: request.resource.kind(),
            verdict,
            reasons,
            revision: self.revision,
        }
    }
}

fn unusable(text: &str, reason: &str) -> PolicyTextError {
    error_at(text, 0, PolicyProblem::NotOfSchema { reason: reason.to_owned(), help: None })
}

fn reason(rule: &CheckedRule) -> PolicyReason {
    let CheckedRule { id, advice, effect, line, .. } = rule;
    PolicyReason { policy: id.clone(), effect: *effect, advice: advice.clone(), line: *line }
}

impl PolicyRevision {
    /// Returns the SHA-256 as bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for PolicyRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl Serialize for PolicyRevision {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PolicyRevision {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(&text, &mut bytes).map_err(serde::de::Error::custom)?;
        Ok(Self(bytes))
    }
}
