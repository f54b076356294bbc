//! Changes bindings. The row and its leaf are committed before the file is written; after a crash in
//! between, the row is authoritative.

use std::sync::Arc;

use palyra_journal::EventKind;
use palyra_skills::Sha256Digest;
use serde_json::json;

use super::file::{MAX_BINDINGS, parse_placed, write_text};
use super::status::misfit;
use super::{
    AppliedBinding, AppliedBindings, BindingsFileStatus, HookBindingRecord, HookError, HookIndex, HookStore,
};
use crate::commit::Change;
use crate::plugins::put_hooks;
use crate::state::Gate;
use crate::text::short_name;

/// Maximum number of binding ids in a leaf.
const MAX_LISTED: usize = 100;

impl HookStore<'_> {
    /// Returns the bindings in effect.
    pub fn index(&self) -> HookIndex {
        self.state.view().hooks().clone()
    }

    /// Adds a binding on behalf of a principal. Fails with [`HookError::FileEdited`] if the file has unapplied edits.
    pub fn bind(&self, binding: HookBindingRecord, principal: &str) -> Result<HookIndex, HookError> {
        let bad = |problem: super::BindingProblem| HookError::Bad {
            id: short_name(&binding.id),
            field: problem.field,
            reason: problem.reason,
        };
        binding.check().map_err(bad)?;
        let mut gate = self.state.gate();
        self.check_file_as_applied(&gate)?;
        let index = gate.view.hooks();
        if index.get(&binding.id).is_some() {
            return Err(HookError::Exists { id: binding.id });
        }
        if index.all().len() >= MAX_BINDINGS {
            return Err(HookError::TooMany { most: MAX_BINDINGS });
        }
        if let Some(problem) = misfit(&gate.view, &binding) {
            return Err(bad(problem));
        }
        let since = self.state.journal.head().size;
        let mut bindings = index.all().to_vec();
        bindings.push(AppliedBinding { binding: Arc::new(binding), since });
        self.keep(&mut gate, bindings, principal)
    }

    /// Removes a binding. Its lane is removed with the next delivery pass.
    pub fn unbind(&self, id: &str, principal: &str) -> Result<HookIndex, HookError> {
        let mut gate = self.state.gate();
        self.check_file_as_applied(&gate)?;
        let bindings = gate.view.hooks().all();
        let left: Vec<AppliedBinding> =
            bindings.iter().filter(|entry| entry.binding.id != id).cloned().collect();
        if left.len() == bindings.len() {
            return Err(unknown(gate.view.hooks(), id));
        }
        self.keep(&mut gate, left, principal)
    }

    /// Enables or disables a binding; events during the time it is disabled are not delivered later.
    pub fn switch(&self, id: &str, enabled: bool, principal: &str) -> Result<HookIndex, HookError> {
        let mut gate = self.state.gate();
        self.check_file_as_applied(&gate)?;
        let index = gate.view.hooks().clone();
        let entry = index.get(id).ok_or_else(|| unknown(&index, id))?;
        if entry.binding.enabled == enabled {
            return Ok(index);
        }
        let head = self.state.journal.head().size;
        let switched = |entry: &AppliedBinding| {
            if entry.binding.id == id {
                AppliedBinding {
                    binding: Arc::new(HookBindingRecord { enabled, ..(*entry.binding).clone() }),
                    since: head,
                }
            } else {
                entry.clone()
            }
        };
        let bindings = index.all().iter().map(switched).collect();
        self.keep(&mut gate, bindings, principal)
    }

    /// Replaces the bindings with those of the file. A binding with the same event, plugin and hook keeps its position.
    pub fn apply(&self, principal: &str) -> Result<HookIndex, HookError> {
        let text = self.read_file()?.ok_or(HookError::NoFile)?;
        let placed = parse_placed(&text)?;
        let mut gate = self.state.gate();
        for placed in &placed {
            if let Some(problem) = misfit(&gate.view, &placed.binding) {
                return Err(placed.fault(problem).into());
            }
        }
        let (index, head) = (gate.view.hooks().clone(), self.state.journal.head().size);
        let applied = |binding: HookBindingRecord| {
            let since = index.get(&binding.id).filter(|known| goes_on(&known.binding, &binding));
            AppliedBinding { since: since.map_or(head, |known| known.since), binding: Arc::new(binding) }
        };
        let bindings = placed.into_iter().map(|placed| applied(placed.binding)).collect();
        let applied = AppliedBindings { digest: Some(Sha256Digest::of(text.as_bytes())), bindings };
        self.commit_bindings(&mut gate, applied, principal)
    }

    /// Rewrites the file from the bindings in effect.
    pub fn restore_file(&self) -> Result<HookIndex, HookError> {
        let mut gate = self.state.gate();
        let index = gate.view.hooks().clone();
        let text = write_text(index.all().iter().map(|entry| &*entry.binding))?;
        // The file may have been applied with other formatting; committing our text makes the digests match again.
        if index.digest() != Some(Sha256Digest::of(text.as_bytes())) {
            return self.keep(&mut gate, index.all().to_vec(), "owner");
        }
        self.write_file(&text)?;
        Ok(index)
    }

    /// Rejects a change while the file has unapplied edits, which writing it would lose.
    fn check_file_as_applied(&self, gate: &Gate) -> Result<(), HookError> {
        let view = Arc::clone(&gate.view);
        match self.status_of_file(view.hooks()) {
            BindingsFileStatus::Applied | BindingsFileStatus::Missing => Ok(()),
            BindingsFileStatus::Edited(_) | BindingsFileStatus::Unreadable(_) => Err(HookError::FileEdited),
        }
    }

    fn keep(
        &self,
        gate: &mut Gate,
        bindings: Vec<AppliedBinding>,
        principal: &str,
    ) -> Result<HookIndex, HookError> {
        let text = write_text(bindings.iter().map(|entry| &*entry.binding))?;
        let digest = Some(Sha256Digest::of(text.as_bytes()));
        let index = self.commit_bindings(gate, AppliedBindings { digest, bindings }, principal)?;
        self.write_file(&text)?;
        Ok(index)
    }

    fn commit_bindings(
        &self,
        gate: &mut Gate,
        applied: AppliedBindings,
        principal: &str,
    ) -> Result<HookIndex, HookError> {
        let revision = gate.view.generation() + 1;
        let before = gate.view.hooks().clone();
        let row = put_hooks(revision, &applied)?;
        let after = HookIndex::new(revision, applied);
        let only = |these: &HookIndex, those: &HookIndex| -> Vec<String> {
            let absent = |entry: &&AppliedBinding| {
                those.get(&entry.binding.id).is_none_or(|other| other.binding != entry.binding)
            };
            these.all().iter().filter(absent).take(MAX_LISTED).map(|entry| entry.binding.id.clone()).collect()
        };
        let gates = after.hooks_for_event(super::HookEventKind::RunBeforeTool).len();
        let details = json!({ "revision": revision, "bindings": after.all().len(), "gates": gates,
            "set": only(&after, &before), "unset": only(&before, &after),
            "sha256": after.digest().map(|digest| digest.to_string()) });
        let event = self.state.event(EventKind::HooksChanged, principal).details(details);
        self.state.commit(gate, Change { rows: vec![row], events: vec![event] })?;
        Ok(after)
    }
}

/// Returns whether a changed binding continues at its old position instead of starting at the journal's head.
fn goes_on(known: &HookBindingRecord, binding: &HookBindingRecord) -> bool {
    known.event == binding.event
        && known.plugin == binding.plugin
        && known.hook == binding.hook
        && known.enabled == binding.enabled
}

fn unknown(index: &HookIndex, id: &str) -> HookError {
    let known = index.all().iter().map(|entry| entry.binding.id.clone()).collect();
    HookError::Unknown { id: short_name(id), known }
}
