//! What is installed: one record for each skill, with its state on the daemon's machine.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The answer of `GET /v1/skills`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillList {
    /// The installed skills, by id.
    pub skills: Vec<SkillEntry>,
    /// The id to continue after, where there are more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A record with what follows from it on the daemon's machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillEntry {
    /// The record.
    pub record: SkillRecord,
    /// Whether it can be called.
    pub runtime_status: SkillStatus,
    /// Whether it fits the machine.
    pub eligibility: Eligibility,
}

/// One installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillRecord {
    /// The skill, as in `acme.notes`.
    pub skill_id: String,
    /// Whose it is.
    pub publisher: String,
    /// The release that answers calls, as far as its state allows.
    pub current: InstalledRelease,
    /// A newer release that cannot run yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Box<InstalledRelease>>,
    /// Releases that ran before, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub previous: Vec<PastRelease>,
    /// Why an operator switched it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
}

/// One release of an installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InstalledRelease {
    /// The digest of everything signed; the name of the release.
    pub payload: String,
    /// The digest of the archive.
    pub archive: String,
    /// The keys that signed it.
    pub signers: Vec<String>,
    /// How far it is believed.
    pub trust: TrustState,
    /// Why it is kept from running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
    /// The consent that lets it run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// Whether an operator permitted its publisher to be pinned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tofu_permitted: bool,
    /// What the last audit said.
    pub audit: AuditSummary,
    /// Its manifest, in the form of `schemas/json`.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub manifest: Value,
}

impl InstalledRelease {
    /// A text of the manifest; empty where there is none.
    pub fn manifest_text(&self, field: &str) -> &str {
        self.manifest.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// The ids of its tools.
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
    /// Why its stored bytes are not what they were, as the last re-audit found them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

/// Why a release is kept from running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quarantine {
    /// What kept it.
    pub cause: QuarantineCause,
    /// In words.
    pub reason: String,
}

/// What an audit said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditSummary {
    /// The verdict, with what was accepted taken into account.
    pub verdict: AuditVerdict,
    /// The risk.
    pub risk: RiskLevel,
    /// The policy, rules and advisories it was made with.
    pub policy_digest: String,
    /// The findings that keep it from running, accepted ones included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// The findings an operator accepted for this release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
}

/// Whether a skill can run on a machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Eligibility {
    /// What stands in the way, in words.
    pub missing: Vec<String>,
}

/// Whether a skill can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillStatus {
    /// It can.
    Active,
    /// It is kept from running.
    Quarantined,
    /// A person must agree first.
    AwaitingConsent,
    /// An operator switched it off.
    Disabled,
    /// It does not fit the machine, or its bytes cannot be read.
    Error,
}

/// How far a release is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrustState {
    /// Stored, and nothing more.
    Quarantine,
    /// Its publisher's keys were pinned at first contact.
    Tofu,
    /// Its publisher is allowlisted.
    Trusted,
    /// It came with the program, which has its payload digest compiled in.
    #[serde(rename = "built-in")]
    BuiltIn,
    /// Its payload or its keys are revoked, for good.
    Revoked,
}

/// What keeps a release from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuarantineCause {
    /// Nobody here knows its publisher.
    UnknownPublisher,
    /// The audit found something.
    Audit,
    /// An operator said so.
    Operator,
    /// What it describes is not what it declared.
    Describe,
    /// Its payload, its keys or its publisher are no longer believed.
    Trust,
    /// Its bytes are not what they were.
    Damage,
}

/// What an audit does to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditVerdict {
    /// Nothing keeps it from running.
    Pass,
    /// It is stored and cannot run.
    Quarantine,
    /// It is not stored.
    Refuse,
}

/// How much harm a skill could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// Nothing out of the ordinary.
    Low,
    /// Look at the findings.
    Medium,
    /// Look closely.
    High,
    /// Do not run it.
    Critical,
}
