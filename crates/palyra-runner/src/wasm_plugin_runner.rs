//! The stages of the call pipeline. Every run of a plugin, installed or inline, passes through them.
//!
//! `run_wasm_plugin` = find → `resolve_module_source` → `run_resolved_wasm_plugin` (gates → approval → admission → row
//! → `execute_module` → output → receipt).

mod begun;
mod execute;
mod inline;
mod installed;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use palyra_common::{JsonText, Principal, RuntimeLimits, THE_RUNNER, WasmPluginRunError};
use palyra_plugins_runtime::{CancelToken, Entry, LoadedModule, RunOutput};
use palyra_policy::PolicyDecision;
use palyra_state::View;
use palyra_state::runs::RunSubject;
use tracing::Instrument;

pub(super) use begun::BegunRun;
pub(super) use execute::execute_module;
pub(super) use inline::{InlineCall, explain as explain_inline};
pub use inline::{InlineInvocation, MAKE_A_SKILL, NEVER_INLINE};
pub use installed::fuel_limit;
pub(super) use installed::{InstalledCall, ReadyTool};

use super::approval::Approved;
use super::before_tool::{GateNote, pass_gates};
use super::grants::EffectiveGrants;
use super::hook::HookRun;
use super::schemas::ToolSchemas;
use super::stages::{StageClock, StageTimes};
use super::{CallContext, CallError, RunListener, ToolCaller, ToolResult, approval, receipt};

/// The parts of a call that do not depend on the source of its module.
pub(super) struct Calling {
    pub(super) subject: Arc<RunSubject>,
    /// Generation of the view the tool was found in; `None` for a module that is not installed.
    pub(super) generation: Option<u64>,
    pub(super) input: JsonText,
    pub(super) principal: Arc<Principal>,
    /// Grants that an operator opens for this call, as text.
    pub(super) grants: Vec<String>,
    pub(super) context: CallContext,
    pub(super) cancel: CancelToken,
    /// Binding and event, if this is the run of a hook.
    pub(super) hook: Option<HookRun>,
    /// Decisions of the gates so far.
    pub(super) gates: Vec<GateNote>,
    pub(super) listener: Option<Arc<RunListener>>,
}

/// The source of a module.
pub(super) enum ModuleSource {
    /// A tool or hook of an installed skill.
    Installed(InstalledCall),
    /// An inline module.
    Inline(InlineCall),
}

/// A verified module that may run now, with its grants, limits and settings.
pub(super) struct ResolvedPlugin {
    pub(super) loaded: Arc<LoadedModule>,
    pub(super) entry: Entry,
    pub(super) schemas: Option<Arc<ToolSchemas>>,
    pub(super) grants: Arc<EffectiveGrants>,
    pub(super) limits: RuntimeLimits,
    /// Limits that the caller requested.
    pub(super) limits_of_call: Option<RuntimeLimits>,
    pub(super) operator_config: JsonText,
    pub(super) requires_approval: bool,
    /// Time the call waited for compilation.
    pub(super) compiled: Duration,
    /// Rules of the access policy that require the approval, with their reasons.
    pub(super) approval_because: Option<String>,
}

/// Formats the rules of a decision that require approval, as a request for approval shows them.
pub(super) fn rules_of(decision: &PolicyDecision) -> String {
    let rules = decision.reasons.iter().map(|rule| format!("policy `{}`: {}", rule.policy, rule.advice));
    rules.collect::<Vec<_>>().join("; ")
}

// The futures of the stages are large. Each is pinned where it is made: wrapped or returned by value, it would be
// copied whole, once for each wrapper, by every call.

/// Runs a plugin: a rejection before the start is recorded in the journal, a started run gets a receipt.
pub(super) async fn run_wasm_plugin(
    caller: &ToolCaller,
    source: ModuleSource,
    calling: Calling,
) -> Result<ToolResult<RunOutput>, CallError> {
    let span = tracing::debug_span!("call", tool = %calling.subject.tool_id, principal = %calling.principal.actor(),
        run_id = tracing::field::Empty);
    pin!(run_stages(caller, &source, calling)).instrument(span).await
}

