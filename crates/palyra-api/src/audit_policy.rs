//! The audit policy, and the list of known-vulnerable dependencies.

pub use palyra_common::model::audit::AuditRuleSetting;

use std::collections::{BTreeMap, BTreeSet};

use palyra_common::limits::{MAX_ADVISORY_BYTES, MAX_AUDIT_POLICY_BYTES};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::skills::{Severity, SkillStatus};

/// Maximum body of a request with a policy, in bytes: every byte of the policy may be escaped.
pub const MAX_AUDIT_POLICY_BODY: usize = 6 * MAX_AUDIT_POLICY_BYTES + 1_024;
/// Maximum body of a request with a list of advisories, in bytes.
pub const MAX_ADVISORY_BODY: usize = MAX_ADVISORY_BYTES;

/// Response of `GET /v1/audit-policy`: what audits go by now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditPolicyShown {
    /// Whether it is the default policy.
    pub default: bool,
    /// The complete policy as TOML.
    pub text: String,
    /// The settings.
    pub policy: AuditSettings,
    /// The digest of policy, rules and advisories; every report of an audit names it.
    pub digest: String,
    /// The imported list of known-vulnerable dependencies.
    pub advisories: Option<KeptAdvisories>,
}

/// The settings of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditSettings {
    /// The operator's version number of this policy.
    pub version: u64,
    /// Settings of soft rules that differ from their defaults.
    pub rules: BTreeMap<String, AuditRuleSetting>,
    /// Wildcard hosts that skills can request, for example `*.example.com`.
    pub allowed_wildcard_hosts: BTreeSet<String>,
    /// Devices that skills can request.
    pub allowed_devices: BTreeSet<String>,
    /// Score thresholds for suspicious text.
    pub text: AuditTextThresholds,
    /// Size budgets of modules, by name.
    pub budgets: BTreeMap<String, u64>,
}

/// Score thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditTextThresholds {
    /// Score from which a text causes a note.
    pub note: u32,
    /// Score from which a text causes quarantine.
    pub quarantine: u32,
}

/// Metadata of the list of known-vulnerable dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptAdvisories {
    /// The date up to which it is complete.
    pub date: String,
    /// Number of advisories.
    pub advisories: u64,
    /// Its SHA-256 digest.
    pub digest: String,
}

/// Request body of `PUT /v1/audit-policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditPolicyChange {
    /// The policy as TOML; omitted settings have their defaults.
    pub text: String,
}

/// Response of `PUT` and `DELETE /v1/audit-policy`: the current policy, and the audits of all installed skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditPolicyChanged {
    /// The operator's version number of the policy.
    pub version: u64,
    /// The digest of policy, rules and advisories.
    pub digest: String,
    /// Audits of all installed skills under the new policy.
    pub audited_again: Vec<AuditedAgain>,
}

/// One audited release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditedAgain {
    /// The skill.
    pub skill_id: String,
    /// Its current status.
    pub runtime_status: SkillStatus,
    /// Why it could not be audited.
    pub problem: Option<String>,
}

/// Request body of `PUT /v1/audit-policy/advisories`: a list of known-vulnerable dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AdvisoryList {
    /// The date up to which the list is complete, as `YYYY-MM-DD`.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    pub date: String,
    /// The advisories.
    pub advisories: Vec<Advisory>,
}

/// One advisory.
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
    /// Severity.
    pub severity: Severity,
    /// One line.
    pub title: String,
}

/// Response of `PUT /v1/audit-policy/advisories`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AdvisoriesKept {
    /// The current list.
    pub list: KeptAdvisories,
    /// The date of the previous list.
    pub before: Option<String>,
    /// Audits of all installed skills against the new list.
    pub audited_again: Vec<AuditedAgain>,
}
