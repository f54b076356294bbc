//! Prices of models.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Price per million tokens, in millionths of the operator's currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// Price of one million input tokens.
    pub input: u64,
    /// Price of one million output tokens.
    pub output: u64,
}