async fn run_stages(
    caller: &ToolCaller,
    source: &ModuleSource,
    calling: Calling,
) -> Result<ToolResult<RunOutput>, CallError> {
    let mut clock = StageClock::start();
    let resolved_in = match source {
        ModuleSource::Installed(call) => call.view(),
        ModuleSource::Inline(_) => caller.state.view(),
    };
    let resolved = {
        let resolving = pin!(resolve_module_source(caller, source, &calling));
        resolving.instrument(tracing::debug_span!("resolve")).await
    };
    let resolved = match resolved {
        Ok(resolved) => resolved,
        Err(error) => return Err(refused(caller, &calling, error).await),
    };
    let compile = resolved.compiled;
    let resolve = clock.lap().saturating_sub(compile);
    let result = pin!(run_resolved_wasm_plugin(caller, calling, resolved, &resolved_in, clock)).await?;
    Ok(ToolResult { stages: StageTimes { resolve, compile, ..result.stages }, ..result })
}

/// Resolves a source to a verified module with its grants, limits and settings.
pub(super) async fn resolve_module_source(
    caller: &ToolCaller,
    source: &ModuleSource,
    calling: &Calling,
) -> Result<ResolvedPlugin, CallError> {
    let view = caller.state.view();
    let policy = &view.plugins().policy.value;
    if !policy.enabled {
        return Err(WasmPluginRunError::Disabled { what: THE_RUNNER.into() }.into());
    }
    match source {
        ModuleSource::Installed(call) => call.resolve(caller, calling).await,
        ModuleSource::Inline(call) => call.resolve(caller, calling, policy).await,
    }
}

/// Gates → approval → admission → row → run → output → receipt.
pub(super) async fn run_resolved_wasm_plugin(
    caller: &ToolCaller,
    mut calling: Calling,
    mut resolved: ResolvedPlugin,
    resolved_in: &View,
    mut clock: StageClock,
) -> Result<ToolResult<RunOutput>, CallError> {
    if let Err(error) = pass_gates(caller, &mut calling, &mut resolved).await {
        return Err(refused(caller, &calling, error).await);
    }
    let begun = {
        let beginning = pin!(begin(caller, &calling, &resolved, resolved_in));
        beginning.instrument(tracing::debug_span!("begin")).await
    };
    let (approval, mut run) = match begun {
        Ok(begun) => begun,
        Err(error) => return Err(refused(caller, &calling, error).await),
    };
    let (row, place) = (Arc::clone(run.row()), run.place());
    tracing::Span::current().record("run_id", &*row.run_id);
    let begin = clock.lap();
    let report = {
        let executing = pin!(execute_module(caller, &row.run_id, &place, &calling, &resolved));
        run.attend(pin!(executing.instrument(tracing::debug_span!("execute")))).await
    };
    let execute = clock.lap();
    let finishing = pin!(receipt::finish(caller, &calling, &resolved, run, approval, report));
    let result = finishing.instrument(tracing::debug_span!("receipt")).await?;
    let stages = StageTimes { begin, execute, receipt: clock.lap(), ..StageTimes::default() };
    Ok(ToolResult { stages, ..result })
}

/// Runs the last checks that can reject a call: approval, admission, or a change since the module was resolved.
async fn begin(
    caller: &ToolCaller,
    calling: &Calling,
    resolved: &ResolvedPlugin,
    resolved_in: &View,
) -> Result<(Approved, BegunRun), CallError> {
    let known = || caller.state.tokens().knows(calling.principal.requester());
    let was_known = resolved.requires_approval && known();
    let approval = approval::check(caller, calling, resolved, resolved_in).await?;
    // The configuration may have changed while the approval was pending; the approval does not cover that.
    let unchanged = match approval {
        Some(_) if was_known && !known() => Err(begun::requester_gone(&calling.subject)),
        Some(_) => begun::check_unchanged(resolved_in, &caller.state.view(), &calling.subject),
        None => Ok(()),
    };
    let begun = match unchanged {
        Ok(()) => BegunRun::begin(caller, calling, &resolved.grants.grants).await,
        Err(error) => Err(error),
    };
    if begun.is_err()
        && let Some(approval_id) = &approval
    {
        approval::give_back(caller, approval_id).await;
    }
    Ok((approval, begun?))
}

/// Records a rejection in the journal and returns the error; other errors are returned unchanged.
async fn refused(caller: &ToolCaller, calling: &Calling, error: CallError) -> CallError {
    let gate = match &error {
        CallError::Run(_) => None,
        CallError::Gated(refusal) => Some(refusal.binding.as_str()),
        // A policy denial of a hook has no requester, so it is only recorded in the journal.
        CallError::Denied { .. } if calling.hook.is_some() => None,
        CallError::Denied { .. } | CallError::State(_) | CallError::Failed(_) => return error,
    };
    match receipt::refuse(&caller.state, calling, error.code(), gate).await {
        Ok(()) => error,
        Err(error) => error,
    }
}
