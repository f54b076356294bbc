//! Inline modules, which are part of a call: permitted by the runner policy only, without secrets and without write
//! access.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use palyra_common::limits::MAX_INLINE_MODULE_BYTES;
use palyra_common::{
    CapabilityGrantSet, CapabilityKind, Denial, INLINE_MODULES, JsonText, OperatorGrants,
    PluginCapabilityProfile, Principal, RuntimeLimits, WasmPluginRunError, WasmPluginRunnerPolicy,
};
use palyra_plugins_runtime::{CancelToken, Entry, LoadedModule, ModuleKind};
use palyra_skills::Sha256Digest;
use palyra_state::authorizer::{Authorized, CallFacts};
use palyra_state::runs::{INLINE, RunSubject};

use super::{Calling, ResolvedPlugin, rules_of};
use crate::grants::Authorities;
use crate::resolve::CodeWait;
use crate::{CallContext, CallError, RunListener, ToolCaller};

/// Capabilities that an inline module never gets, as errors name them.
/// Marks the reason of a denial that no grant of an inline module can lift.
pub const NEVER_INLINE: &str = "an inline module never gets";
/// Advice for such a denial.
pub const MAKE_A_SKILL: &str = "make it a skill with `palyra skills package build`, then install it";

const A_SECRET: &str = "a secret";
const STORAGE: &str = "storage to write to";

/// A call of a module that is not an installed skill.
#[derive(Clone)]
pub struct InlineInvocation {
    /// The core module or component, in standard base64.
    pub module_base64: String,
    /// Tool of a component; optional for a core module.
    pub tool: Option<String>,
    /// Exported function of a core module.
    pub export: Option<String>,
    /// Input as JSON.
    pub input: JsonText,
    /// Principal of the call.
    pub principal: Arc<Principal>,
    /// Grants that an operator opens for this call; secrets and write access are rejected.
    pub operator: OperatorGrants,
    /// Limits of the caller, below those of the policy.
    pub limits: Option<RuntimeLimits>,
    /// Cancels the run.
    pub cancel: Option<CancelToken>,
    /// Receives the run id and the output of the run while it is in progress.
    pub listener: Option<Arc<RunListener>>,
    /// Session, parent run and labels of the call.
    pub context: CallContext,
}

/// The parts of a call that are specific to an inline module.
pub(crate) struct InlineCall {
    /// The decoded module, or why it was rejected.
    module: Result<Vec<u8>, WasmPluginRunError>,
    tool: Option<String>,
    export: Option<String>,
    operator: OperatorGrants,
    limits: Option<RuntimeLimits>,
}

impl InlineInvocation {
    /// Creates a call without grants.
    pub fn new(module_base64: impl Into<String>, input: JsonText, principal: Arc<Principal>) -> Self {
        Self {
            module_base64: module_base64.into(),
            tool: None,
            export: None,
            input,
            principal,
            operator: OperatorGrants::default(),
            limits: None,
            cancel: None,
            listener: None,
            context: CallContext::default(),
        }
    }
}

impl InlineCall {
    /// Splits an invocation into its module and its call. A module that is rejected is identified by the hash of its
    /// text.
    ///
    /// Decodes and hashes, so it must not run on an async worker.
    pub(crate) fn new(invocation: InlineInvocation, policy: &WasmPluginRunnerPolicy) -> (Self, Calling) {
        let InlineInvocation {
            module_base64,
            tool,
            export,
            input,
            principal,
            operator,
            limits,
            cancel,
            listener,
            context,
        } = invocation;
        let module = allowed(policy).and_then(|()| decode(&module_base64, policy));
        let payload = match &module {
            Ok(bytes) => Sha256Digest::of(bytes),
            Err(_) => Sha256Digest::of(module_base64.as_bytes()),
        };
        let subject = RunSubject {
            skill_id: INLINE.to_owned(),
            tool_id: palyra_state::short_name(tool.as_deref().unwrap_or(INLINE)),
            payload,
            payload_text: payload.to_string(),
            version: None,
            consent: None,
        };
        let calling = Calling {
            subject: Arc::new(subject),
            generation: None,
            input,
            principal,
            grants: operator.texts(),
            context,
            cancel: cancel.unwrap_or_default(),
            hook: None,
            gates: Vec::new(),
            listener,
        };
        (Self { module, tool, export, operator, limits }, calling)
    }

