//! How the grants of a call were decided.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Decision of one authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantStep {
    /// The authority.
    pub by: GrantAuthority,
    /// Allowed, denied or reduced.
    pub verdict: GrantVerdict,
    /// Reason, as part of a sentence.
    pub reason: String,
    /// The command that would change it.
    pub remedy: Option<String>,
}

/// One of the authorities that decide about a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantAuthority {
    /// Requested permissions.
    Manifest,
    /// The grants that the manifest leaves to the tool.
    Tool,
    /// The consent.
    Consent,
    /// The operator's profile of the skill.
    Profile,
    /// The operator's policy for every run.
    Policy,
}

/// The message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantVerdict {
    /// All of it.
    Granted,
    /// A part of it.
    Narrowed,
    /// None of it.
    Refused,
}
