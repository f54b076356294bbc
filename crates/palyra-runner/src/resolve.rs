//! From an installed tool to a module that is proven now: its state, its consent, its publisher, its bytes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use palyra_common::principal::OWNER;
use palyra_common::tally::CacheTally;
use palyra_common::{CapabilityGrantSet, JsonText, WasmPluginRunError};
use palyra_plugins_runtime::{Entry, Invocation, LoadRequest, LoadedModule};
use palyra_skills::consent::ConsentRecord;
use palyra_skills::index::{QuarantineCause, SkillRecord};
use palyra_skills::{Description, Sha256Digest, VerifiedSkill, reverify_installed_artifact};
use palyra_state::{State, View};

use super::find::FoundTool;
use super::{CallError, ToolCaller};

/// Most verified skills that are kept in memory.
const MAX_CACHED: usize = 64;

/// A module that may run now, and the consent it runs under.
pub(super) struct ResolvedModule {
    pub(super) loaded: Arc<LoadedModule>,
    pub(super) consent: ConsentRecord,
}

/// Verified skills by payload, each with the generation of trust it was verified in.
#[derive(Default)]
pub(super) struct VerifiedCache {
    kept: Mutex<HashMap<Sha256Digest, (u64, Arc<VerifiedSkill>)>>,
    pub(super) tally: CacheTally,
}

impl VerifiedCache {
    fn get(&self, payload: &Sha256Digest) -> Option<(u64, Arc<VerifiedSkill>)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(payload).cloned()
    }

    fn put(&self, generation: u64, skill: &Arc<VerifiedSkill>) {
        let mut cache = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(skill.payload(), (generation, Arc::clone(skill)));
    }

    fn forget(&self, payload: &Sha256Digest) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(payload);
    }
}

/// Checks the consent and the bytes of a skill whose state permits runs, and makes its module ready.
pub(super) async fn resolve(
    caller: &ToolCaller,
    view: &View,
    tool: &FoundTool,
    max_module_bytes: u64,
    until: Instant,
) -> Result<ResolvedModule, CallError> {
    let consent = consent(view, tool)?;
    let skill = verified(caller, &tool.record).await?;
    check_description(caller, &tool.record, &skill, Some(until)).await?;
    let length = skill.artifact().entry(tool.entrypoint.module()).map_or(0, <[u8]>::len) as u64;
    if length > max_module_bytes {
        let reason = format!("it has {length} bytes, the policy allows {max_module_bytes}");
        return Err(WasmPluginRunError::invalid_module(reason).into());
    }
    let loaded = load(caller, &skill, tool.entrypoint.module(), Some(until)).await?;
    Ok(ResolvedModule { loaded, consent })
}

/// The consent for exactly this release.
fn consent(view: &View, tool: &FoundTool) -> Result<ConsentRecord, CallError> {
    let consent = view.consents().get(tool.release().payload);
    let consent = consent.filter(|consent| {
        Some(consent.id()) == tool.release().consent
            && consent.covers(&tool.release().manifest, tool.release().payload)
    });
    consent.cloned().ok_or_else(|| {
        let (name, remedy) =
            (tool.record.skill_id.clone(), format!("palyra skills consent {}", tool.record.skill_id));
        let reason = "its permissions have not been approved".into();
        WasmPluginRunError::NotRunnable { name, reason, remedy }.into()
    })
}

/// The current release, verified under what is believed now: from memory if trust has not moved, else again.
pub(super) async fn verified(
    caller: &ToolCaller,
    record: &SkillRecord,
) -> Result<Arc<VerifiedSkill>, CallError> {
    let payload = record.current.payload;
    let generation = caller.state.view().generation();
    let cached = caller.verified.get(&payload);
    let current = cached.as_ref().filter(|(at, _)| *at == generation);
    caller.verified.tally.note(current.is_some());
    if let Some((_, skill)) = current {
        return Ok(Arc::clone(skill));
    }
    let (state, record) = (Arc::clone(&caller.state), record.clone());
    let bytes = cached.map(|(_, skill)| Arc::clone(skill.artifact().bytes()));
    let skill = blocking(move || verify(&state, &record, bytes)).await;
    match skill {
        Ok(skill) => {
            caller.verified.put(generation, &skill);
            Ok(skill)
        }
        Err(error) => {
            caller.verified.forget(&payload);
            Err(error)
        }
    }
}

