//! Approvals: their status and scope.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Status of an approval request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// Not decided yet.
    Pending,
    /// Yes.
    Approved,
    /// Yes, and it was used up.
    Used,
    /// No.
    Denied,
    /// Time ran out, which is a no; a yes that was not used in time ends like this too.
    Expired,
}

/// Scope of an approval, always limited to its release.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// This one call.
    #[default]
    Once,
    /// The tool, for the larger run this call is a step of.
    Run,
    /// These exact arguments, as often as they come.
    Arguments,
    /// The tool, for this session.
    Session,
}

impl ApprovalStatus {
    /// The word on every wire.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Used => "used",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }
}

impl ApprovalScope {
    /// The word on every wire.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Run => "run",
            Self::Arguments => "arguments",
            Self::Session => "session",
        }
    }
}
