//! Runs: rows, failures and what they used.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// One log line or published message of a run, also the data of `GET /v1/runs/{run_id}/events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunLine {
    /// Its number within the run, also its event id.
    pub number: u64,
    /// `log` or `channel`.
    pub kind: String,
    /// The text, escaped.
    pub text: String,
}

/// Why a run failed, as it is kept until the run is trimmed; its receipt has the digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunFailure {
    /// The sentence, escaped.
    pub message: String,
    /// What was refused, where something was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// The facts of the error, such as the frames of a trap; left out where they are longer than 8,192 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub details: Option<Value>,
}

/// A capability or a limit that was refused to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Refusal {
    /// `http`, `secret`, `storage`, `channel` or `filesystem`; for a limit its name, such as `fuel`.
    pub what: String,
    /// What the guest tried, such as a URL, or how much the limit allows.
    pub target: String,
    /// What refused it.
    pub by: RefusedBy,
}

/// What can refuse something to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusedBy {
    /// The release does not ask for it, or for no more.
    Manifest,
    /// No person agreed to it.
    Consent,
    /// The profile of the skill.
    Profile,
    /// The policy for every run.
    RunnerPolicy,
    /// The call itself: a limit it named, or a grant it did not bring.
    Call,
    /// The sandbox, which has limits that nothing changes.
    Sandbox,
}

/// Cost of a tool's calls, over the stored runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolCost {
    /// Number of successful runs.
    pub completed: u64,
    /// Number of failed runs.
    pub failed: u64,
    /// Median duration of the stored runs.
    pub median_elapsed_us: Option<u64>,
    /// Maximum fuel of one run.
    pub most_fuel: Option<u64>,
    /// Maximum memory of one run.
    pub most_memory_bytes: Option<u64>,
}

/// Uses and denials of one capability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UseCount {
    /// Number of successful uses.
    pub used: u64,
    /// Number of denied uses.
    pub denied: u64,
    /// Number of calls that failed for other reasons.
    pub failed: u64,
}

/// Uses of one capability over all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapabilityTotal {
    /// The capability, for example `http:api.example.com`.
    pub capability: String,
    /// Number of successful uses.
    pub used: u64,
    /// Number of denied uses.
    pub denied: u64,
    /// The last run that used it.
    pub last_run: String,
}

/// Number of runs of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunTotals {
    /// Number of successful runs.
    pub completed: u64,
    /// Number of failed runs.
    pub failed: u64,
    /// Start of the last one, in Unix milliseconds.
    pub last_started_ms: Option<u64>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// Its id.
    pub run_id: String,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release.
    pub payload: String,
    /// `started`, `completed`, `failed`, `cancelled` or `interrupted`.
    pub status: String,
    /// Time at which it began, in Unix milliseconds.
    pub started_ms: u64,
    /// End time.
    pub finished_ms: Option<u64>,
    /// Sequence number of its receipt in the journal.
    pub receipt_leaf: Option<u64>,
    /// Principal.
    pub principal: Option<String>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The error code, if it failed.
    pub error: Option<String>,
    /// The digest of its tape, if it is still stored.
    pub tape: Option<String>,
    /// The fields that differ from the receipt in the journal, because another program changed the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
}

/// One declared capability and its use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = DeclaredDoor)]
pub struct DeclaredCapability {
    /// The capability, for example `http:api.example.com`.
    pub capability: String,
    /// Number of successful uses.
    pub used: u64,
    /// Number of denied uses.
    pub denied: u64,
    /// The last run that used it.
    pub last_run: Option<String>,
}

/// Result of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum ReplayVerdict {
    /// Identical steps, result and output.
    Identical,
    /// The recorded run was timed out or cancelled; the replay is identical up to that point.
    SamePrefix,
    /// The replay diverged.
    Diverged(Divergence),
}

/// Location and reason of a divergence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Divergence {
    /// The step, counted from 1; 0 is before the first step.
    pub step: u64,
    /// The difference.
    pub what: String,
    /// The value on the tape.
    pub expected: String,
    /// The finding.
    pub found: String,
}

/// Response of `GET /v1/runs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunList {
    /// The runs, newest first.
    pub runs: Vec<Run>,
    /// The `before` of the next page.
    pub next: Option<String>,
}
