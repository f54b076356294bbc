//! Reads bindings by id, and converts the result of a hook to its API type.

use std::sync::Arc;

use palyra_api::hooks::{HookBinding, HookList, HookTest};
use palyra_common::text::clip_untrusted;
use palyra_plugins_runtime::HookDecision;
use palyra_runner::HookAnswer;
use palyra_state::hooks::{HookBindingRecord, HookError};

use super::super::answer::Failure;
use crate::app::App;
use crate::to_api::ToApi;

/// Returns every binding, and how the file differs.
pub(super) fn list_of(app: &App) -> Result<HookList, Failure> {
    let bindings = app.hooks().statuses()?.to_api();
    Ok(HookList { bindings, file: app.hooks().file_status().to_api() })
}

/// Returns one binding.
pub(super) fn one_of(app: &App, id: &str) -> Result<HookBinding, Failure> {
    let hooks = app.hooks().statuses()?;
    let found = hooks.iter().find(|hook| hook.applied.binding.id == id);
    Ok(found.map(ToApi::to_api).ok_or_else(|| unknown(app, id))?)
}

/// Returns the record of one binding.
pub(super) fn binding(app: &App, id: &str) -> Result<Arc<HookBindingRecord>, HookError> {
    let hooks = app.hooks().index();
    hooks.get(id).map(|entry| Arc::clone(&entry.binding)).ok_or_else(|| unknown(app, id))
}

/// Converts the answer of a hook to its API type.
pub(in super::super) fn answered(binding: &str, event: &str, answer: HookAnswer) -> HookTest {
    let HookAnswer { decision, run_id, usage, log, receipt } = answer;
    let (decision, text) = match decision {
        HookDecision::Continue => ("continue", None),
        HookDecision::Annotate(text) => ("annotate", Some(text)),
        HookDecision::RequestApproval(reason) => ("request_approval", Some(reason)),
        HookDecision::Block(reason) => ("block", Some(reason)),
    };
    HookTest {
        binding: binding.to_owned(),
        event: event.to_owned(),
        decision: decision.into(),
        text,
        run_id,
        usage: usage.to_api(),
        log: log.to_api(),
        receipt: receipt.to_api(),
    }
}

fn unknown(app: &App, id: &str) -> HookError {
    let known = app.hooks().index().all().iter().map(|entry| entry.binding.id.clone()).collect();
    let id = clip_untrusted(id, 80);
    HookError::Unknown { id, known }
}
