//! A hook of an installed skill: resolved as its tools are, entered by another door.

use palyra_common::WasmPluginRunnerPolicy;
use palyra_plugins_runtime::Entry;

use super::{Calling, ResolvedPlugin, installed};
use crate::call::find::FoundTool;
use crate::call::hook::HookRun;
use crate::call::{CallError, ToolCaller, ToolInvocation};
use crate::plugins::Revised;

/// A hook that was found, and what it is told.
pub(in crate::call) struct HookSource {
    pub(in crate::call) tool: FoundTool,
    pub(in crate::call) invocation: ToolInvocation,
    pub(in crate::call) run: HookRun,
}

pub(super) fn calling(source: &HookSource) -> Calling {
    Calling { hook: Some(source.run.clone()), ..installed::calling(&source.tool, &source.invocation) }
}

pub(super) async fn resolve(
    caller: &ToolCaller,
    source: &HookSource,
    policy: &Revised<WasmPluginRunnerPolicy>,
) -> Result<ResolvedPlugin, CallError> {
    let resolved = installed::resolve(caller, &source.tool, &source.invocation, policy).await?;
    let entrypoint = &source.tool.entrypoint;
    let entry = Entry::Hook {
        id: entrypoint.id.clone(),
        event: source.run.event.as_str().to_owned(),
        export: entrypoint.export.clone(),
    };
    Ok(ResolvedPlugin { entry, schemas: None, requires_approval: false, ..resolved })
}
