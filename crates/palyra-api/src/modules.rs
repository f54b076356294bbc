//! A module that comes with its call.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::tools::MAX_INVOKE_BYTES;

/// Longest body that brings a module: the largest that can come with a call, and some room for its input.
pub const MAX_RUN_MODULE_BYTES: usize = MAX_INVOKE_BYTES;

/// Request body of `POST /v1/modules/run`.
///
/// It runs only where the runner's policy allows inline modules, and never with a secret or anything to write to.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunModuleRequest {
    /// The module or component, in standard base64.
    #[schema(content_encoding = "base64")]
    pub module_base64: String,
    /// The tool of a component; a core module needs no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The exported function of a core module, if not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export: Option<String>,
    /// The input [default: an empty object].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub input: Option<Box<RawValue>>,
    /// Limits such as `fuel=1000000`, within those of the runner policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// Grants in the form of `--grant`; requires the scope `admin`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Approval timeout in seconds, if a gate requires approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<u32>,
    /// The session the call belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The parent run of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run: Option<String>,
    /// Whether the response contains the tape; requires the scope `read` as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub record: bool,
}

impl RunModuleRequest {
    /// Creates a call of a module with an empty input and without grants.
    pub fn new(module_base64: impl Into<String>) -> Self {
        Self {
            module_base64: module_base64.into(),
            tool: None,
            export: None,
            input: None,
            limits: Vec::new(),
            grants: Vec::new(),
            wait_seconds: None,
            session: None,
            parent_run: None,
            record: false,
        }
    }
}
