//! The host calls of a run, from its tape, and why one of them was denied.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::plugins::GrantDerivation;

/// The answer of `GET /v1/runs/{run_id}/steps`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunSteps {
    /// The run.
    pub run_id: String,
    /// `ok`, or the code of the error it ended with.
    pub outcome: String,
    /// How many steps the tape has.
    pub total: u64,
    /// Some of them, in the order they were made.
    pub steps: Vec<RunStep>,
    /// The number of the last one where there are more, as `after`.
    pub next: Option<u64>,
    /// What the run used of its limits; only those whose use its receipt has.
    pub meters: Vec<RunMeter>,
}

/// One question of a guest to its host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunStep {
    /// Its number, counted from 1; a divergence of a replay names the same number.
    pub number: u64,
    /// The operation, such as `http.send`; `facts` is a block of readings of clocks.
    pub op: String,
    /// What it was about: a URL, a key, a name, a path. Empty where it was about nothing.
    pub subject: String,
    /// `ok`, `denied`, `quota_exceeded`, `invalid_argument`, `timed_out`, `unavailable` or an error of a file; `unanswered`
    /// where the run ended first.
    pub outcome: String,
    /// What was asked, secrets removed; left out where it is longer than 4,096 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub request: Option<Value>,
    /// Why it was denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denial: Option<StepDenial>,
}

/// Why a step was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepDenial {
    /// `http`, `secret`, `storage`, `channel` or `filesystem`.
    pub kind: String,
    /// What the guest tried, without secrets.
    pub subject: String,
    /// Which check said no.
    pub reason: String,
    /// The smallest grant that would have allowed it, as `--grant` and profiles write it.
    pub grant: Option<String>,
    /// The line of `skill.toml` that would have asked for it.
    pub manifest: Option<String>,
}

/// One limit of a run and what it used of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunMeter {
    /// The limit, as `--limit` names it.
    pub limit: String,
    /// What was used: fuel, bytes, calls or milliseconds.
    pub used: u64,
    /// The most it could use.
    pub allowed: u64,
}

/// The answer of `GET /v1/runs/{run_id}/denial`: the first step that was denied, and what would allow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunDenial {
    /// The run.
    pub run_id: String,
    /// The number of the step; none for a use of a handle that the guest never got, which is not on the tape.
    pub step: Option<u64>,
    /// Its operation.
    pub op: String,
    /// Why.
    pub denial: StepDenial,
    /// Whether the installed release asks for what was denied; an operator can grant nothing else.
    pub requested: bool,
    /// Who said what about the request, as of now.
    pub derivation: Option<GrantDerivation>,
    /// The command that would change it, where one would.
    pub remedy: Option<String>,
    /// How many denied calls of the newest denied runs the grant would have allowed, this one included.
    pub covers: u64,
    /// How many denied runs of the skill were looked at, at most 50.
    pub denied_runs: u64,
}
