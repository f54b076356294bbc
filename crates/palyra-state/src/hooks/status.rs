//! Status of bindings: which are in effect, how the file differs, and why a binding cannot run.

use palyra_skills::Sha256Digest;
use serde::Serialize;

use super::file::{Placed, parse_placed};
use super::{AppliedBinding, HookBindingRecord, HookIndex, HookStore};
use crate::deliveries::{DeliveryCursor, LaneKey};
use crate::error::StateError;
use crate::state::State;
use crate::view::View;

/// An invalid field of a binding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BindingProblem {
    /// Name of the field in the file.
    pub field: &'static str,
    /// The rule that the value violates.
    pub reason: String,
}

impl BindingProblem {
    pub(super) fn new(field: &'static str, reason: &str) -> Self {
        Self { field, reason: reason.to_owned() }
    }
}

/// Status of one binding in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookStatus {
    /// The binding and its start position.
    pub applied: AppliedBinding,
    /// Why it cannot run now, for example because its skill was removed.
    pub problem: Option<String>,
    /// Delivery position of an observer; `None` for a gate, or before the first delivery.
    pub cursor: Option<DeliveryCursor>,
    /// Number of its dead letters.
    pub dead_letters: u64,
}

/// Result of comparing the file with the bindings in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BindingsFileStatus {
    /// The file is the one applied last, or neither a file nor bindings exist.
    Applied,
    /// The file was deleted; the bindings applied last stay in effect.
    Missing,
    /// The file has unapplied edits.
    Edited(Vec<BindingChange>),
    /// The file cannot be read or parsed; the bindings applied last stay in effect.
    Unreadable(String),
}

/// A difference between the file and the bindings in effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "change", content = "id")]
pub enum BindingChange {
    /// The binding is only in the file.
    Added(String),
    /// The binding is in effect, but not in the file.
    Removed(String),
    /// The binding differs in the file.
    Changed(String),
}

impl HookStore<'_> {
    /// Returns the status of every binding in effect. Reads the database and blocks the calling thread.
    pub fn statuses(&self) -> Result<Vec<HookStatus>, StateError> {
        let view = self.state.view();
        let (mut cursors, letters) =
            (self.state.deliveries().cursors()?, self.state.deliveries().dead_letter_counts()?);
        let status = |applied: &AppliedBinding| {
            let lane = LaneKey::hook(&applied.binding.id);
            HookStatus {
                problem: problem(&view, self.state, &applied.binding),
                cursor: cursors.remove(&lane),
                dead_letters: letters.get(&lane).copied().unwrap_or(0),
                applied: applied.clone(),
            }
        };
        Ok(view.hooks().all().iter().map(status).collect())
    }

    /// Compares the file with the bindings in effect.
    pub fn file_status(&self) -> BindingsFileStatus {
        self.status_of_file(&self.index())
    }

    pub(super) fn status_of_file(&self, applied: &HookIndex) -> BindingsFileStatus {
        let text = match self.read_file() {
            Ok(Some(text)) => text,
            Ok(None) if applied.digest().is_none() => return BindingsFileStatus::Applied,
            Ok(None) => return BindingsFileStatus::Missing,
            Err(error) => return BindingsFileStatus::Unreadable(error.to_string()),
        };
        if applied.digest() == Some(Sha256Digest::of(text.as_bytes())) {
            return BindingsFileStatus::Applied;
        }
        match parse_placed(&text) {
            Ok(placed) => BindingsFileStatus::Edited(changes(applied.all(), &placed)),
            Err(fault) => BindingsFileStatus::Unreadable(fault.to_string()),
        }
    }
}

fn changes(applied: &[AppliedBinding], placed: &[Placed]) -> Vec<BindingChange> {
    let in_force = |id: &str| applied.iter().find(|entry| entry.binding.id == id);
    let changed = placed.iter().filter_map(|placed| match in_force(&placed.binding.id) {
        None => Some(BindingChange::Added(placed.binding.id.clone())),
        Some(entry) if *entry.binding != placed.binding => {
            Some(BindingChange::Changed(placed.binding.id.clone()))
        }
        Some(_) => None,
    });
    let gone = |entry: &&AppliedBinding| !placed.iter().any(|placed| placed.binding.id == entry.binding.id);
    let gone = applied.iter().filter(gone).map(|entry| BindingChange::Removed(entry.binding.id.clone()));
    changed.chain(gone).collect()
}

/// Returns the first field of a binding that does not match the installed skills.
pub(super) fn misfit(view: &View, binding: &HookBindingRecord) -> Option<BindingProblem> {
    let Some(record) = view.index().get(&binding.plugin) else {
        return Some(BindingProblem::new("plugin", &format!("`{}` is not installed", binding.plugin)));
    };
    let hooks = &record.current.manifest.entrypoints.hooks;
    let Some(hook) = hooks.iter().find(|hook| hook.id == binding.hook) else {
        let known: Vec<String> = hooks.iter().map(|hook| format!("`{}`", hook.id)).collect();
        let known =
            if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        let reason = format!("`{}` has no hook `{}`: {known}", binding.plugin, binding.hook);
        return Some(BindingProblem::new("hook", &reason));
    };
    let subscribed = hook.events.iter().any(|event| event == binding.event.as_str());
    (!subscribed).then(|| {
        let reason = format!("`{}` handles {}", hook.id, hook.events.join(", "));
        BindingProblem::new("event", &reason)
    })
}

/// Returns why a binding cannot run now.
fn problem(view: &View, state: &State, binding: &HookBindingRecord) -> Option<String> {
    if let Some(misfit) = misfit(view, binding) {
        return Some(misfit.reason);
    }
    let record = view.index().get(&binding.plugin)?;
    crate::skills::check_runnable(record, &state.platform).err().map(|error| error.to_string())
}
