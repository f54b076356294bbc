//! What objectives have used, under the owner's MAC: a budget bounds what happens unattended.

use palyra_journal::{Durability, JournalError, JournalTransaction};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::ControlStore;
use crate::db::RowKey;
use crate::error::StateError;

const TABLE: &str = "objective_use";

/// What an objective may use in all; nothing is no bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// The objective.
    pub objective: String,
    /// Most runs.
    pub max_runs: Option<u64>,
    /// Most fuel of all runs together.
    pub max_fuel: Option<u64>,
}

/// Use of an objective.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveUse {
    /// Number of started runs.
    pub runs: u64,
    /// Fuel of finished runs.
    pub fuel: u64,
}

impl Budget {
    /// Whether nothing is left.
    pub fn is_exhausted(&self, used: ObjectiveUse) -> bool {
        self.max_runs.is_some_and(|most| used.runs >= most)
            || self.max_fuel.is_some_and(|most| used.fuel >= most)
    }

    /// The fuel that is left, where there is a bound.
    pub fn fuel_left(&self, used: ObjectiveUse) -> Option<u64> {
        self.max_fuel.map(|most| most.saturating_sub(used.fuel))
    }
}

impl ControlStore<'_> {
    /// What an objective has used; a row that does not prove itself is an error, never nothing.
    pub fn objective_use(&self, objective: &str) -> Result<ObjectiveUse, StateError> {
        self.state.journal.read(|connection| read_use(connection, &self.state.row_key, objective))
    }

    pub(super) fn forget_objective_use(&self, objective: &str) -> Result<(), StateError> {
        let objective = objective.to_owned();
        let forgotten = self.state.journal.transaction(
            Durability::Normal,
            move |transaction: &mut JournalTransaction<'_>| {
                let sql = "DELETE FROM objective_use WHERE objective = ?1";
                let deleted = transaction.sql().execute(sql, [&objective]);
                deleted.map(drop).map_err(JournalError::sqlite("forget an objective"))
            },
        );
        forgotten.wait().map_err(StateError::from)
    }
}

pub(super) fn read_use(
    connection: &Connection,
    key: &RowKey,
    objective: &str,
) -> Result<ObjectiveUse, StateError> {
    let sql = "SELECT bytes, mac FROM objective_use WHERE objective = ?1";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let row: Option<(Vec<u8>, Vec<u8>)> = connection
        .query_row(sql, [objective], read)
        .optional()
        .map_err(JournalError::sqlite("read what an objective used"))?;
    let Some((bytes, mac)) = row else { return Ok(ObjectiveUse::default()) };
    let name = format!("{TABLE}/{objective}");
    if key.check_in(TABLE, objective, &bytes, &mac).is_err() {
        return Err(StateError::record("read", name)("it has an invalid MAC"));
    }
    serde_json::from_slice(&bytes).map_err(StateError::record("read", name))
}

pub(super) fn write_use(
    connection: &Connection,
    key: &RowKey,
    objective: &str,
    used: ObjectiveUse,
) -> Result<(), StateError> {
    let bytes = serde_json::to_vec(&used).map_err(StateError::record("written", objective))?;
    let mac = key.seal_in(TABLE, objective, &bytes);
    let sql = "INSERT OR REPLACE INTO objective_use (objective, bytes, mac) VALUES (?1, ?2, ?3)";
    let written = connection.execute(sql, params![objective, bytes, mac.as_slice()]);
    written.map(drop).map_err(JournalError::sqlite("write what an objective used"))?;
    Ok(())
}
