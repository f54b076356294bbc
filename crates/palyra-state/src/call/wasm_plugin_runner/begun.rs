//! A run between its first row and its receipt.

use std::sync::Arc;

use palyra_common::{CapabilityGrantSet, WasmPluginRunError};

use super::{Calling, INLINE};
use crate::call::find::check_runnable;
use crate::call::permits::Admitted;
use crate::call::running::Listed;
use crate::call::{CallError, ToolCaller, runs};
use crate::state::State;

/// A run that has room, a place in the list and a row; dropped before it is finished, it is closed as interrupted.
pub(in crate::call) struct BegunRun {
    state: Arc<State>,
    run_id: String,
    finished: bool,
    pub(in crate::call) listed: Listed,
    _admitted: Admitted,
}

impl BegunRun {
    pub(super) async fn begin(
        caller: &ToolCaller,
        calling: &Calling,
        grants: &CapabilityGrantSet,
    ) -> Result<Self, CallError> {
        let admitted = caller.permits.admit(&calling.subject.skill_id, &calling.cancel).await?;
        let run_id = runs::new_run_id()?;
        // Listed first and looked at then: a change in between ends the run one way or the other.
        let listed = caller.state.running.list(&run_id, calling);
        check_still_runnable(&caller.state, calling)?;
        let run =
            Self { state: Arc::clone(&caller.state), run_id, finished: false, listed, _admitted: admitted };
        runs::start(&caller.state, &run.run_id, calling, grants.may_have_effects()).await?;
        Ok(run)
    }

    pub(in crate::call) fn id(&self) -> &str {
        &self.run_id
    }

    /// Says that the receipt is on its way to the writer, which keeps it whoever goes away.
    pub(in crate::call) fn finish(&mut self) {
        self.finished = true;
    }
}

impl Drop for BegunRun {
    fn drop(&mut self) {
        if !self.finished {
            runs::close_abandoned(&self.state, &self.run_id);
        }
    }
}

fn check_still_runnable(state: &State, calling: &Calling) -> Result<(), CallError> {
    let view = state.view();
    if !view.plugins().policy.value.enabled {
        return Err(WasmPluginRunError::Disabled { what: "the runner".into() }.into());
    }
    let skill_id = &calling.subject.skill_id;
    if skill_id == INLINE {
        return Ok(());
    }
    let record = view.index().get(skill_id).ok_or_else(|| WasmPluginRunError::NotFound {
        what: "skill",
        name: skill_id.clone(),
        known: Vec::new(),
    })?;
    Ok(check_runnable(record, &state.platform)?)
}
