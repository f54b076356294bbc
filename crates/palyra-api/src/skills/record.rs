//! Installed skills: one record for each, with its status on the daemon's machine.

pub use palyra_common::model::audit::{AuditVerdict, RiskLevel};
pub use palyra_common::model::skills::{QuarantineCause, SkillStatus, TrustState};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Response of `GET /v1/skills`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillList {
    /// The installed skills, by id.
    pub skills: Vec<SkillEntry>,
    /// The id to continue after, if there are more results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A record with its status on the daemon's machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillEntry {
    /// The record.
    pub record: SkillRecord,
    /// Whether it can be called.
    pub runtime_status: SkillStatus,
    /// Whether it fits the machine.
    pub eligibility: Eligibility,
    /// Whether a call has to wait for its code; none for a release that cannot run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<CompiledCode>,
}

/// The compiled code of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CompiledCode {
    /// Whether there is code.
    pub state: SkillCodeState,
    /// Why its compilation failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Whether a release has code for the daemon's machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillCodeState {
    /// Its first call compiles it.
    NotCompiled,
    /// Its compilation is under way, or waits for its turn.
    Compiling,
    /// Calls begin at once.
    Ready,
    /// Its compilation reached a limit, or its module is invalid.
    Failed,
}

/// One installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillRecord {
    /// The skill, for example `acme.notes`.
    pub skill_id: String,
    /// Owner.
    pub publisher: String,
    /// The active release.
    pub current: InstalledRelease,
    /// A newer release that waits for consent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Box<InstalledRelease>>,
    /// Releases that ran before, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub previous: Vec<PastRelease>,
    /// Why an operator disabled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
}

/// One release of an installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InstalledRelease {
    /// The payload digest, which identifies the release.
    pub payload: String,
    /// The digest of the archive.
    pub archive: String,
    /// The keys that signed it.
    pub signers: Vec<String>,
    /// Trust state.
    pub trust: TrustState,
    /// Why it cannot run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
    /// The consent for its permissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// Whether its publisher may be pinned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tofu_permitted: bool,
    /// Result of the last audit.
    pub audit: AuditSummary,
    /// Its manifest, in the form of `schemas/json`.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub manifest: Value,
}

impl InstalledRelease {
    /// Returns a text of the manifest, or an empty text.
    pub fn manifest_text(&self, field: &str) -> &str {
        self.manifest.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the ids of the skill's tools.
    pub fn tool_ids(&self) -> Vec<String> {
        let tools = self.manifest.pointer("/entrypoints/tools").and_then(Value::as_array);
        let id = |tool: &Value| tool.get("id").and_then(Value::as_str).map(str::to_owned);
        tools.into_iter().flatten().filter_map(id).collect()
    }
}

/// A release that ran before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PastRelease {
    /// Its version.
    pub version: String,
    /// Its payload.
    pub payload: String,
    /// Its archive.
    pub archive: String,
    /// Damage of its stored bytes, found by the last re-audit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

/// Why a release cannot run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quarantine {
    /// Reason.
    pub cause: QuarantineCause,
    /// As text.
    pub reason: String,
}

/// Summary of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditSummary {
    /// The verdict after accepted findings.
    pub verdict: AuditVerdict,
    /// The risk.
    pub risk: RiskLevel,
    /// The policy, rules and advisories it was made with.
    pub policy_digest: String,
    /// The findings that keep it from running, accepted ones included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// Findings of this release that an operator accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
}

/// Whether a skill can run on a machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Eligibility {
    /// Obstacle as text.
    pub missing: Vec<String>,
}
