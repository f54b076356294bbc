//! Steps that passed, each with what it checked and what it found.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One step of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerifyStep {
    /// The step, for example `signatures`.
    pub name: String,
    /// The check.
    pub checked: String,
    /// The finding.
    pub found: String,
}

/// One step of an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InstallStep {
    /// The part.
    pub stage: InstallStage,
    /// The verification step, if applicable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The check.
    pub checked: String,
    /// The finding.
    pub found: String,
    /// Whether this keeps the release from running.
    #[serde(default)]
    pub blocks: bool,
}

/// The parts of an installation, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InstallStage {
    /// The verification.
    Verify,
    /// The audit.
    Audit,
    /// Trust decision.
    Trust,
    /// Differences from the running release.
    Update,
    /// What a person agreed to.
    Consent,
    /// The transaction.
    Store,
}
