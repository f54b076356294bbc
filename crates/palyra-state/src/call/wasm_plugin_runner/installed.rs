//! A tool of an installed skill: status, consent, bytes and settings, looked at for this call.

use std::sync::Arc;

use palyra_common::{OperatorGrants, PluginCapabilityProfile, WasmPluginRunnerPolicy};
use palyra_plugins_runtime::Entry;
use palyra_skills::capability_grants_from_manifest;
use palyra_skills::consent::ConsentRecord;
use palyra_skills::grants::limits_from_manifest;

use super::{Calling, ResolvedPlugin, RunSubject};
use crate::call::find::FoundTool;
use crate::call::grants::{Authorities, EffectiveGrants, GrantKey};
use crate::call::{CallError, ToolCaller, ToolInvocation, resolve};
use crate::gate::CallQuestion;
use crate::plugins::{Revised, effective_config};

pub(super) fn calling(tool: &FoundTool, invocation: &ToolInvocation) -> Calling {
    Calling {
        subject: RunSubject {
            skill_id: tool.record.skill_id.clone(),
            tool_id: tool.entrypoint.id.clone(),
            payload: tool.release().payload,
            version: Some(tool.release().manifest.version.to_string()),
            consent: tool.release().consent,
        },
        input: invocation.input.clone(),
        principal: invocation.principal.clone(),
        approved: invocation.approved,
        context: invocation.context.clone(),
        cancel: invocation.cancel.clone().unwrap_or_default(),
        listener: invocation.listener.clone(),
    }
}

/// Everything that can refuse the call before an instance exists.
pub(super) async fn resolve(
    caller: &ToolCaller,
    tool: &FoundTool,
    invocation: &ToolInvocation,
    policy: &Revised<WasmPluginRunnerPolicy>,
) -> Result<ResolvedPlugin, CallError> {
    let schemas = caller.schemas.get(tool)?;
    schemas.check_input(&invocation.input)?;
    let may_begin = || gate(tool, invocation);
    let module = resolve::resolve(caller, tool, may_begin, policy.value.max_module_bytes).await?;
    let view = caller.state.view();
    let profile = view.plugins().profiles.get(&tool.record.skill_id).cloned().unwrap_or_default();
    let grants = grants(caller, tool, &module.consent, &profile, policy, invocation);
    grants.check_directories(caller.state.root())?;
    let stored = view.plugins().configs.get(&tool.record.skill_id);
    let operator_config = effective_config(&tool.record.skill_id, &tool.release().manifest, stored)?;
    let asked = policy.value.cap(&profile.value.cap(&limits_from_manifest(&tool.release().manifest)));
    let limits = invocation.limits.as_ref().map_or_else(|| asked.clone(), |most| asked.capped_by(most));
    let entrypoint = &tool.entrypoint;
    Ok(ResolvedPlugin {
        loaded: module.loaded,
        entry: Entry::Tool { id: entrypoint.id.clone(), export: entrypoint.export.clone() },
        schemas: Some(schemas),
        grants,
        limits,
        operator_config,
        requires_approval: entrypoint.risk.requires_approval,
    })
}

/// Asks the policy whoever calls is under.
fn gate(tool: &FoundTool, invocation: &ToolInvocation) -> Result<(), CallError> {
    let question = CallQuestion { record: &tool.record, tool: &tool.entrypoint, input: &invocation.input };
    invocation.gate.ask(&question).map_err(|decision| CallError::Denied {
        skill_id: tool.record.skill_id.clone(),
        tool_id: tool.entrypoint.id.clone(),
        decision,
    })
}

/// Manifest ∩ consent ∩ profile ∩ policy; kept for calls that bring no directories of their own.
fn grants(
    caller: &ToolCaller,
    tool: &FoundTool,
    consent: &ConsentRecord,
    profile: &Revised<PluginCapabilityProfile>,
    policy: &Revised<WasmPluginRunnerPolicy>,
    invocation: &ToolInvocation,
) -> Arc<EffectiveGrants> {
    let derive = || {
        Authorities {
            skill_id: &tool.record.skill_id,
            asked: &capability_grants_from_manifest(&tool.release().manifest),
            consented: Some(&consent.granted),
            profile: &profile.value,
            policy: &policy.value,
            operator: &invocation.operator,
        }
        .effective()
    };
    if invocation.operator != OperatorGrants::default() {
        return Arc::new(derive());
    }
    let key = GrantKey {
        payload: tool.release().payload,
        tool: tool.entrypoint.id.clone(),
        principal: invocation.principal.clone(),
        consent: consent.id(),
        profile_revision: profile.revision,
        policy_revision: policy.revision,
        generation: caller.state.view().generation(),
    };
    caller.grants.get_or_derive(key, derive)
}
