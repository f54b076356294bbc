//! Rules of the access policy.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyEffect {
    /// It permits.
    Permit,
    /// It forbids, whatever permits.
    Forbid,
}
