//! Surfaces: documents that are shown in a session, at a revision.

use palyra_common::json::in_order;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Response of `GET /v1/sessions/{session_id}/surfaces`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SurfaceList {
    /// The surfaces, by name.
    pub surfaces: Vec<Surface>,
}

/// A document of a session and its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Surface {
    /// Its name.
    pub surface: String,
    /// The session.
    pub session_id: String,
    /// Its revision, from 1.
    pub rev: u64,
    /// The agent run that last changed it.
    pub run_id: String,
    /// The tool that made the document; absent for a form of the local router.
    pub tool_id: Option<String>,
    /// The skill of the tool.
    pub skill_id: Option<String>,
    /// The run of the tool.
    pub tool_run_id: Option<String>,
    /// The validated document.
    #[serde(with = "in_order")]
    #[schema(value_type = Object)]
    pub document: Value,
    /// Time at which it was last changed, in Unix milliseconds.
    pub updated_ms: u64,
}

/// Submitted form values, part of the answer to a pause of the kind `form`.
#[derive(Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FormSubmit {
    /// The revision that was shown.
    pub rev: u64,
    /// The form.
    #[serde(rename = "componentId")]
    pub component_id: String,
    /// Values by the names of their fields.
    #[serde(with = "in_order")]
    #[schema(value_type = Object)]
    pub values: Value,
}

/// Without the values, which can be secrets.
impl std::fmt::Debug for FormSubmit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FormSubmit")
            .field("rev", &self.rev)
            .field("component_id", &self.component_id)
            .finish_non_exhaustive()
    }
}
