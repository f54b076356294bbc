//! The policy every run is under.

use palyra_common::WasmPluginRunnerPolicy;
use palyra_journal::EventKind;
use serde_json::json;

use super::{POLICY, PluginSettingError, Revised, put};
use crate::commit::Change;
use crate::state::State;

impl State {
    /// The policy every run is under; the default until somebody sets one.
    pub fn runner_policy(&self) -> Revised<WasmPluginRunnerPolicy> {
        self.view().plugins().policy.clone()
    }

    /// Sets the policy on behalf of a principal; says its revision.
    pub fn set_runner_policy(
        &self,
        policy: &WasmPluginRunnerPolicy,
        principal: &str,
    ) -> Result<u64, PluginSettingError> {
        policy.validate()?;
        let mut gate = self.gate();
        let revision = gate.view.generation() + 1;
        let rows = vec![put(POLICY.to_owned(), revision, policy)?];
        let details = json!({ "revision": revision, "enabled": policy.enabled,
            "allow_inline_modules": policy.allow_inline_modules });
        let event = self.event(EventKind::PolicyChanged).actor(crate::text::short_name(principal));
        let event = event.subject("runner").details(details);
        self.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(revision)
    }
}
