//! A tool of an installed skill: status, consent, bytes and settings, proven once for each view and looked at by
//! every call.

use std::sync::{Arc, Weak};
use std::time::Duration;

use palyra_common::{
    JsonText, OperatorGrants, PluginCapabilityProfile, RuntimeLimits, WasmPluginRunnerPolicy,
};
use palyra_plugins_runtime::{Entry, LoadedModule};
use palyra_skills::capability_grants_from_manifest;
use palyra_skills::consent::ConsentRecord;
use palyra_skills::grants::limits_from_manifest;

use super::{Calling, ResolvedPlugin};
use crate::call::find::FoundTool;
use crate::call::grants::{Authorities, EffectiveGrants};
use crate::call::schemas::{CheckDeadline, ToolSchemas};
use crate::call::{CallError, ToolCaller, ToolInvocation, resolve};
use crate::gate::{CallGate, CallQuestion};
use crate::plugins::effective_config;
use crate::view::View;

/// A call of an installed tool, without what every call has.
pub(in crate::call) struct InstalledCall {
    tool: Arc<FoundTool>,
    view: Arc<View>,
    operator: OperatorGrants,
    limits: Option<RuntimeLimits>,
    gate: CallGate,
}

/// What follows from the view for every call of a tool; nothing in it depends on who calls with what.
pub(in crate::call) struct ReadyTool {
    /// As long as the sandbox keeps it: a tool nobody calls must not hold compiled code.
    loaded: Weak<LoadedModule>,
    entry: Entry,
    schemas: Arc<ToolSchemas>,
    consent: ConsentRecord,
    /// What a call gets that brings no directories or addresses of its own.
    grants: Arc<EffectiveGrants>,
    limits: RuntimeLimits,
    operator_config: JsonText,
}

impl InstalledCall {
    /// Parts a call from what it calls.
    pub(in crate::call) fn new(
        tool: Arc<FoundTool>,
        view: Arc<View>,
        invocation: ToolInvocation,
    ) -> (Self, Calling) {
        let ToolInvocation {
            input,
            principal,
            requester,
            operator,
            limits,
            cancel,
            listener,
            context,
            gate,
            ..
        } = invocation;
        let (subject, cancel) = (Arc::clone(&tool.subject), cancel.unwrap_or_default());
        let generation = Some(tool.generation);
        let (hook, gates) = (None, Vec::new());
        let calling = Calling {
            subject,
            generation,
            input,
            principal,
            requester,
            grants: operator.texts(),
            context,
            cancel,
            listener,
            hook,
            gates,
        };
        (Self { tool, view, operator, limits, gate }, calling)
    }

    /// What it was found in.
    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view)
    }

    /// Everything that can refuse the call before an instance exists.
    pub(super) async fn resolve(
        &self,
        caller: &ToolCaller,
        calling: &Calling,
    ) -> Result<ResolvedPlugin, CallError> {
        let kept = self.tool.ready().and_then(|ready| Some((ready.loaded.upgrade()?, ready)));
        caller.ready_tally.note(kept.is_some());
        let (ready, loaded) = match kept {
            Some((loaded, ready)) => {
                let deadline = self.deadline(&ready.limits);
                ready.schemas.check_input(&calling.input, deadline).await?;
                self.may_begin(calling)?;
                (ready, loaded)
            }
            // Seldom walked and large: every other call would carry its room along.
            None => Box::pin(self.prove(caller, calling)).await?,
        };
        let grants = self.grants(&ready);
        grants.check_directories(caller.state.root())?;
        Ok(ResolvedPlugin {
            loaded,
            entry: ready.entry.clone(),
            schemas: Some(Arc::clone(&ready.schemas)),
            grants,
            limits: self.limits_under(&ready.limits),
            operator_config: ready.operator_config.clone(),
            requires_approval: self.tool.entrypoint.risk.requires_approval,
        })
    }

    /// Looks at everything once; what it finds is true of this view.
    async fn prove(
        &self,
        caller: &ToolCaller,
        calling: &Calling,
    ) -> Result<(Arc<ReadyTool>, Arc<LoadedModule>), CallError> {
        let Self { tool, view, .. } = self;
        let policy = &view.plugins().policy.value;
        let (skill_id, manifest) = (&tool.record.skill_id, &tool.release().manifest);
        let profile = profile_of(view, skill_id);
        let limits = policy.cap(&profile.cap(&limits_from_manifest(manifest)));
        let schemas = caller.schemas.get(tool)?;
        let deadline = self.deadline(&limits);
        schemas.check_input(&calling.input, deadline).await?;
        let may_begin = || self.may_begin(calling);
        let module =
            resolve::resolve(caller, view, tool, may_begin, policy.max_module_bytes, deadline.at).await?;
        let grants = effective(tool, &module.consent, view, &OperatorGrants::default());
        let operator_config = effective_config(skill_id, manifest, view.plugins().configs.get(skill_id))?;
        let entrypoint = &tool.entrypoint;
        let entry = Entry::Tool { id: entrypoint.id.clone(), export: entrypoint.export.clone() };
        let (loaded, consent) = (Arc::downgrade(&module.loaded), module.consent);
        let grants = Arc::new(grants);
        let ready = Arc::new(ReadyTool { loaded, entry, schemas, consent, grants, limits, operator_config });
        tool.keep(&ready);
        Ok((ready, module.loaded))
    }

    /// The tool's limits, and below them those the caller named.
    fn limits_under(&self, limits: &RuntimeLimits) -> RuntimeLimits {
        match &self.limits {
            Some(most) => limits.capped_by(most),
            None => limits.clone(),
        }
    }

    /// Until when everything before the run may take: as long as the run itself.
    fn deadline(&self, limits: &RuntimeLimits) -> CheckDeadline {
        CheckDeadline::of_call(self.limits_under(limits).wall_clock_timeout_ms, Duration::ZERO)
    }

    /// Asks the policy whoever calls is under.
    fn may_begin(&self, calling: &Calling) -> Result<(), CallError> {
        let tool = &self.tool;
        let question = CallQuestion { record: &tool.record, tool: &tool.entrypoint, input: &calling.input };
        self.gate.ask(&question).map_err(|decision| CallError::Denied {
            skill_id: tool.record.skill_id.clone(),
            tool_id: tool.entrypoint.id.clone(),
            decision,
        })
    }

    /// Manifest ∩ consent ∩ profile ∩ policy, with what the operator opens for this call.
    fn grants(&self, ready: &ReadyTool) -> Arc<EffectiveGrants> {
        match self.operator == OperatorGrants::default() {
            true => Arc::clone(&ready.grants),
            false => Arc::new(effective(&self.tool, &ready.consent, &self.view, &self.operator)),
        }
    }
}

fn effective(
    tool: &FoundTool,
    consent: &ConsentRecord,
    view: &View,
    operator: &OperatorGrants,
) -> EffectiveGrants {
    let policy: &WasmPluginRunnerPolicy = &view.plugins().policy.value;
    let authorities = Authorities {
        skill_id: &tool.record.skill_id,
        asked: &capability_grants_from_manifest(&tool.release().manifest),
        consented: Some(&consent.granted),
        profile: &profile_of(view, &tool.record.skill_id),
        policy,
        operator,
    };
    authorities.effective()
}

fn profile_of(view: &View, skill_id: &str) -> PluginCapabilityProfile {
    view.plugins().profiles.get(skill_id).map(|profile| profile.value.clone()).unwrap_or_default()
}
