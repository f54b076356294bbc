//! Checks of an open state, for `palyra doctor` beside a daemon.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `POST /v1/doctor`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateChecks {
    /// The checks, in the order they were made.
    pub checks: Vec<StateCheck>,
}

/// Check and finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateCheck {
    /// Its name, the same in every version.
    pub id: String,
    /// `ok`, `note`, `skipped`, `warning` or `error`.
    pub severity: String,
    /// The finding.
    pub evidence: String,
    /// Remedy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<StateFix>,
}

/// Remedy of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateFix {
    /// As text.
    pub says: String,
    /// Whether `palyra doctor --fix` can fix it while no daemon is running.
    pub automatic: bool,
}
