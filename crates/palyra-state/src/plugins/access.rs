//! Stores the access policy, which the authorizer evaluates.

use std::sync::Arc;

use palyra_journal::EventKind;
use palyra_policy::PolicySet;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ACCESS, SettingStore};
use crate::commit::Change;
use crate::db::{RowChange, SealedTable};
use crate::error::StateError;

/// The access policy in effect, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessPolicy {
    /// Generation in which the policy was set; 0 for the default.
    pub revision: u64,
    /// The Cedar text; `None` for the default policy.
    pub text: Option<Arc<str>>,
    /// True if the policy was set before rules could see the labels of a session; the default rule about
    /// labels then applies in addition.
    pub before_labels: bool,
}

/// The row of a stored policy.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredAccess {
    revision: u64,
    value: String,
    /// Missing in rows of versions whose rules could not see labels.
    #[serde(default)]
    sees_labels: bool,
}

impl From<StoredAccess> for AccessPolicy {
    fn from(stored: StoredAccess) -> Self {
        let StoredAccess { revision, value, sees_labels } = stored;
        Self { revision, text: Some(value.into()), before_labels: !sees_labels }
    }
}

impl SettingStore<'_> {
    /// Returns the access policy in effect.
    pub fn access_policy(&self) -> AccessPolicy {
        self.state.view().plugins().access.clone()
    }

    /// Sets the access policy on behalf of a principal; returns its revision.
    pub fn set_access_policy(&self, policy: &PolicySet, principal: &str) -> Result<u64, StateError> {
        let mut gate = self.state.gate();
        let revision = gate.view.generation() + 1;
        let stored = StoredAccess { revision, value: policy.text().to_owned(), sees_labels: true };
        let bytes = serde_json::to_vec(&stored).map_err(StateError::record("written", ACCESS))?;
        let rows = vec![RowChange::Put { table: SealedTable::Setting, key: ACCESS.to_owned(), bytes }];
        let details = json!({ "revision": revision, "sha256": policy.revision().to_string(),
            "rules": policy.rules().count() });
        let event = self.state.event(EventKind::PolicyChanged, principal);
        let event = event.subject("access").details(details);
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(revision)
    }

    /// Resets the access policy to the default; returns whether another one was set.
    pub fn reset_access_policy(&self, principal: &str) -> Result<bool, StateError> {
        let mut gate = self.state.gate();
        if gate.view.plugins().access.text.is_none() {
            return Ok(false);
        }
        let rows = vec![RowChange::Delete { table: SealedTable::Setting, key: ACCESS.to_owned() }];
        let event = self.state.event(EventKind::PolicyChanged, principal);
        let event = event.subject("access").details(json!({ "removed": true }));
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(true)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn row_of_an_earlier_version_says_that_its_rules_see_no_labels() {
        let read =
            |row: &str| AccessPolicy::from(serde_json::from_str::<StoredAccess>(row).unwrap()).before_labels;
        assert!(read(r#"{"revision":7,"value":"permit (principal, action, resource);"}"#));
        let stored = StoredAccess { revision: 7, value: String::new(), sees_labels: true };
        assert!(!read(&serde_json::to_string(&stored).unwrap()));
    }
}
