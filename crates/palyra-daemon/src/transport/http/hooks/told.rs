//! Bindings and answers in the words of the API.

use std::sync::Arc;

use palyra_api::hooks::{
    BindingChange, BindingsFile, BindingsFileState, HookBinding, HookCursor, HookList, HookTest,
};
use palyra_plugins_runtime::HookDecision;
use palyra_state::call::HookAnswer;
use palyra_state::hooks::{self, BindingsFileStatus, HookBindingRecord, HookError, HookStatus};

use super::super::answer::Failure;
use crate::app::App;
use crate::invoke::{leaf, line, usage};

/// Every binding, and how the file compares.
pub(super) fn list_of(app: &App) -> Result<HookList, Failure> {
    let bindings = app.state().hook_statuses()?.iter().map(told).collect();
    Ok(HookList { bindings, file: file(app.state().bindings_file()) })
}

/// One binding.
pub(super) fn one_of(app: &App, id: &str) -> Result<HookBinding, Failure> {
    let standings = app.state().hook_statuses()?;
    let found = standings.iter().find(|standing| standing.applied.binding.id == id);
    Ok(found.map(told).ok_or_else(|| unknown(app, id))?)
}

/// The record of one binding.
pub(super) fn binding(app: &App, id: &str) -> Result<Arc<HookBindingRecord>, HookError> {
    let hooks = app.state().hooks();
    hooks.get(id).map(|entry| Arc::clone(&entry.binding)).ok_or_else(|| unknown(app, id))
}

/// What a hook answered.
pub(super) fn answered(binding: &HookBindingRecord, answer: HookAnswer) -> HookTest {
    let (decision, text) = match answer.decision {
        HookDecision::Continue => ("continue", None),
        HookDecision::Annotate(text) => ("annotate", Some(text)),
        HookDecision::RequestApproval(reason) => ("request_approval", Some(reason)),
        HookDecision::Block(reason) => ("block", Some(reason)),
    };
    HookTest {
        binding: binding.id.clone(),
        event: binding.event.to_string(),
        decision: decision.into(),
        text,
        run_id: answer.run_id,
        usage: usage(&answer.usage),
        log: answer.log.into_iter().map(line).collect(),
        receipt: leaf(answer.receipt),
    }
}

fn unknown(app: &App, id: &str) -> HookError {
    let known = app.state().hooks().all().iter().map(|entry| entry.binding.id.clone()).collect();
    let id = palyra_common::redact::escape_untrusted(&id.chars().take(80).collect::<String>());
    HookError::Unknown { id, known }
}

fn told(standing: &HookStatus) -> HookBinding {
    let binding = &*standing.applied.binding;
    HookBinding {
        id: binding.id.clone(),
        event: binding.event.to_string(),
        plugin: binding.plugin.clone(),
        hook: binding.hook.clone(),
        enabled: binding.enabled,
        gate: binding.event.is_gate(),
        order: binding.order,
        timeout_ms: binding.timeout_ms(),
        fuel: binding.fuel,
        max_attempts: binding.max_attempts(),
        skills: binding.skills.clone(),
        tools: binding.tools.clone(),
        problem: standing.problem.clone(),
        cursor: standing.cursor.as_ref().map(cursor),
        dead_letters: standing.dead_letters,
    }
}

fn cursor(cursor: &hooks::HookCursor) -> HookCursor {
    HookCursor {
        next: cursor.next,
        attempts: cursor.attempts,
        retry_at_ms: cursor.retry_at_ms,
        error: cursor.error.clone(),
        delivered: cursor.delivered,
    }
}

fn file(standing: BindingsFileStatus) -> BindingsFile {
    let (state, changes, problem) = match standing {
        BindingsFileStatus::Applied => (BindingsFileState::Applied, Vec::new(), None),
        BindingsFileStatus::Missing => (BindingsFileState::Missing, Vec::new(), None),
        BindingsFileStatus::Edited(changes) => (BindingsFileState::Edited, changes, None),
        BindingsFileStatus::Unreadable(problem) => (BindingsFileState::Unreadable, Vec::new(), Some(problem)),
    };
    BindingsFile { state, changes: changes.into_iter().map(change).collect(), problem }
}

fn change(change: hooks::BindingChange) -> BindingChange {
    let (id, change) = match change {
        hooks::BindingChange::Added(id) => (id, "added"),
        hooks::BindingChange::Removed(id) => (id, "removed"),
        hooks::BindingChange::Changed(id) => (id, "changed"),
    };
    BindingChange { id, change: change.into() }
}
