//! A tool of an installed skill: status, consent, bytes and settings are verified once per view and shared by every
//! call.

use std::sync::{Arc, Weak};
use std::time::Duration;

use palyra_common::{
    CapabilityGrantSet, JsonText, OperatorGrants, PluginCapabilityProfile, Principal, RuntimeLimits,
    WasmPluginRunnerPolicy,
};
use palyra_plugins_runtime::{CancelToken, Entry, LoadedModule};
use palyra_policy::PolicyDecision;
use palyra_skills::capability_grants_from_manifest;
use palyra_skills::grants::limits_from_manifest;
use palyra_state::authorizer::{Authorized, CallFacts, CalledEntry};
use palyra_state::{View, check_runnable, effective_config};

use super::{Calling, ResolvedPlugin, rules_of};
use crate::find::{EntryPoint, FoundTool};
use crate::grants::{Authorities, EffectiveGrants, NarrowedTool};
use crate::resolve::CodeWait;
use crate::schemas::{CheckDeadline, ToolSchemas};
use crate::{CallContext, CallError, ToolCaller, ToolInvocation, resolve};

/// The parts of a call that are specific to an installed tool.
pub(crate) struct InstalledCall {
    tool: Arc<FoundTool>,
    view: Arc<View>,
    operator: OperatorGrants,
    limits: Option<RuntimeLimits>,
}

/// Checks of a tool that depend on the view only, not on the caller or the input.
pub(crate) struct ReadyTool {
    /// Weak, because an unused tool must not keep compiled code in memory.
    loaded: Weak<LoadedModule>,
    entry: Entry,
    /// `None` for a hook.
    schemas: Option<Arc<ToolSchemas>>,
    /// Capabilities that the operator consented to.
    consented: CapabilityGrantSet,
    /// Grants of a call without directories or addresses of its own.
    grants: Arc<EffectiveGrants>,
    limits: RuntimeLimits,
    operator_config: JsonText,
}

/// A tool that passed its checks, with the grants of this call.
struct Proven {
    ready: Arc<ReadyTool>,
    loaded: Arc<LoadedModule>,
    grants: Arc<EffectiveGrants>,
    authorized: Authorized,
    /// Time the call waited for compilation.
    compiled: Duration,
}

impl Calling {
    /// Creates a call on its own, without grants besides those of the skill.
    pub(crate) fn of(tool: &FoundTool, input: JsonText, principal: Arc<Principal>) -> Self {
        Self {
            subject: Arc::clone(&tool.subject),
            generation: Some(tool.generation),
            input,
            principal,
            grants: Vec::new(),
            context: CallContext::default(),
            cancel: CancelToken::default(),
            hook: None,
            gates: Vec::new(),
            listener: None,
        }
    }
}

impl InstalledCall {
    /// Splits an invocation into its tool and its call.
    pub(crate) fn new(tool: Arc<FoundTool>, view: Arc<View>, invocation: ToolInvocation) -> (Self, Calling) {
        let ToolInvocation {
            tool: _,
            skill_id: _,
            input,
            principal,
            operator,
            limits,
            cancel,
            listener,
            context,
        } = invocation;
        let calling = Calling {
            grants: operator.texts(),
            context,
            cancel: cancel.unwrap_or_default(),
            listener,
            ..Calling::of(&tool, input, principal)
        };
        (Self { tool, view, operator, limits }, calling)
    }

    /// Creates the call of a hook, which has no grants of an operator.
    pub(crate) fn of_hook(tool: Arc<FoundTool>, view: Arc<View>, limits: RuntimeLimits) -> Self {
        Self { tool, view, operator: OperatorGrants::default(), limits: Some(limits) }
    }

