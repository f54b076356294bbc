//! Use of objectives, with the owner's MAC, because their budget limits unattended runs.

use std::collections::BTreeMap;

use palyra_journal::{Durability, JournalError, JournalTransaction};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::ControlStore;
use super::fires::FireKey;
use crate::db::RowKey;
use crate::error::StateError;

const TABLE: &str = "objective_use";

/// Limits of an objective over all its runs; `None` is unlimited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Name of the objective.
    pub objective: String,
    /// Maximum number of runs.
    pub max_runs: Option<u64>,
    /// Maximum fuel of all runs together.
    pub max_fuel: Option<u64>,
}

/// Total use of an objective.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ObjectiveUse {
    /// Number of started runs.
    pub runs: u64,
    /// Fuel used by finished runs.
    pub fuel: u64,
}

/// The row of an objective: its use, and the fuel that fires in progress hold.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UseRow {
    pub(super) runs: u64,
    pub(super) fuel: u64,
    /// Reserved fuel by session of the fire. Without reservations, concurrent fires would each use all that is left.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    reserved: BTreeMap<String, u64>,
}

impl UseRow {
    /// Returns the started runs and the fuel of finished ones, without reservations.
    pub(super) fn used(&self) -> ObjectiveUse {
        ObjectiveUse { runs: self.runs, fuel: self.fuel }
    }

    /// Returns the use with reserved fuel counted as used.
    pub(super) fn with_reserved(&self) -> ObjectiveUse {
        let fuel = self.reserved.values().fold(self.fuel, |sum, fuel| sum.saturating_add(*fuel));
        ObjectiveUse { fuel, ..self.used() }
    }

    /// Reserves the remaining fuel for a fire, at most `most`, and returns it; `None` if the fuel is unlimited.
    pub(super) fn reserve(&mut self, key: &FireKey, budget: &Budget, most: Option<u64>) -> Option<u64> {
        let fuel = budget.fuel_left(self.with_reserved())?.min(most.unwrap_or(u64::MAX));
        self.reserved.insert(key.session(), fuel);
        Some(fuel)
    }

    /// Releases the reservation of a fire, and charges the fuel it used.
    pub(super) fn settle(&mut self, key: &FireKey, fuel: u64) {
        self.reserved.remove(&key.session());
        self.fuel = self.fuel.saturating_add(fuel);
    }
}

impl Budget {
    /// Returns whether a limit is reached.
    pub fn is_exhausted(&self, used: ObjectiveUse) -> bool {
        self.max_runs.is_some_and(|most| used.runs >= most)
            || self.max_fuel.is_some_and(|most| used.fuel >= most)
    }

    /// Returns the remaining fuel, or `None` if it is unlimited.
    pub fn fuel_left(&self, used: ObjectiveUse) -> Option<u64> {
        self.max_fuel.map(|most| most.saturating_sub(used.fuel))
    }
}

impl ControlStore<'_> {
    /// Returns the total use of an objective. A row with an invalid MAC is an error, never zero use.
    pub fn objective_use(&self, objective: &str) -> Result<ObjectiveUse, StateError> {
        let read = |connection: &Connection| read_use(connection, &self.state.row_key, objective);
        Ok(self.state.journal.read(read)?.used())
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

pub(super) fn read_use(connection: &Connection, key: &RowKey, objective: &str) -> Result<UseRow, StateError> {
    let sql = "SELECT bytes, mac FROM objective_use WHERE objective = ?1";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let row: Option<(Vec<u8>, Vec<u8>)> = connection
        .query_row(sql, [objective], read)
        .optional()
        .map_err(JournalError::sqlite("read what an objective used"))?;
    let Some((bytes, mac)) = row else { return Ok(UseRow::default()) };
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
    used: &UseRow,
) -> Result<(), StateError> {
    let bytes = serde_json::to_vec(used).map_err(StateError::record("written", objective))?;
    let mac = key.seal_in(TABLE, objective, &bytes);
    let sql = "INSERT OR REPLACE INTO objective_use (objective, bytes, mac) VALUES (?1, ?2, ?3)";
    let written = connection.execute(sql, params![objective, bytes, mac.as_slice()]);
    written.map(drop).map_err(JournalError::sqlite("write what an objective used"))?;
    Ok(())
}