    /// Runs every check that can reject the call before an instance exists.
    pub(super) async fn resolve(
        &self,
        caller: &ToolCaller,
        calling: &Calling,
        policy: &WasmPluginRunnerPolicy,
    ) -> Result<ResolvedPlugin, CallError> {
        allowed(policy)?;
        let approval_because = self.authorize(caller, calling)?;
        check_grants(&self.operator.capabilities)?;
        let bytes = self.module.as_ref().map_err(WasmPluginRunError::clone)?;
        let authorities = Authorities {
            skill_id: &calling.subject.skill_id,
            asked: &self.operator.capabilities,
            narrowed: None,
            consented: None,
            profile: &PluginCapabilityProfile::default(),
            policy,
            operator: &self.operator,
        };
        let grants = authorities.effective();
        grants.check_directories(caller.state.root())?;
        let limits = match &self.limits {
            Some(most) => most.capped_by(&asked_ceiling(policy)),
            None => policy.cap(&RuntimeLimits::default()),
        };
        let until = Instant::now().checked_add(Duration::from_millis(limits.wall_clock_timeout_ms));
        // The queue is per caller, so that one caller's modules do not delay skills or other callers.
        let owner = format!("{INLINE}:{}", calling.principal.actor());
        let mut wait = CodeWait { until, listener: calling.listener.as_deref(), ..CodeWait::default() };
        let loaded = wait.load(caller, bytes, &calling.subject.payload, &owner).await?;
        Ok(ResolvedPlugin {
            entry: self.entry(&loaded)?,
            loaded,
            schemas: None,
            grants: grants.into(),
            limits,
            limits_of_call: self.limits.clone(),
            operator_config: JsonText::empty_object(),
            requires_approval: approval_because.is_some(),
            approval_because,
            compiled: wait.compiled,
        })
    }

    /// Returns the reasons why the access policy requires approval, if it does.
    fn authorize(&self, caller: &ToolCaller, calling: &Calling) -> Result<Option<String>, CallError> {
        let writes_outside = self.operator.capabilities.writes_outside();
        let facts = CallFacts { labels: calling.context.labels, writes_outside };
        let authorizer = caller.state.authorizer();
        match authorizer.authorize_inline(&calling.principal, &calling.input, facts) {
            Ok(Authorized::AtOnce) => Ok(None),
            Ok(Authorized::WithApproval(decision)) => Ok(Some(rules_of(&decision))),
            Err(decision) => Err(CallError::Denied {
                skill_id: INLINE.to_owned(),
                tool_id: calling.subject.tool_id.clone(),
                decision,
            }),
        }
    }

    /// Returns the entry point. A component requires the id of a tool.
    fn entry(&self, loaded: &LoadedModule) -> Result<Entry, WasmPluginRunError> {
        match (&self.tool, loaded.shape().kind) {
            (None, ModuleKind::Component) => Err(WasmPluginRunError::InvalidInput {
                subject: "input",
                pointer: None,
                reason: "the module is a component, and the call has no tool".into(),
                remedy: Some("choose one of its tools with `tool`, or `--tool` on the command line".into()),
            }),
            (tool, _) => {
                let id = tool.clone().unwrap_or_else(|| INLINE.to_owned());
                Ok(Entry::Tool { id, export: self.export.clone() })
            }
        }
    }
}

pub(super) fn allowed(policy: &WasmPluginRunnerPolicy) -> Result<(), WasmPluginRunError> {
    if policy.allow_inline_modules {
        Ok(())
    } else {
        Err(WasmPluginRunError::Disabled { what: INLINE_MODULES.into() })
    }
}

/// Returns the ceiling for the caller's limits: those of the policy.
fn asked_ceiling(policy: &WasmPluginRunnerPolicy) -> RuntimeLimits {
    policy.cap(&RuntimeLimits::unbounded())
}

/// Removes the hint to grant a capability that inline modules never get.
pub(crate) fn explain(denial: &mut Denial) {
    let what = match denial.kind {
        CapabilityKind::Secret => A_SECRET,
        CapabilityKind::Storage => STORAGE,
        CapabilityKind::Http | CapabilityKind::Channel | CapabilityKind::Filesystem => return,
    };
    denial.reason = format!("{}; {NEVER_INLINE} {what}, an installed skill can", denial.reason);
    denial.grant = None;
}

fn check_grants(grants: &CapabilityGrantSet) -> Result<(), WasmPluginRunError> {
    let what = match () {
        () if !grants.secrets().is_empty() => A_SECRET,
        () if !grants.storage().is_empty() => STORAGE,
        () if grants.writes_files() => "a directory to write to",
        () => return Ok(()),
    };
    Err(WasmPluginRunError::InvalidInput {
        subject: "input",
        pointer: None,
        reason: format!("an inline module never gets {what}"),
        remedy: Some(MAKE_A_SKILL.into()),
    })
}

fn decode(module_base64: &str, policy: &WasmPluginRunnerPolicy) -> Result<Vec<u8>, WasmPluginRunError> {
    let most = policy.max_module_bytes.min(MAX_INLINE_MODULE_BYTES);
    let too_large = || WasmPluginRunError::invalid_module(format!("it has more than {most} bytes"));
    // Four characters encode three bytes, so a text that is too long is rejected before it is decoded.
    if module_base64.len() as u64 / 4 > most.div_ceil(3) {
        return Err(too_large());
    }
    let bytes = STANDARD
        .decode(module_base64)
        .map_err(|_| WasmPluginRunError::invalid_module("`module_base64` is not standard base64"))?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}