    /// Returns the view in which the tool was found.
    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view)
    }

    /// Runs every check that can reject the call before an instance exists.
    pub(super) async fn resolve(
        &self,
        caller: &ToolCaller,
        calling: &Calling,
    ) -> Result<ResolvedPlugin, CallError> {
        let kept = self.tool.ready().and_then(|ready| Some((ready.loaded.upgrade()?, ready)));
        caller.ready_tally.note(kept.is_some());
        let Proven { ready, loaded, grants, authorized, compiled } = match kept {
            Some((loaded, ready)) => {
                let deadline = self.deadline(&ready.limits);
                if let Some(schemas) = &ready.schemas {
                    schemas.check_input(&calling.input, deadline).await?;
                }
                let grants = self.grants(&ready.consented, &ready.grants);
                let authorized = self.authorize(caller, calling, &grants)?;
                Proven { ready, loaded, grants, authorized, compiled: Duration::ZERO }
            }
            // Boxed: this branch is rare and its future large, which would enlarge the future of every call.
            None => Box::pin(self.prove(caller, calling)).await?,
        };
        let approval_because = match authorized {
            Authorized::AtOnce => None,
            // A hook cannot wait for approval.
            Authorized::WithApproval(decision) if calling.hook.is_some() => return Err(self.denied(decision)),
            Authorized::WithApproval(decision) => Some(rules_of(&decision)),
        };
        grants.check_directories(caller.state.root())?;
        Ok(ResolvedPlugin {
            loaded,
            entry: ready.entry.clone(),
            schemas: ready.schemas.clone(),
            grants,
            limits: self.limits_under(&ready.limits),
            limits_of_call: self.limits.clone(),
            operator_config: ready.operator_config.clone(),
            requires_approval: self.tool.entrypoint.risk().requires_approval || approval_because.is_some(),
            approval_because,
            compiled,
        })
    }

    /// Runs all checks of the view once and caches them; returns the time the call waited for compilation as well.
    async fn prove(&self, caller: &ToolCaller, calling: &Calling) -> Result<Proven, CallError> {
        let Self { tool, view, .. } = self;
        let policy = &view.plugins().policy.value;
        let (skill_id, manifest) = (&tool.record.skill_id, &tool.release().manifest);
        let profile = profile_of(view, skill_id);
        let limits = policy.cap(&profile.cap(&limits_from_manifest(manifest)));
        let schemas = match &tool.entrypoint {
            EntryPoint::Tool(entrypoint) => Some(caller.schemas.get(tool.release().payload, entrypoint)?),
            EntryPoint::Hook { .. } => None,
        };
        let deadline = self.deadline(&limits);
        if let Some(schemas) = &schemas {
            schemas.check_input(&calling.input, deadline).await?;
        }
        check_runnable(&tool.record, caller.state.platform())?;
        // A release without a consent has no grants, and is rejected below.
        let consent = view.consents().get(tool.release().payload);
        let consented = consent.map(|consent| consent.granted.clone()).unwrap_or_default();
        let own = Arc::new(effective(tool, &consented, view, &OperatorGrants::default()));
        let grants = self.grants(&consented, &own);
        let authorized = self.authorize(caller, calling, &grants)?;
        let listener = calling.listener.as_deref();
        let mut wait = CodeWait { until: Some(deadline.at), listener, ..CodeWait::default() };
        let loaded = resolve::resolve(caller, view, tool, policy.max_module_bytes, &mut wait).await?;
        let operator_config = effective_config(skill_id, manifest, view.plugins().configs.get(skill_id))?;
        let entry = tool.entrypoint.entry();
        let ready = Arc::new(ReadyTool {
            loaded: Arc::downgrade(&loaded),
            entry,
            schemas,
            consented,
            grants: own,
            limits,
            operator_config,
        });
        tool.keep(&ready);
        Ok(Proven { ready, loaded, grants, authorized, compiled: wait.compiled })
    }

    /// Returns the limits of the tool, reduced by those of the caller.
    fn limits_under(&self, limits: &RuntimeLimits) -> RuntimeLimits {
        match &self.limits {
            Some(most) => limits.capped_by(most),
            None => limits.clone(),
        }
    }

    /// Returns the deadline for everything before the run, which is as long as that of the run.
    fn deadline(&self, limits: &RuntimeLimits) -> CheckDeadline {
        CheckDeadline::of_call(self.limits_under(limits).wall_clock_timeout_ms, Duration::ZERO)
    }

    fn authorize(
        &self,
        caller: &ToolCaller,
        calling: &Calling,
        grants: &EffectiveGrants,
    ) -> Result<Authorized, CallError> {
        let tool = &self.tool;
        let (tool_id, risk) = (tool.entrypoint.id(), tool.entrypoint.risk());
        let entry = CalledEntry { record: &tool.record, tool_id, risk };
        let facts =
            CallFacts { labels: calling.context.labels, writes_outside: grants.grants.writes_outside() };
        let authorizer = caller.state.authorizer();
        let decided = authorizer.authorize_call(&calling.principal, entry, &calling.input, facts);
        decided.map_err(|decision| self.denied(decision))
    }

    fn denied(&self, decision: Arc<PolicyDecision>) -> CallError {
        let (skill_id, tool_id) = (self.tool.record.skill_id.clone(), self.tool.entrypoint.id().to_owned());
        CallError::Denied { skill_id, tool_id, decision }
    }

    /// Returns the intersection of manifest, tool, consent, profile and policy, with the operator's grants for this
    /// call.
    fn grants(&self, consented: &CapabilityGrantSet, own: &Arc<EffectiveGrants>) -> Arc<EffectiveGrants> {
        if self.operator == OperatorGrants::default() {
            Arc::clone(own)
        } else {
            Arc::new(effective(&self.tool, consented, &self.view, &self.operator))
        }
    }
}

fn effective(
    tool: &FoundTool,
    consented: &CapabilityGrantSet,
    view: &View,
    operator: &OperatorGrants,
) -> EffectiveGrants {
    let policy: &WasmPluginRunnerPolicy = &view.plugins().policy.value;
    let manifest = &tool.release().manifest;
    let authorities = Authorities {
        skill_id: &tool.record.skill_id,
        asked: &capability_grants_from_manifest(manifest),
        // A hook is never restricted by the table of a tool, even if they share an id.
        narrowed: match &tool.entrypoint {
            EntryPoint::Tool(entrypoint) => NarrowedTool::of(manifest, &entrypoint.id),
            EntryPoint::Hook { .. } => None,
        },
        consented: Some(consented),
        profile: &profile_of(view, &tool.record.skill_id),
        policy,
        operator,
    };
    authorities.effective()
}

/// Returns the maximum fuel of one call of an installed tool, or `None` if there is no such tool.
pub fn fuel_limit(view: &View, tool: &str) -> Option<u64> {
    let id = view.aliases().get(tool).map_or(tool, String::as_str);
    let record = view.shared_skill_of_tool(id)?;
    let limits = profile_of(view, &record.skill_id).cap(&limits_from_manifest(&record.current.manifest));
    Some(view.plugins().policy.value.cap(&limits).fuel_budget)
}

fn profile_of(view: &View, skill_id: &str) -> PluginCapabilityProfile {
    view.plugins().profiles.get(skill_id).map(|profile| profile.value.clone()).unwrap_or_default()
}
