//! The text of the policy that says who may do what; it is asked by whoever lets requests in.

use std::sync::Arc;

use palyra_journal::EventKind;
use palyra_policy::PolicySet;
use serde_json::json;

use super::{ACCESS, Revised, put};
use crate::commit::Change;
use crate::db::{RowChange, SealedTable};
use crate::error::StateError;
use crate::state::State;

/// The policy an operator set, and the generation it was set in; without a text it is the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessPolicy {
    /// Another one for every policy that is set; 0 for the default.
    pub revision: u64,
    /// The text, where an operator set one.
    pub text: Option<Arc<str>>,
}

impl From<Revised<String>> for AccessPolicy {
    fn from(set: Revised<String>) -> Self {
        Self { revision: set.revision, text: Some(set.value.into()) }
    }
}

impl State {
    /// The policy that says who may do what.
    pub fn access_policy(&self) -> AccessPolicy {
        self.view().plugins().access.clone()
    }

    /// Sets the policy on behalf of a principal; says its revision.
    pub fn set_access_policy(&self, policy: &PolicySet, principal: &str) -> Result<u64, StateError> {
        let mut gate = self.gate();
        let revision = gate.view.generation() + 1;
        let rows = vec![put(ACCESS.to_owned(), revision, &policy.text())?];
        let details = json!({ "revision": revision, "sha256": policy.revision().to_string(),
            "rules": policy.rules().count() });
        let event = self.event(EventKind::PolicyChanged, principal);
        let event = event.subject("access").details(details);
        self.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(revision)
    }

    /// Goes back to the default; says whether there was another policy.
    pub fn reset_access_policy(&self, principal: &str) -> Result<bool, StateError> {
        let mut gate = self.gate();
        if gate.view.plugins().access.text.is_none() {
            return Ok(false);
        }
        let rows = vec![RowChange::Delete { table: SealedTable::Setting, key: ACCESS.to_owned() }];
        let event = self.event(EventKind::PolicyChanged, principal);
        let event = event.subject("access").details(json!({ "removed": true }));
        self.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(true)
    }
}
