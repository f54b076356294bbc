//! Settings and reports of plugins.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Origin of the value of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigSource {
    /// An operator set it.
    Operator,
    /// The manifest's default.
    Default,
    /// There is none.
    Missing,
}

/// One used resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Touch {
    /// Its name.
    pub subject: String,
    /// How often.
    pub uses: u64,
    /// The first run that used it.
    pub first_run: String,
    /// The last run that used it.
    pub last_run: String,
}
