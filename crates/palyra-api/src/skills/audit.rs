//! What an audit found.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AuditVerdict, RiskLevel, SkillStatus};

/// The answer of every audit: one entry for each release that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillAudits {
    /// The audits, by skill.
    pub audits: Vec<SkillAudit>,
}

/// How one release fared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillAudit {
    /// The skill.
    pub skill_id: String,
    /// Its version; none where its bytes cannot be read.
    pub version: Option<String>,
    /// The release.
    pub payload: String,
    /// The status after the audit; none for a release that does not run.
    pub runtime_status: Option<SkillStatus>,
    /// What was found.
    pub report: Option<AuditReport>,
    /// Why it could not be audited.
    pub problem: Option<String>,
    /// Whether it ran before and is kept for rollback: its bytes are checked now, everything else when it comes back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept_for_rollback: bool,
}

/// The outcome of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditReport {
    /// What follows for the skill.
    pub verdict: AuditVerdict,
    /// How much harm it could do.
    pub risk: RiskLevel,
    /// The operator's number of the policy.
    pub policy_version: u64,
    /// The digest of policy, rules and advisories.
    pub policy_digest: String,
    /// The date of the imported advisories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisory_date: Option<String>,
    /// How many findings of each severity.
    pub counts: FindingCounts,
    /// The findings, worst effect first.
    pub findings: Vec<Finding>,
    /// How much was looked at.
    pub work: AuditWork,
}

/// How many findings there are of each severity.
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
    /// Found but not listed.
    pub not_listed: u64,
}

/// How much an audit looked at.
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

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// The rule that found it.
    pub id: String,
    /// Where: an entry of the archive, or a pointer into `skill.toml`.
    pub subject: String,
    /// How bad it is if it is what it looks like.
    pub severity: Severity,
    /// How sure the audit is.
    pub certainty: Certainty,
    /// What it does to the skill.
    pub effect: FindingEffect,
    /// Whether no operator can accept it.
    pub hard: bool,
    /// What was checked, what was found and what was expected.
    pub message: String,
    /// The bytes that show it, clipped, with credentials cut short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// What the author can do.
    pub remedy: String,
    /// How an operator silences it, or why that is not possible.
    pub silence: String,
}

impl Finding {
    /// Whether it keeps the skill from running.
    pub fn quarantines(&self) -> bool {
        self.effect >= FindingEffect::Quarantine
    }
}

/// How bad a finding is if it is what it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Unusual.
    Low,
    /// Look before you trust it.
    Medium,
    /// Harmful if meant.
    High,
    /// Harmful whether meant or not.
    Critical,
}

/// How sure an audit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Honest skills have it too.
    Possible,
    /// Honest skills rarely have it.
    Likely,
    /// A fact read from the bytes.
    Certain,
}

/// What a finding does to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingEffect {
    /// It is shown.
    Note,
    /// The skill is stored and cannot run.
    Quarantine,
    /// The skill is not stored.
    Refuse,
}
