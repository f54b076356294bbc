//! Bindings of hooks, and the bindings file.

use palyra_api::hooks::{self as api, BindingsFile, BindingsFileState};
use palyra_state::hooks::{BindingChange, BindingsFileStatus, HookBindingRecord, HookStatus};

use super::ToApi;

impl ToApi for HookStatus {
    type Api = api::HookBinding;

    fn to_api(&self) -> api::HookBinding {
        let Self { applied, problem, cursor, dead_letters } = self;
        let binding = &*applied.binding;
        let HookBindingRecord {
            id,
            event,
            plugin,
            hook,
            enabled,
            order,
            timeout_ms: _,
            fuel,
            max_attempts: _,
            skills,
            tools,
        } = binding;
        api::HookBinding {
            id: id.clone(),
            event: event.to_string(),
            plugin: plugin.clone(),
            hook: hook.clone(),
            enabled: *enabled,
            gate: event.is_gate(),
            order: *order,
            // The methods instead of the fields, because they fill in the defaults.
            timeout_ms: binding.timeout_ms(),
            fuel: *fuel,
            max_attempts: binding.max_attempts(),
            skills: skills.clone(),
            tools: tools.clone(),
            problem: problem.clone(),
            cursor: cursor.to_api(),
            dead_letters: *dead_letters,
        }
    }
}

impl ToApi for BindingsFileStatus {
    type Api = BindingsFile;

    fn to_api(&self) -> BindingsFile {
        let (state, changes, problem) = match self {
            Self::Applied => (BindingsFileState::Applied, Vec::new(), None),
            Self::Missing => (BindingsFileState::Missing, Vec::new(), None),
            Self::Edited(changes) => (BindingsFileState::Edited, changes.to_api(), None),
            Self::Unreadable(problem) => (BindingsFileState::Unreadable, Vec::new(), Some(problem.clone())),
        };
        BindingsFile { state, changes, problem }
    }
}

impl ToApi for BindingChange {
    type Api = api::BindingChange;

    fn to_api(&self) -> api::BindingChange {
        let (id, change) = match self {
            Self::Added(id) => (id, "added"),
            Self::Removed(id) => (id, "removed"),
            Self::Changed(id) => (id, "changed"),
        };
        api::BindingChange { id: id.clone(), change: change.to_owned() }
    }
}
