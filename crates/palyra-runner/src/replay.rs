//! Replays a stored run from its tape, without effects, and reports the first difference.

use std::sync::Arc;
use std::time::{Duration, Instant};

use palyra_common::{InOrder, JsonText, THE_RUNNER, WasmPluginRunError};
use palyra_plugins_runtime::{CancelToken, Invocation, LoadRequest, ReplayVerdict, RunUsage, Tape};
use palyra_skills::index::SkillRecord;
use palyra_skills::{Sha256Digest, VerifiedSkill, reverify_installed_artifact};
use palyra_state::runs::{INLINE, RunRow, TapeProblem};
use palyra_state::{State, check_runnable};
use serde::Serialize;

use super::resolve::{self, blocking};
use super::{CallError, ToolCaller};

/// Result of a replay.
#[derive(Debug, Serialize)]
pub struct Replayed {
    /// Id of the replayed run.
    pub run_id: String,
    /// Result of the comparison with the tape.
    pub verdict: ReplayVerdict,
    /// True if the run opened files that its tape does not contain; only for tapes of version 1.
    pub open: bool,
    /// Output of the replay, if it returned one.
    #[serde(serialize_with = "as_json")]
    pub output: Option<JsonText>,
    /// Error code, if the replay failed.
    pub error: Option<&'static str>,
    /// Fuel, memory and time that the replay used.
    pub usage: RunUsage,
}

impl ToolCaller {
    /// Replays a stored run. Fails if the skill may not run now.
    pub async fn replay(&self, run_id: &str, cancel: CancelToken) -> Result<Replayed, CallError> {
        if !self.state.view().plugins().policy.value.enabled {
            return Err(WasmPluginRunError::Disabled { what: THE_RUNNER.into() }.into());
        }
        let (state, id) = (Arc::clone(&self.state), run_id.to_owned());
        let (run, tape) = blocking(move || stored(&state, &id)).await?;
        check_replayable(&run, &tape)?;
        let record = self.state.skills().record(&run.skill_id)?;
        check_runnable(&record, self.state.platform())?;
        let skill = release_of(self, record, &run).await?;
        let module =
            module_of(&skill, &tape).ok_or_else(|| not_found("module", &tape.header.module_sha256))?;
        let until =
            Instant::now().checked_add(Duration::from_millis(tape.header.limits.wall_clock_timeout_ms));
        let request = LoadRequest { owner: &run.skill_id, until };
        let loaded = self.runtime.load_for(module, request).await?;
        let place = self.runtime.admit(&run.skill_id, &cancel).await?;
        let open = tape.end.open;
        let report = self.runtime.invoke_in(&place, &loaded, invocation(tape, cancel)).await;
        let verdict = report.replay.ok_or_else(|| {
            WasmPluginRunError::Internal("a replay ended without comparing itself to its tape".into())
        })?;
        let error = report.result.as_ref().err().map(|error| error.kind().wire_name());
        let output = report.result.ok().and_then(|output| output.json().cloned());
        Ok(Replayed { run_id: run.run_id, verdict, open, output, error, usage: report.usage })
    }
}

fn stored(state: &State, run_id: &str) -> Result<(RunRow, Tape), CallError> {
    let tape = state.runs().tape(run_id).map_err(|problem| match problem {
        TapeProblem::State(error) => CallError::State(error),
        TapeProblem::NoRun { run_id } => not_found("run", &run_id),
        TapeProblem::NoTape { run_id } => not_found("tape", &run_id),
        problem => WasmPluginRunError::NotRunnable {
            name: run_id.to_owned(),
            reason: problem.to_string(),
            remedy: format!("its receipt is still valid: `palyra runs receipt {run_id}`"),
        }
        .into(),
    })?;
    let run = state.runs().get(run_id)?.ok_or_else(|| not_found("run", run_id))?;
    Ok((run, tape))
}

