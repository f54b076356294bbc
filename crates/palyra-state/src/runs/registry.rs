//! The runs in progress: who can be cancelled, and what they say while they run.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use palyra_plugins_runtime::{CancelToken, LogLine, OnLine};
use palyra_skills::trust::RevocationTarget;
use palyra_skills::{RuntimeStatus, Sha256Digest};
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use tokio::sync::{mpsc, watch};

use super::{INLINE, RunEvents, RunFollower, RunLine, RunStore, RunSubject, clip, log_line};
use crate::view::View;

/// The line of a call that waits for code; no line of a guest has this form.
pub const COMPILING: &str = "compiling (first call only)";
/// Lines a slow listener may be behind before it misses some.
const MAX_BEHIND: usize = 256;

/// A run in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunningRun {
    /// Its id.
    pub run_id: String,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release.
    pub payload: Sha256Digest,
}

/// What the caller of a run hears of it: whom it waits for, its id, and its lines as they come.
#[derive(Debug)]
pub struct RunListener {
    run_id: OnceLock<String>,
    waits_for: watch::Sender<Option<String>>,
    lines: mpsc::Sender<String>,
}

impl RunListener {
    /// A listener, and the lines it hears; one that falls far behind misses some.
    pub fn new() -> (Arc<Self>, mpsc::Receiver<String>) {
        let (lines, receiver) = mpsc::channel(MAX_BEHIND);
        let waits_for = watch::Sender::new(None);
        (Arc::new(Self { run_id: OnceLock::new(), waits_for, lines }), receiver)
    }

    /// The run, once there is one.
    pub fn run_id(&self) -> Option<&str> {
        self.run_id.get().map(String::as_str)
    }

    /// The approval the call waits for, if it does; changes as well once the run has an id.
    pub fn waits_for(&self) -> watch::Receiver<Option<String>> {
        self.waits_for.subscribe()
    }

    /// Tells that the call waits for a person to decide this approval.
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

    /// Reports that the call waits for code, as a line before those of the run.
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
    why: Arc<OnceLock<&'static str>>,
    events: Arc<RunEvents>,
    listener: Option<Arc<RunListener>>,
}

impl<'s> RunStore<'s> {
    /// The runs in progress.
    pub fn registry(&self) -> &'s Arc<RunRegistry> {
        &self.state.running
    }

    /// The runs in progress now, by id.
    pub fn running(&self) -> Vec<RunningRun> {
        let mut runs: Vec<RunningRun> = self.state.running.lock().iter().map(running).collect();
        runs.sort_by(|left, right| left.run_id.cmp(&right.run_id));
        runs
    }

    /// Ends a run in progress; says whether there was one.
    pub fn cancel(&self, run_id: &str) -> bool {
        let runs = self.state.running.lock();
        let Some(entry) = runs.get(run_id) else { return false };
        entry.end("operator");
        true
    }

    /// What a run says, after the line of this number or from its first one; `None` if it is not in progress.
    pub fn follow(&self, run_id: &str, after: Option<u64>) -> Option<RunFollower> {
        let events = self.state.running.lock().get(run_id).map(|entry| Arc::clone(&entry.events))?;
        Some(RunFollower::new(events, after))
    }
}

impl RunRegistry {
    /// Lists a run, before it is decided for the last time whether it may run.
    pub fn list(
        self: &Arc<Self>,
        run_id: &str,
        subject: Arc<RunSubject>,
        cancel: CancelToken,
        listener: Option<Arc<RunListener>>,
    ) -> Listed {
        let why = Arc::new(OnceLock::new());
        let events = Arc::<RunEvents>::default();
        if let Some(listener) = &listener {
            listener.begin(run_id);
        }
        let entry = Entry { subject, cancel, why: Arc::clone(&why), events: Arc::clone(&events), listener };
        self.lock().insert(run_id.to_owned(), entry);
        Listed { runs: Arc::clone(self), run_id: run_id.to_owned(), why, events }
    }

    /// Adds a line to the events of a run and sends it to its listener, without waiting for either.
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

    /// A listener for the log of the sandbox, which adds each line to its run.
    pub fn on_line(self: &Arc<Self>) -> OnLine {
        let runs = Arc::clone(self);
        Arc::new(move |run_id: &str, line: &LogLine| runs.tell_line(run_id, || log_line(line)))
    }

    /// Ends every run that may not go on after a change; an update lets runs of the old release finish.
    pub(crate) fn end_unrunnable(&self, view: &View) {
        for entry in self.lock().values() {
            if let Some(why) = unrunnable(view, &entry.subject) {
                entry.end(why);
            }
        }
    }

    /// The id of the one that began first.
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

/// Why a run may not go on.
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

/// A run's place in the list; it goes when this goes.
pub struct Listed {
    runs: Arc<RunRegistry>,
    run_id: String,
    why: Arc<OnceLock<&'static str>>,
    events: Arc<RunEvents>,
}

impl Listed {
    /// The principal that ended the run, if not its caller.
    pub fn ended_by(&self) -> Option<&'static str> {
        self.why.get().copied()
    }

    /// The events of the run.
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
