//! Findings of an audit.

pub use palyra_common::model::audit::{Certainty, FindingEffect, Severity};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AuditVerdict, RiskLevel, SkillStatus};

/// Response of audits: one entry for each checked release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillAudits {
    /// The audits, by skill.
    pub audits: Vec<SkillAudit>,
}

/// Result for one release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillAudit {
    /// The skill.
    pub skill_id: String,
    /// Its version; `null` if its bytes cannot be read.
    pub version: Option<String>,
    /// The release.
    pub payload: String,
    /// The status after the audit; `null` for a release that is not active.
    pub runtime_status: Option<SkillStatus>,
    /// The finding.
    pub report: Option<AuditReport>,
    /// Why it could not be audited.
    pub problem: Option<String>,
    /// Whether it is kept for rollback: its bytes are checked now, everything else on rollback.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept_for_rollback: bool,
}

/// The outcome of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditReport {
    /// Consequence for the skill.
    pub verdict: AuditVerdict,
    /// Risk.
    pub risk: RiskLevel,
    /// The operator's version number of the policy.
    pub policy_version: u64,
    /// The digest of policy, rules and advisories.
    pub policy_digest: String,
    /// The date of the imported advisories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisory_date: Option<String>,
    /// Number of findings by severity.
    pub counts: FindingCounts,
    /// The findings, worst effect first.
    pub findings: Vec<Finding>,
    /// Scope of the audit.
    pub work: AuditWork,
}

/// Number of findings by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingCounts {
    /// Of severity critical.
    pub critical: u64,
    /// Of severity high.
    pub high: u64,
    /// Of severity medium.
    pub medium: u64,
    /// Of severity low.
    pub low: u64,
    /// Of severity info.
    pub info: u64,
    /// Number of findings that are not listed.
    pub not_listed: u64,
}

/// Scope of an audit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditWork {
    /// Bytes of modules.
    pub module_bytes: u64,
    /// Modules and components, nested ones included.
    pub modules: u64,
    /// Function bodies.
    pub functions: u64,
    /// Steps of validation.
    pub steps: u64,
    /// Bytes of data and assets searched for patterns.
    pub searched_bytes: u64,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// The rule that found it.
    pub id: String,
    /// Location: an entry of the archive, or a pointer into `skill.toml`.
    pub subject: String,
    /// Severity.
    pub severity: Severity,
    /// Certainty of the finding.
    pub certainty: Certainty,
    /// Effect on the skill.
    pub effect: FindingEffect,
    /// Whether it cannot be accepted.
    pub hard: bool,
    /// Check, finding and expectation.
    pub message: String,
    /// The matching bytes, clipped, with credentials shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Suggestion for the author.
    pub remedy: String,
    /// How an operator can silence it, or why not.
    pub silence: String,
}

impl Finding {
    /// Returns whether the finding prevents the skill from running.
    pub fn quarantines(&self) -> bool {
        self.effect >= FindingEffect::Quarantine
    }
}