/// Rejects runs that cannot be replayed: of a module that is not stored, or with files that are not on the tape.
fn check_replayable(run: &RunRow, tape: &Tape) -> Result<(), CallError> {
    let reason = match () {
        () if run.skill_id == INLINE => "its inline module was not stored",
        () if tape.end.open => "it opened files, and tapes of version 1 do not record them",
        () => return Ok(()),
    };
    let name = run.run_id.clone();
    let remedy = format!("read its tape instead: `palyra runs tape {name}`");
    Err(WasmPluginRunError::NotRunnable { name, reason: reason.into(), remedy }.into())
}

/// Returns the release of the run, verified under the current trust.
async fn release_of(
    caller: &ToolCaller,
    record: SkillRecord,
    run: &RunRow,
) -> Result<Arc<VerifiedSkill>, CallError> {
    if record.current.payload.to_string() == run.payload {
        return resolve::verified(caller, &record).await;
    }
    let state = Arc::clone(&caller.state);
    let payload = run.payload.clone();
    blocking(move || earlier(&state, &record, &payload)).await
}

fn earlier(state: &State, record: &SkillRecord, payload: &str) -> Result<Arc<VerifiedSkill>, CallError> {
    let archive = kept(record, payload).ok_or_else(|| not_found("release", payload))?;
    let gone = |reason: String| WasmPluginRunError::NotRunnable {
        name: record.skill_id.clone(),
        reason,
        remedy: format!("see `palyra skills show {}`", record.skill_id),
    };
    let bytes = state.objects().get(&archive).map_err(|error| gone(error.to_string()))?;
    let trust = state.trust().snapshot(Arc::clone(state.view().trust()));
    let verified = reverify_installed_artifact(bytes, &trust, state.platform());
    let skill = verified.map_err(|_| gone("the release of the run is no longer trusted".into()))?.skill;
    if skill.payload().to_string() == payload {
        Ok(Arc::new(skill))
    } else {
        Err(gone("the stored release is a different one".into()).into())
    }
}

fn kept(record: &SkillRecord, payload: &str) -> Option<Sha256Digest> {
    let payload: Sha256Digest = payload.parse().ok()?;
    let past = record.previous.iter().find(|past| past.payload == payload).map(|past| past.archive);
    past.or_else(|| record.release(payload).map(|release| release.archive))
}

fn module_of<'a>(skill: &'a VerifiedSkill, tape: &Tape) -> Option<&'a [u8]> {
    let wanted: Sha256Digest = tape.header.module_sha256.parse().ok()?;
    // The digests of the verification: hashing a module of many megabytes would hold up an async worker.
    let digests = skill.artifact().entry_digests();
    let is_wanted = |path: &str| digests.iter().any(|entry| entry.path == path && entry.sha256 == wanted);
    skill.modules().find(|(path, _)| is_wanted(path)).map(|(_, bytes)| bytes)
}

fn invocation(tape: Tape, cancel: CancelToken) -> Invocation {
    let tape = Arc::new(tape);
    let header = &tape.header;
    Invocation {
        entry: header.entry.clone(),
        input: header.input.clone(),
        run_id: Arc::clone(&header.run_id),
        owner: Arc::clone(&header.owner),
        grants: Arc::clone(&header.grants),
        allow_addresses: Arc::from([]),
        limits: header.limits.clone(),
        operator_config: header.operator_config.clone(),
        cancel: Some(cancel),
        replay: Some(Arc::clone(&tape)),
    }
}

fn not_found(what: &'static str, name: &str) -> CallError {
    WasmPluginRunError::NotFound { what, name: palyra_state::short_name(name), known: Vec::new() }.into()
}

fn as_json<S: serde::Serializer>(output: &Option<JsonText>, serializer: S) -> Result<S::Ok, S::Error> {
    let value =
        output.as_ref().and_then(|text| serde_json::from_str::<serde_json::Value>(text.as_str()).ok());
    value.as_ref().map(InOrder).serialize(serializer)
}