fn verify(
    state: &State,
    record: &SkillRecord,
    proven: Option<Arc<[u8]>>,
) -> Result<Arc<VerifiedSkill>, CallError> {
    let release = &record.current;
    let bytes = match proven {
        Some(bytes) => bytes,
        None => state.release_bytes(&record.skill_id, release, OWNER)?,
    };
    let trust = state.trust_snapshot(Arc::clone(state.view().trust()));
    let verified = reverify_installed_artifact(bytes, &trust, state.platform());
    match verified {
        Ok(verification) if verification.skill.payload() == release.payload => {
            Ok(Arc::new(verification.skill))
        }
        // The install pipeline says what a refusal means for an installed release, and quarantines it.
        _ => Err(match state.verify_installed(&record.skill_id, OWNER) {
            Err(error) => error.into(),
            Ok(_) => {
                WasmPluginRunError::Internal("the stored release changed while it was read".into()).into()
            }
        }),
    }
}

/// Asks every module that can describe itself, once for each payload.
pub(super) async fn check_description(
    caller: &ToolCaller,
    record: &SkillRecord,
    skill: &Arc<VerifiedSkill>,
    until: Option<Instant>,
) -> Result<(), CallError> {
    if caller.state.view().is_described(&skill.payload()) {
        return Ok(());
    }
    let modules: Vec<String> = skill.modules().map(|(path, _)| path.to_owned()).collect();
    for module in &modules {
        let loaded = load(caller, skill, module, until).await?;
        if loaded.has_describe()
            && let Err(reason) = ask(caller, record, skill, module, &loaded).await
        {
            return Err(quarantine(caller, record, reason).await);
        }
    }
    let (state, skill_id, payload) = (Arc::clone(&caller.state), record.skill_id.clone(), skill.payload());
    blocking(move || state.mark_described(&skill_id, &payload)).await
}

/// Runs `describe()` with nothing granted and compares.
async fn ask(
    caller: &ToolCaller,
    record: &SkillRecord,
    skill: &VerifiedSkill,
    module: &str,
    loaded: &LoadedModule,
) -> Result<(), String> {
    let invocation = Invocation {
        entry: Entry::Describe,
        owner: record.skill_id.as_str().into(),
        run_id: "describe".into(),
        grants: Arc::new(CapabilityGrantSet::default()),
        ..Invocation::tool("describe", JsonText::empty_object())
    };
    let report = caller.runtime.invoke(loaded, invocation).await;
    let output = report.result.map_err(|error| format!("`describe()` of `{module}` failed: {error}"))?;
    let text = output.json().map(ToString::to_string).unwrap_or_default();
    let description = Description::parse(&text)
        .map_err(|error| format!("`describe()` of `{module}` is not a description: {error}"))?;
    match description.differences(skill.manifest(), module).first() {
        None => Ok(()),
        Some(difference) => Err(difference.to_string()),
    }
}

async fn quarantine(caller: &ToolCaller, record: &SkillRecord, reason: String) -> CallError {
    let (state, skill_id, payload) =
        (Arc::clone(&caller.state), record.skill_id.clone(), record.current.payload);
    let kept = reason.clone();
    let result = blocking(move || {
        let result = state.quarantine_release(&skill_id, &payload, QuarantineCause::Describe, &kept, OWNER);
        result.map_err(CallError::from)
    });
    match result.await {
        Ok(()) => {
            let (name, remedy) =
                (record.skill_id.clone(), format!("see `palyra skills info {}`", record.skill_id));
            WasmPluginRunError::NotRunnable { name, reason: format!("it is quarantined: {reason}"), remedy }
                .into()
        }
        Err(error) => error,
    }
}

async fn load(
    caller: &ToolCaller,
    skill: &VerifiedSkill,
    module: &str,
    until: Option<Instant>,
) -> Result<Arc<LoadedModule>, CallError> {
    let bytes = skill.artifact().entry(module).ok_or_else(|| WasmPluginRunError::NotFound {
        what: "module",
        name: module.to_owned(),
        known: skill.modules().map(|(path, _)| path.to_owned()).collect(),
    })?;
    let request = LoadRequest { owner: &skill.manifest().skill_id, until };
    Ok(caller.runtime.load_for(bytes, request).await?)
}

/// Work that reads files or waits for the writer, off the async workers.
pub(super) async fn blocking<T: Send + 'static, E: Into<CallError> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, CallError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| WasmPluginRunError::Internal(error.to_string()))?.map_err(Into::into)
}
