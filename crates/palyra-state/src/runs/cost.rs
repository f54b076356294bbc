//! Cost of a tool's past calls.

pub use palyra_common::model::runs::ToolCost;

use palyra_journal::JournalError;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::{RECEIPT_FACTS, RunStore};
use crate::error::StateError;

/// Number of newest runs that are evaluated.
const MOST_RUNS: i64 = 1_000;

impl RunStore<'_> {
    /// Returns the cost of the newest calls of a tool, from their receipts.
    pub fn tool_cost(&self, skill_id: &str, tool_id: &str) -> Result<ToolCost, StateError> {
        let read = |connection: &Connection| {
            sum(connection, skill_id, tool_id).map_err(JournalError::sqlite("read what a tool cost"))
        };
        self.state.journal.read(read).map_err(StateError::from)
    }
}

fn sum(connection: &Connection, skill_id: &str, tool_id: &str) -> rusqlite::Result<ToolCost> {
    let sql = format!(
        "SELECT status, {RECEIPT_FACTS} FROM runs
         WHERE skill_id = ?1 AND tool_id = ?2 AND receipt_leaf IS NOT NULL ORDER BY run_id DESC LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![skill_id, tool_id, MOST_RUNS])?;
    let (mut cost, mut elapsed) = (ToolCost::default(), Vec::new());
    while let Some(row) = rows.next()? {
        let (status, receipt): (String, Option<String>) = (row.get(0)?, row.get(1)?);
        match status.as_str() {
            "completed" => cost.completed += 1,
            _ => cost.failed += 1,
        }
        let receipt: Value = serde_json::from_str(receipt.as_deref().unwrap_or("null")).unwrap_or_default();
        let number = |name: &str| receipt.get(name).and_then(Value::as_u64);
        elapsed.extend(number("elapsed_us"));
        cost.most_fuel = cost.most_fuel.max(number("fuel"));
        cost.most_memory_bytes = cost.most_memory_bytes.max(number("peak_memory_bytes"));
    }
    elapsed.sort_unstable();
    cost.median_elapsed_us = elapsed.get(elapsed.len() / 2).copied();
    Ok(cost)
}
