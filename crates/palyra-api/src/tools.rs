//! Tools of installed skills: the catalogue, one tool, and its call.

pub use palyra_common::model::runs::{ToolCost, UseCount};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::skills::{CompiledCode, SkillStatus};

/// Longest body of a call: the largest input a run may have, and some room for the rest.
pub const MAX_INVOKE_BYTES: usize = (64 << 20) + (64 << 10);

/// Response of `GET /v1/tools`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// The tools, by id, or best match first.
    pub tools: Vec<ToolSummary>,
}

/// A tool in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolSummary {
    /// The tool, for example `acme.notes.add`.
    pub tool_id: String,
    /// Its name for models.
    pub model_name: String,
    /// Its aliases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Its skill.
    pub skill_id: String,
    /// Display name.
    pub name: String,
    /// Text for the model.
    pub description: String,
    /// Whether it can be called now.
    pub status: SkillStatus,
    /// Whether a person must approve each call.
    pub requires_approval: bool,
}

/// Response of `GET /v1/tools/{tool}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolInfo {
    /// The tool as lists show it.
    #[serde(flatten)]
    pub summary: ToolSummary,
    /// The active release.
    pub payload: String,
    /// Its version.
    pub version: String,
    /// JSON Schema of the input.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub input_schema: Value,
    /// JSON Schema of the output.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub output_schema: Value,
    /// Whether results are treated as sensitive.
    pub sensitive: bool,
    /// `json` or `a2ui`.
    pub returns: String,
    /// Example inputs.
    #[serde(with = "palyra_common::json::in_order::list")]
    pub examples: Vec<Value>,
    /// Effective grants of its runs, in the form of `--grant`.
    #[serde(default)]
    pub grants: Vec<String>,
    /// Whether its runs can change nothing: no storage, file or channel, and of HTTP only `GET`, `HEAD` and `OPTIONS`.
    #[serde(default)]
    pub read_only: bool,
    /// Cost of its calls so far.
    pub cost: ToolCost,
    /// Whether a call has to wait for the code of its release; none where that cannot run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<CompiledCode>,
}

/// Request body of `PUT /v1/aliases/{alias}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AliasRequest {
    /// The tool: its id, or its name for models.
    pub tool: String,
}

/// An alias of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Alias {
    /// The name.
    pub alias: String,
    /// The tool of the alias.
    pub tool_id: String,
}

/// Request body of `POST /v1/tools/{tool}/invoke`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvokeRequest {
    /// The input, validated against the tool's schema [default: an empty object].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub input: Option<Box<RawValue>>,
    /// The expected skill of the tool, optional.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<String>,
    /// Limits that can only be lowered, for example `fuel=1000000`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// Directories and private addresses to allow, in the form of `--grant`; requires the scope `admin`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Approval timeout in seconds; without it the call ends at once with `approval_required`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<u32>,
    /// The session of the call, for approvals with the scope `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The parent run, for approvals with the scope `run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run: Option<String>,
    /// Whether the response contains the tape; requires the scope `read` as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub record: bool,
}

/// Result of a call.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct InvokeAnswer {
    /// The tool.
    pub tool: String,
    /// The output, as the guest wrote it.
    #[schema(value_type = Value)]
    pub result: Box<RawValue>,
    /// The run.
    pub run_id: String,
    /// The skill.
    pub skill_id: String,
    /// The release that ran.
    pub payload: String,
    /// The used resources.
    pub usage: Usage,
    /// Uses by granted capability.
    pub capabilities: BTreeMap<String, UseCount>,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Sequence number of the receipt in the journal.
    pub receipt: Leaf,
    /// The tape, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<String>,
    /// How long the call waited for code, where that had to be compiled first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compile_us: Option<u64>,
    /// The stored document, where the tool returns one: `GET /v1/surfaces/{surface_id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_id: Option<String>,
}

/// Resource use of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Fuel.
    pub fuel: u64,
    /// Peak memory in bytes.
    pub peak_memory_bytes: u64,
    /// Wall clock, compilation excluded.
    pub elapsed_us: u64,
    /// Capability operations.
    pub host_calls: u64,
    /// Bytes sent and received.
    pub egress_bytes: u64,
    /// Bytes of log.
    pub log_bytes: u64,
    /// Bytes of output.
    pub output_bytes: u64,
}

/// One log line of a guest, escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLine {
    /// Level: `trace`, `debug`, `info`, `warn` or `error`.
    pub level: String,
    /// `log`, `stdout` or `stderr`.
    pub source: String,
    /// The text.
    pub message: String,
}

/// A place in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Leaf {
    /// The number of the leaf.
    pub sequence: u64,
    /// Its hash.
    pub hash: String,
}

impl InvokeRequest {
    /// Creates a call with an input and default options.
    pub fn with_input(input: Box<RawValue>) -> Self {
        Self { input: Some(input), ..Self::default() }
    }
}
