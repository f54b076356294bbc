//! A hook enters the corridor at resolve: same status, consent, grants, limits and receipt as any run.

use std::fmt;
use std::sync::Arc;

use palyra_common::{JsonText, OperatorGrants, WasmPluginRunError};
use palyra_plugins_runtime::{CancelToken, Entry, HookDecision, LogLine, RunUsage};
use palyra_skills::manifest::{HookEntrypoint, Risk, ToolEntrypoint, ToolReturns};

use super::find::FoundTool;
use super::wasm_plugin_runner::{Calling, InstalledCall, ModuleSource, run_wasm_plugin};
use super::{CallContext, CallError, ToolCaller, ToolInvocation};
use crate::gate::CallGate;
use crate::hooks::{HookBindingRecord, HookEventKind, hook_principal};
use crate::principal_id::PrincipalId;
use crate::view::View;

/// One event for the hook of one binding.
#[derive(Clone)]
pub struct HookInvocation {
    /// The binding.
    pub binding: Arc<HookBindingRecord>,
    /// What the hook is told.
    pub payload: JsonText,
    /// The event in the journal; none for a gate or a try.
    pub sequence: Option<u64>,
    /// Whether the binding's cursor moves past the event together with the receipt.
    pub delivers: bool,
    /// Lets the caller end the run.
    pub cancel: Option<CancelToken>,
}

/// What a hook answered.
#[derive(Debug)]
pub struct HookAnswer {
    /// The decision.
    pub decision: HookDecision,
    /// The run.
    pub run_id: String,
    /// What was used.
    pub usage: RunUsage,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Where the receipt stands in the journal.
    pub receipt: palyra_journal::Leaf,
}

/// What a run of a hook is about; its receipt says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HookRun {
    pub(super) binding: String,
    pub(super) event: HookEventKind,
    pub(super) sequence: Option<u64>,
    pub(super) delivers: bool,
}

/// Makes the question to the access policy for each run of a hook.
#[derive(Clone)]
pub struct HookGate(Arc<dyn Fn(&HookBindingRecord) -> CallGate + Send + Sync>);

impl HookGate {
    /// A maker of gates.
    pub fn new(make: impl Fn(&HookBindingRecord) -> CallGate + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }
}

impl Default for HookGate {
    fn default() -> Self {
        Self::new(|_| CallGate::open())
    }
}

impl fmt::Debug for HookGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookGate")
    }
}

impl ToolCaller {
    /// Has hooks ask this policy before they run.
    #[must_use]
    pub fn with_hook_gate(mut self, gate: HookGate) -> Self {
        self.hook_gate = gate;
        self
    }

    /// Runs the hook of a binding; what it decides is handed back and done by whoever asked.
    pub async fn run_hook(&self, invocation: HookInvocation) -> Result<HookAnswer, CallError> {
        let HookInvocation { binding, payload, sequence, delivers, cancel } = invocation;
        let view = self.state.view();
        let name = format!("{} {} {}", binding.plugin, binding.hook, binding.event);
        let tool = self.hooks.get_or(&view, &name, || find_hook(&view, &binding))?;
        let entry = Entry::Hook {
            id: tool.entrypoint.id.clone(),
            event: binding.event.as_str().to_owned(),
            export: tool.entrypoint.export.clone(),
        };
        let invocation = ToolInvocation {
            tool: binding.hook.clone(),
            skill_id: Some(binding.plugin.clone()),
            input: payload,
            principal: hook_principal(&binding),
            operator: OperatorGrants::default(),
            limits: Some(binding.limits()),
            requester: PrincipalId::default(),
            listener: None,
            cancel,
            context: CallContext::default(),
            gate: (self.hook_gate.0)(&binding),
        };
        let run = HookRun { binding: binding.id.clone(), event: binding.event, sequence, delivers };
        let (call, calling) = InstalledCall::new(tool, view, invocation);
        let calling = Calling { hook: Some(run), ..calling };
        let result = run_wasm_plugin(self, ModuleSource::Hook(call, entry), calling).await?;
        let decision = serde_json::from_str(result.output.as_str()).map_err(|error| {
            WasmPluginRunError::Internal(format!("the decision cannot be read back: {error}"))
        })?;
        let (run_id, usage, log, receipt) = (result.run_id, result.usage, result.log, result.receipt);
        Ok(HookAnswer { decision, run_id, usage, log, receipt })
    }
}

fn find_hook(view: &View, binding: &HookBindingRecord) -> Result<FoundTool, WasmPluginRunError> {
    let not_found =
        |what, name: &str, known| WasmPluginRunError::NotFound { what, name: name.to_owned(), known };
    let record = view.index().shared(&binding.plugin);
    let record = record.ok_or_else(|| not_found("skill", &binding.plugin, Vec::new()))?;
    let hooks = &record.current.manifest.entrypoints.hooks;
    let hook = hooks.iter().find(|hook| hook.id == binding.hook).ok_or_else(|| {
        not_found("hook", &binding.hook, hooks.iter().map(|hook| hook.id.clone()).collect())
    })?;
    // A release may hear less than the one the binding was made for.
    if !hook.events.iter().any(|event| event == binding.event.as_str()) {
        return Err(not_found("hook for event", binding.event.as_str(), hook.events.clone()));
    }
    Ok(FoundTool::new(view, Arc::clone(record), as_tool(hook)))
}

/// A hook as the corridor sees it: an entrypoint whose input is any event.
fn as_tool(hook: &HookEntrypoint) -> ToolEntrypoint {
    let any = serde_json::json!({ "type": "object" });
    ToolEntrypoint {
        id: hook.id.clone(),
        name: hook.id.clone(),
        description: String::new(),
        input_schema: any.clone(),
        output_schema: any,
        module: hook.module.clone(),
        export: hook.export.clone(),
        risk: Risk::default(),
        returns: ToolReturns::default(),
        examples: Vec::new(),
    }
}
