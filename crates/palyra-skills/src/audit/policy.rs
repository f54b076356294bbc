//! The audit policy: rule settings, allowed capabilities, budgets.

pub use palyra_common::model::audit::AuditRuleSetting as RuleSetting;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::advisories::AdvisoryList;
use super::finding::{Effect, FindingId};
use super::wasm::Budgets;
use crate::digest::Sha256Digest;

/// Incremented when a rule of the audit changes, so that installed skills are audited again.
pub const AUDIT_RULES_VERSION: u32 = 2;

/// The policy of an audit; the default is that of a new installation.
///
/// ```
/// use palyra_skills::audit::AuditPolicy;
/// let policy = AuditPolicy::from_toml(
///     r#"
///     version = 2
///     allowed_devices = ["camera"]
///     [rules]
///     url-undeclared = "off"
///     capability-plain-http = "quarantine"
///     "#,
/// )
/// .unwrap();
/// assert_eq!(policy.version, 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditPolicy {
    /// The operator's own version number of this policy, part of every report. Default 1.
    pub version: u64,
    /// Overrides of the effects of soft rules. Default: none.
    pub rules: BTreeMap<FindingId, RuleSetting>,
    /// Wildcard hosts that a skill may request, written as in the manifest: `*.example.com`. Default: none.
    pub allowed_wildcard_hosts: BTreeSet<String>,
    /// Devices that a skill may request. Default: none.
    pub allowed_devices: BTreeSet<String>,
    /// Score thresholds for suspicious text.
    pub text: TextThresholds,
    /// Size limits for modules.
    pub budgets: Budgets,
    #[serde(skip)]
    advisories: Option<Arc<AdvisoryList>>,
}

/// Scores from which a text is reported; each finding lists the phrases and their points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextThresholds {
    /// Minimum score of a note. Default 25.
    pub note: u32,
    /// Minimum score of a quarantine. Default 60.
    pub quarantine: u32,
}

impl Default for TextThresholds {
    fn default() -> Self {
        Self { note: 25, quarantine: 60 }
    }
}

impl Default for AuditPolicy {
    fn default() -> Self {
        Self {
            version: 1,
            rules: BTreeMap::new(),
            allowed_wildcard_hosts: BTreeSet::new(),
            allowed_devices: BTreeSet::new(),
            text: TextThresholds::default(),
            budgets: Budgets::default(),
            advisories: None,
        }
    }
}

/// Why a policy is invalid.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum AuditPolicyError {
    /// Not TOML, an unknown key or a value of the wrong type.
    #[error("cannot read the audit policy")]
    Toml(#[source] Box<toml::de::Error>),
    /// Not JSON, an unknown key or a value of the wrong type.
    #[error("cannot read the audit policy")]
    Json(#[source] serde_json::Error),
    /// The policy sets a rule that is hard.
    #[error("the audit rule `{0}` is hard and cannot be changed")]
    HardRule(FindingId),
    /// A budget exceeds its ceiling, so the audit could not finish in bounded time.
    #[error("the budget `{name}` is {value}, above its ceiling of {ceiling}")]
    BudgetTooLarge {
        name: &'static str,
        value: u64,
        /// The largest value that a policy can set.
        ceiling: u64,
    },
}

impl AuditPolicyError {
    /// Returns advice for the operator.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Toml(_) | Self::Json(_) => "compare it with the default: `palyra audit-policy show`",
            Self::HardRule(_) => {
                "remove it from `[rules]`; import, Unicode and budget findings cannot be \
                changed"
            }
            Self::BudgetTooLarge { .. } => "lower it to the ceiling, or remove it",
        }
    }
}

impl AuditPolicy {
    /// Reads a policy from TOML.
    ///
    /// # Errors
    /// Malformed TOML, an unknown key, a hard rule under `[rules]`, or a budget over its ceiling.
    pub fn from_toml(text: &str) -> Result<Self, AuditPolicyError> {
        let policy: Self = toml::from_str(text).map_err(|error| AuditPolicyError::Toml(Box::new(error)))?;
        policy.checked()
    }

