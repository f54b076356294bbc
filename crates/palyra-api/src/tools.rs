//! Tools of installed skills: the catalogue, one tool, and its call.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::skills::SkillStatus;

/// Longest body of a call: the largest input a run may have, and some room for the rest.
pub const MAX_INVOKE_BYTES: usize = (64 << 20) + (64 << 10);

/// The answer of `GET /v1/tools`, also when something was searched for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// The tools, by id, or best match first.
    pub tools: Vec<ToolSummary>,
}

/// A tool in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolSummary {
    /// The tool, as in `acme.notes.add`.
    pub tool_id: String,
    /// Its name for models.
    pub model_name: String,
    /// Other names an operator gave it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The skill it is of.
    pub skill_id: String,
    /// What people call it.
    pub name: String,
    /// What the model reads.
    pub description: String,
    /// Whether it can be called now.
    pub status: SkillStatus,
    /// Whether a person must approve each call.
    pub requires_approval: bool,
}

/// The answer of `GET /v1/tools/{tool}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolInfo {
    /// The tool as lists show it.
    #[serde(flatten)]
    pub summary: ToolSummary,
    /// The release that answers.
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
    /// Inputs to try.
    #[serde(with = "palyra_common::json::in_order::list")]
    pub examples: Vec<Value>,
    /// What its calls cost so far.
    pub cost: ToolCost,
}

/// The body of `PUT /v1/aliases/{alias}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AliasRequest {
    /// The tool that gets the name: its id, or its name for models.
    pub tool: String,
}

/// Another name of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Alias {
    /// The name.
    pub alias: String,
    /// The tool it stands for, or stood for.
    pub tool_id: String,
}

/// What the calls of a tool cost so far, over the runs that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolCost {
    /// Runs with a result.
    pub completed: u64,
    /// Runs without one.
    pub failed: u64,
    /// Half of the runs that are kept took no longer.
    pub median_elapsed_us: Option<u64>,
    /// The most fuel of one run.
    pub most_fuel: Option<u64>,
    /// The most memory of one run.
    pub most_memory_bytes: Option<u64>,
}

/// The body of `POST /v1/tools/{tool}/invoke`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvokeRequest {
    /// The input, checked against the tool's schema; an empty object where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub input: Option<Box<RawValue>>,
    /// The skill the tool has to be of, if the caller knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<String>,
    /// Limits that only narrow, as in `fuel=1000000`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// Directories and private addresses to open, as `--grant` writes them; needs the scope `admin`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// How many seconds to wait for a person, where one has to approve; at once it is `approval_required` without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<u32>,
    /// The session the call belongs to, for approvals that reach over one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The larger run the call is a step of, for approvals that reach over one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run: Option<String>,
    /// Whether the recording comes back with the result; needs the scope `read` as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub record: bool,
}

/// What a call gave.
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
    /// What was used.
    pub usage: Usage,
    /// How often each granted door was used.
    pub capabilities: BTreeMap<String, UseCount>,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Where the receipt stands in the journal.
    pub receipt: Leaf,
    /// The recording, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<String>,
}

/// What a run used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Fuel.
    pub fuel: u64,
    /// Most bytes all its memories held at once.
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

/// How often one door was used, and how often it stayed shut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UseCount {
    /// Calls that went through.
    pub used: u64,
    /// Calls that were refused.
    pub denied: u64,
    /// Calls that failed for another reason.
    pub failed: u64,
}

/// One log line of a guest, escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLine {
    /// How much it matters: `trace`, `debug`, `info`, `warn` or `error`.
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
    /// A call with an input and nothing else.
    pub fn with_input(input: Box<RawValue>) -> Self {
        Self { input: Some(input), ..Self::default() }
    }
}
