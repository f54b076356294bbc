//! Runs of hooks. They enter the pipeline at resolve, with the same status, consent, policy, grants, limits and receipt
//! as any run.

use std::sync::Arc;

use palyra_common::{JsonText, Principal, WasmPluginRunError};
use palyra_plugins_runtime::{CancelToken, HookDecision, LogLine, RunOutput, RunUsage};
use palyra_state::View;
use palyra_state::hooks::{HookBindingRecord, HookEventKind};

use super::find::{EntryPoint, FoundTool};
use super::wasm_plugin_runner::{Calling, InstalledCall, ModuleSource, run_wasm_plugin};
use super::{CallError, ToolCaller};

/// One event for the hook of one binding.
#[derive(Clone)]
pub struct HookInvocation {
    /// Binding that selects the hook and its limits.
    pub binding: Arc<HookBindingRecord>,
    /// Input of the hook.
    pub payload: JsonText,
    /// Sequence of the event in the journal; `None` for a gate or a test of the binding.
    pub sequence: Option<u64>,
    /// True to move the binding's cursor past the event together with the receipt.
    pub delivers: bool,
    /// Cancels the run.
    pub cancel: Option<CancelToken>,
}

/// Result of a hook.
#[derive(Debug)]
pub struct HookAnswer {
    /// Decision, which the caller enforces.
    pub decision: HookDecision,
    /// Id of the run.
    pub run_id: String,
    /// Fuel, memory and time that were used.
    pub usage: RunUsage,
    /// Log lines, oldest first.
    pub log: Vec<LogLine>,
    /// Sequence number of the receipt in the journal.
    pub receipt: palyra_journal::Leaf,
}

/// The binding and event of a hook's run, for its receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HookRun {
    pub(super) binding: String,
    pub(super) event: HookEventKind,
    pub(super) sequence: Option<u64>,
    pub(super) delivers: bool,
}

impl ToolCaller {
    /// Runs the hook of a binding and returns its decision, which the caller enforces.
    pub async fn run_hook(&self, invocation: HookInvocation) -> Result<HookAnswer, CallError> {
        let HookInvocation { binding, payload, sequence, delivers, cancel } = invocation;
        let view = self.state.view();
        let name = format!("{} {} {}", binding.plugin, binding.hook, binding.event);
        let tool = self.hooks.get_or(&view, &name, || find_hook(&view, &binding))?;
        let principal = Arc::new(Principal::hook(&*binding.id));
        let run = HookRun { binding: binding.id.clone(), event: binding.event, sequence, delivers };
        let calling = Calling {
            hook: Some(run),
            cancel: cancel.unwrap_or_default(),
            ..Calling::of(&tool, payload, principal)
        };
        let call = InstalledCall::of_hook(tool, view, binding.limits());
        let result = run_wasm_plugin(self, ModuleSource::Installed(call), calling).await?;
        let RunOutput::Decision(decision) = result.output else {
            return Err(WasmPluginRunError::Internal("a hook returned no decision".into()).into());
        };
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
    // An update may handle fewer events than the release the binding was created for.
    if !hook.events.iter().any(|event| event == binding.event.as_str()) {
        return Err(not_found("hook for event", binding.event.as_str(), hook.events.clone()));
    }
    let entrypoint = EntryPoint::Hook { hook: hook.clone(), event: binding.event };
    Ok(FoundTool::new(view, Arc::clone(record), entrypoint))
}
