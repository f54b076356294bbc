//! What audits go by: the policy, and the list of known-vulnerable dependencies beside it.

use std::collections::{BTreeMap, BTreeSet};

use palyra_common::limits::{MAX_ADVISORY_BYTES, MAX_AUDIT_POLICY_BYTES};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::skills::{Severity, SkillStatus};

/// Longest body that brings a policy: every byte of it may be written as an escape.
pub const MAX_AUDIT_POLICY_BODY: usize = 6 * MAX_AUDIT_POLICY_BYTES + 1_024;
/// Longest body that brings a list of advisories.
pub const MAX_ADVISORY_BODY: usize = MAX_ADVISORY_BYTES;

/// The answer of `GET /v1/audit-policy`: what audits go by now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditPolicyShown {
    /// Whether it is the policy every state root begins with.
    pub default: bool,
    /// Its text in TOML, every setting with its value.
    pub text: String,
    /// The same settings.
    pub policy: AuditSettings,
    /// The digest of policy, rules and advisories; every report of an audit names it.
    pub digest: String,
    /// The list of known-vulnerable dependencies that is kept.
    pub advisories: Option<KeptAdvisories>,
}

/// The settings of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditSettings {
    /// The operator's own number of this policy.
    pub version: u64,
    /// What soft rules do, where it differs from the rule's own default.
    pub rules: BTreeMap<String, AuditRuleSetting>,
    /// Wildcard hosts a skill may ask for, as in `*.example.com`.
    pub allowed_wildcard_hosts: BTreeSet<String>,
    /// Devices a skill may ask for.
    pub allowed_devices: BTreeSet<String>,
    /// How suspicious text must be.
    pub text: AuditTextThresholds,
    /// How large modules may be, each respect by its name.
    pub budgets: BTreeMap<String, u64>,
}

/// What an operator makes of a soft rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditRuleSetting {
    /// Not reported.
    Off,
    /// Reported.
    Note,
    /// Reported, and the skill cannot run.
    Quarantine,
}

/// Points a text must collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditTextThresholds {
    /// From here a text is mentioned.
    pub note: u32,
    /// From here a text quarantines.
    pub quarantine: u32,
}

/// What is known of the list of known-vulnerable dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptAdvisories {
    /// The day up to which it is complete.
    pub date: String,
    /// How many advisories it has.
    pub advisories: u64,
    /// Its digest.
    pub digest: String,
}

/// The body of `PUT /v1/audit-policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditPolicyChange {
    /// The policy in TOML; what it leaves out has its default.
    pub text: String,
}

/// The answer of `PUT` and `DELETE /v1/audit-policy`: what is in force, and what came of everything installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditPolicyChanged {
    /// The operator's own number of the policy.
    pub version: u64,
    /// The digest of policy, rules and advisories.
    pub digest: String,
    /// Everything installed, audited by the new policy.
    pub audited_again: Vec<AuditedAgain>,
}

/// One release that was looked at again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditedAgain {
    /// The skill.
    pub skill_id: String,
    /// Its state now.
    pub runtime_status: SkillStatus,
    /// Why it could not be audited.
    pub problem: Option<String>,
}

/// The body of `PUT /v1/audit-policy/advisories`: a list of known-vulnerable dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AdvisoryList {
    /// The day up to which the list is complete, as `YYYY-MM-DD`.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    pub date: String,
    /// The advisories.
    pub advisories: Vec<Advisory>,
}

/// One known weakness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Advisory {
    /// Its public id.
    pub id: String,
    /// The kind of package, as in a package URL: `cargo`, `npm`, `pypi`, `golang`.
    pub ecosystem: String,
    /// The package.
    pub package: String,
    /// The affected versions, each a requirement such as `>=1.0.0, <1.2.3`.
    pub affected: Vec<String>,
    /// How bad it is.
    pub severity: Severity,
    /// One line.
    pub title: String,
}

/// The answer of `PUT /v1/audit-policy/advisories`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AdvisoriesKept {
    /// The list that is kept now.
    pub list: KeptAdvisories,
    /// The date of the list it takes the place of.
    pub before: Option<String>,
    /// Everything installed, held against the new list.
    pub audited_again: Vec<AuditedAgain>,
}
