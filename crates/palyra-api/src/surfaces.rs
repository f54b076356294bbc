//! Documents that tools returned to calls outside of agent runs, and the forms in them.

use palyra_common::json::in_order;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The answer of `GET /v1/surfaces`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CallSurfaceList {
    /// The documents, newest first.
    pub surfaces: Vec<CallSurface>,
    /// Where the next page begins, as `before`.
    pub next: Option<String>,
}

/// A document that a call returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CallSurface {
    /// Its id: the run of the tool.
    pub surface_id: String,
    /// The name that the document has for itself.
    pub surface: String,
    /// Its revision, which a submit names.
    pub rev: u64,
    /// The tool that made it.
    pub tool_id: String,
    /// The skill of the tool.
    pub skill_id: String,
    /// Who called.
    pub requested_by: String,
    /// The document, checked before it was stored.
    #[serde(with = "in_order")]
    #[schema(value_type = Object)]
    pub document: Value,
    /// When it was stored, in milliseconds of Unix time.
    pub created_ms: u64,
    /// Until when its form can be submitted; then it is removed.
    pub expires_ms: u64,
    /// The form that was submitted, and what it called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<SubmittedForm>,
}

/// A form that was accepted; no other one of the document is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubmittedForm {
    /// The form.
    #[serde(rename = "componentId")]
    pub component_id: String,
    /// The tool that the form names.
    pub tool_id: String,
    /// Who submitted it.
    pub by: String,
    /// When.
    pub at_ms: u64,
    /// The run of the tool, once it has ended.
    pub run_id: Option<String>,
}
