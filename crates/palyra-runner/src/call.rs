//! A call of an installed skill's tool, and its result.

use std::sync::Arc;

use palyra_common::{
    InformationLabels, JsonText, OperatorGrants, Principal, RuntimeLimits, WasmPluginRunError,
};
use palyra_plugins_runtime::{CancelToken, LogLine, RunOutput, RunUsage, Tape};
use palyra_skills::Sha256Digest;
use palyra_state::runs::{CapabilityUse, RunListener};

use super::{CallError, StageTimes};

/// One call of a tool.
#[derive(Clone)]
pub struct ToolInvocation {
    /// Id of the tool, its name for models, or an alias.
    pub tool: String,
    /// Skill that must own the tool, if the caller knows it.
    pub skill_id: Option<String>,
    /// Input as JSON, checked against the schema of the tool.
    pub input: JsonText,
    /// Principal of the call. [`Principal::requester`] is the requester of an approval and cannot decide it.
    pub principal: Arc<Principal>,
    /// Directories and addresses that an operator opens; other grants in it have no effect.
    pub operator: OperatorGrants,
    /// Limits of the caller, below those of the skill.
    pub limits: Option<RuntimeLimits>,
    /// Cancels the run.
    pub cancel: Option<CancelToken>,
    /// Receives the run id and the output of the run while it is in progress.
    pub listener: Option<Arc<RunListener>>,
    /// Session, parent run and labels of the call.
    pub context: CallContext,
}

/// The surroundings of a call; the default is a call on its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallContext {
    /// Session the call belongs to.
    pub session: Option<String>,
    /// Run of which the call is a step.
    pub parent_run: Option<String>,
    /// Maximum wait for an approval; `None` fails at once if one is required.
    pub wait_for_approval: Option<std::time::Duration>,
    /// Labels of the data the session has read so far, for rules of the access policy.
    pub labels: InformationLabels,
    /// The id of the run, for a caller that stored it before the call; a new one otherwise.
    pub run_id: Option<String>,
}

/// Result of a call that returned an output.
#[derive(Debug)]
pub struct ToolResult<Output = JsonText> {
    /// Id of the run.
    pub run_id: String,
    /// Skill that owns the tool.
    pub skill_id: String,
    /// Full id of the tool.
    pub tool_id: String,
    /// SHA-256 of the release that ran.
    pub payload: Sha256Digest,
    /// Output of the tool, checked against its schema.
    pub output: Output,
    /// Fuel, memory and time that were used.
    pub usage: RunUsage,
    /// Uses of each granted capability, including those never used.
    pub capabilities: CapabilityUse,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Sequence number of the receipt in the journal.
    pub receipt: palyra_journal::Leaf,
    /// Recording of the run, for a replay.
    pub tape: Tape,
    /// Duration of each stage.
    pub stages: StageTimes,
}

impl ToolResult<RunOutput> {
    /// Converts the output to the JSON text that tools return.
    pub(crate) fn of_tool(self) -> Result<ToolResult, CallError> {
        let RunOutput::Json(output) = self.output else {
            return Err(WasmPluginRunError::Internal("a tool returned no JSON".into()).into());
        };
        Ok(ToolResult {
            output,
            run_id: self.run_id,
            skill_id: self.skill_id,
            tool_id: self.tool_id,
            payload: self.payload,
            usage: self.usage,
            capabilities: self.capabilities,
            log: self.log,
            receipt: self.receipt,
            tape: self.tape,
            stages: self.stages,
        })
    }
}
