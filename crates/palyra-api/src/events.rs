//! Events of the journal as a live stream.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::journal::InclusionProof;

/// One event of the journal, in `GET /v1/journal` and as the data of `GET /v1/events`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its sequence number in the journal, also the event id in streams.
    pub sequence: u64,
    /// The hash of its leaf.
    pub hash: String,
    /// Event kind, for example `run:completed`.
    pub kind: String,
    /// Time by its author's clock, in Unix milliseconds.
    pub at_ms: u64,
    /// Principal.
    #[serde(default)]
    pub actor: Option<String>,
    /// The run it is about.
    #[serde(default)]
    pub run: Option<String>,
    /// The skill it is about.
    #[serde(default)]
    pub skill: Option<String>,
    /// Further subject.
    #[serde(default)]
    pub subject: Option<String>,
    /// The facts.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub details: Value,
    /// Its inclusion proof, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<InclusionProof>,
}
