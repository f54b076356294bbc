//! What happens, as it happens: events of the journal.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::journal::InclusionProof;

/// One event of the journal, in `GET /v1/journal` and as the data of `GET /v1/events`.
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
    #[serde(default)]
    pub actor: Option<String>,
    /// The run it is about.
    #[serde(default)]
    pub run: Option<String>,
    /// The skill it is about.
    #[serde(default)]
    pub skill: Option<String>,
    /// What else it is about.
    #[serde(default)]
    pub subject: Option<String>,
    /// The facts.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub details: Value,
    /// That it stands there in the tree, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<InclusionProof>,
}
