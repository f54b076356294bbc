//! Checks of an open state, for `palyra doctor` beside a daemon.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `POST /v1/doctor`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateChecks {
    /// The checks, in the order they were made.
    pub checks: Vec<StateCheck>,
}

/// What was checked, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateCheck {
    /// Its name, the same in every version.
    pub id: String,
    /// `ok`, `note`, `skipped`, `warning` or `error`.
    pub severity: String,
    /// What was found.
    pub evidence: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<StateFix>,
}

/// What to do about a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateFix {
    /// In words.
    pub says: String,
    /// Whether `palyra doctor --fix` does it where no daemon has the state open.
    pub automatic: bool,
}
