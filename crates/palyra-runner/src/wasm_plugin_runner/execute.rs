//! Execution of a resolved module.

use std::sync::Arc;

use palyra_plugins_runtime::{Invocation, RunPlace, RunReport};

use super::{Calling, ResolvedPlugin};
use crate::ToolCaller;

/// Runs a resolved module once, in a fresh instance.
pub(crate) async fn execute_module(
    caller: &ToolCaller,
    run_id: &str,
    place: &RunPlace,
    calling: &Calling,
    resolved: &ResolvedPlugin,
) -> RunReport {
    let invocation = Invocation {
        entry: resolved.entry.clone(),
        input: calling.input.clone(),
        run_id: run_id.into(),
        owner: calling.subject.skill_id.as_str().into(),
        grants: Arc::clone(&resolved.grants.grants),
        allow_addresses: Arc::clone(&resolved.grants.allow_addresses),
        limits: resolved.limits.clone(),
        operator_config: resolved.operator_config.clone(),
        cancel: Some(calling.cancel.clone()),
        replay: None,
    };
    caller.runtime.invoke_in(place, &resolved.loaded, invocation).await
}
