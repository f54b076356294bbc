//! Audits of skills: findings and verdicts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
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

/// Certainty of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Honest skills have it too.
    Possible,
    /// Honest skills rarely have it.
    Likely,
    /// A fact read from the bytes.
    Certain,
}

/// Effect of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingEffect {
    /// It is shown.
    Note,
    /// The skill is stored and cannot run.
    Quarantine,
    /// The skill is not stored.
    Refuse,
}

/// Verdict of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditVerdict {
    /// It can run.
    Pass,
    /// It is stored and cannot run.
    Quarantine,
    /// It is not stored.
    Refuse,
}

/// Risk of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// No unusual findings.
    Low,
    /// Look at the findings.
    Medium,
    /// Look closely.
    High,
    /// Do not run it.
    Critical,
}

/// Setting of a soft rule.
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
