//! The runs in progress: cancellation, and live output for listeners and followers.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use palyra_common::RuntimeLimits;
use palyra_plugins_runtime::{CancelToken, LogLine, OnLine, RunUsage, UsageWatch};
use palyra_skills::trust::RevocationTarget;
use palyra_skills::{RuntimeStatus, Sha256Digest};
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use tokio::sync::{mpsc, watch};

use super::{INLINE, RunEvents, RunFollower, RunLine, RunStore, RunSubject, clip, log_line};
use crate::view::View;

/// Line of a call that waits for compilation; no line of a guest has this form.
pub const COMPILING: &str = "compiling (first call only)";
/// Capacity of a listener's channel; a slower listener misses lines.
const MAX_BEHIND: usize = 256;

/// A run in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunningRun {
    /// Id of the run.
    pub run_id: String,
    /// Skill id, or [`INLINE`].
    pub skill_id: String,
    /// Full id of the tool or hook.
    pub tool_id: String,
    /// SHA-256 of the release.
    pub payload: Sha256Digest,
}

/// Receives the progress of one call: the approval it waits for, its run id, and its lines.
#[derive(Debug)]
pub struct RunListener {
    run_id: OnceLock<String>,
    waits_for: watch::Sender<Option<String>>,
    lines: mpsc::Sender<String>,
}

impl RunListener {
    /// Creates a listener and the receiver of its lines. Lines are dropped while the receiver's channel is full.
    pub fn new() -> (Arc<Self>, mpsc::Receiver<String>) {
        let (lines, receiver) = mpsc::channel(MAX_BEHIND);
        let waits_for = watch::Sender::new(None);
        (Arc::new(Self { run_id: OnceLock::new(), waits_for, lines }), receiver)
    }

    /// Returns the id of the run, once it has started.
    pub fn run_id(&self) -> Option<&str> {
        self.run_id.get().map(String::as_str)
    }

    /// Returns a receiver of the approval the call waits for. It also changes when the run gets its id.
    pub fn waits_for(&self) -> watch::Receiver<Option<String>> {
        self.waits_for.subscribe()
    }

    /// Reports that the call waits for a decision about this approval.
    pub fn wait_for(&self, approval_id: &str) {
        let other = |waits: &mut Option<String>| {
            let other = waits.as_deref() != Some(approval_id);
            *waits = Some(approval_id.to_owned());
            other
        };
        self.waits_for.send_if_modified(other);
    }

    fn begin(&self, run_id: &str) {
        let _ = self.run_id.set(run_id.to_owned());
        self.waits_for.send_replace(None);
    }

    /// Reports that the call waits for compilation, as a line before those of the run.
    pub fn report_compiling(&self) {
        self.report(COMPILING);
    }

    fn report(&self, line: &str) {
        if let Ok(slot) = self.lines.try_reserve() {
            slot.send(line.to_owned());
        }
    }
}

/// Every run in progress, by id.
#[derive(Default)]
pub struct RunRegistry(Mutex<HashMap<String, Entry>>);

struct Entry {
    subject: Arc<RunSubject>,
    cancel: CancelToken,
    usage: UsageWatch,
    why: Arc<OnceLock<&'static str>>,
    events: Arc<RunEvents>,
    listener: Option<Arc<RunListener>>,
}

impl<'s> RunStore<'s> {
    /// Returns the runs in progress.
    pub fn registry(&self) -> &'s Arc<RunRegistry> {
        &self.state.running
    }

    /// Returns a snapshot of the runs in progress, sorted by id.
    pub fn running(&self) -> Vec<RunningRun> {
        let mut runs: Vec<RunningRun> = self.state.running.lock().iter().map(running).collect();
        runs.sort_by(|left, right| left.run_id.cmp(&right.run_id));
        runs
    }

    /// Cancels a run; returns false if it is not in progress.
    pub fn cancel(&self, run_id: &str) -> bool {
        let runs = self.state.running.lock();
        let Some(entry) = runs.get(run_id) else { return false };
        entry.end("operator");
        true
    }

    /// Returns the use of a run so far and its limits; `None` if its guest is not in progress.
    pub fn usage(&self, run_id: &str) -> Option<(RunUsage, RuntimeLimits)> {
        // A run that writes a line holds its own lock while it waits for that of the list: the two are never held here.
        let usage = self.state.running.lock().get(run_id).map(|entry| entry.usage.clone())?;
        usage.read()
    }

    /// Follows the output of a run after the line with this number, or from the start; returns `None` if it
    /// is not in progress.
    pub fn follow(&self, run_id: &str, after: Option<u64>) -> Option<RunFollower> {
        let events = self.state.running.lock().get(run_id).map(|entry| Arc::clone(&entry.events))?;
        Some(RunFollower::new(events, after))
    }
}

