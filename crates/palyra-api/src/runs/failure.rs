//! Why a run failed.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
