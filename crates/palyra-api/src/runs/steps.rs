//! The host calls of a run, from its tape, and why one of them was denied.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::plugins::GrantDerivation;

/// Response of `GET /v1/runs/{run_id}/steps`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunSteps {
    /// The run.
    pub run_id: String,
    /// `ok`, or the code of the error it ended with; `started` while the run is in progress.
    pub outcome: String,
    /// Number of steps on the tape; 0 while the run is in progress.
    pub total: u64,
    /// A page of checks, in their order.
    pub steps: Vec<RunStep>,
    /// The number of the last one if there are more, for `after`.
    pub next: Option<u64>,
    /// Use of each limit: so far while the run is in progress, then what its receipt contains.
    pub meters: Vec<RunMeter>,
}

/// One host call of a guest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunStep {
    /// Its number, counted from 1; a divergence of a replay names the same number.
    pub number: u64,
    /// The operation, such as `http.send`; `facts` is a block of clock readings.
    pub op: String,
    /// Subject: a URL, key, name or path; empty if not applicable.
    pub subject: String,
    /// `ok`, `denied`, `quota_exceeded`, `invalid_argument`, `timed_out`, `unavailable` or a file error; `unanswered`
    /// if the run ended first.
    pub outcome: String,
    /// Request with redacted secrets; omitted if longer than 4,096 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub request: Option<Value>,
    /// Why it was denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denial: Option<StepDenial>,
    /// How long it took, in microseconds; known of the first 1,000 steps. A replay does not compare it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_us: Option<u64>,
}

/// Why a step was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepDenial {
    /// `http`, `secret`, `storage`, `channel` or `filesystem`.
    pub kind: String,
    /// The attempted use, with secrets redacted.
    pub subject: String,
    /// The failed check.
    pub reason: String,
    /// The smallest grant that would have allowed it, in the form of `--grant`.
    pub grant: Option<String>,
    /// The line of `skill.toml` that would request it.
    pub manifest: Option<String>,
}

/// One limit of a run and what it used of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunMeter {
    /// The limit, as `--limit` names it.
    pub limit: String,
    /// Amount used: fuel, bytes, calls or milliseconds.
    pub used: u64,
    /// The limit.
    pub allowed: u64,
}

/// Response of `GET /v1/runs/{run_id}/denial`: the first step that was denied, and what would allow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunDenial {
    /// The run.
    pub run_id: String,
    /// The number of the step; `null` for an invalid handle, which is not on the tape.
    pub step: Option<u64>,
    /// Operation of the host call.
    pub op: String,
    /// Reason.
    pub denial: StepDenial,
    /// Whether the installed release requests the denied capability; otherwise it cannot be granted.
    pub requested: bool,
    /// Current decisions about the request.
    pub derivation: Option<GrantDerivation>,
    /// What the smallest grant allows, as a sentence without its period; `null` if no grant would allow the call.
    #[serde(default)]
    pub allows: Option<String>,
    /// The command that would change it, if any.
    pub remedy: Option<String>,
    /// Number of denied calls of the newest denied runs that the grant would have allowed, including this one.
    pub covers: u64,
    /// Number of examined denied runs of the skill, at most 50.
    pub denied_runs: u64,
}
