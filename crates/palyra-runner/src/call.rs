//! A call of a tool of an installed skill, and what it gives.

use std::sync::Arc;

use palyra_common::{
    InformationLabels, JsonText, OperatorGrants, Principal, RuntimeLimits, WasmPluginRunError,
};
use palyra_plugins_runtime::{CancelToken, LogLine, RunOutput, RunUsage, Tape};
use palyra_skills::Sha256Digest;
use palyra_state::runs::{CapabilityUse, RunListener};

use super::{CallError, StageTimes};

/// One call.
#[derive(Clone)]
pub struct ToolInvocation {
    /// The tool: its id, its name for models, or an alias.
    pub tool: String,
    /// The skill it has to be of, if the caller knows.
    pub skill_id: Option<String>,
    /// The input.
    pub input: JsonText,
    /// Who calls; [`Principal::requester`] counts as asking for it, where a person has to approve it.
    pub principal: Arc<Principal>,
    /// Directories and addresses the operator opens; nothing else in it widens anything.
    pub operator: OperatorGrants,
    /// Limits set by the caller.
    pub limits: Option<RuntimeLimits>,
    /// Lets the caller end the run.
    pub cancel: Option<CancelToken>,
    /// Tells the caller which run it is, and what that says while it runs.
    pub listener: Option<Arc<RunListener>>,
    /// Parent of the call.
    pub context: CallContext,
}

/// What a call is part of; the default is a call of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallContext {
    /// The session it belongs to.
    pub session: Option<String>,
    /// The larger run it is a step of.
    pub parent_run: Option<String>,
    /// How long to wait for a person to decide, where one has to; `None` refuses at once.
    pub wait_for_approval: Option<std::time::Duration>,
    /// What the session has read so far; rules of the access policy see it.
    pub labels: InformationLabels,
}

/// Result of a call.
#[derive(Debug)]
pub struct ToolResult<Output = JsonText> {
    /// The run.
    pub run_id: String,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release that ran.
    pub payload: Sha256Digest,
    /// The output, checked against its schema.
    pub output: Output,
    /// The used resources.
    pub usage: RunUsage,
    /// How often each granted capability was used.
    pub capabilities: CapabilityUse,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Sequence number of the receipt in the journal.
    pub receipt: palyra_journal::Leaf,
    /// The recording.
    pub tape: Tape,
    /// How long each stage took.
    pub stages: StageTimes,
}

impl ToolResult<RunOutput> {
    /// The same with the JSON text that tools return.
    pub(crate) fn of_tool(self) -> Result<ToolResult, CallError> {
        let Self {
            run_id,
            skill_id,
            tool_id,
            payload,
            output,
            usage,
            capabilities,
            log,
            receipt,
            tape,
            stages,
        } = self;
        let RunOutput::Json(output) = output else {
            return Err(WasmPluginRunError::Internal("a tool returned no JSON".into()).into());
        };
        Ok(ToolResult {
            run_id,
            skill_id,
            tool_id,
            payload,
            output,
            usage,
            capabilities,
            log,
            receipt,
            tape,
            stages,
        })
    }
}
