//! A run between its start and its receipt.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use palyra_common::{CapabilityGrantSet, THE_RUNNER, WasmPluginRunError};
use palyra_plugins_runtime::RunPlace;
use palyra_state::runs::{self, INLINE, Listed, RunStart, RunSubject, unrunnable};
use palyra_state::{State, StateError, View, check_runnable};

use super::Calling;
use crate::{CallError, ToolCaller};

/// Time after which a run without effects gets its row while it is in progress.
const SOON: Duration = Duration::from_millis(20);

/// An admitted and registered run. If it is dropped before it is finished, it is closed as interrupted.
pub(crate) struct BegunRun {
    state: Arc<State>,
    row: Arc<RunStart>,
    /// True if its row is written or queued.
    written: bool,
    finished: bool,
    pub(crate) listed: Listed,
    place: Arc<RunPlace>,
}

impl BegunRun {
    /// Admits and registers the run. If it can have effects, its row is committed before this returns.
    pub(super) async fn begin(
        caller: &ToolCaller,
        calling: &Calling,
        grants: &CapabilityGrantSet,
    ) -> Result<Self, CallError> {
        let place = caller.runtime.admit(&calling.subject.skill_id, &calling.cancel).await?;
        let row = Arc::new(RunStart::new(
            &caller.state,
            &calling.subject,
            &calling.principal,
            calling.context.session.as_deref(),
            calling.context.run_id.as_deref(),
        )?);
        // Registered before the check: a change in between is found by the check or cancels the run.
        let listed = caller.state.runs().registry().list(
            &row.run_id,
            Arc::clone(&calling.subject),
            calling.cancel.clone(),
            place.usage().clone(),
            calling.listener.clone(),
        );
        check_still_runnable(&caller.state, calling)?;
        let written = grants.may_have_effects();
        let state = Arc::clone(&caller.state);
        let run = Self { state, row, written, finished: false, listed, place: Arc::new(place) };
        if written {
            runs::start(&run.state, &run.row).await.map_err(StateError::from)?;
        }
        Ok(run)
    }

    pub(crate) fn row(&self) -> &Arc<RunStart> {
        &self.row
    }

    /// Returns its admission, which limits concurrent runs.
    pub(super) fn place(&self) -> Arc<RunPlace> {
        Arc::clone(&self.place)
    }

    /// Waits for the guest, and writes the row of a run that takes longer than [`SOON`].
    ///
    /// The future is passed pinned: it is large, and moving it would copy it.
    pub(super) async fn attend<F: Future>(&mut self, mut running: Pin<&mut F>) -> F::Output {
        if !self.written {
            // Most runs end on the first poll, so a timer is only set up for the others.
            if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(running.as_mut().poll(context))).await {
                return done;
            }
            if let Ok(done) = tokio::time::timeout(SOON, &mut running).await {
                return done;
            }
            self.write_down();
        }
        running.await
    }

    /// Marks the receipt as queued; the writer stores it even if the caller is dropped.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }

    /// Reverts [`Self::finish`] after the writer failed, so that the run is closed as interrupted.
    pub(crate) fn not_finished(&mut self) {
        self.finished = false;
    }

    /// Queues the row before everything else of the run.
    fn write_down(&mut self) {
        self.written = true;
        drop(runs::start(&self.state, &self.row));
    }
}

impl Drop for BegunRun {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        if !self.written {
            self.write_down();
        }
        runs::close_abandoned(&self.state, &self.row.run_id);
    }
}

/// Returns an error if release, consent, policies, gates, profile or settings changed while a call waited.
pub(super) fn check_unchanged(then: &View, now: &View, subject: &RunSubject) -> Result<(), CallError> {
    let skill_id = &subject.skill_id;
    let release = |view: &View| {
        view.index().get(skill_id).map(|record| (record.current.payload, record.current.consent))
    };
    let (before, after) = (then.plugins(), now.plugins());
    let same = then.generation() == now.generation()
        || release(then) == release(now)
            && before.policy == after.policy
            && before.access == after.access
            && before.hooks.revision() == after.hooks.revision()
            && before.profiles.get(skill_id) == after.profiles.get(skill_id)
            && before.configs.get(skill_id) == after.configs.get(skill_id)
            && unrunnable(now, subject).is_none();
    if same {
        Ok(())
    } else {
        Err(WasmPluginRunError::NotRunnable {
            name: subject.tool_id.clone(),
            reason: "its permissions changed while the call waited".into(),
            remedy: "call it again; an approval that still matches is used".into(),
        }
        .into())
    }
}

/// Returns the error of a call whose token was removed or expired while it waited.
pub(super) fn requester_gone(subject: &RunSubject) -> CallError {
    let not_runnable = WasmPluginRunError::NotRunnable {
        name: subject.tool_id.clone(),
        reason: "the token it was called with was removed or expired while the call waited".into(),
        remedy: "call it again with a token that is valid".into(),
    };
    not_runnable.into()
}

fn check_still_runnable(state: &State, calling: &Calling) -> Result<(), CallError> {
    let view = state.view();
    // Everything was checked in this view.
    if calling.generation == Some(view.generation()) {
        return Ok(());
    }
    let policy = &view.plugins().policy.value;
    if !policy.enabled {
        return Err(WasmPluginRunError::Disabled { what: THE_RUNNER.into() }.into());
    }
    let skill_id = &calling.subject.skill_id;
    if skill_id == INLINE {
        return Ok(super::inline::allowed(policy)?);
    }
    let record = view.index().get(skill_id).ok_or_else(|| WasmPluginRunError::NotFound {
        what: "skill",
        name: skill_id.clone(),
        known: Vec::new(),
    })?;
    check_runnable(record, state.platform())?;
    match unrunnable(&view, &calling.subject) {
        None => Ok(()),
        Some(why) => Err(WasmPluginRunError::NotRunnable {
            name: skill_id.clone(),
            reason: format!("the called release is {why}"),
            remedy: format!("see `palyra skills show {skill_id}`"),
        }
        .into()),
    }
}
