//! Stores the runner policy, which limits every run.

use palyra_common::WasmPluginRunnerPolicy;
use palyra_journal::EventKind;
use serde_json::{Value, json};

use super::{POLICY, PluginSettingError, Revised, SettingStore, put};
use crate::commit::Change;
use crate::db::{RowChange, SealedTable};
use crate::state::Gate;

impl SettingStore<'_> {
    /// Returns the runner policy in effect, or the default with revision 0.
    pub fn runner_policy(&self) -> Revised<WasmPluginRunnerPolicy> {
        self.state.view().plugins().policy.clone()
    }

    /// Sets the runner policy on behalf of a principal; returns its revision.
    pub fn set_runner_policy(
        &self,
        policy: &WasmPluginRunnerPolicy,
        principal: &str,
    ) -> Result<u64, PluginSettingError> {
        self.change_runner_policy(policy, None, principal)
    }

    /// Sets the runner policy only if `made_from` is still the current revision; otherwise fails with
    /// [`PluginSettingError::Changed`].
    pub fn change_runner_policy(
        &self,
        policy: &WasmPluginRunnerPolicy,
        made_from: Option<u64>,
        principal: &str,
    ) -> Result<u64, PluginSettingError> {
        policy.validate()?;
        let mut gate = self.state.gate();
        let found = gate.view.plugins().policy.revision;
        if let Some(expected) = made_from.filter(|expected| *expected != found) {
            return Err(PluginSettingError::Changed { expected, found });
        }
        let revision = gate.view.generation() + 1;
        let row = put(POLICY.to_owned(), revision, policy)?;
        let details = json!({ "revision": revision, "enabled": policy.enabled,
            "allow_inline_modules": policy.allow_inline_modules });
        self.keep_runner_policy(&mut gate, row, principal, details)?;
        Ok(revision)
    }

    /// Resets the runner policy to the default; returns whether another one was set.
    pub fn reset_runner_policy(&self, principal: &str) -> Result<bool, PluginSettingError> {
        let mut gate = self.state.gate();
        if gate.view.plugins().policy.revision == 0 {
            return Ok(false);
        }
        let row = RowChange::Delete { table: SealedTable::Setting, key: POLICY.to_owned() };
        self.keep_runner_policy(&mut gate, row, principal, json!({ "default": true }))?;
        Ok(true)
    }

    fn keep_runner_policy(
        &self,
        gate: &mut Gate,
        row: RowChange,
        principal: &str,
        details: Value,
    ) -> Result<(), PluginSettingError> {
        let event = self.state.event(EventKind::PolicyChanged, principal);
        let event = event.subject("runner").details(details);
        self.state.commit(gate, Change { rows: vec![row], events: vec![event] })?;
        Ok(())
    }
}