    /// Reads a policy from JSON, with the same checks as [`AuditPolicy::from_toml`].
    pub fn from_json(text: &str) -> Result<Self, AuditPolicyError> {
        let policy: Self = serde_json::from_str(text).map_err(AuditPolicyError::Json)?;
        policy.checked()
    }

    /// Returns the policy as TOML, with every setting and its value.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Returns the policy with an imported list of known-vulnerable dependencies.
    #[must_use]
    pub fn with_advisories(mut self, advisories: Arc<AdvisoryList>) -> Self {
        self.advisories = Some(advisories);
        self
    }

    /// Returns the imported list of advisories, if there is one.
    #[must_use]
    pub fn advisories(&self) -> Option<&AdvisoryList> {
        self.advisories.as_deref()
    }

    /// Returns the digest of every input of an audit except the skill and the installed tools: settings, rules
    /// and advisories. A changed digest means that installed skills are audited again.
    #[must_use]
    pub fn digest(&self) -> Sha256Digest {
        let advisories = self.advisories.as_ref().map(|list| list.digest());
        // Maps are ordered and numbers are integers, so serde_json writes one text for one policy.
        let text = serde_json::to_string(&(AUDIT_RULES_VERSION, self, advisories)).unwrap_or_default();
        Sha256Digest::of(format!("palyra audit policy v1\n{text}").as_bytes())
    }

    /// Returns the effect of a rule under this policy, or `None` if the rule is off. Hard rules keep their own effect.
    #[must_use]
    pub fn effect(&self, id: FindingId) -> Option<Effect> {
        let rule = id.rule();
        match self.rules.get(&id) {
            Some(_) if rule.hard => Some(rule.effect),
            None => Some(rule.effect),
            Some(RuleSetting::Off) => None,
            Some(RuleSetting::Note) => Some(Effect::Note),
            Some(RuleSetting::Quarantine) => Some(Effect::Quarantine),
        }
    }

    fn checked(self) -> Result<Self, AuditPolicyError> {
        if let Some(id) = self.rules.keys().find(|id| id.rule().hard) {
            return Err(AuditPolicyError::HardRule(*id));
        }
        match self.budgets.over_ceiling() {
            Some((name, value, ceiling)) => Err(AuditPolicyError::BudgetTooLarge { name, value, ceiling }),
            None => Ok(self),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_policy_reads_back_and_its_digest_follows_its_settings() {
        let default = AuditPolicy::default();
        let text = toml::to_string(&default).unwrap();
        assert_eq!(AuditPolicy::from_toml(&text).unwrap(), default);
        assert_eq!(AuditPolicy::from_toml("").unwrap(), default);
        assert_eq!(AuditPolicy::from_json("{}").unwrap().digest(), default.digest());
        let other = AuditPolicy::from_toml("[rules]\nurl-undeclared = \"off\"").unwrap();
        assert_ne!(other.digest(), default.digest());
        assert_eq!(other.effect(FindingId::UrlUndeclared), None);
    }

    #[test]
    fn a_policy_cannot_touch_a_hard_rule_or_the_promise_of_time() {
        let hard = AuditPolicy::from_toml("[rules]\nimport-forbidden = \"off\"").unwrap_err();
        assert!(matches!(hard, AuditPolicyError::HardRule(FindingId::ImportForbidden)), "{hard}");
        let huge = AuditPolicy::from_toml("[budgets]\nwork = 999999999999").unwrap_err();
        assert!(matches!(huge, AuditPolicyError::BudgetTooLarge { name: "work", .. }), "{huge}");
        assert!(AuditPolicy::from_toml("colour = 1").is_err());
        assert!(AuditPolicy::from_toml("[rules]\nnothing = \"off\"").is_err());
    }
}
