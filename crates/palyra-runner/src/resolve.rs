//! Verifies the module of an installed tool: status, consent, publisher and bytes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use palyra_common::principal::OWNER;
use palyra_common::{BoundedCache, CapabilityGrantSet, JsonText, WasmPluginRunError};
use palyra_plugins_runtime::{CodeState, Entry, Invocation, LoadRequest, LoadedModule};
use palyra_skills::index::{QuarantineCause, SkillRecord};
use palyra_skills::{Description, Sha256Digest, VerifiedSkill, reverify_installed_artifact};
use palyra_state::runs::RunListener;
use palyra_state::{State, View};

use super::find::FoundTool;
use super::{CallError, ToolCaller};

/// Maximum number of cached verified skills.
pub(super) const MAX_VERIFIED: usize = 64;

/// Wait of a call for compilation: its deadline, its listener, and the time it took.
#[derive(Default)]
pub(super) struct CodeWait<'a> {
    /// Deadline, after which the call fails as `busy`.
    pub(super) until: Option<Instant>,
    pub(super) listener: Option<&'a RunListener>,
    /// Time the call has waited for compilation.
    pub(super) compiled: Duration,
    /// True once the listener was notified.
    pub(super) reported: bool,
}

impl CodeWait<'_> {
    /// Loads a module whose digest is known, compiling it if necessary.
    pub(super) async fn load(
        &mut self,
        caller: &ToolCaller,
        bytes: &[u8],
        sha256: &Sha256Digest,
        owner: &str,
    ) -> Result<Arc<LoadedModule>, WasmPluginRunError> {
        let compiles = caller.runtime.code_state(sha256.as_bytes()) != CodeState::Ready;
        if let (true, false, Some(listener)) = (compiles, self.reported, self.listener) {
            listener.report_compiling();
            self.reported = true;
        }
        let began = Instant::now();
        let loaded = caller.runtime.load_for(bytes, LoadRequest { owner, until: self.until }).await?;
        if compiles {
            self.compiled = self.compiled.saturating_add(began.elapsed());
        }
        Ok(loaded)
    }
}

/// Verified skills by payload, with the generation of the state they were verified in.
pub(super) type VerifiedCache = BoundedCache<Sha256Digest, (u64, Arc<VerifiedSkill>)>;

/// Checks consent and package of a skill whose status permits runs, and loads its module.
pub(super) async fn resolve(
    caller: &ToolCaller,
    view: &View,
    tool: &FoundTool,
    max_module_bytes: u64,
    wait: &mut CodeWait<'_>,
) -> Result<Arc<LoadedModule>, CallError> {
    check_consent(view, tool)?;
    let skill = verified(caller, &tool.record).await?;
    check_description(caller, &tool.record, &skill, wait).await?;
    let length = skill.artifact().entry(tool.entrypoint.module()).map_or(0, <[u8]>::len) as u64;
    if length > max_module_bytes {
        let reason = format!("it has {length} bytes, the runner policy allows {max_module_bytes}");
        return Err(WasmPluginRunError::invalid_module(reason).into());
    }
    load(caller, &skill, tool.entrypoint.module(), wait).await
}

/// Rejects a release without a consent for exactly this release.
fn check_consent(view: &View, tool: &FoundTool) -> Result<(), CallError> {
    let consent = view.consents().get(tool.release().payload);
    let holds = consent.is_some_and(|consent| {
        Some(consent.id()) == tool.release().consent
            && consent.covers(&tool.release().manifest, tool.release().payload)
    });
    if holds {
        return Ok(());
    }
    let (name, remedy) =
        (tool.record.skill_id.clone(), format!("palyra skills consent {}", tool.record.skill_id));
    let reason = "its permissions have not been approved".into();
    Err(WasmPluginRunError::NotRunnable { name, reason, remedy }.into())
}

