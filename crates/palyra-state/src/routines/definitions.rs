//! Definitions of routines and objectives: sealed rows whose content belongs to the scheduler.

use palyra_journal::EventKind;
use serde_json::{Value, json};

use super::ControlStore;
use crate::commit::Change;
use crate::db::{RowChange, SealedTable};
use crate::error::StateError;

/// Type of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlKind {
    /// A scheduled call.
    Routine,
    /// A goal with a budget.
    Objective,
}

/// The definition of a routine or objective as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlRow {
    /// Name of the routine or objective.
    pub name: String,
    /// Serialized definition, opaque to this crate.
    pub bytes: Vec<u8>,
}

impl ControlKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Routine => "routine/",
            Self::Objective => "objective/",
        }
    }

    fn event(self) -> EventKind {
        match self {
            Self::Routine => EventKind::RoutineChanged,
            Self::Objective => EventKind::ObjectiveChanged,
        }
    }
}

impl ControlStore<'_> {
    /// Returns every definition of a kind, by name.
    pub fn rows(&self, kind: ControlKind) -> Vec<ControlRow> {
        let view = self.state.view();
        let rows = view.rows().table(SealedTable::Setting);
        let named = rows.filter_map(|(key, bytes)| Some((key.strip_prefix(kind.prefix())?, bytes)));
        named.map(|(name, bytes)| ControlRow { name: name.to_owned(), bytes: bytes.to_vec() }).collect()
    }

    /// Sets or removes one definition. `decide` gets the current definitions of the kind under the commit
    /// lock and returns the new bytes, or `None` to remove it.
    ///
    /// `what` is the change as the journal names it: `added`, `enabled`, `removed` and so on. Removing an
    /// objective also resets its use.
    pub fn change<E: From<StateError>>(
        &self,
        kind: ControlKind,
        name: &str,
        what: &str,
        by: &str,
        decide: impl FnOnce(&[ControlRow]) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<(), E> {
        let mut gate = self.state.gate();
        let rows = gate.view.rows().table(SealedTable::Setting);
        let named = rows.filter_map(|(key, bytes)| Some((key.strip_prefix(kind.prefix())?, bytes)));
        let there: Vec<ControlRow> =
            named.map(|(name, bytes)| ControlRow { name: name.to_owned(), bytes: bytes.to_vec() }).collect();
        let (table, key) = (SealedTable::Setting, format!("{}{name}", kind.prefix()));
        let decided = decide(&there)?;
        let details = self.event_details(what, decided.as_deref());
        let row = match decided {
            Some(bytes) => RowChange::Put { table, key, bytes },
            None => RowChange::Delete { table, key },
        };
        let event = self.state.event(kind.event(), by).subject(name).details(details);
        self.state.commit(&mut gate, Change { rows: vec![row], events: vec![event] }).map_err(E::from)?;
        drop(gate);
        if kind == ControlKind::Objective && what == "removed" {
            self.forget_objective_use(name).map_err(E::from)?;
        }
        Ok(())
    }

    fn event_details(&self, what: &str, bytes: Option<&[u8]>) -> Value {
        let digest = bytes.map(|bytes| palyra_skills::Sha256Digest::of(bytes).to_string());
        json!({ "what": what, "sha256": digest })
    }
}
