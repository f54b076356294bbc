//! What happens, as it happens: events of the journal.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// One event of the journal, as the data of `GET /v1/events`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its number in the journal; also the id of the event in the stream.
    pub sequence: u64,
    /// The hash of its leaf.
    pub hash: String,
    /// What happened, as in `run:completed`.
    pub kind: String,
    /// When, by its author's clock, in milliseconds of Unix time.
    pub at_ms: u64,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The run it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The skill it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// What else it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The facts.
    #[schema(value_type = Object)]
    pub details: Value,
}