/// Returns the current release, verified under the current trust: from the cache if the state has not changed.
pub(super) async fn verified(
    caller: &ToolCaller,
    record: &SkillRecord,
) -> Result<Arc<VerifiedSkill>, CallError> {
    let payload = record.current.payload;
    let generation = caller.state.view().generation();
    // A cached skill of an earlier generation is verified again from its cached bytes.
    let mut bytes = None;
    let current = caller.verified.get_if(&payload, |(at, skill)| {
        bytes = Some(Arc::clone(skill.artifact().bytes()));
        *at == generation
    });
    if let Some((_, skill)) = current {
        return Ok(skill);
    }
    let (state, modules, record) = (Arc::clone(&caller.state), Arc::clone(&caller.modules), record.clone());
    let skill =
        blocking(move || verify(&state, &record, bytes).inspect(|skill| modules.remember(skill))).await;
    match skill {
        Ok(skill) => {
            caller.verified.insert(payload, (generation, Arc::clone(&skill)));
            Ok(skill)
        }
        Err(error) => {
            caller.verified.remove(&payload);
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
        None => state.skills().release_bytes(&record.skill_id, release, OWNER)?,
    };
    let trust = state.trust().snapshot(Arc::clone(state.view().trust()));
    let verified = reverify_installed_artifact(bytes, &trust, state.platform());
    match verified {
        Ok(verification) if verification.skill.payload() == release.payload => {
            Ok(Arc::new(verification.skill))
        }
        // The install pipeline quarantines an installed release that fails verification.
        _ => Err(match state.skills().verify_installed(&record.skill_id, OWNER) {
            Err(error) => error.into(),
            Ok(_) => WasmPluginRunError::Internal("the stored release changed during the read".into()).into(),
        }),
    }
}

/// Checks the description of every module that has one, once for each payload.
pub(super) async fn check_description(
    caller: &ToolCaller,
    record: &SkillRecord,
    skill: &Arc<VerifiedSkill>,
    wait: &mut CodeWait<'_>,
) -> Result<(), CallError> {
    if caller.state.view().is_described(&skill.payload()) {
        return Ok(());
    }
    let modules: Vec<String> = skill.modules().map(|(path, _)| path.to_owned()).collect();
    for module in &modules {
        let loaded = load(caller, skill, module, wait).await?;
        if loaded.has_describe()
            && let Err(reason) = ask(caller, record, skill, module, &loaded).await
        {
            return Err(quarantine(caller, record, reason).await);
        }
    }
    let (state, skill_id, payload) = (Arc::clone(&caller.state), record.skill_id.clone(), skill.payload());
    blocking(move || state.skills().mark_described(&skill_id, &payload)).await
}

/// Runs `describe()` without grants and compares the result with the manifest.
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
        .map_err(|error| format!("`describe()` of `{module}` returned an invalid description: {error}"))?;
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
        let result =
            state.skills().quarantine_release(&skill_id, &payload, QuarantineCause::Describe, &kept, OWNER);
        result.map_err(CallError::from)
    });
    match result.await {
        Ok(()) => {
            let (name, remedy) =
                (record.skill_id.clone(), format!("see `palyra skills show {}`", record.skill_id));
            WasmPluginRunError::NotRunnable { name, reason: format!("it is quarantined: {reason}"), remedy }
                .into()
        }
        Err(error) => error,
    }
}

/// Compiles every module without code, also those that exceeded a compiler limit before.
pub(super) async fn compile(caller: &ToolCaller, skill: &VerifiedSkill) -> Result<(), CallError> {
    for (path, bytes) in skill.modules() {
        let sha256 = digest_of(skill, path)?;
        if caller.runtime.code_state(sha256.as_bytes()) != CodeState::Ready {
            caller.runtime.allow_recompile(sha256.as_bytes());
            CodeWait::default().load(caller, bytes, &sha256, &skill.manifest().skill_id).await?;
        }
    }
    Ok(())
}

async fn load(
    caller: &ToolCaller,
    skill: &VerifiedSkill,
    module: &str,
    wait: &mut CodeWait<'_>,
) -> Result<Arc<LoadedModule>, CallError> {
    let bytes = skill.artifact().entry(module).ok_or_else(|| no_module(skill, module))?;
    let owner = &skill.manifest().skill_id;
    Ok(wait.load(caller, bytes, &digest_of(skill, module)?, owner).await?)
}

/// Returns the digest of a module as computed by the verification of its release.
fn digest_of(skill: &VerifiedSkill, module: &str) -> Result<Sha256Digest, WasmPluginRunError> {
    let mut entries = skill.artifact().entry_digests().iter();
    let found = entries.find(|entry| entry.path == module).map(|entry| entry.sha256);
    found.ok_or_else(|| no_module(skill, module))
}

fn no_module(skill: &VerifiedSkill, module: &str) -> WasmPluginRunError {
    WasmPluginRunError::NotFound {
        what: "module",
        name: module.to_owned(),
        known: skill.modules().map(|(path, _)| path.to_owned()).collect(),
    }
}

/// Runs work that reads files or waits for the writer on a blocking thread.
pub(super) async fn blocking<T: Send + 'static, E: Into<CallError> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, CallError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| WasmPluginRunError::Internal(error.to_string()))?.map_err(Into::into)
}