impl RunRegistry {
    /// Registers a run. Must be called before the last check of its permission, so that a change after that
    /// check cancels it.
    pub fn list(
        self: &Arc<Self>,
        run_id: &str,
        subject: Arc<RunSubject>,
        cancel: CancelToken,
        usage: UsageWatch,
        listener: Option<Arc<RunListener>>,
    ) -> Listed {
        let why = Arc::new(OnceLock::new());
        let events = Arc::<RunEvents>::default();
        if let Some(listener) = &listener {
            listener.begin(run_id);
        }
        let entry =
            Entry { subject, cancel, usage, why: Arc::clone(&why), events: Arc::clone(&events), listener };
        self.lock().insert(run_id.to_owned(), entry);
        Listed { runs: Arc::clone(self), run_id: run_id.to_owned(), why, events }
    }

    /// Adds a line to the output of a run and sends it to its listener, without waiting for either.
    pub fn tell_line(&self, run_id: &str, line: impl FnOnce() -> RunLine) {
        let receiver = |entry: &Entry| (Arc::clone(&entry.events), entry.listener.clone());
        let Some((events, listener)) = self.lock().get(run_id).map(receiver) else { return };
        let (kind, text) = line();
        let text = clip(&text);
        if let Some(listener) = listener {
            listener.report(&text);
        }
        events.say((kind, text));
    }

    /// Returns a callback for the log of the sandbox that adds each line to its run.
    pub fn on_line(self: &Arc<Self>) -> OnLine {
        let runs = Arc::clone(self);
        Arc::new(move |run_id: &str, line: &LogLine| runs.tell_line(run_id, || log_line(line)))
    }

    /// Cancels every run that a change no longer permits. An update of a skill lets runs of the old release finish.
    pub(crate) fn end_unrunnable(&self, view: &View) {
        for entry in self.lock().values() {
            if let Some(why) = unrunnable(view, &entry.subject) {
                entry.end(why);
            }
        }
    }

    /// Returns the id of the oldest run in progress.
    pub(super) fn first(&self) -> Option<String> {
        self.lock().keys().min().cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.0.lock()
    }
}

impl Entry {
    fn end(&self, why: &'static str) {
        let _ = self.why.set(why);
        self.cancel.cancel();
    }
}

fn running((run_id, entry): (&String, &Entry)) -> RunningRun {
    let subject = &entry.subject;
    RunningRun {
        run_id: run_id.clone(),
        skill_id: subject.skill_id.clone(),
        tool_id: subject.tool_id.clone(),
        payload: subject.payload,
    }
}

/// Returns why a run is no longer permitted, or `None` if it is.
pub fn unrunnable(view: &View, run: &RunSubject) -> Option<&'static str> {
    let policy = &view.plugins().policy.value;
    if !policy.enabled {
        return Some("policy");
    }
    if run.skill_id == INLINE {
        return (!policy.allow_inline_modules).then_some("policy");
    }
    let Some(record) = view.index().get(&run.skill_id) else { return Some("removed") };
    if view.trust().revoked(RevocationTarget::Payload(run.payload), &record.publisher).is_some() {
        return Some("revoked");
    }
    match record.runtime_status() {
        RuntimeStatus::Quarantined => Some("quarantined"),
        RuntimeStatus::Disabled => Some("disabled"),
        RuntimeStatus::AwaitingConsent => Some("awaiting_consent"),
        RuntimeStatus::Active | RuntimeStatus::Error => None,
    }
}

/// Registration of a run, removed on drop.
pub struct Listed {
    runs: Arc<RunRegistry>,
    run_id: String,
    why: Arc<OnceLock<&'static str>>,
    events: Arc<RunEvents>,
}

impl Listed {
    /// Returns why the run was cancelled, if its caller did not cancel it: `operator`, or the reason of [`unrunnable`].
    pub fn ended_by(&self) -> Option<&'static str> {
        self.why.get().copied()
    }

    /// Returns the output of the run.
    pub fn events(&self) -> &RunEvents {
        &self.events
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.runs.lock().remove(&self.run_id);
        self.events.close();
    }
}
