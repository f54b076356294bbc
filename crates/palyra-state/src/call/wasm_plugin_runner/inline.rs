//! A module that comes with the call: by policy only, without secrets and without anything to write to.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use palyra_common::capabilities::FilesystemAccess;
use palyra_common::{
    CapabilityGrantSet, JsonText, OperatorGrants, PluginCapabilityProfile, RuntimeLimits, WasmPluginRunError,
    WasmPluginRunnerPolicy,
};
use palyra_plugins_runtime::{CancelToken, Entry};
use palyra_skills::Sha256Digest;

use super::{Calling, ResolvedPlugin, RunSubject};
use crate::call::grants::Authorities;
use crate::call::{CallContext, CallError, ToolCaller};

/// The skill that runs of inline modules stand under; no skill can have this id.
pub const INLINE: &str = "inline";

/// A call of a module that is no installed skill.
#[derive(Clone)]
pub struct InlineInvocation {
    /// The module or component, in base64.
    pub module_base64: String,
    /// The tool of a component, or `None` for a module with one.
    pub tool: Option<String>,
    /// The function of a core module.
    pub export: Option<String>,
    /// The input.
    pub input: JsonText,
    /// On whose behalf.
    pub principal: String,
    /// What an operator opens for this call; never a secret, never anything to write to.
    pub operator: OperatorGrants,
    /// What the caller allows the run at most.
    pub limits: Option<RuntimeLimits>,
    /// Lets the caller end the run.
    pub cancel: Option<CancelToken>,
}

impl InlineInvocation {
    /// A call with nothing granted.
    pub fn new(module_base64: impl Into<String>, input: JsonText, principal: impl Into<String>) -> Self {
        Self {
            module_base64: module_base64.into(),
            tool: None,
            export: None,
            input,
            principal: principal.into(),
            operator: OperatorGrants::default(),
            limits: None,
            cancel: None,
        }
    }

    /// Who calls with what; a module that is refused for its bytes is known by its text.
    pub(in crate::call) fn calling(&self, policy: &WasmPluginRunnerPolicy) -> Calling {
        let payload = match decode(self, policy) {
            Ok(bytes) => Sha256Digest::of(&bytes),
            Err(_) => Sha256Digest::of(self.module_base64.as_bytes()),
        };
        let subject = RunSubject {
            skill_id: INLINE.to_owned(),
            tool_id: crate::text::short_name(self.tool_id()),
            payload,
            payload_text: payload.to_string(),
            version: None,
            consent: None,
        };
        Calling {
            subject: Arc::new(subject),
            generation: None,
            input: self.input.clone(),
            principal: self.principal.clone(),
            approved: None,
            context: CallContext::default(),
            cancel: self.cancel.clone().unwrap_or_default(),
            hook: None,
            gates: Vec::new(),
            listener: None,
        }
    }

    fn tool_id(&self) -> &str {
        self.tool.as_deref().unwrap_or(INLINE)
    }
}

pub(super) async fn resolve(
    caller: &ToolCaller,
    inline: &InlineInvocation,
    calling: &Calling,
    policy: &WasmPluginRunnerPolicy,
) -> Result<ResolvedPlugin, CallError> {
    if !policy.allow_inline_modules {
        return Err(WasmPluginRunError::Disabled { what: "running inline modules".into() }.into());
    }
    check_grants(&inline.operator.capabilities)?;
    let bytes = decode(inline, policy)?;
    let authorities = Authorities {
        skill_id: &calling.subject.skill_id,
        asked: &inline.operator.capabilities,
        consented: None,
        profile: &PluginCapabilityProfile::default(),
        policy,
        operator: &inline.operator,
    };
    let grants = authorities.effective();
    grants.check_directories(caller.state.root())?;
    let asked = policy.cap(&RuntimeLimits::default());
    Ok(ResolvedPlugin {
        loaded: caller.runtime.load(&bytes).await?,
        entry: Entry::Tool { id: inline.tool_id().to_owned(), export: inline.export.clone() },
        schemas: None,
        grants: grants.into(),
        limits: inline
            .limits
            .as_ref()
            .map_or_else(|| asked.clone(), |most| most.capped_by(&asked_ceiling(policy))),
        operator_config: JsonText::empty_object(),
        requires_approval: false,
    })
}

/// The caller's own limits count for an inline module, under the policy's ceilings.
fn asked_ceiling(policy: &WasmPluginRunnerPolicy) -> RuntimeLimits {
    let most = u64::MAX >> 1;
    let open = RuntimeLimits {
        fuel_budget: most,
        max_memory_bytes: most,
        max_table_elements: most,
        max_instances: most,
        wall_clock_timeout_ms: most,
        max_input_bytes: most,
        max_output_bytes: most,
        max_log_bytes: most,
        max_host_calls: most,
        max_egress_bytes: most,
    };
    policy.cap(&open)
}

fn check_grants(grants: &CapabilityGrantSet) -> Result<(), WasmPluginRunError> {
    let writes = grants.filesystem().iter().any(|grant| grant.access == FilesystemAccess::ReadWrite);
    let what = match () {
        () if !grants.secrets().is_empty() => "a secret",
        () if !grants.storage().is_empty() => "storage to write to",
        () if writes => "a directory to write to",
        () => return Ok(()),
    };
    Err(WasmPluginRunError::InvalidInput {
        subject: "input",
        pointer: None,
        reason: format!("an inline module never gets {what}"),
        remedy: Some("make it a skill: `palyra skills package build`, then install it".into()),
    })
}

fn decode(inline: &InlineInvocation, policy: &WasmPluginRunnerPolicy) -> Result<Vec<u8>, WasmPluginRunError> {
    let most = policy.max_module_bytes;
    // Four characters are three bytes: what is longer than that is refused before it is decoded.
    if inline.module_base64.len() as u64 / 4 > most.div_ceil(3) {
        return Err(WasmPluginRunError::invalid_module(format!("it has more than {most} bytes")));
    }
    let bytes = STANDARD
        .decode(&inline.module_base64)
        .map_err(|_| WasmPluginRunError::invalid_module("`module_base64` is not standard base64"))?;
    match bytes.len() as u64 > most {
        true => Err(WasmPluginRunError::invalid_module(format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
}
