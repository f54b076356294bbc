//! How bindings stand: what is in force, what the file says instead, and what keeps one from hearing anything.

use palyra_skills::Sha256Digest;
use serde::Serialize;

use super::file::{Placed, parse_placed};
use super::{AppliedBinding, HookBindingRecord, HookIndex, HookStore};
use crate::deliveries::{DeliveryCursor, LaneKey};
use crate::error::StateError;
use crate::state::State;
use crate::view::View;

/// What is wrong with a binding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BindingProblem {
    /// The field.
    pub field: &'static str,
    /// Reason.
    pub reason: String,
}

impl BindingProblem {
    pub(super) fn new(field: &'static str, reason: &str) -> Self {
        Self { field, reason: reason.to_owned() }
    }
}

/// One binding in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookStatus {
    /// The binding and where it begins.
    pub applied: AppliedBinding,
    /// What keeps it from running now, such as a skill that is not there any more.
    pub problem: Option<String>,
    /// How far an observer has come.
    pub cursor: Option<DeliveryCursor>,
    /// How many dead letters it has.
    pub dead_letters: u64,
}

/// How the file compares with what is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BindingsFileStatus {
    /// It is the one that was applied last, or there is none and nothing was ever applied.
    Applied,
    /// It is gone; what was applied last stays in force.
    Missing,
    /// It says something else; nothing of it is in force.
    Edited(Vec<BindingChange>),
    /// It cannot be read; nothing of it is in force.
    Unreadable(String),
}

/// One binding that differs in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "change", content = "id")]
pub enum BindingChange {
    /// Only the file has it.
    Added(String),
    /// Only what is in force has it.
    Removed(String),
    /// Both have it, with a difference.
    Changed(String),
}

impl HookStore<'_> {
    /// Every binding in force with how it stands; reads the database.
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

    /// How the file compares with what is in force.
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

/// What of a binding does not fit what is installed: the field and why.
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

/// What keeps a binding from running now.
fn problem(view: &View, state: &State, binding: &HookBindingRecord) -> Option<String> {
    if let Some(misfit) = misfit(view, binding) {
        return Some(misfit.reason);
    }
    let record = view.index().get(&binding.plugin)?;
    crate::skills::check_runnable(record, &state.platform).err().map(|error| error.to_string())
}
